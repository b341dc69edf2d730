package feed

import (
	"bytes"
	"html"
	"strings"

	"github.com/mmcdole/gofeed"
	"github.com/mmcdole/gofeed/atom"
	"github.com/mmcdole/gofeed/rss"
)

// An xmlFormat is what RSS and Atom differ in.
type xmlFormat struct {
	// channel is the element in the root that describes the feed. It is empty if the
	// root itself does.
	channel string
	item    string
	// parse reads a document. Each title, description and content of the result is
	// HTML.
	parse func(document []byte) (*parsedFeed, error)
}

// A parsedFeed is a document that gofeed has read.
type parsedFeed struct {
	*gofeed.Feed
	// ids are what may identify the feed, the best one first.
	ids []string
}

// formatOf returns the format of a feed with that root element, or nil.
func formatOf(root string) *xmlFormat {
	switch strings.ToLower(root) {
	case "feed":
		return &xmlFormat{item: "entry", parse: parseAtom}
	case "rss", "rdf":
		return &xmlFormat{channel: "channel", item: "item", parse: parseRSS}
	}
	return nil
}

// parseRSS needs to translate no text, because those of RSS usually are HTML.
func parseRSS(document []byte) (*parsedFeed, error) {
	parser := &rss.Parser{}
	source, err := parser.Parse(bytes.NewReader(document))
	if err != nil {
		return nil, err
	}
	translator := &gofeed.DefaultRSSTranslator{DisableContentImageScan: true}
	feed, err := translator.Translate(source)
	if err != nil {
		return nil, err
	}
	return &parsedFeed{Feed: feed, ids: []string{feed.Link, feed.FeedLink}}, nil
}

// parseAtom respects the type of a content (RFC 4287, 4.1.3.1). gofeed does not pass
// on the type of a title or a summary, so these are read as HTML.
func parseAtom(document []byte) (*parsedFeed, error) {
	parser := &atom.Parser{}
	source, err := parser.Parse(bytes.NewReader(document))
	if err != nil {
		return nil, err
	}
	for _, entry := range source.Entries {
		translateAtomContent(entry.Content)
	}
	translator := &gofeed.DefaultAtomTranslator{}
	feed, err := translator.Translate(source)
	if err != nil {
		return nil, err
	}
	return &parsedFeed{Feed: feed, ids: []string{source.ID, feed.Link, feed.FeedLink}}, nil
}

func translateAtomContent(content *atom.Content) {
	if content == nil {
		return
	}
	switch kind := strings.ToLower(content.Type); {
	case kind == "" || kind == "text" || strings.HasPrefix(kind, "text/plain"):
		content.Value = verbatim(content.Value)
	case strings.Contains(kind, "html"):
	default:
		// Another media type: a picture, or data.
		content.Value = ""
	}
}

// plainMark begins HTML that was plain text.
const plainMark = "<!--plain-->"

// verbatim returns plain text as HTML that is known to have no tag.
func verbatim(text string) string {
	if text == "" {
		return ""
	}
	return plainMark + html.EscapeString(text)
}

// original returns HTML as it was when the first entries without an id were imported.
// Their IDs are hashes of it.
func original(markup string) string {
	if text, plain := strings.CutPrefix(markup, plainMark); plain {
		return "<pre>" + text + "</pre>"
	}
	return markup
}
