package feed

import (
	"encoding/json"
	"errors"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/mmcdole/gofeed"
	feedjson "github.com/mmcdole/gofeed/json"
)

// A jsonFeed is what is imported of a JSON Feed (jsonfeed.org/version/1.1). gofeed refuses a
// file for one member of a wrong type, also for one that is not imported.
type jsonFeed struct {
	Version     lenient
	Title       lenient
	FeedURL     lenient `json:"feed_url"`
	HomePageURL lenient `json:"home_page_url"`
	Items       []*jsonItem
}

type jsonItem struct {
	ID            json.RawMessage
	URL           lenient
	ExternalURL   lenient `json:"external_url"`
	Title         lenient
	ContentHTML   lenient `json:"content_html"`
	ContentText   lenient `json:"content_text"`
	Summary       lenient
	DatePublished lenient `json:"date_published"`
	DateModified  lenient `json:"date_modified"`
}

// parseJSON reads a JSON Feed. JSON that is not a feed is refused.
func parseJSON(document []byte) (Feed, error) {
	if !utf8.Valid(document) { // encoding/json would replace what it does not know
		return Feed{}, notAFeed(errNotUTF8)
	}
	var source jsonFeed
	if err := json.Unmarshal(document, &source); err != nil {
		return Feed{}, notAFeed(err)
	}
	if !strings.Contains(string(source.Version), "jsonfeed.org/version/") {
		return Feed{}, notAFeed(errors.New("the JSON does not name a version of JSON Feed"))
	}
	translated := &feedjson.Feed{Title: html.EscapeString(string(source.Title))}
	for _, item := range source.Items {
		if item != nil {
			translated.Items = append(translated.Items, item.translate())
		}
	}
	translator := &gofeed.DefaultJSONTranslator{}
	feed, err := translator.Translate(translated)
	if err != nil {
		return Feed{}, notAFeed(err)
	}
	return newFeed(feed, string(source.FeedURL), string(source.HomePageURL)), nil
}

// translate makes HTML of the texts of an item. It escapes everything except
// content_html, because the rest of a JSON Feed is plain text.
func (i *jsonItem) translate() *feedjson.Item {
	return &feedjson.Item{
		ID:            i.id(),
		URL:           string(i.URL),
		ExternalURL:   string(i.ExternalURL),
		Title:         html.EscapeString(string(i.Title)),
		ContentHTML:   string(i.ContentHTML),
		ContentText:   verbatim(string(i.ContentText)),
		Summary:       verbatim(string(i.Summary)),
		DatePublished: string(i.DatePublished),
		DateModified:  string(i.DateModified),
	}
}

// id returns the id of an item. What is not a string is its own text.
func (i *jsonItem) id() string {
	var text string
	if json.Unmarshal(i.ID, &text) == nil {
		return text
	}
	return strings.TrimSpace(string(i.ID))
}

// A lenient text is empty if the file has something else in its place: one wrong member
// must not cost the feed.
type lenient string

// UnmarshalJSON implements json.Unmarshaler. It accepts everything.
func (l *lenient) UnmarshalJSON(value []byte) error {
	var text string
	if json.Unmarshal(value, &text) == nil {
		*l = lenient(text)
	}
	return nil
}
