package textbook

import (
	"context"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
)

// laws are what a user of the textbook version expects. Each has the name of the
// anomaly that breaks it.
type laws struct{}

// List implements lab.Laws.
func (laws) List() []lab.Law {
	return []lab.Law{
		{Name: "A1", Title: "no orphan post", When: lab.AtRest, Means: "When all is at rest, no post is left of a channel that is gone."},
		{Name: "A2", Title: "no damage to the resurrected", When: lab.Always, Means: "Nothing disappears from a channel that was created again unless somebody asks for that."},
		{Name: "A3", Title: "no stuck intent", When: lab.AtRest, Means: "Whatever is marked as being deleted is deleted in the end."},
		{Name: "A4", Title: "no echo", When: lab.AtRest, Means: "Nobody is refused because of their own earlier request, and no message is handled for ever."},
	}
}

// Step finds nothing: the laws are about states.
func (laws) Step([]lab.Fact, *lab.Call, []mem.Change) []domain.Breach { return nil }

// State is A2 and A4: what a client was told after the set-up is true.
func (laws) State(v lab.View) []domain.Breach {
	var breaches []domain.Breach
	asking, creators := false, 0
	each(v, func(actor int, f lab.Fact) {
		switch f.Kind {
		case lab.Asking:
			asking = asking || actor > 0
		case lab.Created:
			creators++
		}
	})
	each(v, func(actor int, f lab.Fact) {
		switch {
		case f.Kind == lab.Taken && creators == 0:
			breaches = append(breaches, domain.Breach{Invariant: "A4", Detail: "told that the name is taken, and nobody else ever wanted it"})
		case actor == 0 || asking:
		case f.Kind == lab.Created && !there(v.DB, channels, ""):
			breaches = append(breaches, domain.Breach{Invariant: "A2", Detail: "the channel that was created again is gone, and nobody asked for that"})
		case f.Kind == lab.Posted && !there(v.DB, blogs, "blog!"+string(f.Blog)):
			breaches = append(breaches, domain.Breach{Invariant: "A2", Detail: "a post to the channel that was created again is gone, and nobody asked for that"})
		}
	})
	return breaches
}

func each(v lab.View, f func(actor int, fact lab.Fact)) {
	for actor, facts := range v.Told {
		for _, fact := range facts {
			f(actor, fact)
		}
	}
}

func there(db mem.Snapshot, table, row string) bool {
	_, err := db.Get(table, news, row)
	return err == nil
}

// Rest is A1 and A3, after fresh workers have handled the messages on the queue.
func (l laws) Rest(v lab.View) lab.Outcome {
	outcome := settle(v.DB, "A4")
	if outcome.Unfinished {
		return outcome
	}
	v.DB = outcome.DB
	outcome.Breaches = l.settled(v)
	return outcome
}

// settle lets fresh workers handle the messages on the queue. If that has no end, it
// breaks the law.
func settle(db mem.Snapshot, law string) lab.Outcome {
	left := mem.Open(db, "rest.")
	deeds, err := drain(left)
	outcome := lab.Outcome{DB: left.Snapshot(), Deeds: deeds, Unfinished: err != nil}
	if err != nil {
		outcome.Breaches = []domain.Breach{{Invariant: law, Detail: fmt.Sprintf("a message is handled for ever: %v", err)}}
	}
	return outcome
}

// settled is what is wrong once the queue is empty.
func (l laws) settled(v lab.View) []domain.Breach {
	breaches := l.State(v)
	channel, err := v.DB.Get(channels, news, "")
	if err == nil && channel.Properties.String("State") == deleting {
		breaches = append(breaches, domain.Breach{Invariant: "A3", Detail: "the channel is marked as being deleted, and nobody will ever delete it"})
	}
	for range v.DB.Rows(blogs) {
		if err != nil {
			breaches = append(breaches, domain.Breach{Invariant: "A1", Detail: "a post is left of a channel that is gone"})
		}
	}
	return breaches
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
		var m driver.Message
		err := db.Change(func(s mem.Snapshot) (next mem.Snapshot, err error) {
			next, m, err = s.Deliver(domain.QueueName, messages[0].ID, time.Time{})
			return next, err
		})
		if err != nil {
			return deeds, err
		}
		last = backend{db}.work(ctx, m)
		deeds = append(deeds, lab.Deed{Message: m.Text, Err: last})
	}
	return deeds, last
}
