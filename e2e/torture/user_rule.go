package main

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"microblogging/e2e/client"
)

// watchTime is how long an owner watches a rule at most.
const watchTime = 300 * time.Millisecond

// rule closes one of the user's own channels, or blocks a user there, and checks that no post, reply or
// edit that this forbids takes effect. Then it takes the rule back.
func (u *user) rule(ctx context.Context, of *incarnation) {
	path := client.ChannelPath(of.channel)
	method, undo, body, back := "PATCH", "PATCH", any(map[string]string{"posting": "owner"}), any(map[string]string{"posting": "open"})
	forbidden := func(author string) bool { return author != u.name }
	if u.draw.IntN(2) == 0 {
		other := u.site.users[u.draw.IntN(len(u.site.users))].name
		if other == u.name {
			return
		}
		method, undo, path, body, back = "PUT", "DELETE", path+"/blocked/"+other, nil, nil
		forbidden = func(author string) bool { return author == other }
	}
	u.site.history.ruling(of.channel)
	mine := http.Header{"If-Match": {strconv.Quote(of.id)}}
	allowed := []int{http.StatusNoContent, http.StatusNotFound, http.StatusGone, http.StatusPreconditionFailed}
	a := u.send(ctx, method, path, body, mine, allowed...)
	if a.Status == http.StatusNoContent {
		before, listed := u.list(ctx, of.channel)
		pause(ctx, time.Duration(u.draw.Int64N(int64(watchTime))))
		after, again := u.list(ctx, of.channel)
		after = append(after, u.repliedSince(ctx, of.channel, before, after)...)
		if now := u.look(ctx, of.channel); listed && again && now != nil && now.id == of.id {
			u.site.history.mustNotGrow(of.channel, before, after, forbidden)
			u.site.tally.add("rules", 1)
		}
	}
	taken := u.send(ctx, undo, path, back, mine, allowed...) // without an answer, the rule may stay
	of.unruly = !a.answered() || !taken.answered()
}

// repliedSince returns the last reply to each post that was replied to between two lists, unless that reply is
// deleted.
func (u *user) repliedSince(ctx context.Context, channel string, before, after []item) (last []item) {
	replied := map[string]time.Time{}
	for _, i := range before {
		replied[i.ID] = i.RepliedOn
	}
	for _, i := range after {
		if on, there := replied[i.ID]; !there || on.Equal(i.RepliedOn) {
			continue
		}
		_, replies := u.pages(ctx, repliesPath(&post{id: i.ID, channel: channel}), 100)
		for _, r := range replies {
			if r.CreatedOn.Equal(i.RepliedOn) {
				last = append(last, r)
			}
		}
	}
	return last
}

// ruling records that a rule is about to be made in a channel, so that a post may be refused there.
func (l *history) ruling(channel string) {
	defer l.lock()()
	l.ruled[channel] = true
}

// forbidden records that a user was told that they may not post or reply. If that was the only request,
// no such post or reply is there.
func (l *history) forbidden(channel, origin string, alone bool) {
	defer l.lock()()
	if !l.ruled[channel] {
		l.accuseLocked("I11: %s may not be posted in %s, and no owner has ruled so", origin, channel)
	}
	if alone {
		l.drafts[origin] = "nowhere: it was forbidden"
	}
}

// mustNotGrow accuses the site if a post, a reply or an edit has come after a rule was acknowledged that forbids it.
// The posts of an account are hidden while it is being deleted, and are back after an undo.
func (l *history) mustNotGrow(channel string, before, after []item, forbidden func(author string) bool) {
	defer l.lock()()
	there := map[string]string{}
	for _, i := range before {
		there[i.ID] = i.Text
	}
	for _, i := range after {
		if author, _, _ := strings.Cut(i.origin(), "/"); there[i.ID] != i.Text && forbidden(author) && !l.hidden[author] {
			l.accuseLocked("I11: %s of %s has landed in %s, or an edit of it, after the answer that forbids it", i.ID, author, channel)
		}
	}
}
