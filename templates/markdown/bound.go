package markdown

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

const (
	// maxWork is how much work the parser does for one text. A text that needs more is shown as it was typed, because to
	// render one of 5,000 characters must not take more than 50 times as long as plain text.
	maxWork = 12_800
	// workOfMark is that for a mark, a block or a cell of a table, workOfAddress for an address in the text or where
	// a link is defined, and workOfLine for each line of each block that it is in.
	workOfMark    = 16
	workOfAddress = 3 * workOfMark
	workOfLine    = 1
	// A mark that leads to nothing, such as a bracket without an address, may make the parser look for its end in its
	// whole block: that is a work for each vainBytes of the block, and vainLine for each line.
	vainBytes = 16
	vainLine  = 2
)

// asTyped is a text of which no marks are read.
func asTyped(source string) HTML {
	lines := strings.ReplaceAll(html.EscapeString(strings.TrimSpace(source)), "\n", "<br>\n")
	return HTML{`<p dir="auto">` + lines + "</p>\n"}
}

// A bound is the context in which a text is parsed. The parser reads nothing more once nothing is left.
type bound struct {
	parser.Context
	// left is how much of maxWork is left.
	left int
	// brackets is how many are open in the block that is read.
	brackets int
}

// take takes so much of what is left, and reports whether the parser may go on.
func (b *bound) take(work int) bool {
	b.left -= work
	return b.left > 0
}

// A boundedBlock counts the blocks that it opens. One that always opens them is for paragraphs: goldmark relies on
// one for each line of which nothing else is made.
type boundedBlock struct {
	parser.BlockParser
	always bool
}

func (p boundedBlock) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if !pc.(*bound).take(0) && !p.always {
		return nil, parser.NoChildren
	}
	n, state := p.BlockParser.Open(parent, reader, pc)
	if n != nil {
		pc.(*bound).take(workOfMark)
	}
	return n, state
}

// Continue closes the block once nothing is left: a list cannot go on without the item that was not opened.
func (p boundedBlock) Continue(n ast.Node, reader text.Reader, pc parser.Context) parser.State {
	if !pc.(*bound).take(workOfLine) {
		return parser.Close
	}
	return p.BlockParser.Continue(n, reader, pc)
}

// A boundedInline counts the marks that it reads. far reports whether it may look through the whole block.
type boundedInline struct {
	parser.InlineParser
	far bool
}

func (p boundedInline) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if !pc.(*bound).take(0) {
		return nil
	}
	n := p.InlineParser.Parse(parent, block, pc)
	work := workOfMark
	if _, text := n.(*ast.Text); n == nil || text {
		work = 0
		if p.far {
			lines := parent.Lines()
			work = workOfMark + (lines.At(lines.Len()-1).Stop-lines.At(0).Start)/vainBytes + vainLine*lines.Len()
		}
	}
	pc.(*bound).take(work)
	return n
}

// A shallowLinkParser opens no bracket within maxDepth others: for each, the parser compares what is in it with the
// definitions of links.
type shallowLinkParser struct{ boundedInline }

func (p shallowLinkParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	b := pc.(*bound)
	line, _ := block.PeekLine()
	deep := b.brackets > maxDepth
	switch {
	case line[0] == ']':
		b.brackets = max(b.brackets-1, 0)
	case line[0] == '[', len(line) > 1 && line[1] == '[' && b.brackets < maxDepth:
		b.brackets++
		deep = b.brackets > maxDepth
	default: // an exclamation mark alone
		return nil
	}
	if deep {
		return nil
	}
	p.far = line[0] == ']' && len(line) > 1 && (line[1] == '(' || line[1] == '[') // the address or the name of a link has an end
	return p.boundedInline.Parse(parent, block, pc)
}

// CloseBlock makes text of the brackets that were not closed.
func (p shallowLinkParser) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	pc.(*bound).brackets = 0
	p.InlineParser.(parser.CloseBlocker).CloseBlock(parent, block, pc)
}
