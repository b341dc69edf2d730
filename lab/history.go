package lab

import (
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/lab/mem"
)

// Kind says what a Fact is about.
type Kind uint8

// What a client was told, and what an actor is about to do. Every later state must
// keep what a client was told.
const (
	// Created: the channel is there.
	Created Kind = iota + 1
	// Taken: the name belongs to somebody else.
	Taken
	// Creating: the actor creates a channel with the idempotency key Key.
	Creating
	// Posted: the post is there.
	Posted
	// Removed: the post is gone.
	Removed
	// Accepted: no reader sees the channel any more, and its deletion will end.
	Accepted
	// Refused: the channel was there, and is gone.
	Refused
	// Edited: the text of the post is Key, unless another actor edits it.
	Edited
	// Voted: the user's vote counts.
	Voted
	// Unvoted: the user's vote does not count.
	Unvoted
	// Subscribed: the user subscribes.
	Subscribed
	// Left: the user does not subscribe.
	Left
	// LinkMade: the sign-in link Token can be followed once.
	LinkMade
	// Followed: the actor has followed the link Token, and is signed in.
	Followed
	// LinkUsed: somebody else has followed the link Token, or somebody has ended the
	// sessions of its user.
	LinkUsed
	// SessionsEnded: what signed the user in before signs nobody in.
	SessionsEnded
	// SignedOut: the session Token signs nobody in.
	SignedOut
	// AddressRevoked: the user has no digest address.
	AddressRevoked
	// SignedUp: the user has an account, whose password is hashed as Page. It was made with Key.
	SignedUp
	// NameTaken: somebody else has the user's name. The actor has asked for it with Key.
	NameTaken
	// PasswordChanged: the user's password is not the one any more that is hashed as Page.
	PasswordChanged
	// Guessed: the password was wrong.
	Guessed
	// Following: the actor follows the link Token.
	Following
	// Ending: the actor ends all sessions of the user.
	Ending
	// Addressing: the actor makes a digest address.
	Addressing
	// Asking: the actor asks for the deletion of a channel.
	Asking
	// Joining: the actor subscribes.
	Joining
	// Leaving: the actor ends a subscription.
	Leaving
	// Voting: the actor votes.
	Voting
	// Unvoting: the actor removes a vote.
	Unvoting
	// Editing: the actor edits a post.
	Editing
	// Handling: the actor handles a message about the incarnation.
	Handling
	// Read: the user has read the incarnation. What they send from now on is made for it.
	Read
	// Handled: the actor has handled a message about the post, which is gone unless somebody
	// edited it.
	Handled
	// Looking: the actor asks for the channel's page.
	Looking
	// Shown: the actor was shown the page Page of the channel. It is the answer to what it
	// was Looking for.
	Shown
	// Fed: the user's feed has shown the posts on Page. It is the answer to what the actor was
	// Looking for. Channel is empty if there are none.
	Fed
)

// A Fact is one thing that an actor was told or is about to do.
type Fact struct {
	Kind    Kind
	Channel domain.ChannelRef
	Blog    domain.BlogID
	User    domain.UserName
	// Key is an idempotency key, or the text of an edit. A Created or Taken channel may
	// have none.
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
}

// Posts are those that a feed has shown.
func (f Fact) Posts() (posts []domain.BlogID) {
	for id := range strings.FieldsSeq(f.Page) {
		posts = append(posts, domain.BlogID(id))
	}
	return posts
}

func (f Fact) digest(d *mem.Digest) {
	d.Int(uint64(f.Kind))
	d.Text(string(f.Channel.Key))
	d.Text(string(f.Channel.Incarnation))
	d.Text(string(f.Blog))
	d.Text(string(f.User))
	d.Text(f.Key)
	d.Text(f.Token)
	d.Text(f.Session)
	d.Text(f.Page)
	d.Text(f.Version)
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
	if f.Token != "" {
		f.Token = n.token(f.Token)
	}
	if f.Session != "" {
		f.Session = n.token(f.Session)
	}
	return f
}

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
