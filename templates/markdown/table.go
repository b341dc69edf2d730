package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extended "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// A tableTransformer makes tables of paragraphs. It leaves a paragraph alone that could
// become more cells than it has bytes. Without that, 5,000 characters could become 700,000
// cells, because goldmark fills each row up with empty ones.
type tableTransformer struct{}

func (tableTransformer) Transform(paragraph *ast.Paragraph, reader text.Reader, pc parser.Context) {
	source := paragraph.Lines().Value(reader.Source())
	lines, columns := 0, 0
	for line := range bytes.Lines(source) {
		lines, columns = lines+1, max(columns, bytes.Count(line, []byte("|"))+1)
	}
	if lines*columns <= len(source) && (columns == 1 || pc.(*bound).take(lines*columns*workOfMark)) {
		extension.NewTableParagraphTransformer().Transform(paragraph, reader, pc)
	}
}

// reshapeTables makes a character of each box of a task, because a form has no place in a
// text. A wide table scrolls, so a keyboard must reach it.
func reshapeTables(nodes []ast.Node) {
	for _, n := range nodes {
		switch n := n.(type) {
		case *extended.TaskCheckBox:
			box := "☐ "
			if n.IsChecked {
				box = "☑ "
			}
			replace(n, literal(box))
		case *extended.Table:
			n.SetAttributeString("dir", []byte("auto"))
			n.SetAttributeString("tabindex", []byte("0"))
		}
	}
}
