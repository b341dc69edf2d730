package main

import (
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
