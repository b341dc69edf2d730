package page

import (
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"microblogging/templates"
)

// suffixOf takes the end of a name off that asks for a file.
func suffixOf(name string) (base, suffix string) {
	for _, suffix := range []string{".json", ".svg", ".mmd"} {
		if base, ok := strings.CutSuffix(name, suffix); ok {
			return base, suffix
		}
	}
	return name, ""
}

// scenarioFile answers with the whole run: as data, as a picture, or as a diagram of Mermaid.
func (l *Lab) scenarioFile(w http.ResponseWriter, r *http.Request, q request, suffix string) (templates.Response, error) {
	q.at, q.ask = len(q.schedule), ""
	told, err := inItsTurn(r.Context(), l, q, l.follow)
	if err != nil {
		return templates.Response{}, err
	}
	switch {
	case suffix == ".mmd":
		return shared(w, "text/plain; charset=UTF-8", []byte(told.Mermaid(told.moments))), nil
	case suffix == ".json":
		return encoded(w, told.json(r.URL.Query().Get("full") == "1"))
	}
	return l.replayedAs(w, r, "image/svg+xml", func() (templ.Component, error) { return pictureFile(told.picture()), nil })
}
