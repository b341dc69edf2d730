package page

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"microblogging/lab"
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
func (l *Lab) scenarioFile(w http.ResponseWriter, r *http.Request, q request, suffix string) (templates.Answer, error) {
	q.at, q.rest = len(q.schedule), false
	told, err := inTurn(r.Context(), l.replays, func() (*scene, error) { return l.follow(q) })
	if err != nil {
		return templates.Answer{}, err
	}
	switch {
	case suffix == ".mmd":
		return shared(w, "text/plain; charset=UTF-8", []byte(told.mermaid())), nil
	case suffix == ".json" && r.URL.Query().Get("full") == "1":
		return encoded(w, told.full())
	case suffix == ".json":
		return encoded(w, told.json())
	}
	sheet := wide(told.diagram(nil))
	sheet.Painted = true
	return l.replayedAs(w, r, "image/svg+xml", func() (templ.Component, error) { return pictureOf(sheet), nil })
}

// mermaid is the run as a sequence diagram of Mermaid.
func (s *scene) mermaid() string {
	var b strings.Builder
	b.WriteString("sequenceDiagram\n")
	for _, a := range s.Actors {
		fmt.Fprintf(&b, "    actor %s\n", a.Name)
	}
	for i, name := range s.stores {
		fmt.Fprintf(&b, "    participant S%d as %s\n", i, storeTitle(name))
	}
	for _, l := range s.diagram(nil).Lines {
		store := fmt.Sprintf("S%d", l.To-len(s.Actors))
		call := mermaidText(strings.TrimSpace(l.Call + " " + l.StepWords.Fate))
		switch {
		case l.From < 0:
			fmt.Fprintf(&b, "    Note over %s: %s\n", store, call)
			continue
		case !l.leaves() && l.Fate != lab.Lands, l.reach() < 1:
			fmt.Fprintf(&b, "    %s-x%s: %s\n", s.Actors[l.From].Name, store, call)
		default:
			fmt.Fprintf(&b, "    %s->>%s: %s\n", s.Actors[l.From].Name, store, call)
		}
		if l.Answer != "" && (l.Fate == lab.Arrives || l.Fate == lab.Copied) {
			fmt.Fprintf(&b, "    %s-->>%s: %s\n", store, s.Actors[l.From].Name, mermaidText(l.Answer))
		}
		for _, told := range l.Told {
			fmt.Fprintf(&b, "    Note over %s: told: %s\n", s.Actors[l.From].Name, mermaidText(told))
		}
		for _, law := range l.Breaks {
			fmt.Fprintf(&b, "    Note over %s: broken: %s\n", s.Actors[l.From].Name, mermaidText(law))
		}
	}
	return b.String()
}

// mermaidText has none of the signs that end a message there.
func mermaidText(text string) string {
	return strings.NewReplacer(";", ",", "#", "", "\n", " ").Replace(text)
}
