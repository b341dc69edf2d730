package page

import (
	"microblogging/domain"
	"slices"
	"strconv"
	"strings"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
)

// now is the state that is shown.
func (v *scene) now() lab.Moment { return v.moments[v.at] }

// rested is what fresh workers did. It is nil if that was not requested.
func (v *scene) rested() *lab.Outcome {
	if v.ask != askRest {
		return nil
	}
	return v.now().Rest
}

// workIsLeft reports whether fresh workers change anything once no actor can go on, or do not finish.
func (v *scene) workIsLeft() bool {
	rest := v.now().Rest
	return rest != nil && (rest.Unfinished || rest.DB.Sum() != v.now().DB.Sum())
}

// recovered says what Recover of a reader's own protocol changes once no actor can go on: the invariants are judged after
// that. It is empty if that is nothing.
func (v *scene) recovered() string {
	if v.Part != modelcheck.Own || !v.workIsLeft() {
		return ""
	}
	before, after := v.now().DB, v.now().Rest.DB
	stores := append(before.Tables(), after.Tables()...)
	slices.Sort(stores)
	var words []string
	for _, store := range append([]string{domain.QueueName}, slices.Compact(stores)...) {
		for _, c := range compared(store, before, after) {
			if mark := markOf(c); mark != "" {
				words = append(words, sign(mark)+" "+storeTitle(store)+": "+v.names.changed(store, c))
			}
		}
	}
	return "Then Recover changes the store: " + strings.Join(words, ", ") + "."
}

// idle says why what is checked only then is checked.
func (v *scene) idle() string {
	if words := v.recovered(); words != "" {
		return "No actor can go on. " + words + " So it is checked"
	}
	return "No actor can go on, so it is checked"
}

// broken are the invariants that are broken here, the one that the scenario is about first.
func (v *scene) broken() []invariantView {
	return slices.DeleteFunc(v.invariants(), func(invariant invariantView) bool { return invariant.State != lab.InvariantViolated })
}

// worst is the broken invariant that the scenario is about, or else the one that was broken first. ok is false if all
// hold.
func (v *scene) worst() (worst invariantView, ok bool) {
	for i, invariant := range v.broken() {
		if i == 0 || worst.Name != v.record.Invariant && invariant.Since < worst.Since {
			worst, ok = invariant, true
		}
	}
	return worst, ok
}

// end says how far the run has come to an end: "broken" if an invariant is, "rest" if no actor can go
// on, "rested" if fresh workers have carried on. The script shows a new end.
func (v *scene) end() string {
	var ends []string
	if _, broken := v.worst(); broken {
		ends = append(ends, "broken")
	}
	switch {
	case v.ask == askRest:
		ends = append(ends, "rested")
	case v.now().Quiescent():
		ends = append(ends, "rest")
	}
	return strings.Join(ends, " ")
}

// A purse is what is left of something that a run may spend.
type purse struct {
	Name       string
	Left, From int
}

// purses are those of the run.
func (v *scene) purses() (list []purse) {
	if v.Faults > 0 {
		list = append(list, purse{"Faults", v.now().Faults, v.Faults})
	}
	if v.Preemptions > 0 {
		list = append(list, purse{"Interruptions", v.now().Interruptions, v.Preemptions})
	}
	return list
}

// text is the schedule as lab replay takes it.
func (v *scene) text() string { return v.Format(v.schedule[:v.at]) }

// file is the run for another program.
func (v *scene) file(suffix string) string {
	path, query, _ := strings.Cut(request{Case: v.Case, schedule: v.schedule[:v.at], at: v.at}.address(), "?")
	return path + suffix + "?" + query
}

// enlarged is this state for a projector, or back from there. A hint is for one reader.
func (v *scene) enlarged() (url, words string) {
	other := v.request
	if other.large = !v.large; v.ask == askHint {
		other.ask = ""
	}
	if v.large {
		return other.address(), "For a small screen"
	}
	return other.address(), "For a projector"
}

// sentence is a text with a capital letter and a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return capital(text) + "."
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// invariantView is the chip of one invariant.
type invariantView struct {
	lab.InvariantState
	// URL is the state after the step that broke the invariant.
	URL string
	// News reports whether the last step has changed the state of the invariant.
	News bool
}

// sign is the state as a sign that needs no color.
func (v invariantView) sign() string {
	switch v.State {
	case lab.InvariantHolds:
		return "✓"
	case lab.InvariantViolated:
		return "✗"
	default:
		return "○"
	}
}

// invariants are all of them, the one that the scenario is about first.
func (v *scene) invariants() (views []invariantView) {
	for i, invariant := range v.now().Invariants {
		view := invariantView{InvariantState: invariant, News: v.at > 0 && v.moments[v.at-1].Invariants[i].State != invariant.State}
		if invariant.State == lab.InvariantViolated {
			view.URL = v.state(invariant.Since)
		}
		if invariant.Name == v.record.Invariant {
			views = slices.Insert(views, 0, view)
		} else {
			views = append(views, view)
		}
	}
	return views
}

// chips are the invariant that the scenario is about and those that are broken, and how many others there
// are.
func (v *scene) chips() (chips []invariantView, others string) {
	invariants := v.invariants()
	for _, invariant := range invariants {
		if invariant.State == lab.InvariantViolated || invariant.Name == v.record.Invariant {
			chips = append(chips, invariant)
		}
	}
	switch n := len(invariants) - len(chips); {
	case n == 0:
		return chips, ""
	case chips == nil:
		return nil, lab.Count(n, "invariant")
	default:
		return chips, lab.Count(n, "other invariant")
	}
}

// why says in a sentence how an invariant is violated, or why it is open.
func (v *scene) why(invariant invariantView) string {
	if invariant.State == lab.InvariantViolated {
		return sentence(v.names.violation(invariant.Violation))
	}
	return sentence(invariant.Reason)
}

// stateWord is the state of an invariant for the chip.
func stateWord(invariant invariantView) string {
	switch {
	case invariant.State == lab.InvariantHolds:
		return "holds"
	case invariant.State == lab.InvariantViolated:
		return "is violated"
	case invariant.When == lab.Always:
		return "is not checked yet"
	}
	return "is checked when the system is idle"
}

// reachState says what is known about winning: it is won, lost, within reach, unknown, or searched in vain. It is empty
// if there is nothing to be won.
func (v *scene) reachState() string {
	switch {
	case v.won() && !v.ships():
		return "won"
	case v.record.Invariant == "" || v.Part == modelcheck.Own:
		return ""
	case v.lost > 0 || v.now().Quiescent() && len(v.now().Network) == 0:
		return "lost"
	case v.onward.Can, v.reachable == nil && v.onRecord():
		return "within"
	case v.reachable == nil && v.ask == askReach:
		return "vain"
	case v.reachable == nil:
		return "unknown"
	case v.sure() > 0:
		return "sure"
	}
	return "within"
}

// sayClass is the class of the bar: whose step it tells of, or that the run is won or lost.
func (v *scene) sayClass() string {
	_, broken := v.worst()
	class := " of-" + strconv.Itoa(v.hueNow())
	switch {
	case broken && v.won() && !v.ships():
		return "win" + class
	case broken:
		return "violated" + class
	case v.lost > 0 && !v.shows():
		return "out" + class
	}
	return class
}

// hueNow is that of the actor of the last step. It is 0 if there is none.
func (v *scene) hueNow() int {
	if v.at == 0 || v.now().Step.Sender == 0 {
		return 0
	}
	return hue(v.now().Step.Sender)
}
