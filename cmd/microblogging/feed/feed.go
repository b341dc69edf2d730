// Package feed turns an RSS, Atom or JSON Feed file into drafts of posts.
//
// Feeds carry markup of every quality, dates in every notation, and entries
// without an identity. What leaves this package is plain text that the domain
// accepts as it stands, under the limits of a post, with an identity that is
// the same whenever the same file is read, so that importing it twice adds
// nothing.
//
// Nothing is fetched: what an entry only points to stays where it is.
package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mmcdole/gofeed"

	"microblogging/domain"
)

// ErrNotAFeed is in the chain of every error that the content of a file causes,
// as against a failure to read it.
var ErrNotAFeed = errors.New("not an RSS, Atom or JSON Feed")

// A Feed is what a file holds that can become posts.
type Feed struct {
	// Title is the feed's own: one line, possibly empty.
	Title string
	// Entries are in the order of the file.
	Entries []Entry
	// LeftOut counts the entries that hold nothing to post: no text, no title
	// and no link.
	LeftOut int
}

// An Entry is one post to be. Its Title and Text satisfy domain.NewDraft.
type Entry struct {
	// ID is the same whenever the same file is read: "id:" and the entry's own
	// id, else "link:" and its link, else "hash:" and a hash of what it says.
	ID string
	// Published is when the entry says that it was published, else updated. It
	// is zero if the entry gives no date that can be read or stored.
	Published time.Time
	Title     string
	Text      string
	// Cut tells that Title or Text was over the limit of a post and lost its end.
	Cut bool
}

// Read reads a whole feed. Its errors are those of r, or wrap ErrNotAFeed.
func Read(r io.Reader) (Feed, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Feed{}, err
	}
	parsed, err := parse(data)
	if err != nil {
		return Feed{}, err
	}
	title, _ := cut(titleOf(parsed.Title), domain.MaxTitle)
	feed := Feed{Title: title}
	for _, item := range parsed.Items {
		if entry, ok := entryOf(item); ok {
			feed.Entries = append(feed.Entries, entry)
		} else {
			feed.LeftOut++
		}
	}
	return feed, nil
}

// entryOf is false if the item holds nothing to post.
func entryOf(item *gofeed.Item) (Entry, bool) {
	title, text := titleOf(item.Title), textOf(item.Content)
	if text == "" {
		text = textOf(item.Description)
	}
	if text == "" {
		text = linkOf(item)
	}
	if text == "" {
		title, text = "", title
	}
	if text == "" {
		return Entry{}, false
	}
	entry := Entry{ID: identify(item), Published: dateOf(item)}
	var titleCut, textCut bool
	entry.Title, titleCut = cut(title, domain.MaxTitle)
	entry.Text, textCut = cut(text, domain.MaxText)
	entry.Cut = titleCut || textCut
	return entry, true
}

// linkOf is the first address that the entry gives and that a reader can
// follow. An RSS guid often is one.
func linkOf(item *gofeed.Item) string {
	for _, candidate := range append([]string{item.Link}, append(item.Links, item.GUID)...) {
		if address, ok := webAddress(candidate); ok {
			return address
		}
	}
	return ""
}

// identify hashes the date with the rest, for "Good morning" on two days is two
// posts, and hashes before anything is cut.
func identify(item *gofeed.Item) string {
	if id := strings.TrimSpace(item.GUID); id != "" {
		return "id:" + id
	}
	if link := strings.TrimSpace(item.Link); link != "" {
		return "link:" + link
	}
	sum := sha256.New()
	for _, part := range []string{item.Title, item.Description, item.Content, item.Published, item.Updated} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return "hash:" + hex.EncodeToString(sum.Sum(nil))
}

// dateOf skips a date that no row key can hold.
func dateOf(item *gofeed.Item) time.Time {
	for _, date := range []*time.Time{item.PublishedParsed, item.UpdatedParsed} {
		if date != nil && domain.CheckStored("published", *date) == nil {
			return domain.Storable(*date)
		}
	}
	return time.Time{}
}
