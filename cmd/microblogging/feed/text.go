package feed

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/JohannesKaufmann/dom"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	html "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"microblogging/domain"
)

// titleOf returns markup as one line without marks. It keeps a tag that is not an element
// of HTML, because titles contain names like List<T>, which many feeds do not escape.
func titleOf(markup string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(escapeStray(markup)))
	hidden := false // what comes next: the content of a script is one text
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		token := z.Token()
		isTag := kind == html.StartTagToken || kind == html.EndTagToken || kind == html.SelfClosingTagToken
		switch {
		case hidden:
		case kind == html.TextToken:
			b.WriteString(visible(token.Data))
		case token.DataAtom == atom.Img:
			for _, a := range token.Attr {
				if a.Key == "alt" {
					b.WriteString(visible(a.Val))
				}
			}
		case token.DataAtom == atom.Br, isTag && dom.NameIsBlockNode(token.Data):
			b.WriteByte(' ')
		}
		hidden = kind == html.StartTagToken && isHidden(&html.Node{DataAtom: token.DataAtom})
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// A Converter turns markup into Markdown. Several goroutines may use it.
type Converter struct {
	markdown *converter.Converter
}

var (
	// referencePattern finds references to characters.
	referencePattern = regexp.MustCompile(`&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);`)
	// anglePattern finds a bracket that could begin an address.
	anglePattern = regexp.MustCompile(`&lt;(\pL)`)
	// blankPattern finds lines of spaces. It begins with a character, so that a text is searched fast.
	blankPattern = regexp.MustCompile(`\n(?:[\x{00a0}\x{3000} ]+\n\n?)+`)
)

// NewConverter returns a converter.
func NewConverter() *Converter {
	markdown := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		// It separates lists by a comment, and a text has no comments.
		commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false), commonmark.WithHorizontalRule("---")),
		strikethrough.NewStrikethroughPlugin(),
	))
	for _, block := range []string{"caption", "summary", "center", "legend", "option"} {
		markdown.Register.TagType(block, converter.TagTypeBlock, converter.PriorityStandard)
	}
	markdown.Register.RendererFor("a", converter.TagTypeInline, writeAddress, converter.PriorityEarly)
	markdown.Register.RendererFor("pre", converter.TagTypeBlock, writeCode, converter.PriorityEarly)
	markdown.Register.TextTransformer(escapeReferences, converter.PriorityEarly)
	markdown.Register.TextTransformer(escapeBrackets, converter.PriorityLate+1)
	markdown.Register.TextTransformer(keepAddresses, converter.PriorityLate+2)
	return &Converter{markdown}
}

// textOfAll returns several texts as the paragraphs of one.
func (c *Converter) textOfAll(markups []string, base *url.URL) (text string, in seen) {
	for _, markup := range markups {
		more, of := c.textOf(markup, base)
		text = strings.TrimSpace(text + "\n\n" + more)
		in.Cut, in.Media, in.Links, in.Pixels = in.Cut || of.Cut, in.Media+of.Media, in.Links+of.Links, in.Pixels+of.Pixels
		in.toMedia, in.toLinks = append(in.toMedia, of.toMedia...), append(in.toLinks, of.toLinks...)
	}
	return text, in
}

// textOf returns markup as Markdown, and what was in it. If markup has no tag, its lines are kept.
// The base, if it is not nil, resolves relative addresses.
func (c *Converter) textOf(markup string, base *url.URL) (text string, _ seen) {
	if text, is := strings.CutPrefix(markup, markdownMark); is { // any file can have the mark
		if draft, err := domain.ParseDraft(domain.Draft{Text: text}); err == nil {
			return draft.Text, seen{}
		}
		markup = html.EscapeString(text)
	}
	var converted []byte
	tree, in, err := clean(markup, base)
	if err == nil {
		converted, err = c.markdown.ConvertNode(tree)
	}
	if err != nil { // its words are left
		in.Cut = true
		return titleOf(markup), in
	}
	text = blankPattern.ReplaceAllString(string(converted), "\n")
	lines := strings.Split(strings.ReplaceAll(text, untouched, ""), "\n")
	for i, line := range lines { // each newline breaks the line, so two spaces before it are too much
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.TrimSpace(strings.Join(lines, "\n")), in
}

// untouched begins what the library would change: blank lines of code, and addresses, whose queries
// it encodes anew. It is taken out of the text at the end, and visible leaves no such character in
// a text.
const untouched = "\x01"

// writeCode writes a block of code. The library does not put the mark of a quotation before the
// lines of code, and it takes the blank ones out of a list.
func writeCode(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	for _, br := range dom.FindAllNodes(n, func(n *html.Node) bool { return n.DataAtom == atom.Br }) {
		br.Parent.InsertBefore(textNode("\n"), br)
	}
	code := strings.Trim(strings.ReplaceAll(dom.CollectText(n), "\r", ""), "\n")
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	lines := strings.Split(code, "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			lines[i] = untouched
		}
	}
	_, _ = w.WriteString("\n\n" + fence + "\n" + strings.Join(lines, "\n") + "\n" + fence + "\n\n")
	return converter.RenderSuccess
}

// writeAddress writes a link whose text is its address, or nothing, as the address.
func writeAddress(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	address := strings.TrimPrefix(dom.GetAttributeOr(n, "href", ""), untouched)
	text := strings.TrimSpace(dom.CollectText(n))
	if dom.ContainsNode(n, isImage) || text != "" && text != address {
		return converter.RenderTryNext
	}
	_, _ = w.WriteString("<" + address + ">")
	return converter.RenderSuccess
}

// escapeReferences escapes what would be read as a reference to a character.
func escapeReferences(_ converter.Context, text string) string {
	return referencePattern.ReplaceAllStringFunc(text, func(reference string) string {
		if html.UnescapeString(reference) == reference {
			return reference // it refers to nothing
		}
		return "&amp;" + reference[1:]
	})
}

var withBrackets = strings.NewReplacer("&lt;", "<", "&gt;", ">", "\u2028", "\n")

// escapeBrackets writes angle brackets as people do. The library makes references of them,
// for the sake of HTML, which a text has not.
func escapeBrackets(_ converter.Context, text string) string {
	if rest, quotes := strings.CutPrefix(text, "&gt;"); quotes {
		text = `\>` + rest
	}
	text = anglePattern.ReplaceAllString(text, `\<$1`)
	return withBrackets.Replace(text)
}

// keepAddresses takes out the marks of what may be escaped in an address, because an
// address is read literally.
func keepAddresses(_ converter.Context, text string) string {
	words := strings.SplitAfter(text, " ")
	for i, word := range words {
		if scheme := strings.Index(word, "http"); scheme >= 0 && strings.Contains(word[scheme:], "://") {
			words[i] = word[:scheme] + strings.ReplaceAll(word[scheme:], string(marker.MarkerEscaping), "")
		}
	}
	return strings.Join(words, "")
}
