package feed

import (
	"slices"
	"strings"
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

// A scanner finds markup in a text. It has the text in lower case too.
type scanner struct {
	text, lower string
	// effort is how many bytes it may still look at in vain, because the end of each < may be missing.
	effort int
}

// escapeStray returns markup in which each < is text that does not begin a comment or an element of HTML, so that
// nothing unclosed takes the rest. An element with a hyphen or a colon in its name counts if it is closed.
func escapeStray(markup string) string {
	if strings.IndexByte(markup, '<') < 0 {
		return markup
	}
	if strings.Contains(markup, "<![CDATA[") { // it was escaped twice
		markup = strings.NewReplacer("<![CDATA[", "", "]]>", "").Replace(markup)
	}
	lower := []byte(markup)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] += 'a' - 'A'
		}
	}
	s := &scanner{markup, string(lower), 1 << 24}
	var b strings.Builder
	for at := 0; ; {
		n := strings.IndexByte(markup[at:], '<')
		if n < 0 || s.effort < 0 {
			b.WriteString(markup[at:])
			return b.String()
		}
		b.WriteString(markup[at : at+n])
		at += n
		if end, closing := s.end(at); end > 0 {
			b.WriteString(markup[at:end])
			b.WriteString(closing)
			at = end
		} else {
			b.WriteString("&lt;")
			at++
		}
	}
}

// after returns where a mark ends that comes at a position or later. It returns 0 if there is none.
func (s *scanner) after(at int, mark string) int {
	n := strings.Index(s.lower[at:], mark)
	if n < 0 {
		s.effort -= len(s.text) - at
		return 0
	}
	return at + n + len(mark)
}

// end returns where the markup ends that begins at a position, and a tag that closes it if nothing does. It returns 0 if
// there is no markup.
func (s *scanner) end(at int) (end int, closing string) {
	switch rest := s.lower[at:]; {
	case strings.HasPrefix(rest, "<!--"):
		return s.after(at+2, "-->"), ""
	case strings.HasPrefix(rest, "<!doctype"), strings.HasPrefix(rest, "<?"):
		return s.after(at, ">"), ""
	}
	slash := strings.TrimPrefix(s.lower[at+1:min(at+2, len(s.lower))], "<")
	begin := at + 1
	if slash == "/" {
		begin++
	}
	n := strings.IndexAny(s.lower[begin:], " \t\r\n\f/><")
	if n <= 0 || s.lower[begin] < 'a' || s.lower[begin] > 'z' {
		return 0, ""
	}
	name := s.lower[begin : begin+n]
	known := slices.Contains(elements, name)
	switch end = s.endOfTag(begin + n); {
	case end == 0, !known && !strings.ContainsAny(name, "-:"):
		return 0, ""
	case slash == "/":
		return end, ""
	case !known && s.after(end, "</"+name) == 0:
		return 0, ""
	case !slices.Contains(takers, name):
		return end, ""
	}
	if close := s.after(end, "</"+name); close > 0 {
		return max(close, s.after(close, ">")), ""
	}
	if name == "iframe" || s.text[end-2] == '/' {
		return end, "</" + name + ">"
	}
	return 0, ""
}

// endOfTag returns where a tag ends whose attributes begin at a position. It returns 0 if it does not end.
func (s *scanner) endOfTag(at int) int {
	for from := at; at < len(s.text); at++ {
		switch s.text[at] {
		case '>':
			return at + 1
		case '<':
			return 0
		case '=':
			value := at + 1 + len(s.text[at+1:]) - len(strings.TrimLeft(s.text[at+1:], " \t\r\n\f"))
			if value < len(s.text) && (s.text[value] == '"' || s.text[value] == '\'') {
				n := strings.IndexByte(s.text[value+1:], s.text[value])
				if n < 0 {
					at = len(s.text)
					s.effort -= at - from
					return 0
				}
				at = value + 1 + n
			}
		}
	}
	s.effort -= at
	return 0
}
