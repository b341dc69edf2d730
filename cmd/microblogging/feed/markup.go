package feed

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"
)

// elements are those of HTML, also former ones, and of MathML. Not here are plaintext and the frames, which would
// take the rest of a text.
var elements = strings.Fields(`p a b i em strong br img div span ul ol li blockquote code pre h1 h2 h3 h4 h5 h6 table tbody tr td th
	abbr acronym address applet area article aside audio base basefont bdi bdo bgsound big blink body button canvas caption center cite
	col colgroup command data datalist dd del details dfn dialog dir dl dt embed fieldset figcaption figure font footer form head header
	hgroup hr html iframe image input ins kbd label legend link listing main map mark marquee menu menuitem meta meter nav nobr noembed
	noscript object optgroup option output param picture progress q rb rp rt rtc ruby s samp script search section select slot small
	source spacer strike style sub summary sup svg template textarea tfoot thead time title track tt u var video wbr xmp
	annotation annotation-xml maction math menclose merror mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot
	mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics`)

// voidElements have no end tag.
var voidElements = strings.Fields("area base br col embed hr img input link meta param source track wbr")

// takers are the elements whose content is not markup, or is not shown. Unclosed, they would take the rest of a text.
var takers = strings.Fields("iframe noembed script style svg template textarea title xmp")

var withoutSections = strings.NewReplacer("<![CDATA[", "", "]]>", "")

// closingPattern finds the names of elements that are closed.
var closingPattern = regexp.MustCompile(`</([A-Za-z][^\s/><]*)`)

// escapeStray returns markup in which each < is text that does not begin a comment or an element of HTML, so that
// nothing unclosed takes the rest. An element with a hyphen or a colon in its name counts if it is closed.
func escapeStray(markup string) string {
	if !strings.Contains(markup, "<") {
		return markup
	}
	if strings.Contains(markup, "<![CDATA[") { // it was escaped twice
		markup = withoutSections.Replace(markup)
	}
	closed := sync.OnceValue(func() map[string]int { // where each name is closed last
		closed := map[string]int{}
		for _, name := range closingPattern.FindAllStringSubmatchIndex(markup, -1) {
			closed[strings.ToLower(markup[name[2]:name[3]])] = name[0]
		}
		return closed
	})
	var b strings.Builder
	effort := 1 << 24 // how many bytes may be looked at twice, because the end of each < may be missing
	for at := 0; ; at++ {
		z := html.NewTokenizer(strings.NewReader(markup[at:]))
		for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
			raw := string(z.Raw())
			is, closing := isMarkup(z, kind, raw, func(name string) bool { return closed()[name] > at })
			if !is && strings.Contains(raw[1:], "<") {
				break
			} else if !is {
				b.WriteString("&lt;" + raw[1:])
			} else {
				b.WriteString(raw + closing)
			}
			at += len(raw)
		}
		if effort -= len(markup) - at; effort < 0 || at == len(markup) {
			b.WriteString(strings.ReplaceAll(markup[at:], "<", "&lt;"))
			return b.String()
		}
		b.WriteString("&lt;")
	}
}

// isMarkup reports whether a token is no stray one, and returns a tag that closes it if nothing does.
func isMarkup(z *html.Tokenizer, kind html.TokenType, raw string, isClosed func(name string) bool) (is bool, closing string) {
	switch kind {
	case html.TextToken:
		return true, ""
	case html.CommentToken:
		return strings.HasPrefix(raw, "<!--") && strings.HasSuffix(raw, "-->") || strings.HasPrefix(raw, "<?") && strings.HasSuffix(raw, ">"), ""
	case html.DoctypeToken:
		return strings.HasSuffix(raw, ">"), ""
	}
	token := z.Token()
	name := token.Data
	isTaker := kind != html.EndTagToken && slices.Contains(takers, name)
	if !isTaker || !isClosed(name) {
		z.NextIsNotRawText()
	}
	known := slices.Contains(elements, name)
	switch {
	case slices.ContainsFunc(token.Attr, func(a html.Attribute) bool { return strings.Contains(a.Key, "<") }):
		return false, ""
	case isTaker && !isClosed(name):
		return name == "iframe" || kind == html.SelfClosingTagToken, "</" + name + ">"
	case kind == html.EndTagToken: // whose attributes are not read
		return (known || strings.ContainsAny(name, "-:")) && !strings.Contains(raw[1:], "<"), ""
	}
	return known || strings.ContainsAny(name, "-:") && isClosed(name), ""
}
