package feed

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/mmcdole/gofeed"
	feedjson "github.com/mmcdole/gofeed/json"
)

// readJSON reads a JSON Feed (jsonfeed.org/version/1.1). JSON that is not a feed is
// refused: gofeed would take it for an empty feed.
func (s *stream) readJSON() error {
	decoder := json.NewDecoder(s.in)
	if _, err := decoder.Token(); err != nil { // the opening brace
		return s.blame(err)
	}
	var head feedjson.Feed
	for decoder.More() {
		if err := s.readMember(decoder, &head); err != nil {
			return err
		}
	}
	if _, err := decoder.Token(); err != nil { // the closing brace
		return s.blame(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return s.blame(errors.New("something follows the feed"))
	}
	if !strings.Contains(head.Version, "jsonfeed.org/version/") {
		return fmt.Errorf("%w: the JSON does not name a version of JSON Feed", ErrNotAFeed)
	}
	s.describe(html.EscapeString(head.Title), head.FeedURL, head.HomePageURL)
	return nil
}

// readMember reads one member of the feed. Names match in any case, as in
// encoding/json.
func (s *stream) readMember(decoder *json.Decoder, head *feedjson.Feed) error {
	name, err := decoder.Token()
	if err != nil {
		return s.blame(err)
	}
	text, _ := name.(string)
	var value any = &json.RawMessage{}
	switch {
	case strings.EqualFold(text, "items"):
		return s.readItems(decoder)
	case strings.EqualFold(text, "version"):
		value = &head.Version
	case strings.EqualFold(text, "title"):
		value = &head.Title
	case strings.EqualFold(text, "feed_url"):
		value = &head.FeedURL
	case strings.EqualFold(text, "home_page_url"):
		value = &head.HomePageURL
	}
	if err := decoder.Decode(value); err != nil {
		return s.blame(err)
	}
	return nil
}

func (s *stream) readItems(decoder *json.Decoder) error {
	switch opening, err := decoder.Token(); {
	case err != nil:
		return s.blame(err)
	case opening == nil: // null
		return nil
	case opening != json.Delim('['):
		return s.blame(errors.New("its items are not an array"))
	}
	for decoder.More() {
		var item *feedjson.Item
		if err := decoder.Decode(&item); err != nil {
			return s.blame(err)
		}
		if item == nil { // null, which gofeed does not expect
			continue
		}
		translated, err := translateJSONItem(item)
		if err != nil {
			return s.blame(err)
		}
		if err := s.item(translated); err != nil {
			return err
		}
	}
	if _, err := decoder.Token(); err != nil { // the closing bracket
		return s.blame(err)
	}
	return nil
}

// translateJSONItem makes HTML of the texts of an item. It escapes everything except
// content_html, because the rest of a JSON Feed is plain text. Authors are not
// imported, and gofeed does not expect one that is null.
func translateJSONItem(item *feedjson.Item) (*gofeed.Item, error) {
	item.Authors = nil
	item.Title = html.EscapeString(item.Title)
	item.Summary = verbatim(item.Summary)
	item.ContentText = verbatim(item.ContentText)
	translator := &gofeed.DefaultJSONTranslator{}
	feed, err := translator.Translate(&feedjson.Feed{Items: []*feedjson.Item{item}})
	if err != nil {
		return nil, err
	}
	return feed.Items[0], nil
}
