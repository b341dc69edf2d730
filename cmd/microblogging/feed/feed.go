// Package feed turns an RSS, Atom or JSON Feed file into drafts of posts.
//
// # The problem
//
// Feeds contain bad markup, dates in many notations, and entries without an
// identity. Exports of a blog contain what its author did not publish. A file may also be
// hostile: nested a million deep.
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
// Each word, link and medium that a reader of the feed sees is in the post, or is counted in the
// [Loss] of the entry. What says of itself that it is not public, or not a post, becomes none.
//
// # What survives failure
//
// A file that is not a feed, or that would harm the parser, is an error before there is an
// entry. So nothing of it is imported.
package feed

import (
	"errors"
	"fmt"
	"strings"

	"microblogging/domain"
	"microblogging/templates/markdown"
)

// ErrNotAFeed is in the chain of each error that the content of a file causes.
var ErrNotAFeed = errors.New("not an RSS, Atom or JSON Feed")

// A Feed is what a file says.
type Feed struct {
	// Title is the title of the feed: one line, possibly empty.
	Title string
	// Source tells feeds apart: "id:" and the feed's own id or address, or "title:"
	// and its title, which may be empty. If it is a title, the ID of each entry that other feeds may have too
	// depends on its content, because feeds may have the same title and the same ids.
	Source string
	// Entries are in the order of the file.
	Entries []Entry
	// Encoding is the encoding of the file, or empty if that is UTF-8 or UTF-16.
	Encoding string
}

// Parse reads the content of a file, and may change it. An error wraps ErrNotAFeed.
func Parse(document []byte) (feed Feed, err error) {
	if format := compression(document); format != "" {
		return Feed{}, fmt.Errorf("%w: the file is compressed with %s, so unpack it first", ErrNotAFeed, format)
	}
	document, name, err := toUTF8(document)
	switch {
	case err != nil:
	case len(document) > 0 && document[0] == '{':
		feed, err = parseJSON(document)
	default:
		feed, err = parseXML(document)
	}
	if err != nil {
		return Feed{}, fmt.Errorf("%w: %w", ErrNotAFeed, err)
	}
	feed.Encoding = name
	return feed, nil
}

// finish sets what entries have from their feed. The title is HTML. Of ids, the first that could not
// be that of another feed identifies the feed.
func (f *Feed) finish(title, link string, ids ...string) {
	f.Title, _ = markdown.CutWords(titleOf(title), domain.MaxTitle)
	f.Source = "title:" + f.Title
	former := f.Source
	for _, id := range ids {
		if id = strings.TrimSpace(id); hasScheme(id) {
			f.Source, former = "id:"+sameSite(id), "id:"+id
			break
		}
	}
	for i := range f.Entries {
		f.Entries[i].setBase(link)
	}
	f.setKeys(former)
}
