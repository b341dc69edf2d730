package lab

import (
	"slices"

	"microblogging/domain"
	"microblogging/lab/mem"
)

// A History is what laws need of a run's past and the store no longer shows. It
// never changes.
type History struct {
	// Sent is every message that was ever put on the queue.
	Sent []SentMessage
	// Incarnations is every incarnation that ever had a row in Channels.
	Incarnations []string
	// looks are the latest look of each actor at a page.
	looks []beginning
	sum   mem.Sum
}

// A beginning is the moment at which an actor sends the first call of a look at a page.
type beginning struct {
	// actor is its index in View.Told, and at is the index of the fact that it is Looking.
	actor, at int
	// known is what was acknowledged to anybody before.
	known []Known
}

// Known is a fact and its place in View.Told.
type Known struct {
	Fact
	Actor, At int
}

func (b beginning) sum() mem.Sum {
	var d mem.Digest
	d.Int(uint64(b.actor))
	d.Int(uint64(b.at))
	for _, k := range b.known {
		d.Int(uint64(k.Actor))
		d.Int(uint64(k.At))
		k.digest(&d)
	}
	return d.Done()
}

// withLook forgets the look before of the same actor.
func (h *History) withLook(b beginning) *History {
	next := *h
	next.looks = make([]beginning, 0, len(h.looks)+1)
	for _, other := range h.looks {
		if other.actor == b.actor {
			next.sum = next.sum.Minus(other.sum())
			continue
		}
		next.looks = append(next.looks, other)
	}
	next.looks = append(next.looks, b)
	next.sum = next.sum.Plus(b.sum())
	return &next
}

// LookedAt is what was acknowledged before the look began whose answer an actor has told
// as the fact of this index. It is false if the actor has begun another look since.
func (h *History) LookedAt(actor, at int) ([]Known, bool) {
	for _, b := range h.looks {
		if b.actor == actor && b.at == at-1 {
			return b.known, true
		}
	}
	return nil, false
}

// A SentMessage is a text on the queue and its meaning. Kind is empty if the text
// is not a message of this program.
type SentMessage struct {
	Text string
	domain.Message
}

func (h *History) withSent(text string) *History {
	if slices.ContainsFunc(h.Sent, func(m SentMessage) bool { return m.Text == text }) {
		return h
	}
	sent := SentMessage{Text: text}
	if message, err := domain.DecodeMessage(text); err == nil {
		sent.Message = message
	}
	next := *h
	next.Sent = append(slices.Clip(h.Sent), sent)
	next.sum = h.sum.Plus(sumOfText("sent", text))
	return &next
}

func (h *History) withIncarnation(incarnation string) *History {
	next := *h
	next.Incarnations = append(slices.Clip(h.Incarnations), incarnation)
	next.sum = h.sum.Plus(sumOfText("incarnation", incarnation))
	return &next
}

func sumOfText(kind, text string) mem.Sum {
	var d mem.Digest
	d.Text(kind)
	d.Text(text)
	return d.Done()
}

// acknowledged is what anybody was told that a page shows from then on.
func acknowledged(v View) (list []Known) {
	v.Each(func(actor, at int, f Fact) {
		switch f.Kind {
		case Posted, Removed, Handled, Accepted, Edited, Voted, Subscribed, Left:
			list = append(list, Known{f, actor, at})
		}
	})
	return list
}
