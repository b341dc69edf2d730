package markdown

import (
	"bytes"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"mvdan.cc/xurls/v2"
)

// maxAddress is how many bytes an address in a text may have. The pattern for addresses is slow.
const maxAddress = 2000

// A bareLinkParser makes a link of each http and https address in a text. The
// one that goldmark has does not find an address after a letter that is not Latin, on
// localhost, or with a path that is not ASCII.
type bareLinkParser struct{}

// Trigger makes goldmark stop at the end of a scheme.
func (bareLinkParser) Trigger() []byte { return []byte{':'} }

func (bareLinkParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, rest := block.PeekLine()
	before, ok := parent.LastChild().(*ast.Text)
	if !ok || pc.IsInLinkLabel() || before.Segment.Stop != rest.Start || !bytes.HasPrefix(line, []byte("://")) {
		return nil
	}
	source := block.Source()
	start, ok := webScheme(source, before.Segment)
	if !ok {
		return nil
	}
	if !pc.(*bound).take(workOfAddress) {
		return nil
	}
	at := linkPattern().FindIndex(withBars(source[start:min(rest.Stop, start+maxAddress+utf8.UTFMax)]))
	if at == nil {
		return nil
	}
	end := start + at[1]
	for source[end-1] == '|' || strings.IndexByte("*_~", source[end-1]) >= 0 && isOpen(pc, source[end-1]) {
		end--
	}
	if at[1] > maxAddress || !linkable(util.URLEscape(source[start:end], false)) { // or each address in it would be read to its end
		block.Advance(end - rest.Start)
		return ast.NewTextSegment(text.NewSegment(rest.Start, end))
	}
	before.Segment = before.Segment.WithStop(start)
	block.Advance(end - rest.Start)
	return ast.NewAutoLink(ast.AutoLinkURL, ast.NewTextSegment(text.NewSegment(start, end)))
}

// withBars is a text in which the pattern for addresses takes the bars of a query for a part of it, as browsers do.
func withBars(text []byte) []byte {
	query := bytes.IndexByte(text, '?')
	if query < 0 || bytes.IndexByte(text[query:], '|') < 0 {
		return text
	}
	return append(bytes.Clone(text[:query]), bytes.ReplaceAll(text[query:], []byte("|"), []byte("-"))...)
}

// isOpen reports whether emphasis by the mark has begun before an address, so that the mark at its end is not its own.
func isOpen(pc parser.Context, mark byte) bool {
	closed := 0
	for d := pc.LastDelimiter(); d != nil; d = d.PreviousDelimiter {
		switch {
		case d.Char != mark:
		case d.CanClose:
			closed++
		case closed > 0:
			closed--
		default:
			return true
		}
	}
	return false
}

// webScheme finds the start of the http or https at the end of a segment of the source. It refuses the
// end of a longer scheme, such as "xhttp".
func webScheme(source []byte, s text.Segment) (start int, ok bool) {
	for _, scheme := range [...]string{"https", "http"} {
		start = s.Stop - len(scheme)
		if start >= s.Start && bytes.EqualFold(source[start:s.Stop], []byte(scheme)) {
			return start, start == s.Start || !inScheme(source[start-1])
		}
	}
	return 0, false
}

// inScheme reports whether c may be in a scheme (RFC 3986, section 3.1).
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

// relLink says that the site does not vouch for what users link to.
const relLink = "nofollow ugc noopener"

// linkable reports whether a link may lead to an address.
func linkable(address []byte) bool {
	u, err := url.Parse(string(address))
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return u.Opaque != ""
	}
	return false
}

// AddReference adds a definition that the links by reference of a text can have. What defines a link
// that may not be followed, such as a footnote of one word, defines nothing.
func (b *bound) AddReference(definition parser.Reference) {
	if b.take(workOfAddress) && linkable(util.URLEscape(definition.Destination(), true)) {
		b.Context.AddReference(definition)
	}
}

// showDefinitions shows as text what defines nothing. No reader sees the others.
func showDefinitions(doc ast.Node, source []byte) {
	for _, n := range descendants(doc) {
		if n, ok := n.(*ast.LinkReferenceDefinition); ok && !linkable(util.URLEscape(n.Destination, true)) {
			replace(n, paragraphOf(strings.TrimSpace(string(n.Lines().Value(source)))))
		}
	}
}

// maxRepeated is how many bytes of addresses and titles the links of a text may hold
// together, besides as many as the text has. A definition can be long, and each link by
// reference repeats it: without a limit, 5,000 characters could become 17 MB of HTML.
const maxRepeated = 8 << 10

// reshapeLinks makes links of images, and text of the links that may not be followed.
// No link is inside another. Links beyond maxRepeated are text too.
func reshapeLinks(nodes []ast.Node, source []byte) {
	room := len(source) + maxRepeated
	for _, n := range nodes {
		switch n := n.(type) {
		case *ast.AutoLink:
			reshapeAutoLink(n, source)
		case *ast.Link:
			room -= len(n.Destination) + len(n.Title)
			reshapeLink(n, n.Destination, n.Title, "[", room >= 0)
		case *ast.Image:
			room -= len(n.Destination) + len(n.Title)
			reshapeLink(n, n.Destination, n.Title, "![", room >= 0)
		}
	}
}

// reshapeAutoLink reshapes an address that is its own text. One that may not be
// followed was written between angle brackets, because a bareLinkParser makes no other.
func reshapeAutoLink(n *ast.AutoLink, source []byte) {
	address := string(n.Label(source))
	switch {
	case inLink(n):
		replace(n, literal(address))
	case n.AutoLinkType == ast.AutoLinkURL && !linkable(util.URLEscape([]byte(address), false)):
		replace(n, literal("<"+address+">"))
	default:
		n.SetAttributeString("rel", []byte(relLink))
	}
}

// reshapeLink reshapes a link or an image, which begins with the mark. If it does not fit,
// the text between its brackets stays.
func reshapeLink(n ast.Node, address, title []byte, mark string, fits bool) {
	inner := children(n)
	if !fits {
		around := append([]ast.Node{literal(mark)}, inner...)
		replace(n, append(around, literal("]"))...)
		return
	}
	if len(inner) == 0 {
		inner = []ast.Node{literal(string(address))}
	}
	switch {
	case inLink(n):
		replace(n, inner...)
	case !linkable(util.URLEscape(address, true)):
		around := append([]ast.Node{literal(mark)}, children(n)...)
		replace(n, append(around, literal("]("+string(address)+")"))...)
	default:
		link := ast.NewLink()
		link.Destination, link.Title = address, title
		link.SetAttributeString("rel", []byte(relLink))
		replace(n, link)
		for _, child := range inner {
			link.AppendChild(link, child)
		}
	}
}

func inLink(n ast.Node) bool {
	for up := n.Parent(); up != nil; up = up.Parent() {
		if up.Kind() == ast.KindLink {
			return true
		}
	}
	return false
}
