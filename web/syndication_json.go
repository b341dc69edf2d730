package web

import "encoding/json"

const jsonFeedType = "application/feed+json"

// jsonFeed is a feed in the format of https://jsonfeed.org/version/1.1.
type jsonFeed struct {
	Version     string         `json:"version"`
	Title       string         `json:"title"`
	HomePageURL string         `json:"home_page_url"`
	FeedURL     string         `json:"feed_url"`
	Description string         `json:"description,omitempty"`
	Items       []jsonFeedItem `json:"items"`
}

type jsonFeedItem struct {
	ID  string `json:"id"`
	URL string `json:"url"`
	// Title is left out if a post has none, as the format asks of microblogs.
	Title         string           `json:"title,omitempty"`
	ContentHTML   string           `json:"content_html"`
	ContentText   string           `json:"content_text"`
	DatePublished string           `json:"date_published"`
	DateModified  string           `json:"date_modified"`
	Authors       []jsonFeedAuthor `json:"authors"`
}

type jsonFeedAuthor struct {
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}

func encodeJSONFeed(f feed) ([]byte, error) {
	doc := jsonFeed{
		Version:     "https://jsonfeed.org/version/1.1",
		Title:       f.title,
		HomePageURL: f.page,
		FeedURL:     f.self,
		Description: f.subtitle,
		Items:       make([]jsonFeedItem, len(f.entries)),
	}
	for i, e := range f.entries {
		doc.Items[i] = jsonFeedItem{
			ID:            e.id,
			URL:           e.url,
			Title:         e.title,
			ContentHTML:   e.html,
			ContentText:   e.text,
			DatePublished: feedTime(e.published),
			DateModified:  feedTime(e.updated),
			Authors:       []jsonFeedAuthor{{Name: e.author, URL: e.authorURL}},
		}
	}
	return json.Marshal(doc)
}
