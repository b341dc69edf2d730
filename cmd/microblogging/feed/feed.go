// Package feed turns an RSS, Atom or JSON Feed file into drafts of posts.
//
// # The problem
//
// Feeds contain bad markup, dates in many notations, and entries without an
// identity. A file may also be hostile: nested a million deep.
//
// # The model
//
// [Parse] returns entries as the file has them. Each has an identity that depends on the
// file alone, so that a second import of the file adds nothing. A [Converter] makes of an
// entry Markdown that package domain accepts unchanged. Whatever a feed says, it goes one
// way: the file becomes UTF-8 (encoding.go), its texts become HTML (xml.go, json.go), the HTML
// is reduced (clean.go) and becomes Markdown (text.go), and text over the limit of a post is
// cut. Nothing is fetched from the network.
//
// # What survives failure
//
// A file that is not a feed, or that would harm the parser, is an error before there is an
// entry. So nothing of it is imported.
package feed

import (
	"bytes"
	"errors"
	"strings"

	"github.com/mmcdole/gofeed"

	"microblogging/domain"
	"microblogging/templates/markdown"
)

// ErrNotAFeed is in the chain of each error that the content of a file causes.
var ErrNotAFeed = errors.New("not an RSS, Atom or JSON Feed")

// maxProlog is within how many bytes the root element begins.
const maxProlog = 64 << 10

// A Feed is what a file says.
type Feed struct {
	// Title is the title of the feed: one line, possibly empty.
	Title string
	// Source tells feeds apart: "id:" and the feed's own id or address, or "title:"
	// and its title. It is empty if the file says nothing about itself.
	Source string
	// Entries are in the order of the file.
	Entries []Entry
}

// Parse reads the content of a file, and may change it. An error wraps ErrNotAFeed.
func Parse(document []byte) (Feed, error) {
	document, err := toUTF8(document)
	if err != nil {
		return Feed{}, notAFeed(err)
	}
	switch gofeed.DetectFeedType(bytes.NewReader(document[:min(len(document), maxProlog)])) {
	case gofeed.FeedTypeAtom:
		return parseXML(document, parseAtom)
	case gofeed.FeedTypeRSS:
		return parseXML(document, parseRSS)
	case gofeed.FeedTypeJSON:
		return parseJSON(document)
	}
	return Feed{}, ErrNotAFeed
}

// newFeed makes a feed of what gofeed read. Each title, description and content is HTML. Of
// ids, the first that is not empty identifies the feed.
func newFeed(read *gofeed.Feed, ids ...string) Feed {
	var f Feed
	f.Title, _ = markdown.CutWords(titleOf(read.Title), domain.MaxTitle)
	f.Source = sourceOf(f.Title, ids...)
	f.Entries = make([]Entry, len(read.Items))
	for i, item := range read.Items {
		e := Entry{ID: identify(item), Title: item.Title, Content: item.Content, Summary: item.Description, Link: linkOf(item)}
		e.Published, e.Misdated = dateOf(item)
		f.Entries[i] = e
	}
	return f
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
