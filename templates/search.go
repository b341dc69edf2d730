package templates

import (
	"time"

	"microblogging/domain"
)

// A Search is the page of the posts, channels and people that contain a text, at [SearchPath]. Its form posts with GET
// the field q.
type Search struct {
	// Text is what was sought, without the white space around it. If empty, the page is the form alone.
	Text string
	// Refused says of the text why it cannot be sought, such as "is not valid UTF-8".
	Refused string
	// Channels and People contain the text in their names. They are on the first page. MoreNames reports whether
	// there are more.
	Channels  []ListedChannel
	People    []domain.UserName
	MoreNames bool
	// Posts are newest first, with their whole texts.
	Posts []Post
	// Back is until when the posts were looked at. It is zero if there was none.
	Back time.Time
	Part
}

func (v Search) frame() Frame {
	f := Frame{Title: "Search", About: searchAbout, Path: continued(searchPath(v.Text), v.After), Sought: v.Text}
	if v.Text != "" && v.Refused == "" {
		f.Title = "“" + v.Text + "” in posts, channels and people"
	}
	return f
}

const searchAbout = "Find posts, channels and people by a text that they contain."

// found reports whether the page shows anything that contains the text.
func (v Search) found() bool { return len(v.Channels)+len(v.People)+len(v.Posts) > 0 }

// searched says how far back the posts were looked at.
func (v Search) searched() string {
	switch {
	case v.Back.IsZero():
		return "There are no posts to search."
	case v.Next == "":
		return "Searched back to " + v.Back.Format(dayLayout) + ". A search goes back a year at most."
	}
	return "Searched back to " + v.Back.Format(dayLayout) + "."
}
