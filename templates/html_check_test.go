package templates

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"
)

// A check returns what is wrong with a part of a page. Checks are small and nest:
// in("form[method=post]", in("button", says("Post"))).
type check func(*html.Node) error

// in passes if an element below matches the selector and passes all checks.
func in(selector string, checks ...check) check {
	return func(n *html.Node) error {
		found := find(n, selector)
		if len(found) == 0 {
			return fmt.Errorf("no %s", selector)
		}
		var failures []error
		for _, candidate := range found {
			err := all(checks)(candidate)
			if err == nil {
				return nil
			}
			failures = append(failures, fmt.Errorf("%s: %w", selector, err))
		}
		return errors.Join(failures...)
	}
}

// without passes if no element below matches the selector.
func without(selector string) check {
	return func(n *html.Node) error {
		if found := find(n, selector); len(found) > 0 {
			return fmt.Errorf("unexpected %s: %s", selector, textOf(found[0]))
		}
		return nil
	}
}

// times passes if that number of elements below match the selector.
func times(want int, selector string) check {
	return func(n *html.Node) error {
		if got := len(find(n, selector)); got != want {
			return fmt.Errorf("%d of %s, want %d", got, selector, want)
		}
		return nil
	}
}

// says passes if a reader can read the text.
func says(text string) check {
	return func(n *html.Node) error {
		if got := textOf(n); !strings.Contains(got, text) {
			return fmt.Errorf("%q does not say %q", got, text)
		}
		return nil
	}
}

// silent passes if a reader cannot read the text.
func silent(text string) check {
	return func(n *html.Node) error {
		if got := textOf(n); strings.Contains(got, text) {
			return fmt.Errorf("%q says %q", got, text)
		}
		return nil
	}
}

func all(checks []check) check {
	return func(n *html.Node) error {
		for _, c := range checks {
			if err := c(n); err != nil {
				return err
			}
		}
		return nil
	}
}

// shows is a test of one sentence about a page.
func shows(t *testing.T, sentence string, c templ.Component, checks ...check) {
	t.Helper()
	t.Run(sentence, func(t *testing.T) {
		t.Helper()
		expect(t, c, checks...)
	})
}

// expect renders the component and runs the checks on it.
func expect(t *testing.T, c templ.Component, checks ...check) {
	t.Helper()
	root := parse(t, render(t, c))
	for _, c := range checks {
		if err := c(root); err != nil {
			t.Error(err)
		}
	}
}

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var out bytes.Buffer
	if err := c.Render(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// parse reads a document as a browser without scripts does.
func parse(t *testing.T, document string) *html.Node {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(document), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// find lists the elements below n that match tag[name=value][name]…. The tag is
// optional.
func find(n *html.Node, selector string) []*html.Node {
	tag, conditions, _ := strings.Cut(selector, "[")
	var found []*html.Node
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && (tag == "" || d.Data == tag) && hasAll(d, conditions) {
			found = append(found, d)
		}
	}
	return found
}

func hasAll(n *html.Node, conditions string) bool {
	if conditions == "" {
		return true
	}
	for condition := range strings.SplitSeq(strings.TrimSuffix(conditions, "]"), "][") {
		name, want, valued := strings.Cut(condition, "=")
		got, ok := attribute(n, name)
		if !ok || valued && got != want {
			return false
		}
	}
	return true
}

func attribute(n *html.Node, name string) (value string, ok bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// textOf is the text that a reader reads, with one space between words and blocks.
func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		switch d.Data {
		case "p", "br", "h1", "h2", "h3", "li", "div", "dt", "dd":
			b.WriteString(" ")
		}
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
