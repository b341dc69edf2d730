package page

import (
	"net/http"

	"microblogging/templates"
)

// index is the page that lists the scenarios.
func (l *Lab) index(w http.ResponseWriter, r *http.Request, page templates.Page) error {
	a, err := l.rendered(indexPage(page, l.cases()))
	if err != nil {
		return err
	}
	return a.send(w, r)
}
