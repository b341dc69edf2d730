package page

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"microblogging/lab"
	"microblogging/templates"
)

// choosePath is where the conditions of broken protocols are chosen. ?own/retry=look says what the model
// checker has found with that one, and asks for no other level.
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
	// Verdict is what the model checker has found, for the reason Why. Run is the run that breaks the protocol all the
	// same. It is empty if there is none.
	Verdict, Run, Why string
}

// reasons say of each condition why it helps, or what the run shows that breaks the protocol all the same.
func reasons() map[string]string {
	return map[string]string{
		"own/retry-with-look":         "The first request takes effect after the read, because a request that was given up may still arrive.",
		"own/retry-with-key-first":    "The key was inserted and its answer was lost. The second request finds the key, and Ann is told “posted” without a post.",
		"own/retry-with-key-last":     "The first post was inserted and its answer was lost. The second request inserts a post before it comes to the key.",
		"own/retry-with-key-together": "The key and the post are one transaction, so both are there or neither. The store refuses the second request with that key, however late it comes. This is called an idempotency key.",
		"own/name-with-message-first": "Both workers have received the message before either takes it off the queue.",
		"own/name-with-done-row":      "The second worker looks before the first has noted that the deletion is done.",
		"own/name-with-owner":         "The second worker has read Olga's channel, and deletes Ann's, which has that name by then.",
		"own/name-with-version":       "The deletion names the version that was read. If Ann's channel has the name by then, its row has another version, so the store refuses the deletion.",
		"own/sweep-with-look-again":   "Ann's process may die before it looks again, or look before the channel is deleted.",
		"own/sweep-with-sweep-twice":  "Ann's post may come after the second sweep as well.",
		"own/sweep-with-gate-last":    "The gate still allows a post that comes after the sweep has listed the posts.",
		"own/sweep-with-gate-first":   "The store has one of the two first: Ann's post, and then the sweep finds it; or the deletion of the gate, and then the store refuses the post.",
	}
}

// conditionOf returns the condition that a scenario adds to the protocol of a level, with the level and its number. The
// condition is empty if the scenario adds none.
func conditionOf(name string) (of level, number int, condition string) {
	base, condition, _ := strings.Cut(name, lab.OwnAdded)
	if of, number = levelOf(base); of.New != choice {
		return level{}, 0, ""
	}
	return of, number, condition
}

// chosen is the address of the choice of a condition.
func (l level) chosen(condition string) string {
	return choosePath + "?" + l.Name + "=" + condition + "#" + l.Name
}

// choose shows the conditions of the levels whose safeguard is chosen, and the verdict on those that were.
func (l *Lab) choose(w http.ResponseWriter, r *http.Request, page templates.Page) (templates.Response, error) {
	page.Path = choosePath
	var views []choiceView
	list, query := l.levels(), r.URL.Query()
	asked := slices.ContainsFunc(list, func(level level) bool { return query.Has(level.Name) })
	for i, level := range list {
		if level.New != choice || asked && !query.Has(level.Name) {
			continue
		}
		v := choiceView{level: level, Next: list[i+1]} // the last level is no choice
		for _, c := range l.cases() {
			of, number, condition := conditionOf(c.Name)
			if of.Name != level.Name || condition == "" {
				continue
			}
			record := l.recordOf(c.Name)
			v.Number = number
			view := conditionView{Text: c.About, Verdict: sentence(foundIn(c, record)), Chosen: query.Get(level.Name) == condition,
				URL: level.chosen(condition), Why: reasons()[c.Name]}
			if record.Shortest > 0 {
				view.Run = templates.LabPath(c.Name) + "?s=" + record.Schedule
			}
			v.Conditions = append(v.Conditions, view)
		}
		views = append(views, v)
	}
	return l.replayed(w, r, func() (templ.Component, error) { return choosePage(page, views), nil })
}
