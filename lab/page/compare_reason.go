package page

import (
	"strings"

	"microblogging/lab"
)

// A reason says why ours does not do what the textbook does, for somebody who knows SQL.
type reason struct {
	// Because is the answer in a few sentences.
	Because string
	// Words are the names of the glossary that the answer and the story need.
	Words []string
	// Cast says who of ours does the part of somebody of the textbook. It is empty if all
	// have the same names.
	Cast string
	// Steps are those of ours that the answer hangs on.
	Steps []reasonStep
}

// A reasonStep is a step of ours that deserves a sentence.
type reasonStep struct {
	// Actor makes a call in whose words Call is. Its answer begins with Answer: what is said
	// is true of no other.
	Actor, Call, Answer string
	Says                string
}

// says is the sentence about a step, empty if there is none.
func (r reason) says(w lab.StepWords) string {
	for _, s := range r.Steps {
		if w.Actor == s.Actor && strings.Contains(w.Call, s.Call) && strings.HasPrefix(w.Answer, s.Answer) {
			return s.Says
		}
	}
	return ""
}

// reason is the one of the scenario. Without a guard it is what the guard is.
func (v compareView) reason() reason {
	if r, ok := reasons()[v.Textbook.Name]; ok {
		return r
	}
	return reason{Because: takenOut(v.Textbook.Guard) + " Beside it the same steps are tried with the guard."}
}

func reasons() map[string]reason {
	return map[string]reason{
		"A1": {
			Because: "Ours has one more row in Blogs: the open gate of the channel. A post and this gate lie in one partition, so one transaction spans both: " +
				"the post is inserted only if the gate is there. The worker deletes the open gate before it lists what it will remove. " +
				"So a post comes before that, and then it is on the list; or it comes later, and then the store refuses it, because its gate is gone. There is nothing in between.",
			Words: []string{"Blogs", "partition", "transaction", "gate", "merge", "incarnation", "at rest"},
			Steps: []reasonStep{
				{"w1", "insert gate!shut!", "ok", "The worker w1 swaps the open gate for a shut one, in one transaction. From now on no post gets in."},
				{"ann", "merge gate!open!", "not found", "Ann's post is one transaction with the open gate. That row is gone, so the store refuses all four writes."},
			},
		},
		"A2": {
			Because: "In ours each creation of a channel has a random identity of its own, the incarnation. The message says which incarnation is to be deleted. " +
				"The late worker reads the channel, finds another incarnation under the same name, and is done.",
			Words: []string{"Blogs", "incarnation", "lease", "gate", "merge", "at rest"},
			Steps: []reasonStep{
				{"w2", "Channels: read", "active ann.1", "The worker w2 has a message about setup.4, and reads that the channel is ann.1 now. So its message is late, and it removes nothing."},
			},
		},
		"A3": {
			Because: "In ours the two writes come the other way round: first the message, then the mark. Olga's request dies in both versions. " +
				"In ours the message is already on the queue then, and the worker that takes it does the rest.",
			Words: []string{"Blogs", "transaction", "gate", "merge", "reconciling pass", "at rest"},
			Steps: []reasonStep{
				{"olga", "queue: send", "ok", "The message is on the queue before the channel is marked. Whoever takes it does the deletion, even if Olga's request dies now."},
			},
		},
		"A4": {
			Because: "In ours Ann does not conclude anything from “already exists”. She reads the row, and compares its incarnation with her own. " +
				"It is hers, so what she heard was the echo of her own request.",
			Words: []string{"Blogs", "echo", "incarnation", "gate", "reservation", "merge", "at rest"},
			Steps: []reasonStep{
				{"ann", "Channels: read", "active ann.1", "Ann reads the row, and finds her own incarnation, ann.1, in it. Nobody else has taken the name."},
			},
		},
		"twice": {
			Because: "In ours the form carries an idempotency key, and a post inserts a row for this key in its own transaction. " +
				"Who gets no answer sends the same key again. The store refuses a second row of that name, and the second post with it. " +
				"Then ours reads what the key has made, and answers with that.",
			Cast:  "In ours the second try is an actor of its own: ann2 sends the same request with the same key.",
			Words: []string{"Blogs", "idempotency key", "transaction", "gate", "merge", "echo"},
			Steps: []reasonStep{
				{"ann2", "insert once!", "already exists", "The row of the key is there, so the store refuses all four writes. There is no second post."},
			},
		},
		"lost-message": {
			Because: "Both leave a mark in the table. In the textbook nobody ever looks at it without a message. " +
				"In ours the reconciling pass looks at all channels from time to time. It finds the mark, and queues the deletion again.",
			Words: []string{"Blogs", "reconciling pass", "merge", "incarnation", "at rest"},
			Steps: []reasonStep{
				{"olga", "Channels: merge", "ok", "The mark stays in the table, whatever becomes of the message. The reconciling pass looks for it."},
			},
		},
		"late-copy": {
			Because: "Ours cannot make the network faster. It makes the late post harmless: a post is one transaction with the open gate of its channel, " +
				"and the worker deletes this gate before it removes the posts. Whatever arrives later is refused, because its gate is gone for good.",
			Cast:  "This scene of ours begins earlier: Olga creates the channel first. Her request to delete is an actor of its own, olga2.",
			Words: []string{"Blogs", "partition", "transaction", "gate", "reservation", "merge", "incarnation", "fence", "at rest"},
			Steps: []reasonStep{
				{"w1", "insert gate!shut!", "ok", "The worker w1 swaps the open gate for a shut one, in one transaction. From now on no post gets in."},
				{"network", "merge gate!open!", "(not found", "The late post is one transaction with the open gate. That row is gone, so the store refuses all four writes."},
			},
		},
	}
}
