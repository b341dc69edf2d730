package page

import (
	"net/http"
	"strings"

	"microblogging/lab"
	"microblogging/templates"
)

// A story is a replayed schedule: what the page of a scenario shows.
type story struct {
	request
	run lab.Run
}

// scenario shows the state that a schedule leads to.
func (l *Lab) scenario(w http.ResponseWriter, r *http.Request, page templates.Page) error {
	q, err := l.parse(r)
	if err != nil {
		return err
	}
	if !q.isAddressed(r.URL.Query()) {
		return redirect(w, r, q.address())
	}
	told, err := replay(q)
	if err != nil {
		return err
	}
	a, err := l.rendered(scenarioPage(page, told))
	if err != nil {
		return err
	}
	return a.send(w, r)
}

func replay(q request) (*story, error) {
	x := lab.NewExplorer(q.Scenario)
	defer x.Close()
	run, err := x.Replay(q.schedule, false)
	if err != nil {
		return nil, q.refuse("That schedule cannot be taken", err.Error()+".")
	}
	return &story{q, run}, nil
}

func (s *story) table() string {
	var b strings.Builder
	_ = s.WriteTable(&b, s.run) // a builder never fails
	return b.String()
}

// redirect leads to the one address of a page.
func redirect(w http.ResponseWriter, r *http.Request, address string) error {
	w.Header().Set("Cache-Control", freshness)
	w.Header().Del("Vary")
	http.Redirect(w, r, address, http.StatusFound)
	return nil
}
