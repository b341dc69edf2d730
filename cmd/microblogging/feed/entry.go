package feed

import (
	"html"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"microblogging/domain"
	"microblogging/templates/markdown"
)

// An Entry can become one post. Its texts are HTML, as the file has them.
type Entry struct {
	// Key is the same each time that the same file is read. Former are the keys that programs
	// before 1.0 gave the entry.
	Key    Key
	Former []Key
	// Published is when the entry was published or, if it does not say so, when it
	// was updated. It is zero if neither date can be read and stored.
	Published time.Time
	// Misdated reports whether the file has a date for the entry, and Published is zero. Zoneless
	// reports whether the date has no time zone, or one that is unknown.
	Misdated, Zoneless bool
	// LeftOut is why the entry becomes no post, or empty.
	LeftOut string
	Title   string
	// Summary is used if there is no Content, and Link if there is no text and no medium. One of
	// the Further texts is used if it is much fuller.
	Content, Summary, Link string
	Further                []string
	// Captions are other titles, and texts about media. They are only counted, if the post has them nowhere.
	Captions []string
	// Media are attached to the entry.
	Media []Medium
	// Unaddressed counts media that the file has without an address.
	Unaddressed int
	// Authors and Categories count what the file says who wrote the entry, and what it is about.
	Authors, Categories int
	// name is "id:", "link:" or "hash:" and what the file has of that. Two entries may have the same name.
	name string
	// base resolves relative addresses.
	base string
}

// A Medium is a picture, a sound, a video or another file.
type Medium struct {
	Address string
	// Type is a media type, or the part before its slash. It may be empty.
	Type string
	// Words describe the medium, in HTML.
	Words string
}

func (m Medium) is(kind string) bool { return strings.HasPrefix(strings.ToLower(m.Type), kind) }

// Why an entry becomes no post.
const (
	NotPublished = "not published"
	NotPosts     = "not posts"
	Replies      = "replies"
	Repeated     = "repeated in the file"
	Empty        = "empty"
)

// A Loss is what a post does not have of its entry.
type Loss struct {
	// Cut reports whether something was longer than a post allows and was cut. Summary reports whether the
	// entry has a summary, or another text, that is not part of its post.
	Cut, Summary bool
	// Media and Links count those that do not fit, or have no address that a post can have. Pixels
	// are pictures that count readers and show nothing.
	Media, Links, Pixels int
}

// maxAttached bounds how much of a post its media take away from its text.
const maxAttached = domain.MaxText / 2

// Draft makes the post of an entry. It has no text if the entry holds nothing to post.
// domain.NewDraft accepts any other draft unchanged. A text that is cut ends with a link to its source.
func (c *Converter) Draft(e Entry) (draft domain.Draft, lost Loss) {
	base := parseURL(e.base)
	title := titleOf(e.Title)
	texts, rest := e.fullest(base)
	text, in := c.textOfAll(texts, base)
	if text == "" {
		texts, rest = append(texts, rest...), nil
		text, in = c.textOfAll(texts, base)
	}
	attached, unfit := c.attach(e.Media, base, text)
	lost = in.Loss
	if rest = append(rest, e.Captions...); len(rest) > 0 {
		lost.Summary = lacksOne(title+titleOf(strings.Join(texts, " "))+text+attached, rest, base)
	}
	if text == "" && attached == "" {
		text = e.Link
	}
	if text == "" && attached == "" {
		text, _ = c.textOf(html.EscapeString(title), nil)
		title = ""
	}
	if utf8.RuneCountInString(text+attached) > domain.MaxText {
		lost.Cut = true
	}
	if lost.Cut {
		if e.Link != "" {
			attached += "\n\n[Read on](" + e.Link + ")"
		}
		text = cutText(text, domain.MaxText-utf8.RuneCountInString(attached))
	}
	draft.Text = strings.TrimSpace(text + attached)
	of := seenIn(e.Title, base)
	var titleCut bool
	draft.Title, titleCut = markdown.CutWords(title, domain.MaxTitle)
	lost.Cut = lost.Cut || titleCut
	lost.Media += e.Unaddressed + unfit + missing(draft.Text, append(in.toMedia, of.toMedia...))
	lost.Links += missing(draft.Text, append(in.toLinks, of.toLinks...))
	return draft, lost
}

// fullest returns the texts of which a post is made, and the others. It is made of the content, unless another text is
// more than twice as long: then that one follows the content, or has all of it. Without content it is made of the longest.
func (e *Entry) fullest(base *url.URL) (texts, rest []string) {
	rest = slices.DeleteFunc(append([]string{e.Content, e.Summary}, e.Further...), func(text string) bool { return text == "" })
	if e.Content != "" || len(rest) == 1 {
		texts, rest = rest[:1:1], rest[1:]
	}
	if strings.HasPrefix(e.Content, markdownMark) || len(rest) == 0 {
		return texts, rest
	}
	longest, most := -1, -1
	if e.Content != "" {
		most = 2 * len(titleOf(e.Content))
	}
	for i, text := range rest {
		if n := len(titleOf(text)); n > most {
			longest, most = i, n
		}
	}
	if longest >= 0 {
		if !lacksOne(titleOf(rest[longest]), texts, base) {
			texts = nil
		}
		texts = append(texts, rest[longest])
		rest = slices.Delete(rest, longest, longest+1)
	}
	return texts, rest
}

// lacksOne reports whether the text of a post lacks the words, a link or a medium of one of others.
func lacksOne(text string, others []string, base *url.URL) bool {
	found := letters(text)
	return slices.ContainsFunc(others, func(other string) bool {
		of := seenIn(other, base)
		return !strings.Contains(found, letters(titleOf(other))) || missing(text, append(of.toMedia, of.toLinks...)) > 0
	})
}

// letters returns the letters and digits of a text, by which a text is found in another one that has other marks.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
		return -1
	}, text)
}

// attach returns paragraphs with the media that the text does not have, and how many do not fit.
func (c *Converter) attach(media []Medium, base *url.URL, text string) (attached string, unfit int) {
	room := max(maxAttached, domain.MaxText-utf8.RuneCountInString(text))
	for _, m := range media {
		address, ok := webAddress(base, m.Address)
		if ok && (isIn(text, address) || isIn(attached, address)) {
			continue
		}
		line, _ := c.textOf(m.markup(address), nil)
		if line = "\n\n" + line; !ok || utf8.RuneCountInString(attached+line) > room {
			unfit++
			continue
		}
		attached += line
	}
	return attached, unfit
}

// maxLinkWords is how many characters of a description are the words of its link. A longer one follows
// the link, and so does one with lines or addresses.
const maxLinkWords = 300

// markup is the HTML of a medium.
func (m Medium) markup(address string) string {
	words, after := html.EscapeString(titleOf(m.Words)), ""
	if utf8.RuneCountInString(words) > maxLinkWords || strings.Contains(words, "://") || strings.Contains(strings.TrimSpace(m.Words), "\n") {
		words, after = "", "<div>"+strings.ReplaceAll(m.Words, "\n", "<br>")+"</div>"
	}
	if words == "" && (m.is("audio") || m.is("video")) {
		words = strings.ToLower(m.Type[:len("audio")])
	}
	if m.is("image") {
		return `<p><img src="` + html.EscapeString(address) + `" alt="` + words + `"></p>` + after
	}
	return `<p><a href="` + html.EscapeString(address) + `">` + words + `</a></p>` + after
}

// cutText cuts a text of Markdown to a number of characters. It closes a block of code that it cuts, because
// else what follows would be code.
func cutText(text string, limit int) string {
	const fence, dots = "\n```", "\n\n…"
	if strings.Contains(text, fence[1:]) {
		limit -= len(fence)
	}
	short, cut := markdown.Cut(text, limit)
	if !cut {
		short, _ = markdown.Cut(text, limit-utf8.RuneCountInString(dots))
		short += dots
	}
	if strings.Count("\n"+short, fence)%2 == 1 {
		short += fence
	}
	return short
}

// missing counts the addresses that are not in a text. It may sort them.
func missing(text string, addresses []string) (n int) {
	slices.Sort(addresses)
	for _, address := range slices.Compact(addresses) {
		if !isIn(text, address) {
			n++
		}
	}
	return n
}

// isIn reports whether an address is in a text, and is not the beginning of another one there.
func isIn(text, address string) bool {
	for {
		_, after, in := strings.Cut(text, address)
		if !in || after == "" || strings.ContainsRune(" \n)>]", rune(after[0])) {
			return in
		}
		text = after
	}
}

// markdownMember is the member of a JSON Feed's item by which an export of this program says that
// content_text is Markdown. JSON Feed leaves names with an underscore to programs.
const markdownMember = "_markdown"

// replyMember is the member by which an export of this program says that an item is a reply.
const replyMember = "_reply_to"

// markdownMark begins what is Markdown, and no HTML, if it can be the text of a post.
const markdownMark = "<!--markdown-->"
