package main

import (
	"slices"
	"strings"
	"time"
)

// An item is a post as the API shows it.
type item struct {
	ID        string
	UserID    string
	Text      string
	Rating    int
	CreatedOn time.Time
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

func (l *history) show(s span, channel string, i item) {
	if l.drafts[i.origin()] != channel {
		l.accuseLocked("I2: %s shows %q, which no user posted there", channel, i.Text)
		return
	}
	p := l.posts[i.ID]
	if p == nil {
		return // its author got no answer
	}
	if why := l.gone(p, s.from); why != "" {
		l.accuseLocked("%s, and post %s is shown in %s", why, p.id, channel)
	}
	current := i.Text == p.text || slices.Contains(p.pending, i.Text)
	past := slices.ContainsFunc(p.past, func(t pastText) bool { return t.text == i.Text && t.until.After(s.from) })
	if !current && !past {
		l.accuseLocked("I3: post %s shows %q, but %q was saved last", p.id, i.Text, p.text)
	}
}

// listed records the whole list of a channel's posts, newest first.
func (l *history) listed(s span, channel string, items []item) {
	defer l.lock()()
	origins, ids := map[string]bool{}, map[string]bool{}
	for n, i := range items {
		l.show(s, channel, i)
		if n > 0 && i.CreatedOn.After(items[n-1].CreatedOn) {
			l.accuseLocked("%s: post %s is listed below an older one", channel, i.ID)
		}
		if origins[i.origin()] {
			l.accuseLocked("I7: %s has draft %s twice", channel, i.origin())
		}
		origins[i.origin()], ids[i.ID] = true, true
	}
	for _, p := range l.byChannel[channel] {
		if !ids[p.id] && l.present(p, s) {
			l.accuseLocked("I3: post %s of %s is not listed, and no user removed it", p.id, channel)
			p.removing, p.removed = s.to, s.to // one accusation is enough
		}
	}
	l.byChannel[channel] = slices.DeleteFunc(l.byChannel[channel], l.isPast)
}
