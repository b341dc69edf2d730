package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/mmcdole/gofeed"

	"microblogging/domain"
	"microblogging/templates/markdown"
)

// An Entry can become one post. Its texts are HTML, as the file has them.
type Entry struct {
	// ID is the same each time that the same file is read: "id:" and the entry's
	// own id, or "link:" and its link, or "hash:" and a hash of its content.
	ID string
	// Published is when the entry was published or, if it does not say so, when it
	// was updated. It is zero if neither date can be read and stored.
	Published time.Time
	// Misdated reports whether the file has a date for the entry, and Published is zero.
	Misdated bool
	Title    string
	// Summary is used if there is no Content, and Link if there is neither.
	Content, Summary, Link string
}

// Draft makes the post of an entry. It has no text if the entry holds nothing to post. It
// reports true if something was longer than a post allows and was cut. domain.NewDraft
// accepts any other draft unchanged.
func (c *Converter) Draft(e Entry) (draft domain.Draft, cut bool) {
	title := titleOf(e.Title)
	text, begun := c.textOf(e.Content)
	if text == "" {
		text, begun = c.textOf(e.Summary)
	}
	if text == "" {
		text, begun = e.Link, false
	}
	if text == "" {
		text, _ = c.textOf(html.EscapeString(title))
		title = ""
	}
	var titleCut, textCut bool
	draft.Title, titleCut = markdown.CutWords(title, domain.MaxTitle)
	draft.Text, textCut = markdown.Cut(text, domain.MaxText)
	return draft, titleCut || textCut || begun
}

// linkOf returns the first web address of the item. An RSS guid often is one.
func linkOf(item *gofeed.Item) string {
	for _, candidate := range append([]string{item.Link}, append(item.Links, item.GUID)...) {
		if address, ok := webAddress(candidate); ok {
			return address
		}
	}
	return ""
}

// identify returns the ID of an entry. The hash includes the date, because "Good
// morning" on two days is two posts. It is made from the uncut content.
func identify(item *gofeed.Item) string {
	if id := strings.TrimSpace(item.GUID); id != "" {
		return "id:" + id
	}
	if link := strings.TrimSpace(item.Link); link != "" {
		return "link:" + link
	}
	sum := sha256.New()
	for _, part := range []string{item.Title, item.Description, item.Content, item.Published, item.Updated} {
		if text, plain := strings.CutPrefix(part, plainMark); plain {
			part = "<pre>" + text + "</pre>" // as it was when the first entries without an id were imported
		}
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return "hash:" + hex.EncodeToString(sum.Sum(nil))
}

// plainMark begins HTML that was plain text.
const plainMark = "<!--plain-->"

// markdownMember is the member of a JSON Feed's item by which an export of this program says that
// content_text is Markdown. JSON Feed leaves names with an underscore to programs.
const markdownMember = "_markdown"

// markdownMark begins what is Markdown, and no HTML.
const markdownMark = "<!--markdown-->"

// verbatim returns plain text as HTML that is known to have no tag.
func verbatim(text string) string {
	if text == "" {
		return ""
	}
	return plainMark + html.EscapeString(text)
}
