package page

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/lab/prove"
	"microblogging/storage/driver"
)

// A narrator says of each step of a run why it matters. In the shortest run known of a
// level, the step that everything hangs on has a sentence of its own. All others get one
// by rule: from the call, the rows, the fate, the answer and what changed.
type narrator struct {
	prove.Case
	moments []lab.Moment
	// senders are the actors whose calls the steps are about, also if a call arrives late.
	// They are empty where the queue loses a message.
	senders []string
	// shown tells that the run is the shortest one known, about which there are sentences of
	// its own.
	shown bool
}

func newNarrator(c prove.Case, moments []lab.Moment, shown bool) narrator {
	n := narrator{Case: c, moments: moments, senders: make([]string, len(moments)), shown: shown}
	var late []string
	for i, m := range moments {
		if m.Step == nil {
			continue
		}
		choice := m.Step.Choice
		switch choice.Fate {
		case lab.Forgotten:
			continue
		case lab.Lands:
			n.senders[i] = late[choice.Arg]
			late = append(late[:choice.Arg:choice.Arg], late[choice.Arg+1:]...)
			continue
		}
		n.senders[i] = m.Actors[choice.Actor-1].Name
		if choice.Fate == lab.GivenUp || choice.Fate == lab.Copied {
			late = append(late[:len(late):len(late)], n.senders[i])
		}
	}
	return n
}

// why is the sentence about step i, which counts from 1.
func (n narrator) why(i int) string {
	if i < 1 || i >= len(n.moments) {
		return ""
	}
	if l, number := levelOf(n.Name); n.shown && number > 0 && n.isDecisive(l.Decisive, i) {
		return l.Decisive.Why
	}
	return n.Pretty(upperFirst(n.fate(n.deed(i), n.moments[i].Step)))
}

// isDecisive reports whether step i is the last one that d means.
func (n narrator) isDecisive(d decisive, i int) bool {
	for j := len(n.moments) - 1; j >= i; j-- {
		w := n.Words(*n.moments[j].Step)
		if w.Actor == d.Actor && strings.HasPrefix(w.Call, d.Call) {
			return j == i
		}
	}
	return false
}

// A deed is one call, and what came of it.
type deed struct {
	*lab.Step
	// textbook tells that it is a call of the textbook version.
	textbook bool
	// actor is who sent the call, and who is the same for people.
	actor, who string
	// told is what the actor was told before the call.
	told []lab.Fact
	// before and after are the store.
	before, after mem.Snapshot
	// earlier are the calls that the actor has made before.
	earlier []*lab.Call
}

func (n narrator) deed(i int) deed {
	m := n.moments[i]
	d := deed{
		Step: m.Step, textbook: n.Part != prove.Real && n.Part != prove.Ablated, actor: n.senders[i],
		before: n.moments[i-1].DB, after: m.DB,
	}
	d.who = people(d.actor)
	for a, actor := range m.Actors {
		if actor.Name == d.actor {
			d.told = n.moments[i-1].Told[a+1]
		}
	}
	for j := 1; j < i; j++ {
		if n.senders[j] == d.actor && n.moments[j].Step.Call != nil {
			d.earlier = append(d.earlier, n.moments[j].Step.Call)
		}
	}
	return d
}

// people is the name of an actor in a sentence.
func people(actor string) string {
	name, second := strings.CutSuffix(actor, "2")
	switch {
	case actor == "feed":
		return "the feed"
	case actor == "reconcile":
		return "the reconciling pass"
	case isWorker(actor):
		return "the worker " + actor
	case second:
		return upperFirst(name) + "'s second request"
	}
	return upperFirst(actor)
}

func isWorker(actor string) bool { return len(actor) == 2 && actor[0] == 'w' }

// refused tells that the store has refused the call.
func (d deed) refused() bool { return d.Applied != nil && d.Applied.Err != nil }

func (d deed) is(meaning error) bool { return d.Applied != nil && errors.Is(d.Applied.Err, meaning) }

// failedOn is the kind of the row on which a transaction failed.
func (d deed) failedOn(prefix string) bool {
	var failed *driver.OperationError
	if d.Applied == nil || !errors.As(d.Applied.Err, &failed) || failed.Index >= len(d.Call.Operations) {
		return false
	}
	return strings.HasPrefix(d.Call.Operations[failed.Index].Row, prefix)
}

// does reports whether the call does this to a row whose key begins so.
func (d deed) does(action driver.Action, prefix string) bool {
	for _, op := range d.Call.Operations {
		if op.Action == action && strings.HasPrefix(op.Row, prefix) {
			return true
		}
	}
	return false
}

// sets is the value that the call writes to a property.
func (d deed) sets(property string) string {
	for _, op := range d.Call.Operations {
		if value := op.Properties.String(property); value != "" {
			return value
		}
	}
	return ""
}

// has reports whether the actor was told a fact of this kind, or is about to do it.
func (d deed) has(kind lab.Kind) bool {
	for _, f := range d.told {
		if f.Kind == kind {
			return true
		}
	}
	return false
}

// handles is the incarnation whose message the worker handles.
func (d deed) handles() (of domain.Incarnation) {
	for _, f := range d.told {
		if f.Kind == lab.Handling {
			of = f.Channel.Incarnation
		}
	}
	return of
}

// strange reports whether a row belongs to another incarnation than the one whose message
// the worker handles.
func (d deed) strange(row driver.Entity) bool {
	of, is := d.handles(), row.Properties.String("Incarnation")
	return of != "" && is != "" && is != string(of)
}

// made reports whether the actor has made the call before that has this method and
// target.
func (d deed) made(method lab.Method, target string) bool {
	for _, c := range d.earlier {
		if c.Method == method && c.Target == target {
			return true
		}
	}
	return false
}

func upperFirst(s string) string { return first(s, unicode.ToUpper) }

func first(s string, change func(rune) rune) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(change(r)) + s[size:]
}
