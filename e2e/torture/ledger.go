package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// A span is from when a request was sent until its answer was read, or it was
// given up. What it did happened in between.
type span struct{ from, to time.Time }

// A life is one incarnation of a channel, from what users were told of it.
type life struct {
	channel, incarnation, owner string
	// known and last are when it surely was there; so it was all the time between.
	known, last time.Time
	// asked is when its deletion was first asked for, and accepted when that was
	// first acknowledged. Zero if it never was.
	asked, accepted time.Time
	// progress is the path of its deletion.
	progress string
}

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

// A ledger is what the users of one site were told. Each method takes in one
// answer, and accuses the site if that contradicts another.
type ledger struct {
	site    string
	moments *moments

	mu         sync.Mutex
	violations []string
	lives      map[string][]*life // by channel
	posts      map[string]*post   // by id
	of         map[string][]*post // by channel
	// drafts are all posts that were ever asked for: what their text begins with,
	// and the channel.
	drafts map[string]string
	// refused are the creations that were told that the name is taken.
	refused map[string]bool
	twins   []twin
}

// moments tell whoever listens that a deletion is about to be asked for, and that
// one was accepted.
type moments struct{ asking, accepted chan struct{} }

func tell(moment chan<- struct{}) {
	select {
	case moment <- struct{}{}:
	default:
	}
}

func newLedger(site string) *ledger {
	return &ledger{
		site: site, moments: &moments{make(chan struct{}), make(chan struct{})},
		lives: map[string][]*life{}, posts: map[string]*post{}, of: map[string][]*post{},
		drafts: map[string]string{}, refused: map[string]bool{},
	}
}

// accuse notes a violation.
func (l *ledger) accuse(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accuseLocked(format, args...)
}

func (l *ledger) accuseLocked(format string, args ...any) {
	l.violations = append(l.violations, l.site+": "+fmt.Sprintf(format, args...))
}

// saw takes in that a channel was there: whose, in which incarnation, and made by
// which creation. It returns the life that was seen.
func (l *ledger) saw(s span, channel, incarnation, owner, creation string) *life {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused[creation] {
		l.accuseLocked("A4: %s was made by creation %s, which was told that the name is taken", channel, creation)
		delete(l.refused, creation)
	}
	l.mustBe(s, channel, incarnation)
	for _, seen := range l.lives[channel] {
		if seen.incarnation != incarnation {
			continue
		}
		if !seen.accepted.IsZero() && seen.accepted.Before(s.from) {
			l.accuseLocked("I4: %s of %s is shown after its deletion was acknowledged", channel, incarnation)
		}
		if s.from.After(seen.last) {
			seen.last = s.from
		}
		return seen
	}
	fresh := &life{channel: channel, incarnation: incarnation, owner: owner, known: s.to, last: s.from}
	l.lives[channel] = append(l.lives[channel], fresh)
	return fresh
}

// absent takes in that there was no such channel.
func (l *ledger) absent(s span, channel string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mustBe(s, channel, "")
}

// mustBe accuses the site if another life than the one seen was surely there all
// the while: only its own deletion ends a life.
func (l *ledger) mustBe(s span, channel, seen string) {
	for _, other := range l.lives[channel] {
		if other.incarnation != seen && other.known.Before(s.from) && (other.asked.IsZero() || other.asked.After(s.to)) {
			l.accuseLocked("I2: %s of %s is gone, and nobody asked for that (seen: %q)", channel, other.incarnation, seen)
			other.asked, other.accepted = s.to, s.to // once is enough
		}
	}
}

// refuse takes in that a creation was told that the name is taken.
func (l *ledger) refuse(creation string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused[creation] = true
}

// asking notes that the deletion of a life is about to be asked for, and tells
// whether for the first time.
func (l *ledger) asking(of *life) (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if first = of.asked.IsZero(); first {
		of.asked = time.Now()
	}
	tell(l.moments.asking)
	return first
}

// accept takes in that a deletion was accepted.
func (l *ledger) accept(of *life, progress string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if of.accepted.IsZero() {
		of.accepted, of.progress = time.Now(), progress
	}
	tell(l.moments.accepted)
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

// lifeOf is the life of a channel in which all of a span surely was; nil if none
// is known.
func (l *ledger) lifeOf(channel string, s span) *life {
	for _, of := range l.lives[channel] {
		if !of.known.After(s.from) && !of.last.Before(s.to) {
			return of
		}
	}
	return nil
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

// An item is a post as it was shown.
type item struct {
	ID        string
	Text      string
	Rating    int
	CreatedOn time.Time
}

// origin is what all texts of one draft begin with.
func (i item) origin() string {
	origin, _, _ := strings.Cut(i.Text, " ")
	return origin
}

// shown takes in that a post was shown.
func (l *ledger) shown(s span, channel string, i item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.show(s, channel, i)
}

func (l *ledger) show(s span, channel string, i item) {
	if l.drafts[i.origin()] != channel {
		l.accuseLocked("I2: %s shows %q, which nobody posted there", channel, i.Text)
		return
	}
	p := l.posts[i.ID]
	if p == nil {
		return // its author was never told
	}
	if why := l.gone(p, s.from); why != "" {
		l.accuseLocked("%s, and post %s is shown in %s", why, p.id, channel)
	}
	current := i.Text == p.text || slices.Contains(p.maybe, i.Text)
	past := slices.ContainsFunc(p.past, func(t pastText) bool { return t.text == i.Text && t.until.After(s.from) })
	if !current && !past {
		l.accuseLocked("I3: post %s shows %q, and not what was saved last, %q", p.id, i.Text, p.text)
	}
}

// listed takes in all posts of a channel, newest first.
func (l *ledger) listed(s span, channel string, items []item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	origins, ids := map[string]bool{}, map[string]bool{}
	for n, i := range items {
		l.show(s, channel, i)
		if n > 0 && i.CreatedOn.After(items[n-1].CreatedOn) {
			l.accuseLocked("%s: post %s is listed below one that is older", channel, i.ID)
		}
		if origins[i.origin()] {
			l.accuseLocked("I7: %s has draft %s twice", channel, i.origin())
		}
		origins[i.origin()], ids[i.ID] = true, true
	}
	for _, p := range l.of[channel] {
		if !ids[p.id] && l.stands(p, s) {
			l.accuseLocked("I3: post %s of %s is not listed, and nobody removed it", p.id, channel)
			p.removing, p.removed = s.to, s.to // once is enough
		}
	}
	l.of[channel] = slices.DeleteFunc(l.of[channel], l.past)
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
