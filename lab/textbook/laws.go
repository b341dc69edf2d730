package textbook

import (
	"context"
	"fmt"
	"slices"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
)

// laws are what a user of the textbook version expects.
type laws []law

// A law is one expectation. Each anomaly breaks the law of its name.
type law struct {
	lab.Law
	// always says what is wrong in a state, and rest what is once fresh workers have handled the
	// messages on the queue. Either is empty if all is well, and may be nil.
	always, rest func(lab.View) string
	// ends reports whether a message that is handled without end breaks it. Then no other is judged.
	ends bool
}

// List implements lab.Laws.
func (l laws) List() []lab.Law {
	list := make([]lab.Law, len(l))
	for i, law := range l {
		list[i] = law.Law
	}
	return list
}

// Recalls implements lab.Laws: nobody keeps pages here.
func (laws) Recalls(lab.Kind) bool { return false }

// Step finds nothing: the laws are about states.
func (laws) Step([]lab.Fact, *lab.Call, []mem.Change) []domain.Breach { return nil }

// State implements lab.Laws.
func (l laws) State(v lab.View) (breaches []domain.Breach) {
	for _, law := range l {
		breaches = append(breaches, law.broken(law.always, v)...)
	}
	return breaches
}

func (l law) broken(wrong func(lab.View) string, v lab.View) []domain.Breach {
	if wrong == nil || wrong(v) == "" {
		return nil
	}
	return []domain.Breach{{Invariant: l.Name, Detail: wrong(v)}}
}

// Rest lets fresh workers handle the messages on the queue.
func (l laws) Rest(v lab.View) lab.Outcome {
	left := mem.Open(v.DB, "rest.")
	deeds, err := drain(left)
	outcome := lab.Outcome{DB: left.Snapshot(), Deeds: deeds, Unfinished: err != nil}
	at := slices.IndexFunc(l, func(law law) bool { return law.ends })
	if outcome.Unfinished && at >= 0 {
		outcome.Breaches = []domain.Breach{{Invariant: l[at].Name, Detail: fmt.Sprintf("a message is handled for ever: %v", err)}}
		return outcome
	}
	v.DB = outcome.DB
	outcome.Breaches = l.State(v)
	for _, law := range l {
		outcome.Breaches = append(outcome.Breaches, law.broken(law.rest, v)...)
	}
	return outcome
}

// drain lets fresh workers handle messages until the queue is empty. The error is the
// last of a worker that never gets there.
func drain(db *mem.DB) (deeds []lab.Deed, last error) {
	ctx := context.Background()
	for range 16 {
		messages := db.Snapshot().Messages(domain.QueueName)
		if len(messages) == 0 {
			return deeds, nil
		}
		m, err := db.Deliver(domain.QueueName, messages[0].ID)
		if err != nil {
			return deeds, err
		}
		last = backend{db}.work(ctx, m)
		deeds = append(deeds, lab.Deed{Message: m.Text, Err: last})
	}
	return deeds, last
}

// anomalies are the laws that the four anomalies break.
func anomalies() laws {
	return laws{
		{
			Law:  lab.Law{Name: "A1", Title: "no orphan post", When: lab.AtRest, Means: "When all is at rest, no post is left of a channel that is gone."},
			rest: orphan,
		},
		{
			Law:    lab.Law{Name: "A2", Title: "no damage to the resurrected", When: lab.Always, Means: "Nothing disappears from a channel that was created again unless somebody asks for that."},
			always: damage,
		},
		{
			Law:  lab.Law{Name: "A3", Title: "no stuck intent", When: lab.AtRest, Means: "Whatever is marked as being deleted is deleted in the end."},
			rest: stuck,
		},
		{
			Law:    lab.Law{Name: "A4", Title: "no echo", When: lab.AtRest, Means: "Nobody is refused because of their own earlier request, and no message is handled for ever."},
			always: echo, ends: true,
		},
	}
}

func orphan(v lab.View) string {
	if !there(v.DB, channels, "") && posts(v) > 0 {
		return "a post is left of a channel that is gone"
	}
	return ""
}

// damage looks at what a client was told after the set-up.
func damage(v lab.View) string {
	for k := range v.Facts() {
		switch {
		case v.Count(asking, func(a lab.Known) bool { return a.Actor != lab.SetupIndex }) > 0 || k.Actor == lab.SetupIndex:
		case k.Kind == created && !there(v.DB, channels, ""):
			return "the channel that was created again is gone, and nobody asked for that"
		case k.Kind == posted && !there(v.DB, blogs, "blog!"+string(k.Blog)):
			return "a post to the channel that was created again is gone, and nobody asked for that"
		}
	}
	return ""
}

func stuck(v lab.View) string {
	if row, _ := v.DB.Get(channels, news, ""); row.Properties.String("State") == deleting {
		return "the channel is marked as being deleted, and nobody will ever delete it"
	}
	return ""
}

func echo(v lab.View) string {
	all := func(lab.Known) bool { return true }
	if v.Count(taken, all) > 0 && v.Count(created, all) == 0 {
		return "told that the name is taken, and nobody else ever wanted it"
	}
	return ""
}

func there(db mem.Snapshot, table, row string) bool {
	_, err := db.Get(table, news, row)
	return err == nil
}

func posts(v lab.View) int { return len(slices.Collect(v.DB.Rows(blogs))) }
