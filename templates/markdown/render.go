package markdown

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// HTML is a text as HTML that is safe on a page. Only this package can make it. The zero
// value is nothing.
type HTML struct{ html string }

// String returns the markup.
func (h HTML) String() string { return h.html }

// Headings of a text begin at one of these levels, below those of the page around it.
const (
	// BelowTitle is for a page whose only heading is the title of the text.
	BelowTitle = 2
	// BelowList is for a list of texts, whose titles are at level 2.
	BelowList = 3
	// BelowDigest is for lists of texts below one another, whose titles are at level 3.
	BelowDigest = 4
)

// Render returns the text as HTML. Its headings begin at the level top.
func Render(source string, top int) HTML {
	return orAsTyped(source, func() HTML { return render(source, top) })
}

// orAsTyped is what render returns, or the text as it was typed if that panics: otherwise a fault of the library,
// with one text, would take away every page, list and feed that shows this text.
func orAsTyped(source string, render func() HTML) (shown HTML) {
	defer func() {
		if recover() != nil {
			shown = asTyped(source)
		}
	}()
	return render()
}

func render(source string, top int) HTML {
	read := []byte(source)
	doc, all := parse(read, maxWork)
	if !all {
		return asTyped(source)
	}
	reshape(doc, read, top)
	return written(doc, read)
}

// RenderOwn is Render for a text of the operator of the site, however much work it takes. Its headings begin at the
// level BelowTitle. The first one that says anchor, in capital or small letters, has anchor as its id. found reports
// whether there is one.
func RenderOwn(source, anchor string) (text HTML, found bool) {
	read := []byte(source)
	doc, _ := parse(read, math.MaxInt)
	reshape(doc, read, BelowTitle)
	for _, n := range descendants(doc) {
		if heading, ok := n.(*ast.Heading); ok && strings.EqualFold(oneLine(visible(written(heading, read))), anchor) {
			heading.SetAttributeString("id", []byte(anchor))
			return written(doc, read), true
		}
	}
	return written(doc, read), false
}

// parse reads a text. all reports whether that took no more than so much work.
func parse(source []byte, work int) (doc ast.Node, all bool) {
	within := &bound{Context: parser.NewContext(), left: work}
	doc = machine().read.Parse(text.NewReader(source), parser.WithContext(within))
	return doc, within.left > 0
}

// written is a document as HTML.
func written(doc ast.Node, source []byte) HTML {
	var b bytes.Buffer
	b.Grow(len(source) + len(source)/4)
	if err := machine().write.Render(&b, source, doc); err != nil {
		panic(err) // a Buffer accepts every write
	}
	return HTML{b.String()}
}

// A reader and a writer of texts are safe for concurrent use.
type readerWriter struct {
	read  parser.Parser
	write renderer.Renderer
}

// machine is made once, for the first text.
var machine = sync.OnceValue(func() readerWriter {
	return readerWriter{
		read: parser.NewParser(
			parser.WithBlockParsers(blockParsers()...),
			parser.WithInlineParsers(inlineParsers()...),
			parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), util.Prioritized(tableTransformer{}, 200))...),
			parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
		),
		write: renderer.NewRenderer(renderer.WithNodeRenderers(
			util.Prioritized(codeRenderer{}, 100),
			util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500),
			// A page may not contain styles, so cells are aligned by an attribute.
			util.Prioritized(extension.NewTableHTMLRenderer(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), 500),
			util.Prioritized(html.NewRenderer(html.WithHardWraps()), 1000),
		)),
	}
})

// blockParsers are those of CommonMark without the one for HTML. Those of quotations and lists are
// shallow.
func blockParsers() []util.PrioritizedValue {
	parsers := withoutHTML(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())
	for i, p := range parsers {
		bounded := boundedBlock{p.Value.(parser.BlockParser), false}
		parsers[i].Value = bounded
		switch reflect.TypeOf(p.Value) {
		case reflect.TypeOf(parser.NewParagraphParser()):
			parsers[i].Value = boundedBlock{bounded.BlockParser, true}
		case reflect.TypeOf(parser.NewBlockquoteParser()), reflect.TypeOf(parser.NewListParser()):
			parsers[i].Value = shallowParser{bounded}
		}
	}
	return parsers
}

// maxDepth is how many quotations and lists may be around a text. The mark of a deeper one is text. For each
// line the parser looks at all that are open, so without a limit the time grows with the square of a text's
// length.
const maxDepth = 5

// A shallowParser opens nothing within maxDepth quotations and lists.
type shallowParser struct{ boundedBlock }

func (p shallowParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if depthOf(parent) >= maxDepth {
		return nil, parser.NoChildren
	}
	return p.boundedBlock.Open(parent, reader, pc)
}

// depthOf is how many quotations and lists are around what is in n.
func depthOf(n ast.Node) (depth int) {
	for ; n != nil; n = n.Parent() {
		if n.Kind() == ast.KindBlockquote || n.Kind() == ast.KindList {
			depth++
		}
	}
	return depth
}

// inlineParsers are those of CommonMark without the one for HTML, and three more.
func inlineParsers() []util.PrioritizedValue {
	parsers := append(withoutHTML(parser.DefaultInlineParsers(), parser.NewRawHTMLParser()),
		util.Prioritized(extension.NewStrikethroughParser(), 500))
	for i, p := range parsers {
		inline := p.Value.(parser.InlineParser)
		switch reflect.TypeOf(inline) {
		case reflect.TypeOf(parser.NewLinkParser()):
			parsers[i].Value = shallowLinkParser{boundedInline{inline, true}}
		case reflect.TypeOf(parser.NewAutoLinkParser()): // it looks at nothing twice
			parsers[i].Value = boundedInline{inline, false}
		default:
			parsers[i].Value = boundedInline{inline, true}
		}
	}
	return append(parsers,
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(bareLinkParser{}, 999),
	)
}

func withoutHTML(parsers []util.PrioritizedValue, html any) []util.PrioritizedValue {
	return slices.DeleteFunc(parsers, func(p util.PrioritizedValue) bool { return reflect.TypeOf(p.Value) == reflect.TypeOf(html) })
}

// A codeRenderer writes code without the class that goldmark makes of a language, because
// no text may choose a class. A wide line scrolls, so a keyboard must reach it.
type codeRenderer struct{}

func (r codeRenderer) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	register.Register(ast.KindCodeBlock, r.render)
	register.Register(ast.KindFencedCodeBlock, r.render)
}

func (codeRenderer) render(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, err := w.WriteString("</code></pre>\n")
		return ast.WalkContinue, err
	}
	if _, err := w.WriteString(`<pre tabindex="0"><code>`); err != nil {
		return ast.WalkStop, err
	}
	lines := n.Lines()
	for i := range lines.Len() {
		line := lines.At(i)
		html.DefaultWriter.RawWrite(w, line.Value(source))
	}
	return ast.WalkContinue, nil
}
