package main

import (
	"slices"
	"strings"
	"time"
)

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
