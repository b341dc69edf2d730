package feed

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"strings"

	"github.com/mmcdole/gofeed"
	"github.com/mmcdole/gofeed/atom"
	"github.com/mmcdole/gofeed/json"
	"golang.org/x/net/html/charset"
)

// maxNesting bounds how deep elements may nest: gofeed recurses, and a stack that
// overflows cannot be recovered from. It is generous, for a feed in which many
// elements are never closed seems to nest as deep.
const maxNesting = 100_000

// parse makes HTML of every title, description and content, whatever the format
// said it was: from there on there is one way to text. RSS needs no translation,
// for its texts are HTML by custom.
func parse(data []byte) (*gofeed.Feed, error) {
	// A byte order mark is no part of JSON.
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\uFEFF")))
	if len(data) == 0 {
		return nil, fmt.Errorf("%w: the file is empty", ErrNotAFeed)
	}
	if data[0] == '<' && nestsDeeper(data, maxNesting) {
		return nil, fmt.Errorf("%w: its elements nest deeper than %d", ErrNotAFeed, maxNesting)
	}
	parser := gofeed.NewParser()
	parser.AtomTranslator = &atomTranslator{}
	parser.JSONTranslator = &jsonTranslator{}
	feed, err := parser.Parse(bytes.NewReader(data))
	switch {
	case errors.Is(err, gofeed.ErrFeedTypeNotDetected):
		return nil, ErrNotAFeed
	case errors.Is(err, ErrNotAFeed):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNotAFeed, err)
	}
	return feed, nil
}

// nestsDeeper leaves every other fault of the XML to the parser.
func nestsDeeper(data []byte, limit int) bool {
	decoder := xml.NewDecoder(bytes.NewReader(data))
	decoder.Strict = false
	decoder.CharsetReader = charset.NewReaderLabel
	depth := 0
	for depth <= limit {
		token, err := decoder.RawToken()
		if err != nil {
			return false
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	return true
}

// verbatim is plain text as HTML, with its lines kept.
func verbatim(text string) string {
	if text == "" {
		return ""
	}
	return "<pre>" + html.EscapeString(text) + "</pre>"
}

type atomTranslator struct{ gofeed.DefaultAtomTranslator }

// Translate respects the type of a content (RFC 4287, 4.1.3.1). That of a title
// or a summary gofeed does not hand on; they are read as HTML.
func (t *atomTranslator) Translate(source any) (*gofeed.Feed, error) {
	if feed, ok := source.(*atom.Feed); ok {
		for _, entry := range feed.Entries {
			translateAtomContent(entry.Content)
		}
	}
	return t.DefaultAtomTranslator.Translate(source)
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
		// Another media type: a picture, or a language that is not for readers.
		content.Value = ""
	}
}

type jsonTranslator struct{ gofeed.DefaultJSONTranslator }

// Translate refuses JSON that is no feed, which gofeed takes for an empty one.
// It drops what is null in a list and the authors, which are not imported: gofeed
// dereferences both.
func (t *jsonTranslator) Translate(source any) (*gofeed.Feed, error) {
	feed, ok := source.(*json.Feed)
	if !ok {
		return nil, fmt.Errorf("%w: unexpected type %T", ErrNotAFeed, source)
	}
	if !strings.Contains(feed.Version, "jsonfeed.org/version/") {
		return nil, fmt.Errorf("%w: the JSON does not name a version of JSON Feed", ErrNotAFeed)
	}
	feed.Authors = nil
	feed.Title = html.EscapeString(feed.Title)
	items := feed.Items[:0]
	for _, item := range feed.Items {
		if item != nil {
			translateJSONItem(item)
			items = append(items, item)
		}
	}
	feed.Items = items
	return t.DefaultJSONTranslator.Translate(feed)
}

// translateJSONItem escapes everything but content_html: the rest of a JSON Feed
// is plain text.
func translateJSONItem(item *json.Item) {
	item.Authors = nil
	item.Title = html.EscapeString(item.Title)
	item.Summary = verbatim(item.Summary)
	item.ContentText = verbatim(item.ContentText)
}
