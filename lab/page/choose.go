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
	// Verdict is what the model checker has found, and Run is the run that breaks the protocol all the same, for the
	// reason Why. Both are empty if there is none.
	Verdict, Run, Why string
}

// whyNot says of each condition that does not help what the run shows that breaks the protocol all the same.
func whyNot() map[string]string {
	return map[string]string{
		"own/retry-with-look":         "The read comes before the first request takes effect, late.",
		"own/retry-with-key-first":    "The key is there and the post is not, and the second request takes the key for the post.",
		"own/retry-with-key-last":     "Only the post was inserted before the answer was lost, so the second request finds no key.",
		"own/name-with-message-first": "Both workers have received the message before either takes it off the queue.",
		"own/name-with-done-row":      "The second worker looks after the first has deleted the channel, and before it has noted that.",
		"own/name-with-owner":         "The channel is another one between the read and the deletion.",
		"own/sweep-with-look-again":   "Ann's process may die before it looks again.",
		"own/sweep-with-sweep-twice":  "Ann's post may come after the second sweep as well.",
		"own/sweep-with-gate-last":    "The gate still allows a post that comes after the sweep has listed the posts.",
	}
}

// conditionOf is the address of the choice of a condition. It is empty if the scenario has none.
func conditionOf(name string) string {
	level, condition, _ := strings.Cut(name, own.Added)
	if !isCondition(name) {
		return ""
	}
	return choosePath + "?" + level + "=" + condition + "#" + level
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
				URL: conditionOf(c.Name), Why: whyNot()[c.Name]}
			if record.Shortest > 0 {
				view.Run = templates.LabPath(c.Name) + "?s=" + record.Schedule
			}
			v.Conditions = append(v.Conditions, view)
		}
		views = append(views, v)
	}
	return l.replayed(w, r, func() (templ.Component, error) { return choosePage(page, views), nil })
}
