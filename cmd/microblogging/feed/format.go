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

// maxNesting bounds how deep elements may nest. gofeed recurses, and a stack
// overflow ends the process. The bound is high, because elements that are never
// closed count as nested.
const maxNesting = 100_000

// parse reads a feed of any format. Each title, description and content of the
// result is HTML. RSS needs no translation, because its texts usually are HTML.
func parse(data []byte) (*gofeed.Feed, error) {
	// JSON does not allow a byte order mark.
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

// nestsDeeper tells whether the elements of XML nest deeper than limit. It leaves
// every other fault of the XML to the parser.
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

// verbatim returns plain text as HTML that keeps its lines.
func verbatim(text string) string {
	if text == "" {
		return ""
	}
	return "<pre>" + html.EscapeString(text) + "</pre>"
}

// atomTranslator makes HTML of the contents of an Atom feed.
type atomTranslator struct{ gofeed.DefaultAtomTranslator }

// Translate respects the type of a content (RFC 4287, 4.1.3.1). gofeed does not
// pass on the type of a title or a summary, so these are read as HTML.
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
		// Another media type: a picture, or data.
		content.Value = ""
	}
}

// jsonTranslator makes HTML of the texts of a JSON Feed.
type jsonTranslator struct{ gofeed.DefaultJSONTranslator }

// Translate refuses JSON that is not a feed. gofeed would take it for an empty
// feed. Translate also drops null items and all authors: gofeed dereferences both
// without a check, and authors are not imported.
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

// translateJSONItem escapes everything except content_html, because the rest of a
// JSON Feed is plain text.
func translateJSONItem(item *json.Item) {
	item.Authors = nil
	item.Title = html.EscapeString(item.Title)
	item.Summary = verbatim(item.Summary)
	item.ContentText = verbatim(item.ContentText)
}
