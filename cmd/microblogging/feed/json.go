package feed

import (
	"encoding/json"
	"errors"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/mmcdole/gofeed"
	feedjson "github.com/mmcdole/gofeed/json"

	"microblogging/domain"
)

// A jsonObject is an object of a JSON Feed. gofeed's own reader refuses the whole file for one
// wrong member.
type jsonObject map[string]json.RawMessage

// text returns a member, or "" if the file has something else in its place.
func (o jsonObject) text(name string) string {
	var text string
	if json.Unmarshal(o[name], &text) != nil {
		return ""
	}
	return text
}

// id returns the id. What is not a string is its own text.
func (o jsonObject) id() string {
	var text string
	if json.Unmarshal(o["id"], &text) == nil {
		return text
	}
	return strings.TrimSpace(string(o["id"]))
}

// parseJSON reads a JSON Feed. JSON that is not a feed is refused.
func parseJSON(document []byte) (Feed, error) {
	if !utf8.Valid(document) { // encoding/json would replace what it does not know
		return Feed{}, notAFeed(errNotUTF8)
	}
	var source jsonObject
	if err := json.Unmarshal(document, &source); err != nil {
		return Feed{}, notAFeed(err)
	}
	if !strings.Contains(source.text("version"), "jsonfeed.org/version/") {
		return Feed{}, notAFeed(errors.New("the JSON does not name a version of JSON Feed"))
	}
	var items []jsonObject
	if list := source["items"]; list != nil {
		if err := json.Unmarshal(list, &items); err != nil {
			return Feed{}, notAFeed(err)
		}
	}
	translated := &feedjson.Feed{Title: html.EscapeString(source.text("title"))}
	for _, item := range items {
		if item != nil {
			translated.Items = append(translated.Items, item.translate())
		}
	}
	translator := &gofeed.DefaultJSONTranslator{}
	feed, err := translator.Translate(translated)
	if err != nil {
		return Feed{}, notAFeed(err)
	}
	return newFeed(feed, source.text("feed_url"), source.text("home_page_url")), nil
}

// content returns content_text. A text that an export marks as Markdown is kept as it is, if it can
// be a post.
func (o jsonObject) content() string {
	text := o.text("content_text")
	_, err := domain.ParseDraft(domain.Draft{Text: text})
	if o[markdownMember] == nil || err != nil {
		return verbatim(text)
	}
	return markdownMark + text
}

// translate makes HTML of the texts of an item. It escapes everything except
// content_html, because the rest of a JSON Feed is plain text.
func (o jsonObject) translate() *feedjson.Item {
	return &feedjson.Item{
		ID:            o.id(),
		URL:           o.text("url"),
		ExternalURL:   o.text("external_url"),
		Title:         html.EscapeString(o.text("title")),
		ContentHTML:   o.text("content_html"),
		ContentText:   o.content(),
		Summary:       verbatim(o.text("summary")),
		DatePublished: o.text("date_published"),
		DateModified:  o.text("date_modified"),
	}
}
