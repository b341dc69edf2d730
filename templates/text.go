package templates

import (
	"regexp"
	"strings"
	"sync"

	"github.com/a-h/templ"
	"mvdan.cc/xurls/v2"
)

// prose shows text that somebody wrote. A blank line ends a paragraph, other
// newlines break the line, http and https links are clickable, and everything else
// is escaped.
func (s *scratch) prose(text string) templ.Component {
	return s.component(func(b []byte) []byte { return appendProse(b, text) })
}

func prose(text string) templ.Component { return new(scratch).prose(text) }

func appendProse(b []byte, text string) []byte {
	appendLine := appendEscaped
	// Few texts have a link, and to look for one costs more than all the rest.
	if strings.Contains(text, "://") {
		appendLine = appendLinked
	}
	text = strings.Trim(text, "\n")
	for more := true; more; {
		var paragraph string
		paragraph, text, more = strings.Cut(text, "\n\n")
		// Each paragraph takes its direction from its own first letter.
		b = append(b, `<p dir="auto">`...)
		b = appendLines(b, paragraph, appendLine)
		b = append(b, "</p>"...)
	}
	return b
}

func appendLines(b []byte, paragraph string, appendLine func([]byte, string) []byte) []byte {
	line, rest, more := strings.Cut(paragraph, "\n")
	b = appendLine(b, line)
	for more {
		b = append(b, "<br>"...)
		line, rest, more = strings.Cut(rest, "\n")
		b = appendLine(b, line)
	}
	return b
}

// appendLinked appends the line with clickable links. Their rel says that the site
// does not vouch for what strangers link to.
func appendLinked(b []byte, line string) []byte {
	for {
		before, link, after := cutLink(line)
		b = appendEscaped(b, before)
		if link == "" {
			return b
		}
		b = append(b, `<a rel="nofollow ugc noopener" href="`...)
		b = appendEscaped(b, link)
		b = append(b, `">`...)
		b = appendEscaped(b, link)
		b = append(b, "</a>"...)
		line = after
	}
}

// cutLink splits the line around its first http or https link. The link is empty
// if there is none. The slow regular expression runs only where a link begins.
func cutLink(line string) (before, link, after string) {
	from := 0
	for {
		i := strings.Index(line[from:], "://")
		if i < 0 {
			return line, "", ""
		}
		colon := from + i
		if start, ok := webScheme(line[:colon]); ok {
			if at := linkPattern().FindStringIndex(line[start:]); at != nil {
				end := start + at[1]
				return line[:start], line[start:end], line[end:]
			}
		}
		from = colon + len("://")
	}
}

// webScheme finds the start of the http or https at the end of s. It refuses the
// end of a longer scheme, such as "xhttp".
func webScheme(s string) (start int, ok bool) {
	for _, scheme := range [...]string{"https", "http"} {
		start = len(s) - len(scheme)
		if start >= 0 && strings.EqualFold(s[start:], scheme) {
			return start, start == 0 || !inScheme(s[start-1])
		}
	}
	return 0, false
}

// inScheme says whether c may stand in a scheme (RFC 3986, section 3.1).
func inScheme(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '+' || c == '-' || c == '.'
}

// linkPattern matches a link at the start of a string. It is compiled once, for the
// first link.
var linkPattern = sync.OnceValue(func() *regexp.Regexp {
	pattern, err := xurls.StrictMatchingScheme(`^https?://`)
	if err != nil {
		panic(err) // the expression is constant
	}
	return pattern
})
