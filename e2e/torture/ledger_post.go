package main

import (
	"time"
)

// A post is one that was acknowledged.
type post struct {
	id, channel, author string
	// made is from the first request to the acknowledgement.
	made span
	// in is the life that it was made in, once that is sure.
	in *life
	// text is the last one acknowledged, maybe are those sent since, and past those
	// acknowledged before.
	text  string
	maybe []string
	past  []pastText
	// removing is when its author first asked for its removal, and removed when
	// that was acknowledged.
	removing, removed time.Time
	votes             map[string]ballot
}

// A pastText stood until then, or somewhat longer in the eyes of a reader who
// had asked before.
type pastText struct {
	text  string
	until time.Time
}

// A ballot is what a user's vote on a post surely is.
type ballot uint8

const (
	ballotNo ballot = iota
	ballotYes
	// ballotUnsure is one that is being asked for.
	ballotUnsure
	// ballotLost was asked for and not answered: it may take effect at any time.
	ballotLost
)

// A twin is two answers to one idempotency key.
type twin struct {
	channel       string
	one, other    string
	first, second span
}

// draft notes that a post is about to be asked for.
func (l *ledger) draft(origin, channel string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drafts[origin] = channel
}

// posted takes in that a post was made.
func (l *ledger) posted(s span, id, channel, author, text string) *post {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.posts[id]
	if p == nil {
		p = &post{id: id, channel: channel, author: author, made: s, text: text, votes: map[string]ballot{}}
		l.posts[id] = p
		l.of[channel] = append(l.of[channel], p)
	}
	return p
}

// repeated takes in that one idempotency key was answered twice.
func (l *ledger) repeated(channel, one, other string, first, second span) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.twins = append(l.twins, twin{channel, one, other, first, second})
}

// removing notes that the removal of a post is about to be asked for.
func (l *ledger) removing(p *post) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.removing.IsZero() {
		p.removing = time.Now()
	}
}

func (l *ledger) removed(p *post) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.removed.IsZero() {
		p.removed = time.Now()
	}
}

// editing notes that a text is about to be sent.
func (l *ledger) editing(p *post, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.maybe = append(p.maybe, text)
}

// edited takes in that a text was saved. What was sent before it cannot be saved
// any more: it was sent for a version that is gone.
func (l *ledger) edited(p *post, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.past = append(p.past, pastText{p.text, time.Now()})
	for _, maybe := range p.maybe {
		p.past = append(p.past, pastText{maybe, time.Now()})
	}
	p.text, p.maybe = text, nil
}

// disputed tells whether an edit of the post is without an answer, so that
// another may find the post changed.
func (l *ledger) disputed(p *post) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(p.maybe) > 0
}

// voted notes what a user's vote is, or that it is about to change.
func (l *ledger) voted(p *post, by string, b ballot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.votes[by] != ballotLost {
		p.votes[by] = b
	}
}

// anyPost draws one of the last posts of a channel; own ones only, if an author
// is named.
func (l *ledger) anyPost(channel, author string, draw func(n int) int) *post {
	const recent = 40
	l.mu.Lock()
	defer l.mu.Unlock()
	posts := l.of[channel]
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

// lived is the life that a post was made in; nil as long as that is not sure.
func (l *ledger) lived(p *post) *life {
	if p.in == nil {
		p.in = l.lifeOf(p.channel, p.made)
	}
	return p.in
}

// stands tells whether a post was surely there during a span.
func (l *ledger) stands(p *post, s span) bool {
	in := l.lived(p)
	return in != nil && p.made.to.Before(s.from) &&
		(in.asked.IsZero() || in.asked.After(s.to)) && (p.removing.IsZero() || p.removing.After(s.to))
}

// gone tells why nobody may read a post from a time on; empty if they may.
func (l *ledger) gone(p *post, from time.Time) string {
	in := l.lived(p)
	switch {
	case !p.removed.IsZero() && p.removed.Before(from):
		return "I3: its removal was acknowledged"
	case in != nil && !in.accepted.IsZero() && in.accepted.Before(from):
		return "I4: the deletion of its channel was acknowledged"
	}
	return ""
}

// missing takes in that a post was not there.
func (l *ledger) missing(s span, p *post) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stands(p, s) {
		l.accuseLocked("I3: post %s of %s is gone, and nobody asked for that", p.id, p.channel)
		p.removing, p.removed = s.to, s.to // once is enough
	}
}

// vanished takes in that an author who asked for the removal of a post, once, was
// told that it is not there.
func (l *ledger) vanished(s span, p *post) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.removing = time.Time{}
	if l.stands(p, s) {
		l.accuseLocked("A4: the removal of post %s was told that it is gone, and nobody else asked for that", p.id)
	}
	p.removing, p.removed = s.from, s.to
}

// past tells whether nothing more is to be said of a post: its channel, or what it
// must have been, is deleted.
func (l *ledger) past(p *post) bool {
	if in := l.lived(p); in != nil {
		return !in.accepted.IsZero()
	}
	for _, of := range l.lives[p.channel] {
		if of.known.After(p.made.to) {
			return true // it will never be sure which one it was made in
		}
	}
	return false
}
