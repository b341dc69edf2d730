package markdown

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// reshape holds a document to the rules of the package. Its headings begin at the level
// top.
func reshape(doc ast.Node, source []byte, top int) {
	showDefinitions(doc, source)
	visible := func(n ast.Node) bool { return n.Kind() != ast.KindLinkReferenceDefinition }
	if !slices.ContainsFunc(children(doc), visible) {
		doc.AppendChild(doc, paragraphOf(string(source)))
	}
	nodes := descendants(doc)
	reshapeHeadings(nodes, top)
	reshapeLinks(nodes, source)
	reshapeTables(nodes)
	for _, block := range children(doc) {
		// Each block takes its direction from its own first letter.
		block.SetAttributeString("dir", []byte("auto"))
	}
}

// reshapeHeadings gives the outermost headings the level top, and skips no level: screen
// readers go by levels. One that says nothing is text.
func reshapeHeadings(nodes []ast.Node, top int) {
	const lowest = 6
	var above []int // the levels, as written, of the headings that the next may be below
	for _, n := range nodes {
		heading, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		if !heading.HasChildren() {
			replace(heading, paragraphOf(strings.Repeat("#", heading.Level)))
			continue
		}
		for len(above) > 0 && above[len(above)-1] >= heading.Level {
			above = above[:len(above)-1]
		}
		above = append(above, heading.Level)
		heading.Level = min(top+len(above)-1, lowest)
	}
}

// descendants returns all nodes below n, in the order of the text.
func descendants(n ast.Node) []ast.Node {
	var all []ast.Node
	var add func(ast.Node)
	add = func(n ast.Node) {
		for child := n.FirstChild(); child != nil; child = child.NextSibling() {
			all = append(all, child)
			add(child)
		}
	}
	add(n)
	return all
}

func children(n ast.Node) []ast.Node {
	all := make([]ast.Node, 0, n.ChildCount())
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		all = append(all, child)
	}
	return all
}

// replace puts other nodes in the place of n.
func replace(n ast.Node, others ...ast.Node) {
	parent := n.Parent()
	for _, other := range slices.Clone(others) {
		parent.InsertBefore(parent, n, other)
	}
	parent.RemoveChild(parent, n)
}

// paragraphOf is a paragraph of text that has no marks.
func paragraphOf(s string) ast.Node {
	paragraph := ast.NewParagraph()
	paragraph.AppendChild(paragraph, literal(s))
	return paragraph
}

// literal is a text that has no marks.
func literal(s string) ast.Node {
	n := ast.NewString([]byte(s))
	n.SetRaw(true)
	return n
}
