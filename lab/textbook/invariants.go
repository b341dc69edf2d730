package textbook

import (
	"context"
	"slices"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
)

// expecting has what a user of the textbook version expects. Each anomaly breaks the invariant of its name.
func expecting(list ...lab.Expectation) lab.Expectations {
	return lab.Expectations{Expected: list, Recover: drain}
}

// drain lets a fresh worker handle a message, if there is one.
func drain(db *mem.DB) (deed lab.Deed) {
	messages := db.Snapshot().Messages(domain.QueueName)
	if len(messages) == 0 {
		return deed
	}
	m, err := db.Deliver(domain.QueueName, messages[0].ID)
	if err == nil {
		err = backend{db}.work(context.Background(), m)
	}
	return lab.Deed{Message: messages[0].Text, Err: err}
}

// anomalies are the invariants that the four anomalies break.
func anomalies() lab.Expectations {
	return expecting(
		lab.Expectation{Quiescent: orphan, Invariant: lab.Invariant{Name: "A1", Title: "no orphan post", When: lab.Quiescent,
			Means: "When the system is idle, no post is left of a channel that is gone."}},
		lab.Expectation{Always: damage, Invariant: lab.Invariant{Name: "A2", Title: "no damage to the resurrected", When: lab.Always,
			Means: "Nothing disappears from a channel that was created again unless its owner asks for that."}},
		lab.Expectation{Quiescent: stuck, Invariant: lab.Invariant{Name: "A3", Title: "no stuck intent", When: lab.Quiescent,
			Means: "Whatever is marked as being deleted is deleted in the end."}},
		lab.Expectation{Always: selfConflict, Ends: true, Invariant: lab.Invariant{Name: "A4", Title: "no self-conflict", When: lab.Quiescent,
			Means: "No user is refused because of their own earlier request, and no message is handled without end."}},
	)
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
			return "the channel that was created again is gone, and no user asked for that"
		case k.Kind == posted && !there(v.DB, blogs, "blog!"+string(k.Blog)):
			return "a post to the channel that was created again is gone, and no user asked for that"
		}
	}
	return ""
}

func stuck(v lab.View) string {
	if row, _ := v.DB.Get(channels, news, ""); row.Properties.String("State") == deleting {
		return "the channel is marked as being deleted, and no worker will ever delete it"
	}
	return ""
}

func selfConflict(v lab.View) string {
	if v.Count(taken, nil) > 0 && v.Count(created, nil) == 0 {
		return "told that the name is taken, and no other user ever wanted it"
	}
	return ""
}

func there(db mem.Snapshot, table, row string) bool {
	_, err := db.Get(table, news, row)
	return err == nil
}

func posts(v lab.View) int { return len(slices.Collect(v.DB.Rows(blogs))) }
