package feed

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"
)

// A jsonObject is an object of a JSON Feed. A wrong member leaves the others.
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
	var source jsonObject
	if err := json.Unmarshal(document, &source); err != nil {
		return Feed{}, err
	}
	if !strings.Contains(source.text("version"), "jsonfeed.org/version/") {
		return Feed{}, errors.New("the JSON does not name a version of JSON Feed")
	}
	var items []jsonObject
	if list := source["items"]; list != nil {
		if err := json.Unmarshal(list, &items); err != nil {
			return Feed{}, err
		}
	}
	var feed Feed
	for _, item := range items {
		if item != nil {
			feed.Entries = append(feed.Entries, item.entry())
		}
	}
	feed.finish(html.EscapeString(source.text("title")), cmp.Or(source.text("home_page_url"), source.text("feed_url")),
		source.text("feed_url"), source.text("home_page_url"))
	return feed, nil
}

// content returns content_text, with a mark if an export says that it is Markdown.
func (o jsonObject) content() string {
	text := o.text("content_text")
	if o[markdownMember] == nil || text == "" {
		return html.EscapeString(text)
	}
	return markdownMark + text
}

// entry makes HTML of the texts of an item. It escapes everything except content_html, because the
// rest of a JSON Feed is plain text.
func (o jsonObject) entry() Entry {
	e := Entry{
		Title:   html.EscapeString(o.text("title")),
		Content: cmp.Or(o.text("content_html"), o.content()),
		Summary: html.EscapeString(o.text("summary")),
		Link:    o.text("url"),
		Media:   []Medium{{Address: o.text("image"), Type: "image"}, {Address: o.text("banner_image"), Type: "image"}, {Address: o.text("external_url")}},
	}
	var attachments []jsonObject
	if json.Unmarshal(o["attachments"], &attachments) == nil {
		for _, a := range attachments {
			e.Media = append(e.Media, Medium{a.text("url"), a.text("mime_type"), html.EscapeString(a.text("title"))})
		}
	}
	e.Media = slices.DeleteFunc(e.Media, func(m Medium) bool { return m.Address == "" })
	e.setDate(o.text("date_published"), o.text("date_modified"))
	if plain := o.text("content_text"); plain != "" && o.text("content_html") != "" {
		e.Further = []string{html.EscapeString(plain)}
	}
	var tags []string
	_ = json.Unmarshal(o["tags"], &tags)
	e.Authors, e.Categories = distinct(o.persons()), distinct(tags)
	for name, value := range o {
		var members any
		if json.Unmarshal(value, &members) == nil {
			e.judgeMember(name, members)
		}
	}
	if o[replyMember] != nil {
		e.LeftOut = Replies
	}
	e.identify(o.id(), o.text("url"), []string{o.text("date_published"), o.text("date_modified")})
	return e
}

// judgeMember judges what a member of an item says about it, and what is in the member. A member of a marker has its name.
func (e *Entry) judgeMember(name string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for member, inner := range value {
			if markerOf(name) != noMarker && markerOf(member) == noMarker {
				member = name
			}
			if !isOfOthers(member) {
				e.judgeMember(member, inner)
			}
		}
	case []any:
		for _, inner := range value {
			e.judgeMember(name, inner)
		}
	case nil:
		e.judge(name, "null")
	default:
		e.judge(name, fmt.Sprint(value))
	}
}

// persons are the names of who wrote an item, in both versions of JSON Feed.
func (o jsonObject) persons() []string {
	var names []string
	var author jsonObject
	var authors []jsonObject
	_ = json.Unmarshal(o["author"], &author)
	_ = json.Unmarshal(o["authors"], &authors)
	for _, person := range append(authors, author) {
		names = append(names, cmp.Or(person.text("name"), person.text("url")))
	}
	return names
}

// distinct returns how many different strings are not blank.
func distinct(texts []string) (n int) {
	slices.Sort(texts)
	for _, text := range slices.Compact(texts) {
		if strings.TrimSpace(text) != "" {
			n++
		}
	}
	return n
}
