package page

import (
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"microblogging/lab/own"
	"microblogging/templates"
)

// choosePath is where the conditions of broken protocols are chosen. ?own/retry=look says what the model
// checker has found with that one.
const choosePath = templates.LabIndexPath + "/choose"

// A choiceView is a level whose safeguard is chosen.
type choiceView struct {
	level
	Number     int
	Conditions []conditionView
	// Next is the level after this one.
	Next level
}

// A conditionView is a condition that can be added to a protocol.
type conditionView struct {
	Text string
	// URL asks for the verdict. Chosen reports whether this is the answer to that.
	URL    string
	Chosen bool
	// Verdict is what the model checker has found, and Run is the run that breaks the protocol all the same. It
	// is empty if there is none.
	Verdict, Run string
}

// isCondition reports whether a scenario is a level with a condition that was added.
func isCondition(name string) bool {
	of, _, added := strings.Cut(name, own.Added)
	l, _ := levelOf(of)
	return added && l.New == choice
}

// choose shows the conditions of the levels whose safeguard is chosen, and the verdict on those that were.
func (l *Lab) choose(w http.ResponseWriter, r *http.Request, page templates.Page) (templates.Response, error) {
	page.Path = choosePath
	var views []choiceView
	for i, level := range levels() {
		if level.New != choice {
			continue
		}
		v := choiceView{level: level, Number: i + 1, Next: levels()[i+1]}
		for _, c := range l.cases() {
			condition, ok := strings.CutPrefix(c.Name, level.Name+own.Added)
			if !ok {
				continue
			}
			record := l.recordOf(c.Name)
			view := conditionView{Text: c.About, Verdict: sentence(foundIn(c, record)), Chosen: r.URL.Query().Get(level.Name) == condition,
				URL: choosePath + "?" + level.Name + "=" + condition + "#" + level.Name}
			if record.Shortest > 0 {
				view.Run = templates.LabPath(c.Name) + "?s=" + record.Schedule
			}
			v.Conditions = append(v.Conditions, view)
		}
		views = append(views, v)
	}
	return l.replayed(w, r, func() (templ.Component, error) { return choosePage(page, views), nil })
}
