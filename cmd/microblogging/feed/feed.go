// Package feed turns an RSS, Atom or JSON Feed file into drafts of posts.
//
// # The problem
//
// Feeds contain bad markup, dates in many notations, and entries without an
// identity. A file may also be hostile: endless, or nested a million deep.
//
// # The model
//
// [Read] visits entries of Markdown that package domain accepts unchanged. Each has
// an identity that depends on the file alone, so that a second import of the file adds
// nothing. Whatever a feed says, it goes one way: the file is cut into items
// (stream_json.go, stream_xml.go), the format of an item is translated to HTML
// (format.go), the HTML is reduced (clean.go) and becomes Markdown (text.go), and text over
// the limit of a post is cut. One item at a time is in memory, so a file may be as large as
// it likes, but an item may not. Nothing is fetched from the network.
//
// # What survives failure
//
// Read has no effect besides reading. A file that is not a feed, or that would
// harm the parser, is an error. It may be noticed only at the end of the file, so
// whoever acts on entries reads the file twice.
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
	"microblogging/templates/markdown"
)

// ErrNotAFeed is in the chain of each error that the content of a file causes. It
// is not in the chain of a failure to read the file.
var ErrNotAFeed = errors.New("not an RSS, Atom or JSON Feed")

// A Feed is what a file says about itself, and how many entries it has.
type Feed struct {
	// Title is the title of the feed: one line, possibly empty.
	Title string
	// Source tells feeds apart: "id:" and the feed's own id or address, or "title:"
	// and its title. It is empty if the file says nothing about itself.
	Source string
	// Entries counts the entries that can become posts.
	Entries int
	// LeftOut counts the entries that hold nothing to post: no text, no title
	// and no link.
	LeftOut int
}

// An Entry can become one post. domain.NewDraft accepts its Title and Text.
type Entry struct {
	// ID is the same each time that the same file is read: "id:" and the entry's
	// own id, or "link:" and its link, or "hash:" and a hash of its content.
	ID string
	// Published is when the entry was published or, if it does not say so, when it
	// was updated. It is zero if neither date can be read and stored.
	Published time.Time
	Title     string
	Text      string
	// Cut tells that Title or Text was longer than a post allows and was cut.
	Cut bool
}

// Read reads a feed and calls visit with each entry, in the order of the file. An
// error is an error of visit, or an error of r, or wraps ErrNotAFeed. Read may have
// visited entries before it finds that the file is not a feed.
func Read(r io.Reader, visit func(Entry) error) (Feed, error) {
	s := newStream(r, visit)
	if err := s.read(); err != nil {
		return Feed{}, err
	}
	return s.feed, nil
}

// Inspect reads a feed as Read does, and calls visit for each entry. It does not make the
// texts of entries unless it must, to know whether there is one. That takes about half the
// time.
func Inspect(r io.Reader, visit func() error) (Feed, error) {
	s := newStream(r, func(Entry) error { return visit() })
	s.inspects = true
	if err := s.read(); err != nil {
		return Feed{}, err
	}
	return s.feed, nil
}

// sourceOf returns Feed.Source. Of ids, the first that is not empty counts.
func sourceOf(title string, ids ...string) string {
	for _, id := range ids {
		if id := strings.TrimSpace(id); id != "" {
			return "id:" + id
		}
	}
	if title != "" {
		return "title:" + title
	}
	return ""
}

// entryOf makes an entry of an item. It reports false if the item holds nothing to
// post.
func (t *texter) entryOf(item *gofeed.Item) (Entry, bool) {
	title := titleOf(item.Title)
	text, begun := t.textOf(item.Content)
	if text == "" {
		text, begun = t.textOf(item.Description)
	}
	if text == "" {
		text, begun = linkOf(item), false
	}
	if text == "" {
		title, text = "", t.escaped(title)
	}
	if text == "" {
		return Entry{}, false
	}
	entry := Entry{ID: identify(item), Published: dateOf(item)}
	var titleCut, textCut bool
	entry.Title, titleCut = markdown.CutWords(title, domain.MaxTitle)
	entry.Text, textCut = markdown.Cut(text, domain.MaxText)
	entry.Cut = titleCut || textCut || begun
	return entry, true
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
		part = original(part)
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return "hash:" + hex.EncodeToString(sum.Sum(nil))
}

// dateOf returns the time for Entry.Published. It skips a date that no row key can
// hold.
func dateOf(item *gofeed.Item) time.Time {
	for _, date := range []*time.Time{item.PublishedParsed, item.UpdatedParsed} {
		if date != nil && domain.CheckStored("published", *date) == nil {
			return domain.Storable(*date)
		}
	}
	return time.Time{}
}
