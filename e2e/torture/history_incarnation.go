package main

import (
	"time"
)

// A span begins when a request was sent, and ends when its answer was read or
// the user gave up. The request took effect in between, if it did.
type span struct{ from, to time.Time }

// An incarnation is what users were told about one incarnation of a channel.
type incarnation struct {
	channel, owner string
	// id is from the ETag of the channel.
	id string
	// The channel certainly was there from known to last.
	known, last time.Time
	// asked is when its deletion was first asked for, and accepted when one was
	// first acknowledged. Zero if that never happened.
	asked, accepted time.Time
	// back is when the latest undoing was acknowledged. Until then readers may have missed it.
	back time.Time
	// adrift reports whether a request to delete it was not answered. It may take effect later.
	adrift bool
	// unruly reports whether a request about who may post was not answered, so that it may take effect
	// later. Only the owner looks at it.
	unruly bool
}

// wanted reports whether no user asked for its deletion during all of a span.
func (of *incarnation) wanted(s span) bool {
	return of.back.Before(s.from) && (of.asked.IsZero() || of.asked.After(s.to))
}

// saw records that a channel was shown: its incarnation, its owner, and which
// creation made it. It returns the incarnation.
func (l *history) saw(s span, channel, id, owner, creation string) *incarnation {
	defer l.lock()()
	if l.refused[creation] {
		l.accuseLocked("A4: creation %s made %s, but was told that the name is taken", creation, channel)
		delete(l.refused, creation)
	}
	l.mustBe(s, channel, id)
	for _, seen := range l.incarnations[channel] {
		if seen.id != id {
			continue
		}
		if !seen.accepted.IsZero() && seen.accepted.Before(s.from) {
			l.accuseLocked("I4: incarnation %s of %s is shown after its deletion was acknowledged", id, channel)
		}
		if s.from.After(seen.last) {
			seen.last = s.from
		}
		return seen
	}
	fresh := &incarnation{channel: channel, id: id, owner: owner, known: s.to, last: s.from}
	l.incarnations[channel] = append(l.incarnations[channel], fresh)
	return fresh
}

// absent records that there was no such channel.
func (l *history) absent(s span, channel string) {
	defer l.lock()()
	l.mustBe(s, channel, "")
}

// mustBe accuses the site if an incarnation other than the one seen was certainly
// there during all of the span. Only its own deletion ends an incarnation.
func (l *history) mustBe(s span, channel, seen string) {
	for _, other := range l.incarnations[channel] {
		if other.id != seen && other.known.Before(s.from) && other.wanted(s) {
			l.accuseLocked("I2: incarnation %s of %s is gone, and no user asked for that (seen: %q)", other.id, channel, seen)
			other.asked, other.accepted = s.to, s.to // one accusation is enough
		}
	}
}

// refuse records that a creation was told that the name is taken.
func (l *history) refuse(creation string) {
	defer l.lock()()
	l.refused[creation] = true
}

// asking records that a user is about to ask for the deletion of an incarnation.
// It reports whether this is the first time.
func (l *history) asking(of *incarnation) (first bool) {
	defer l.lock()()
	if first = of.asked.IsZero(); first {
		of.asked = time.Now()
	}
	tell(l.moments.asking)
	return first
}

// accept records that a deletion was accepted.
func (l *history) accept(of *incarnation) {
	defer l.lock()()
	if of.accepted.IsZero() {
		of.accepted = time.Now()
	}
	l.deleting = of.channel
	time.AfterFunc(undoShort, func() { tell(l.moments.accepted) }) // when there is work to do
}

// undoing records that a user is about to undo a deletion: it may or may not end from now on.
func (l *history) undoing(of *incarnation) {
	defer l.lock()()
	of.accepted = time.Time{}
}

// undone records that a deletion was undone. All that it hid must be there from then on.
func (l *history) undone(of *incarnation) {
	defer l.lock()()
	of.asked, of.back = time.Time{}, time.Now()
}

// lost records that a request to delete was not answered.
func (l *history) lost(of *incarnation) {
	defer l.lock()()
	of.adrift = true
}

// lastAccepted is the channel whose deletion was accepted last; empty if none was.
func (l *history) lastAccepted() string {
	defer l.lock()()
	return l.deleting
}

// incarnationDuring is the incarnation of a channel that certainly was there
// during all of a span; nil if none is known.
func (l *history) incarnationDuring(channel string, s span) *incarnation {
	for _, of := range l.incarnations[channel] {
		if !of.known.After(s.from) && !of.last.Before(s.to) {
			return of
		}
	}
	return nil
}
