package web

import (
	"encoding/xml"

	"microblogging/templates"
)

const atomType = "application/atom+xml; charset=utf-8"

// atomFeed is a feed in the Atom format (RFC 4287). encoding/xml replaces characters
// that XML cannot hold with U+FFFD.
type atomFeed struct {
	XMLName  xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID       string      `xml:"id"`
	Title    string      `xml:"title"`
	Subtitle string      `xml:"subtitle,omitempty"`
	Updated  string      `xml:"updated"`
	Links    []atomLink  `xml:"link"`
	Entries  []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID        string      `xml:"id"`
	Title     string      `xml:"title"`
	Published string      `xml:"published"`
	Updated   string      `xml:"updated"`
	Author    string      `xml:"author>name"`
	AuthorURI string      `xml:"author>uri,omitempty"`
	Link      atomLink    `xml:"link"`
	Content   atomContent `xml:"content"`
}

// atomContent is HTML, escaped as text of the XML document.
type atomContent struct {
	Type string `xml:"type,attr"`
	HTML string `xml:",chardata"`
}

func encodeAtom(f feed) ([]byte, error) {
	doc := atomFeed{
		ID:       f.id,
		Title:    f.title,
		Subtitle: f.subtitle,
		Updated:  feedTime(f.updated),
		Links: []atomLink{
			{Rel: "self", Type: "application/atom+xml", Href: f.self},
			{Rel: "alternate", Type: "text/html", Href: f.page},
		},
		Entries: make([]atomEntry, len(f.entries)),
	}
	for i, e := range f.entries {
		doc.Entries[i] = atomEntry{
			ID:        e.id,
			Title:     templates.Headline(e.title, e.text),
			Published: feedTime(e.published),
			Updated:   feedTime(e.updated),
			Author:    e.author,
			AuthorURI: e.authorURL,
			Link:      atomLink{Rel: "alternate", Type: "text/html", Href: e.url},
			Content:   atomContent{Type: "html", HTML: e.html},
		}
	}
	body, err := xml.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), body...), nil
}
