package main

import (
	"slices"
	"time"
)

// askedFor lists the incarnations whose deletion was asked for.
func (l *history) askedFor() []*incarnation {
	defer l.lock()()
	var asked []*incarnation
	for _, incarnations := range l.incarnations {
		for _, of := range incarnations {
			if !of.asked.IsZero() {
				asked = append(asked, of)
			}
		}
	}
	return asked
}

// standing lists the posts of an incarnation that certainly are there now.
func (l *history) standing(in *incarnation) []*post {
	defer l.lock()()
	var posts []*post
	now := time.Now()
	for _, p := range l.byChannel[in.channel] {
		if l.incarnationOf(p) == in && l.present(p, span{now, now}) {
			posts = append(posts, p)
		}
	}
	return posts
}

// ratings returns the lowest and the highest rating that a post can have.
func (l *history) ratings(p *post) (least, most int) {
	defer l.lock()()
	for _, b := range p.votes {
		switch b {
		case ballotYes:
			least++
			most++
		case ballotLost:
			most++
		}
	}
	return least, most
}

// judgeTwins compares the two answers to each idempotency key that was answered
// twice. In the end it is known which incarnation each answer was about.
func (l *history) judgeTwins() {
	defer l.lock()()
	for _, t := range l.twins {
		first, second := l.incarnationDuring(t.channel, t.first), l.incarnationDuring(t.channel, t.second)
		if first != nil && first == second && t.one != t.other {
			l.accuseLocked("I7: one idempotency key made posts %s and %s of %s", t.one, t.other, t.channel)
		}
	}
}

// counts returns how many deletions were accepted, and posts and replies acknowledged.
func (l *history) counts() (deletions, posts, replies int) {
	defer l.lock()()
	for _, incarnations := range l.incarnations {
		for _, of := range incarnations {
			if !of.accepted.IsZero() {
				deletions++
			}
		}
	}
	for _, p := range l.posts {
		if p.to != nil {
			replies++
		}
	}
	return deletions, len(l.posts) - replies, replies
}

// found lists the violations.
func (l *history) found() []string {
	defer l.lock()()
	return slices.Clone(l.violations)
}
