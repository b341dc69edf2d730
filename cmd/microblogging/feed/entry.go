package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"microblogging/domain"
	"microblogging/templates/markdown"
)

// An Entry can become one post. Its texts are HTML, as the file has them.
type Entry struct {
	// ID is the same each time that the same file is read: "id:" and the entry's
	// own id, or "link:" and its link, or "hash:" and a hash of its content. If the id
	// or the link could be that of another entry, a hash of the content follows.
	ID string
	// Published is when the entry was published or, if it does not say so, when it
	// was updated. It is zero if neither date can be read and stored.
	Published time.Time
	// Misdated reports whether the file has a date for the entry, and Published is zero. Zoneless
	// reports whether the date has no time zone, or one that is unknown.
	Misdated, Zoneless bool
	// LeftOut is why the entry becomes no post, or empty.
	LeftOut string
	Title   string
	// Summary is used if there is no Content, and Link if there is neither and no medium.
	Content, Summary, Link string
	// Media are attached to the entry.
	Media []Medium
	// Unaddressed counts media that the file has without an address.
	Unaddressed int
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
	Repeated     = "repeated in the file"
	Empty        = "empty"
)

// judge leaves an entry out if a property of it says that it is not public, or not a post. Only the words
// of a known vocabulary are trusted to say that an entry is public.
func (e *Entry) judge(property, value string) {
	value = strings.ToLower(strings.TrimSpace(value))
	is := func(values ...string) bool { return slices.Contains(values, value) }
	var private bool
	switch strings.ToLower(property) {
	case "post_type", "blogger:type":
		if !is("", "post") {
			e.LeftOut = NotPosts
		}
	case "wp:status", "blogger:status":
		private = !is("", "publish", "live")
	case "post_password":
		private = value != ""
	case "draft", "is_draft", "private", "is_private", "unpublished":
		private = !is("", "no", "false", "0", "null")
	case "published", "public", "is_public":
		private = is("no", "false", "0")
	case "visibility", "privacy", "security", "access":
		private = !is("", "public", "unlisted", "everyone", "anyone", "all", "world", "open", "free", "visible", "true", "1", "null")
	case "status":
		private = is("draft", "private", "trash", "trashed", "deleted", "pending", "future", "scheduled", "unpublished", "hidden", "password", "protected")
	}
	if private && e.LeftOut == "" {
		e.LeftOut = NotPublished
	}
}

// A Loss is what a post does not have of its entry.
type Loss struct {
	// Cut reports whether something was longer than a post allows and was cut. Summary reports whether the
	// entry has a summary that is not the beginning of its content, or another part of it.
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
	text, in := c.textOf(e.Content, base)
	if text == "" {
		text, in = c.textOf(e.Content+e.Summary, base)
	} else if e.Summary != "" {
		of := seenIn(e.Summary, base)
		in.Summary = !strings.Contains(titleOf(e.Content), strings.TrimRight(titleOf(e.Summary), ".…[] ")) ||
			missing(text, of.toMedia)+missing(text, of.toLinks) > 0
	}
	attached, unfit := c.attach(e.Media, base, text)
	if text == "" && attached == "" {
		text = e.Link
	}
	if text == "" && attached == "" {
		text, _ = c.textOf(html.EscapeString(title), nil)
		title = ""
	}
	if lost = in.Loss; utf8.RuneCountInString(text+attached) > domain.MaxText {
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

// identify sets the ID of an entry. The hash includes dates, because "Good morning" on two days is two posts.
func (e *Entry) identify(id, link string, dates []string) {
	switch id, link = strings.TrimSpace(id), strings.TrimSpace(link); {
	case id != "":
		e.ID = "id:" + id
	case link != "":
		e.ID = "link:" + link
	default:
		e.ID = "hash:" + e.hash(dates...)
	}
}

// hash is of the whole content of an entry, uncut.
func (e *Entry) hash(and ...string) string {
	sum := sha256.New()
	for _, m := range e.Media {
		and = append(and, m.Address)
	}
	for _, part := range append([]string{e.Title, e.Summary, e.Content, e.Link}, and...) {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// markdownMember is the member of a JSON Feed's item by which an export of this program says that
// content_text is Markdown. JSON Feed leaves names with an underscore to programs.
const markdownMember = "_markdown"

// markdownMark begins what is Markdown, and no HTML.
const markdownMark = "<!--markdown-->"
