package induct

import (
	"fmt"
	"regexp"
	"strings"
)

// A node is a symbol, a text in quotation marks, or a list of nodes.
type node struct {
	line int
	text string // of a symbol or a text
	list []node // of a list: not nil
}

// String returns a node in SMT-LIB.
func (n node) String() string {
	if n.list == nil {
		return n.text
	}
	parts := make([]string, len(n.list))
	for i, item := range n.list {
		parts[i] = item.String()
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// head returns the first symbol of a list, or "".
func (n node) head() string {
	if len(n.list) == 0 {
		return ""
	}
	return n.list[0].text
}

// parse reads the lists of a file. A comment goes from a semicolon to the end of its line.
func parse(text string) ([]node, error) {
	token := regexp.MustCompile(`[()]|"[^"]*"|[^\s()"]+`)
	open := []node{{list: []node{}}}
	for i, line := range strings.Split(text, "\n") {
		code, _, _ := strings.Cut(line, ";")
		for _, word := range token.FindAllString(code, -1) {
			last := len(open) - 1
			switch {
			case word == "(":
				open = append(open, node{line: i + 1, list: []node{}})
			case word == ")" && last == 0:
				return nil, fmt.Errorf("line %d: a parenthesis too many", i+1)
			case word == ")":
				open[last-1].list = append(open[last-1].list, open[last])
				open = open[:last]
			default:
				open[last].list = append(open[last].list, node{line: i + 1, text: strings.Trim(word, `"`)})
			}
		}
	}
	if len(open) > 1 {
		return nil, fmt.Errorf("line %d: a list without an end", open[1].line)
	}
	return open[0].list, nil
}
