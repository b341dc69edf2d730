package web

import "microblogging/templates"

// An explanation adds words and links to an error. The meaning of the error, and so
// its status, stays the same.
type explanation struct {
	error
	title  string
	detail string
	links  []templates.Link
}

func (e *explanation) Unwrap() error { return e.error }

// explain adds an explanation. Without a title the problem keeps its own words.
func explain(err error, title, detail string, links ...templates.Link) error {
	return &explanation{err, title, detail, links}
}
