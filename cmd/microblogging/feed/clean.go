package feed

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/JohannesKaufmann/dom"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/encoding/charmap"

	"microblogging/domain"
)

const (
	// maxDepth bounds how deep elements nest, because each level of a list indents its lines.
	maxDepth = 60
	// maxVisible is how many characters of text are enough, whatever becomes of them: a
	// longer text is cut.
	maxVisible = 4 * domain.MaxText
	// maxMarkup bounds the bytes of markup that are parsed.
	maxMarkup = 1 << 20
)

// A cleaner leaves in a tree what a reader sees.
type cleaner struct {
	base    *url.URL
	visible int
	// emphasised are the elements that become marks around their texts. shown are media, which may be in links.
	emphasised, shown, anchors []*html.Node
	seen
}

// seen is what was in a text. Its Loss counts what is not in the tree any more.
type seen struct {
	Loss
	toMedia, toLinks []string // addresses
}

// clean returns the tree of markup, without what no reader sees, and what was in it. Markup without
// a tag keeps its lines. The parser refuses elements that nest hundreds deep.
func clean(markup string, base *url.URL) (tree *html.Node, _ seen, err error) {
	c := &cleaner{base: base}
	if len(markup) > maxMarkup {
		markup, c.Cut = strings.ToValidUTF8(markup[:maxMarkup], ""), true
	}
	markup = escapeStray(markup)
	if !strings.Contains(markup, "<") {
		markup = strings.ReplaceAll(markup, "\n", "<br>")
	}
	// Without scripts, what is for readers without scripts is read as markup.
	tree, err = html.ParseWithOptions(strings.NewReader(markup), html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, c.seen, err
	}
	c.children(tree, 0)
	for _, n := range c.shown {
		if unlink(n); n.DataAtom == atom.A { // it is on a line of its own
			n.Parent.InsertBefore(lineBreak(), n)
			n.Parent.InsertBefore(lineBreak(), n.NextSibling)
		}
	}
	for _, a := range c.anchors {
		if isBlank(a) { // it was around media
			say(a, "link")
		}
	}
	for _, n := range c.emphasised {
		checkEmphasis(n)
	}
	for _, n := range slices.Concat(c.anchors, c.shown) {
		n.Attr[0].Val = untouched + n.Attr[0].Val
	}
	return tree, c.seen, nil
}

// seenIn returns what is in markup.
func seenIn(markup string, base *url.URL) (in seen) {
	if strings.Contains(markup, "<") {
		_, in, _ = clean(markup, base)
	}
	return in
}

// children cleans what is below a node.
func (c *cleaner) children(n *html.Node, depth int) {
	for _, child := range dom.AllChildNodes(n) {
		if c.visible == maxVisible || isHidden(child) {
			if c.Cut = c.Cut || c.visible == maxVisible; child.DataAtom == atom.Svg {
				c.Media++
				c.countIn(child)
			}
			n.RemoveChild(child)
			continue
		}
		if child.Type == html.TextNode {
			child.Data = c.see(child.Data)
		}
		c.element(child)
		if depth > maxDepth && child.Type == html.ElementNode && child.DataAtom != atom.A && child.DataAtom != atom.Img {
			toSpan(child)
		}
		c.children(child, depth+1)
		if child.Parent == n && child.FirstChild == nil && child.DataAtom != atom.Source && edge(child, false) == 0 {
			n.RemoveChild(child) // so that neighbour looks at few nodes
		}
	}
}

// see returns text as a reader sees it, as far as there is room for it.
func (c *cleaner) see(text string) string {
	seen := []rune(visible(text))
	if room := maxVisible - c.visible; len(seen) > room {
		seen, c.Cut = seen[:room], true
	}
	c.visible += len(seen)
	return string(seen)
}

// visible drops control characters, and makes newlines of the separators of lines. Those of ISO 8859-1 are
// read as windows-1252, as browsers do with references to them.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if '\u0080' <= r && r <= '\u009f' {
			if read := charmap.Windows1252.DecodeByte(byte(r)); read != unicode.ReplacementChar {
				r = read
			}
		}
		switch {
		case r == '\u2029':
			return '\u2028'
		case unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r':
			return -1
		}
		return r
	}, s)
}

// element makes of an element what Markdown has in its place: of a table, lines of cells, and of a
// medium, a link.
func (c *cleaner) element(n *html.Node) {
	switch n.DataAtom {
	case atom.Img:
		c.image(n)
	case atom.Area:
		n.DataAtom, n.Data = atom.A, "a"
		n.AppendChild(textNode(dom.GetAttributeOr(n, "alt", "")))
		fallthrough
	case atom.A:
		address := c.link(n)
		if address == "" {
			toSpan(n)
			break
		}
		n.Attr = []html.Attribute{{Key: "href", Val: address}}
		c.anchors = append(c.anchors, n)
		if isBlank(n) && !dom.ContainsNode(n, isMedium) {
			say(n, address)
		}
	case atom.Iframe, atom.Video, atom.Audio, atom.Embed, atom.Object: // isMedium
		c.frame(n)
	case atom.Input:
		c.input(n)
	case atom.Textarea:
		toSpan(n)
	case atom.Noscript:
		toSpan(n)
		for _, img := range dom.FindAllNodes(n, isImage) {
			if address, _ := c.source(img); slices.Contains(c.toMedia, address) {
				img.Parent.RemoveChild(img) // it stood for the picture before it
			}
		}
	case atom.Tr:
		n.AppendChild(lineBreak())
	case atom.Td, atom.Th:
		if dom.PrevSiblingElement(n) != nil {
			n.Parent.InsertBefore(textNode(" | "), n)
		}
	case atom.Sup, atom.Sub:
		raise(n)
	case atom.Q:
		n.InsertBefore(textNode("“"), n.FirstChild)
		n.AppendChild(textNode("”"))
		toSpan(n)
	}
	if isEmphasis(n) && ancestor(n, isEmphasis) != nil { // the marks of both would be other marks
		toSpan(n)
	} else if isEmphasis(n) {
		c.emphasised = append(c.emphasised, n)
	}
	if isCode(n) && neighbour(n, false) == '`' { // the library makes one code of both, or marks that are text
		n.Parent.InsertBefore(textNode(" "), n)
	}
}

// input makes text of a field that has one, of a box, or a picture.
func (c *cleaner) input(n *html.Node) {
	words := dom.GetAttributeOr(n, "value", "")
	switch strings.ToLower(dom.GetAttributeOr(n, "type", "")) {
	case "image":
		n.DataAtom, n.Data = atom.Img, "img"
		c.image(n)
		return
	case "checkbox":
		words = "☐ "
		if _, checked := dom.GetAttribute(n, "checked"); checked {
			words = "☑ "
		}
	case "hidden", "password", "radio", "range", "color":
		words = ""
	}
	toSpan(n)
	n.AppendChild(textNode(words))
}

func textNode(text string) *html.Node { return &html.Node{Type: html.TextNode, Data: text} }

func lineBreak() *html.Node { return &html.Node{Type: html.ElementNode, DataAtom: atom.Br, Data: "br"} }

// toSpan leaves nothing of an element but what is in it.
func toSpan(n *html.Node) { n.DataAtom, n.Data, n.Attr = atom.Span, "span", nil }

// raise writes what is above or below its line with the marks that people use in its place, except
// the end of an ordinal number.
func raise(n *html.Node) {
	mark, text := "^", strings.TrimSpace(dom.CollectText(n))
	numbered := false
	if n.DataAtom == atom.Sub {
		mark, numbered = "_", strings.Trim(text, "0123456789") == "" // H_2O
	}
	toSpan(n)
	if !raisedPattern.MatchString(text) || slices.Contains([]string{"st", "nd", "rd", "th"}, strings.ToLower(text)) {
		return
	}
	if !numbered && (strings.ContainsAny(text, " \n") || isLetter(neighbour(n, true))) {
		mark += "("
		n.AppendChild(textNode(")"))
	}
	n.InsertBefore(textNode(mark), n.FirstChild)
}

var raisedPattern = regexp.MustCompile(`^[-+−–]?[\pL\pN(*]`)

// addressKeys are attributes with the address of a medium, the best first: the src of pictures that
// are loaded late is another picture. Old players have their address as the value of a parameter.
var addressKeys = strings.Fields("data-src data-lazy-src data-original src data data-srcset data-lazy-srcset srcset value")

// source returns the address of a medium, and what it has in its place.
func (c *cleaner) source(n *html.Node) (address, raw string) {
	within, of := n, []*html.Node{n}
	if n.Parent != nil && n.Parent.DataAtom == atom.Picture {
		within = n.Parent
	}
	for in := range within.Descendants() {
		if in.DataAtom == atom.Source || in.DataAtom == atom.Param && strings.EqualFold(dom.GetAttributeOr(in, "name", ""), "movie") {
			of = append(of, in)
		}
	}
	for _, of := range of {
		for _, key := range addressKeys {
			value := strings.TrimSpace(dom.GetAttributeOr(of, key, ""))
			if strings.HasSuffix(key, "set") {
				value, _, _ = strings.Cut(value, " ")
				value = strings.TrimRight(value, ",")
			}
			if address, ok := webAddress(c.base, value); ok {
				return address, value
			}
			raw = cmp.Or(raw, value)
		}
	}
	return "", cmp.Or(raw, dom.GetAttributeOr(n, "srcdoc", ""))
}

// link returns the address of a link, or nothing if a text can have none. It counts the link.
func (c *cleaner) link(n *html.Node) string {
	href := dom.GetAttributeOr(n, "href", "")
	address, ok := followable(c.base, href)
	if !ok {
		c.Links += min(len(href), 1)
		return ""
	}
	c.toLinks = append(c.toLinks, address)
	return address
}

// medium returns the address of a medium, or nothing if it has none. It counts the medium.
func (c *cleaner) medium(n *html.Node) string {
	address, raw := c.source(n)
	if address == "" {
		c.Media += min(len(raw), 1)
		return ""
	}
	c.toMedia = append(c.toMedia, address)
	return address
}

// countIn counts the links and media in an element of which a text has nothing else.
func (c *cleaner) countIn(n *html.Node) {
	for in := range n.Descendants() {
		if in.DataAtom == atom.A {
			c.link(in)
		} else if isMedium(in) {
			c.medium(in)
		}
	}
}

// image leaves an image that a reader could open, or else what it shows. It leaves out the
// dots that count readers.
func (c *cleaner) image(n *html.Node) {
	if dom.GetAttributeOr(n, "width", "") == "1" || dom.GetAttributeOr(n, "height", "") == "1" {
		toSpan(n)
		c.Pixels++
		return
	}
	shows := c.see(dom.GetAttributeOr(n, "alt", ""))
	address := c.medium(n)
	if address == "" {
		toSpan(n)
		n.AppendChild(textNode(cmp.Or(shows, " ")))
		return
	}
	if strings.TrimSpace(shows) == "" {
		shows = cmp.Or(strings.TrimSpace(visible(dom.GetAttributeOr(n, "title", ""))), "picture")
	}
	n.Attr = []html.Attribute{{Key: "src", Val: address}, {Key: "alt", Val: shows}}
	setApart(n)
	c.shown = append(c.shown, n)
}

// ancestor returns the innermost such element around a node, or nil.
func ancestor(n *html.Node, is func(*html.Node) bool) *html.Node {
	for n = n.Parent; n != nil && !is(n); {
		n = n.Parent
	}
	return n
}

// unlink takes a medium out of a link, because a text shows media as links, and has no link in a link.
func unlink(n *html.Node) {
	a := ancestor(n, is(atom.A))
	if a == nil {
		return
	}
	behind := a // the medium goes before the link, or behind it if it follows words there
	if first := edge(a.FirstChild, false); first != 0 && first != ' ' && first != ']' && first != '\n' {
		behind = a.NextSibling
	}
	if src := dom.GetAttributeOr(n, "src", ""); src == dom.GetAttributeOr(a, "href", "") {
		dom.ReplaceNode(n, textNode(dom.GetAttributeOr(n, "alt", "")))
		return
	}
	dom.RemoveNode(n)
	a.Parent.InsertBefore(n, behind)
	setApart(n)
}

// setApart puts spaces around an element that gets other words than it has, so that they do not
// join the words around it.
func setApart(n *html.Node) {
	words := func(r rune) bool { return isLetter(r) || r == ']' || r == '`' }
	if words(neighbour(n, false)) {
		n.Parent.InsertBefore(textNode(" "), n)
	}
	if words(neighbour(n, true)) {
		n.Parent.InsertBefore(textNode(" "), n.NextSibling)
	}
}

// say replaces what is in a link by words.
func say(a *html.Node, words string) {
	for a.FirstChild != nil {
		a.RemoveChild(a.FirstChild)
	}
	a.AppendChild(textNode(words))
	setApart(a)
}

func isBlank(n *html.Node) bool { return strings.TrimSpace(dom.CollectText(n)) == "" }

// frame makes a link of an element that shows another document, a video or a sound. What is in it
// is for readers without one, except in an object without an address.
func (c *cleaner) frame(n *html.Node) {
	words := cmp.Or(dom.GetAttributeOr(n, "title", ""), dom.GetAttributeOr(n, "aria-label", ""))
	if words == "" && (n.DataAtom == atom.Video || n.DataAtom == atom.Audio) {
		words = n.Data
	}
	address := c.medium(n)
	if address == "" {
		if n.DataAtom == atom.Iframe {
			n.Parent.RemoveChild(n)
		}
		return
	}
	c.countIn(n)
	c.shown = append(c.shown, n)
	n.DataAtom, n.Data, n.Attr = atom.A, "a", []html.Attribute{{Key: "href", Val: address}}
	say(n, cmp.Or(words, address))
}

// is returns a function that reports whether a node is one of elements.
func is(elements ...atom.Atom) func(*html.Node) bool {
	return func(n *html.Node) bool { return slices.Contains(elements, n.DataAtom) }
}

var (
	// isHidden reports whether the content of an element is not text for readers.
	isHidden = is(atom.Script, atom.Style, atom.Template, atom.Noembed, atom.Noframes, atom.Title, atom.Svg, atom.Datalist, atom.Param)
	isImage  = is(atom.Img)
	isMedium = is(atom.Img, atom.Iframe, atom.Video, atom.Audio, atom.Embed, atom.Object)
	isCode   = is(atom.Code, atom.Kbd, atom.Samp, atom.Tt, atom.Var)
	// isEmphasis reports whether an element becomes marks around its text.
	isEmphasis = is(atom.B, atom.Strong, atom.I, atom.Em, atom.Del, atom.S, atom.Strike)
)
