package feed

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// maxNesting bounds how deep elements may nest, because some functions here recurse, and a stack
// overflow ends the process. The bound is high, because elements that are never closed count as nested.
const maxNesting = 100_000

// A node is an element of a feed, or a text if it has no name.
type node struct {
	// name has the prefix of a vocabulary, as in "media:content". Elements of RSS have none. Both are in lower
	// case, and written is not.
	name, local, written string
	attr                 []xml.Attr
	text                 string
	// base is the xml:base in whose scope the node is.
	base     string
	children []*node
}

// vocabularies are parts of the lower-case names of XML namespaces, and our prefixes for them.
var vocabularies = [][2]string{
	{"search.yahoo.com/mrss", "media:"}, {"purl.org/rss/1.0/modules/content", "content:"}, {"purl.org/dc/elements/", "dc:"},
	{"purl.org/dc/terms", "dcterms:"}, {"/podcast-1.0.dtd", "itunes:"}, {"/excerpt/", "excerpt:"}, {"wordpress.org/export", "wp:"},
	{"w3.org/2005/atom", "atom:"}, {"purl.org/atom/ns#", "atom:"}, {"w3.org/1999/xhtml", "xhtml:"}, {"w3.org/2007/app", "app:"},
	{"purl.org/atom/app#", "app:"}, {"schemas.google.com/blogger", "blogger:"},
	{"purl.org/rss/1.0/modules", "other:"}, {"purl.org/rss/1.0/", ""}, {"netscape.com/rdf/simple", ""}, {"userland.com/rss", ""},
}

// An xmlReader makes an entry of each element that is one when it ends, and forgets the element.
type xmlReader struct {
	prefixes map[string]string
	open     []*node // the elements that have not ended, from the root on
	feed     Feed
}

// forbiddenPattern finds references to characters that XML forbids, at which a decoder would stop.
var forbiddenPattern = regexp.MustCompile(`&#(0*([0-8]|1[12]|1[4-9]|2[0-9]|3[01]|6553[45])|[xX]0*([0-8bBcCeEfF]|1[0-9a-fA-F]|[fF]{3}[eEfF]));`)

// parseXML reads RSS, Atom or an Atom entry, and reads on where a strict parser would stop. It is
// not github.com/mmcdole/gofeed, which drops what decides how a text is read and whether it is
// public: the type of a title or a summary, the elements of an XHTML body, xml:base in RSS, and the
// order of elements.
func parseXML(document []byte) (Feed, error) {
	if forbiddenPattern.Match(document) { // else ReplaceAll would copy the file
		document = forbiddenPattern.ReplaceAll(document, nil)
	}
	decoder := xml.NewDecoder(bytes.NewReader(escapeEnds(document[len(declaration.Find(document)):])))
	decoder.Strict, decoder.Entity = false, xml.HTMLEntity
	r := &xmlReader{}
	for {
		token, err := decoder.Token()
		if err != nil {
			return Feed{}, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if err := r.begin(token); err != nil {
				return Feed{}, err
			}
		case xml.CharData:
			if n := len(r.open); n > 0 {
				r.open[n-1].children = append(r.open[n-1].children, &node{text: string(token)})
			}
		case xml.EndElement:
			if root := r.end(); root != nil {
				r.finish(root)
				return r.feed, nil
			}
		}
	}
}

// declaration finds that of a document, which is UTF-8 by now. A decoder would refuse XML 1.1.
var declaration = regexp.MustCompile(`^<\?xml\s[^>]*>`)

// escapeEnds escapes each ]]> that ends no section, at which a decoder would stop.
func escapeEnds(document []byte) []byte {
	pieces := bytes.SplitAfter(document, []byte("]]>"))
	isStray := func(piece []byte) bool {
		return bytes.HasSuffix(piece, []byte("]]>")) && !bytes.Contains(piece, []byte("<![CDATA["))
	}
	if !slices.ContainsFunc(pieces, isStray) {
		return document
	}
	for i, piece := range pieces {
		if isStray(piece) {
			pieces[i] = append(bytes.Clone(piece[:len(piece)-1]), "&gt;"...)
		}
	}
	return bytes.Join(pieces, nil)
}

func (r *xmlReader) begin(start xml.StartElement) error {
	n := &node{local: strings.ToLower(start.Name.Local), written: start.Name.Local, attr: slices.Clone(start.Attr)}
	if len(r.open) == 0 {
		native := map[string]string{"rss": "", "rdf": "", "feed": "atom:", "entry": "atom:"}
		prefix, known := native[n.local]
		if !known {
			return fmt.Errorf("its root is <%s>", start.Name.Local)
		}
		r.prefixes = map[string]string{"": prefix, start.Name.Space: prefix}
	} else if len(r.open) > maxNesting {
		return fmt.Errorf("its elements nest deeper than %d", maxNesting)
	} else {
		n.base = r.open[len(r.open)-1].base
	}
	for _, attr := range n.attr {
		if attr.Name.Local == "base" && attr.Name.Space != "" {
			n.base = resolve(n.base, attr.Value)
		}
	}
	n.name = r.prefix(start.Name.Space) + n.local
	r.open = append(r.open, n)
	return nil
}

// prefix returns the prefix for a namespace. A prefix that the file does not declare is its own.
func (r *xmlReader) prefix(space string) string {
	if prefix, known := r.prefixes[space]; known {
		return prefix
	}
	prefix := space + ":"
	for _, v := range vocabularies {
		if strings.Contains(strings.ToLower(space), v[0]) {
			prefix = v[1]
			break
		}
	}
	r.prefixes[space] = prefix
	return prefix
}

// end ends the innermost element. It returns the root if that is it.
func (r *xmlReader) end() (root *node) {
	last := len(r.open) - 1
	n := r.open[last]
	r.open = r.open[:last]
	n.decode()
	switch {
	case last == 0:
		return n
	case n.name == "item" || n.name == "atom:entry":
		r.feed.Entries = append(r.feed.Entries, n.entry())
	default:
		up := r.open[last-1]
		up.children = append(up.children, n)
	}
	return nil
}

func (r *xmlReader) finish(root *node) {
	if root.name == "atom:entry" {
		r.feed.Entries = append(r.feed.Entries, root.entry())
		root = &node{}
	}
	if channel := root.first("channel"); channel != nil {
		root = channel
	}
	link := root.link("alternate")
	r.feed.finish(root.markup("title", "atom:title"), link, root.id(), link, root.link("self"))
}

// all are the children with one of the names.
func (n *node) all(names ...string) (found []*node) {
	for _, child := range n.children {
		if child.name != "" && slices.Contains(names, child.name) {
			found = append(found, child)
		}
	}
	return found
}

// first is the first child with the first of the names that a child has which is not blank, or nil.
func (n *node) first(names ...string) *node {
	for _, name := range names {
		for _, child := range n.all(name) {
			if !child.isBlank() {
				return child
			}
		}
	}
	return nil
}

// isBlank reports whether a node has neither an element nor text.
func (n *node) isBlank() bool {
	return !slices.ContainsFunc(n.children, func(c *node) bool { return c.name != "" || strings.TrimSpace(c.text) != "" })
}

func (n *node) isElement() bool { return n.name != "" }

// plain is the text of a node without markup.
func (n *node) plain() string { return n.contents(false, false) }

// inner is what is between the tags of a node, as HTML. The text of escaped markup is HTML already.
func (n *node) inner(escape bool) string { return n.contents(true, escape) }

func (n *node) contents(tags, escape bool) string {
	var b strings.Builder
	n.write(&b, tags, escape)
	return strings.TrimSpace(b.String())
}

func (n *node) write(b *strings.Builder, tags, escape bool) {
	for _, child := range n.children {
		text, tag := child.text, tags && child.name != ""
		if escape {
			text = html.EscapeString(text)
		}
		b.WriteString(text)
		if tag {
			b.WriteString("<" + child.local)
			for _, a := range child.attr {
				if a.Name.Local != "xmlns" && a.Name.Space != "xmlns" {
					fmt.Fprintf(b, ` %s="%s"`, a.Name.Local, html.EscapeString(a.Value))
				}
			}
			b.WriteByte('>')
		}
		child.write(b, tags, escape)
		if tag && !slices.Contains(voidElements, child.local) {
			b.WriteString("</" + child.local + ">")
		}
	}
}

// attribute returns an attribute that has no prefix.
func (n *node) attribute(name string) string {
	for _, a := range n.attr {
		if a.Name.Space == "" && strings.EqualFold(a.Name.Local, name) {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// markup is the HTML of the first such child that is not blank.
func (n *node) markup(names ...string) string { return n.first(names...).html() }

// html is the HTML of the text of a node, which may be nil.
func (n *node) html() string {
	switch {
	case n == nil:
		return ""
	case strings.HasPrefix(n.name, "xhtml:"):
		return n.inner(true)
	case strings.HasPrefix(n.name, "atom:"):
		return n.construct()
	}
	return n.inner(false)
}

// construct is the HTML of a text of Atom (RFC 4287, 3.1 and 4.1.3), or nothing if that is of another
// type: a picture, or data.
func (n *node) construct() string {
	kind := strings.ToLower(n.attribute("type"))
	hasTags := slices.ContainsFunc(n.children, (*node).isElement)
	switch {
	case hasTags && (kind == "" || strings.Contains(kind, "html")):
		if div := n.all("xhtml:div"); len(div) == 1 && n.plain() == div[0].plain() {
			n = div[0]
		}
		return n.inner(true)
	case strings.Contains(kind, "html"):
		return n.inner(false)
	case strings.HasPrefix(kind, "text/"), !strings.Contains(kind, "/"): // Markdown too is text
		return html.EscapeString(n.plain())
	}
	return ""
}

// decode replaces a text in base64, which Atom 0.3 can have.
func (n *node) decode() {
	if !strings.EqualFold(n.attribute("mode"), "base64") && !strings.EqualFold(n.attribute("encoding"), "base64") {
		return
	}
	encoded := strings.TrimRight(strings.Join(strings.Fields(n.plain()), ""), "=")
	if decoded, err := base64.RawStdEncoding.DecodeString(encoded); err == nil {
		n.children = []*node{{text: string(repaired(decoded))}}
	}
}

// link is the first address of that relation. Atom has it in an attribute, and RSS has no relations.
func (n *node) link(rel string) string {
	for _, child := range n.all("link", "atom:link") {
		address := cmp.Or(child.plain(), child.attribute("href"))
		if is := strings.ToLower(cmp.Or(child.attribute("rel"), "alternate")); is == rel && address != "" {
			return resolve(child.base, address)
		}
	}
	return ""
}

// id is what the file says the node is: for Atom, an address that may be relative.
func (n *node) id() string {
	id := n.first("guid", "atom:id")
	if id == nil {
		return ""
	}
	if id.name == "atom:id" && !hasScheme(id.plain()) {
		return resolve(id.base, id.plain())
	}
	return id.plain()
}

// dateNames are the elements that date an entry, the best first.
var dateNames = []string{"pubdate", "dc:date", "atom:published", "atom:issued", "atom:updated", "atom:modified", "atom:created",
	"dcterms:issued", "dcterms:created", "dcterms:date", "dcterms:modified"}

// The elements with the texts of an entry, the best first. A vocabulary of which nothing is known has its own prefix.
var (
	titleNames   = []string{"title", "atom:title", "dc:title", "itunes:title"}
	contentNames = []string{"content:encoded", "encoded", "xhtml:body", "xhtml:div", "atom:content"}
	summaryNames = []string{"description", "atom:summary", "dc:description", "itunes:summary", "media:description", "excerpt:encoded", "itunes:subtitle"}
	// furtherNames are of texts that are used if there are no others.
	furtherNames = []string{"content", "body", "summary", "subtitle", "atom:subtitle", "fulltext", "full-text", "dcterms:abstract", "dcterms:description"}
	textNames    = slices.Concat(titleNames, contentNames, summaryNames, furtherNames)
)

var (
	authorNames   = []string{"author", "dc:creator", "dc:contributor", "itunes:author", "atom:author", "atom:contributor", "media:credit"}
	categoryNames = []string{"category", "dc:subject", "atom:category", "itunes:category", "itunes:keywords", "media:category", "media:keywords"}
)

func (n *node) entry() Entry {
	e := Entry{
		Title:   n.markup(titleNames...),
		Content: n.markup(contentNames...),
		Summary: n.markup(summaryNames...),
		Link:    n.link("alternate"),
		base:    n.base,
	}
	n.addTexts(&e)
	if n.first("wp:post_type") != nil && !strings.Contains(e.Content, "<p>") && !strings.Contains(e.Content, "<p ") { // WordPress has what was typed
		e.Content = strings.ReplaceAll(e.Content, "\n\n", "<br><br>")
	}
	var dates []string
	for _, name := range dateNames {
		for _, date := range n.all(name) {
			dates = append(dates, date.plain())
		}
	}
	e.setDate(dates...)
	n.addMedia(&e, "")
	if content := n.first("content:encoded", "atom:content"); content != nil {
		e.base = content.base
	}
	e.Authors, e.Categories = n.count(authorNames), n.count(categoryNames)
	n.judge(&e)
	e.identify(n.id(), e.Link, dates)
	return e
}

// addTexts adds the texts that are not the first ones of their kinds, and counts those that are pictures or data.
func (n *node) addTexts(e *Entry) {
	first := []*node{n.first(titleNames...), n.first(contentNames...), n.first(summaryNames...)}
	for _, child := range n.children {
		switch text := child.html(); {
		case !child.isText() || child.isBlank():
		case text == "":
			e.Unaddressed++
		case slices.Contains(first, child):
		case slices.Contains(titleNames, child.name):
			e.Captions = append(e.Captions, text)
		default:
			e.Further = append(e.Further, text)
		}
	}
}

// isText reports whether an element of an entry is one of its texts.
func (n *node) isText() bool {
	return slices.Contains(textNames, n.name) || slices.Contains(furtherNames, n.local) && n.name != "media:content"
}

// count returns how many different texts, or values, the children with one of the names have.
func (n *node) count(names []string) int {
	var found []string
	for _, child := range n.all(names...) {
		if child.kind() == "" {
			found = append(found, cmp.Or(child.plain(), child.attribute("label"), child.attribute("term"), child.attribute("text")))
		}
	}
	return distinct(found)
}

// kind is what a category of Blogger says that the entry is.
func (n *node) kind() string {
	if n.name != "atom:category" || !strings.HasSuffix(n.attribute("scheme"), "2005#kind") {
		return ""
	}
	term := n.attribute("term")
	return term[strings.LastIndexByte(term, '#')+1:]
}

// judge judges what the attributes of an element of an entry say about it, and the elements in it but for texts.
func (n *node) judge(e *Entry) {
	for _, a := range n.attr {
		if a.Name.Space != "xmlns" {
			e.judge(a.Name.Local, a.Value)
		}
	}
	if n.isText() || strings.HasPrefix(n.name, "xhtml:") {
		return
	}
	for _, child := range n.children {
		switch child.name {
		case "":
			continue
		case "atom:category":
			e.judge("blogger:type", child.kind())
		case "blogger:type":
			e.judge(child.name, child.plain())
		case "atom:published":
			e.judge("datePublished", child.plain())
		default:
			e.judge(child.written, cmp.Or(child.plain(), child.attribute("value"), child.attribute("name"), child.attribute("term")))
		}
		if value := child.attribute("value"); value != "" {
			e.judge(child.attribute("name"), value)
		}
		if (len(child.attr) > 0 || slices.ContainsFunc(child.children, (*node).isElement)) && !isOfOthers(child.written) {
			child.judge(e)
		}
	}
}

// addMedia adds what is attached to an entry. The words are of what has none of its own.
func (n *node) addMedia(e *Entry, words string) {
	words = n.description(words)
	for _, caption := range n.all("media:title", "media:description", "media:text") {
		e.Captions = append(e.Captions, caption.caption())
	}
	for _, child := range n.children {
		m := Medium{
			cmp.Or(child.attribute("url"), child.attribute("href"), child.attribute("src")),
			cmp.Or(child.attribute("medium"), child.attribute("type")), child.description(words),
		}
		switch child.name {
		case "media:content", "media:player", "enclosure":
		case "media:thumbnail", "itunes:image":
			if m.Type = "image"; n.name == "media:content" || len(n.all("media:content")) > 0 {
				m.Words = "" // they are of the content
			}
		case "atom:content":
			m.Words = ""
		case "atom:link", "link":
			if child.attribute("rel") != "enclosure" {
				continue
			}
			m.Words = html.EscapeString(child.attribute("title"))
		case "media:group":
			child.addMedia(e, words)
			continue
		default:
			continue
		}
		if m.Address != "" {
			e.Media = append(e.Media, m)
		}
		if child.name == "media:content" && !m.is("image") {
			child.addMedia(e, words)
		}
	}
}

// description is the HTML by which an element describes media, or else the words.
func (n *node) description(words string) string {
	if own := n.first("media:description", "media:title"); own != nil {
		return own.caption()
	}
	return words
}

// caption is the HTML of a text about a medium.
func (n *node) caption() string {
	if n.attribute("type") == "html" {
		return n.inner(false)
	}
	return html.EscapeString(n.plain())
}
