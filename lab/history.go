package lab

import (
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
)

// Kind says what a Fact is about, in the words of the tables of runs. A kind in brackets is
// for the invariants alone: what an actor is about to do, and what goes without saying. Each subject of
// package protocol has kinds of its own.
type Kind string

// Looking is the fact that an actor asks for a page. What was acknowledged before is kept until
// its next look, for the invariants about pages (History.LookedAt).
const Looking Kind = "(looking)"

// Reading is the fact that an actor has read what it has a form for. With its next call the form arrives.
const Reading Kind = "(read)"

// A Fact is one thing that an actor was told or is about to do.
type Fact struct {
	Kind    Kind
	Channel domain.ChannelRef
	Blog    domain.BlogID
	User    domain.UserName
	// Key is an idempotency key, or the text of an edit.
	Key string
	// Token is a session's or a sign-in link's.
	Token string
	// Session is the token of the session that following a link has started.
	Session string
	// Page is what a page has shown, and Version the version that it is kept under. That is
	// empty if nothing was kept.
	Page, Version string
	// Words are what a page has shown, in words.
	Words string
	// Until is the true time until which the actor was told that something can be undone.
	Until time.Time
}

// describe is what the actor was told, in one line. It is empty for what is in brackets.
func (f Fact) describe() string {
	switch {
	case f.Words != "":
		return "shown " + f.Words
	case strings.HasPrefix(string(f.Kind), "("):
		return ""
	}
	return string(f.Kind)
}

func (f Fact) digest(d *mem.Digest) {
	d.Text(string(f.Kind))
	d.Text(string(f.Channel.Key))
	d.Text(string(f.Channel.Incarnation))
	d.Text(string(f.Blog))
	d.Text(string(f.User))
	d.Text(f.Key)
	d.Text(f.Token)
	d.Text(f.Session)
	d.Text(f.Page)
	d.Text(f.Version)
	if !f.Until.IsZero() {
		d.Int(uint64(f.Until.Unix()))
	}
}

func sumFacts(facts []Fact) mem.Sum {
	var d mem.Digest
	for _, f := range facts {
		f.digest(&d)
	}
	return d.Done()
}

// fact translates the tokens of a fact into canonical names.
func (n *names) fact(f Fact) Fact {
	f.Channel.Incarnation = domain.Incarnation(n.outward(string(f.Channel.Incarnation)))
	f.Blog = domain.BlogID(n.outward(string(f.Blog)))
	f.Page = n.outward(f.Page)
	if !f.Until.IsZero() {
		until, at := n.clocks.deadline(f.Until)
		f.Until = until.Add(-at.ahead)
	}
	if f.Token != "" {
		f.Token = n.token(f.Token)
	}
	if f.Session != "" {
		f.Session = n.token(f.Session)
	}
	return f
}

// A History is what invariants need of a run's past and the store no longer shows. It
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

// LookedAt is what was acknowledged before the look began whose answer an actor has told. It is
// false if the actor has begun another look since.
func (h *History) LookedAt(told Known) ([]Known, bool) {
	for _, b := range h.looks {
		if b.actor == told.Actor && b.at == told.At-1 {
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

func (h *History) withSent(sent SentMessage) *History {
	if slices.ContainsFunc(h.Sent, func(m SentMessage) bool { return m.Text == sent.Text }) {
		return h
	}
	next := *h
	next.Sent = append(slices.Clip(h.Sent), sent)
	next.sum = h.sum.Plus(sumOfText("sent", sent.Text))
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
func (x *Explorer) acknowledged(v View) (list []Known) {
	for k := range v.Facts() {
		if x.scenario.Invariants.Recalls(k.Kind) {
			list = append(list, k)
		}
	}
	return list
}
