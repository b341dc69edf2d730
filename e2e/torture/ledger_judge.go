package main

import (
	"slices"
	"time"
)

// askedFor are the lives whose deletion was asked for.
func (l *ledger) askedFor() []*life {
	l.mu.Lock()
	defer l.mu.Unlock()
	var asked []*life
	for _, lives := range l.lives {
		for _, of := range lives {
			if !of.asked.IsZero() {
				asked = append(asked, of)
			}
		}
	}
	return asked
}

// standing are the posts of a life that surely are there.
func (l *ledger) standing(in *life) []*post {
	l.mu.Lock()
	defer l.mu.Unlock()
	var posts []*post
	now := time.Now()
	for _, p := range l.of[in.channel] {
		if l.lived(p) == in && l.stands(p, span{now, now}) {
			posts = append(posts, p)
		}
	}
	return posts
}

// ratings are the least and the most that a post can be rated.
func (l *ledger) ratings(p *post) (least, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range p.votes {
		switch b {
		case ballotYes:
			least++
			most++
		case ballotUnsure, ballotLost:
			most++
		}
	}
	return least, most
}

func (l *ledger) during(channel string, s span) *life {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lifeOf(channel, s)
}

// mayBeOneLife tells whether two requests can have been about the same life of a
// channel: no other became known in between.
func (l *ledger) mayBeOneLife(channel string, first, second span) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, of := range l.lives[channel] {
		if of.known.After(first.to) && of.known.Before(second.from) {
			return false
		}
	}
	return true
}

// judgeTwins holds the two answers to one idempotency key against each other,
// now that it is known which life each was about.
func (l *ledger) judgeTwins() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.twins {
		first, second := l.lifeOf(t.channel, t.first), l.lifeOf(t.channel, t.second)
		if first != nil && first == second && t.one != t.other {
			l.accuseLocked("I7: one idempotency key made posts %s and %s of %s", t.one, t.other, t.channel)
		}
	}
}

// counts are how many deletions were accepted, and posts acknowledged.
func (l *ledger) counts() (deletions, posts int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, lives := range l.lives {
		for _, of := range lives {
			if !of.accepted.IsZero() {
				deletions++
			}
		}
	}
	return deletions, len(l.posts)
}

// found are the violations.
func (l *ledger) found() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.violations)
}
