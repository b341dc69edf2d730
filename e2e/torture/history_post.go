package main

import (
	"time"
)

// A post is one that was acknowledged. So is a reply, which is a post to another.
type post struct {
	id, channel, author string
	// made lasts from the first request to the acknowledgement.
	made span
	// in is the incarnation that it was made in; nil as long as that is uncertain.
	in *incarnation
	// text is the last one acknowledged. pending are those sent since, and past
	// those that an acknowledged edit has overwritten.
	text    string
	pending []string
	past    []pastText
	// removing is when its author first asked for its removal, and removed when
	// that was acknowledged.
	removing, removed time.Time
	votes             map[string]ballot // by user
	// to is the post that a reply answers; nil if this is none. Replies have no votes and no replies.
	to      *post
	replies []*post
}

func (p *post) String() string {
	if p.to != nil {
		return "reply " + p.id + " to " + p.to.String()
	}
	return "post " + p.id + " of " + p.channel
}

// A pastText was overwritten by an edit that was acknowledged at until. A request
// that was sent earlier may still show it.
type pastText struct {
	text  string
	until time.Time
}

// A ballot is what is known about a user's vote on a post.
type ballot uint8

const (
	ballotNo ballot = iota
	ballotYes
	// ballotLost was asked for and not answered: it may take effect at any time.
	ballotLost
)

// A twin is two answers to one idempotency key.
type twin struct {
	channel       string
	one, other    string
	first, second span
}

// draft records that a user is about to ask for a post in a channel or, if it is a reply, at the path of
// the post that it answers.
func (l *history) draft(origin, where string) {
	defer l.lock()()
	l.drafts[origin] = where
}

// posted records that a post was made.
func (l *history) posted(s span, id, channel, author, text string) *post {
	defer l.lock()()
	p := l.posts[id]
	if p == nil {
		p = &post{id: id, channel: channel, author: author, made: s, text: text, votes: map[string]ballot{}}
		l.posts[id] = p
		l.byChannel[channel] = append(l.byChannel[channel], p)
	}
	return p
}

// replied records that a reply to a post was made.
func (l *history) replied(s span, id string, to *post, author, text string) *post {
	defer l.lock()()
	r := l.posts[id]
	if r == nil {
		r = &post{id: id, channel: to.channel, author: author, made: s, text: text, to: to}
		l.posts[id] = r
		to.replies = append(to.replies, r)
	}
	return r
}

// repeated records that one idempotency key was answered twice.
func (l *history) repeated(channel, one, other string, first, second span) {
	defer l.lock()()
	l.twins = append(l.twins, twin{channel, one, other, first, second})
}

// removing records that an author is about to ask for the removal of a post.
func (l *history) removing(p *post) {
	defer l.lock()()
	if p.removing.IsZero() {
		p.removing = time.Now()
	}
}

// removed records that the removal of a post was acknowledged.
func (l *history) removed(p *post) {
	defer l.lock()()
	if p.removed.IsZero() {
		p.removed = time.Now()
	}
}

// editing records that a text is about to be sent.
func (l *history) editing(p *post, text string) {
	defer l.lock()()
	p.pending = append(p.pending, text)
}

// edited records that a text was saved. The texts that were sent before can no
// longer be saved: they were sent for a revision that is gone.
func (l *history) edited(p *post, text string) {
	defer l.lock()()
	p.past = append(p.past, pastText{p.text, time.Now()})
	for _, pending := range p.pending {
		p.past = append(p.past, pastText{pending, time.Now()})
	}
	p.text, p.pending = text, nil
}

// disputed reports whether an edit of the post was never answered, so that the next
// edit may find the post changed.
func (l *history) disputed(p *post) bool {
	defer l.lock()()
	return len(p.pending) > 0
}

// voted records what a user's vote is.
func (l *history) voted(p *post, by string, b ballot) {
	defer l.lock()()
	if p.votes[by] != ballotLost {
		p.votes[by] = b
	}
}

// anyPost draws one of the last posts of a channel; if an author is named, one of
// the author's own. It is nil if there is none.
func (l *history) anyPost(channel, author string, draw func(n int) int) *post {
	const recent = 40
	defer l.lock()()
	posts := l.byChannel[channel]
	var candidates []*post
	for _, p := range posts[max(0, len(posts)-recent):] {
		if p.removing.IsZero() && (author == "" || p.author == author) {
			candidates = append(candidates, p)
		}
	}
	if len(candidates) == 0 {
		return nil
	}
	return candidates[draw(len(candidates))]
}

// incarnationOf is the incarnation that a post was made in; nil as long as that
// is uncertain.
func (l *history) incarnationOf(p *post) *incarnation {
	if p.to != nil {
		return l.incarnationOf(p.to)
	}
	if p.in == nil {
		p.in = l.incarnationDuring(p.channel, p.made)
	}
	return p.in
}

// present reports whether a post certainly was there during all of a span.
func (l *history) present(p *post, s span) bool {
	in := l.incarnationOf(p)
	return in != nil && p.made.to.Before(s.from) &&
		in.wanted(s) && (p.removing.IsZero() || p.removing.After(s.to)) && (p.to == nil || l.present(p.to, s))
}

// gone says why no user may read a post after a time; empty if they may.
func (l *history) gone(p *post, from time.Time) string {
	in := l.incarnationOf(p)
	switch {
	case !p.removed.IsZero() && p.removed.Before(from):
		return "I3: its removal was acknowledged"
	case in != nil && !in.accepted.IsZero() && in.accepted.Before(from):
		return "I4: the deletion of its channel was acknowledged"
	case p.to != nil:
		return l.gone(p.to, from)
	}
	return ""
}

// missing records that a post was not there.
func (l *history) missing(s span, p *post) {
	defer l.lock()()
	if l.present(p, s) {
		l.accuseLocked("I3: %s is gone, and no user asked for that", p)
		p.removing, p.removed = s.to, s.to // one accusation is enough
	}
}

// vanished records that an author who asked for the removal of a post, once, was
// told that it is not there.
func (l *history) vanished(s span, p *post) {
	defer l.lock()()
	p.removing = time.Time{}
	if l.present(p, s) {
		l.accuseLocked("A4: the removal of %s was told that it is gone, and no other user asked for that", p)
	}
	p.removing, p.removed = s.from, s.to
}

// kept records that a post was not removed, because its channel was being deleted.
func (l *history) kept(s span, p *post) {
	defer l.lock()()
	p.removing = time.Time{}
	if l.present(p, s) {
		l.accuseLocked("A4: the removal of %s was told that its channel is being deleted, and no user asked for that", p)
	}
}

// isPast reports whether a post needs no more attention: its channel was deleted,
// or it will never be known which incarnation it was made in.
func (l *history) isPast(p *post) bool {
	if in := l.incarnationOf(p); in != nil {
		return !in.accepted.IsZero()
	}
	for _, of := range l.incarnations[p.channel] {
		if of.known.After(p.made.to) {
			return true
		}
	}
	return false
}
