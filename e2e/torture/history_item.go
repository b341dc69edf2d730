package main

import (
	"slices"
	"strings"
	"time"
)

// An item is a post or a reply as the API shows it.
type item struct {
	ID        string
	UserID    string
	Text      string
	Rating    int
	CreatedOn time.Time
	// RepliedOn is when the post was last replied to; zero if it never was.
	RepliedOn time.Time
}

// origin is the first word, which all texts of one draft share.
func (i item) origin() string {
	origin, _, _ := strings.Cut(i.Text, " ")
	return origin
}

// shown records that a post was shown.
func (l *history) shown(s span, channel string, i item) {
	defer l.lock()()
	l.show(s, channel, i)
}

// show is shown, where drafts are from.
func (l *history) show(s span, where string, i item) {
	if l.drafts[i.origin()] != where {
		l.accuseLocked("I2: %s shows %q, which no user posted there", where, i.Text)
		return
	}
	p := l.posts[i.ID]
	if p == nil {
		return // its author got no answer
	}
	if why := l.gone(p, s.from); why != "" {
		l.accuseLocked("%s, and %s is shown", why, p)
	}
	current := i.Text == p.text || slices.Contains(p.pending, i.Text)
	past := slices.ContainsFunc(p.past, func(t pastText) bool { return t.text == i.Text && t.until.After(s.from) })
	if !current && !past {
		l.accuseLocked("I3: %s shows %q, but %q was saved last", p, i.Text, p.text)
	}
}

// listed records the whole list of a channel's posts, newest first.
func (l *history) listed(s span, channel string, items []item) {
	defer l.lock()()
	l.list(s, channel, l.byChannel[channel], items)
	for n, i := range items {
		if n > 0 && i.CreatedOn.After(items[n-1].CreatedOn) {
			l.accuseLocked("%s: post %s is listed below an older one", channel, i.ID)
		}
	}
	l.byChannel[channel] = slices.DeleteFunc(l.byChannel[channel], l.isPast)
}

// listedReplies records the whole list of the replies to a post, oldest first.
func (l *history) listedReplies(s span, to *post, items []item) {
	defer l.lock()()
	l.list(s, postPath(to), to.replies, items)
	for n, i := range items {
		if n > 0 && i.CreatedOn.Before(items[n-1].CreatedOn) {
			l.accuseLocked("reply %s to %s is listed below a later one", i.ID, to)
		}
	}
}

// list compares a whole list with the posts or replies that were acknowledged there.
func (l *history) list(s span, where string, acknowledged []*post, items []item) {
	origins, ids := map[string]bool{}, map[string]bool{}
	for _, i := range items {
		l.show(s, where, i)
		if origins[i.origin()] {
			l.accuseLocked("I7: %s has draft %s twice", where, i.origin())
		}
		origins[i.origin()], ids[i.ID] = true, true
	}
	for _, p := range acknowledged {
		if !ids[p.id] && l.present(p, s) {
			l.accuseLocked("I3: %s is not listed, and no user removed it", p)
			p.removing, p.removed = s.to, s.to // one accusation is enough
		}
	}
}
