package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"microblogging/e2e/client"
)

// A leaver is a user who signs up, acts in a channel and deletes their account. What they are told
// of their posts and their reply is not written down: these may go at any time.
type leaver struct {
	*user
	channel, own string
	// to is the post that they vote on and reply to; nil if there was none.
	to *post
}

// leaver is there for a while.
func (u *user) leaver(ctx context.Context, channel string) {
	u.written++
	name := fmt.Sprintf("leaver%d_%d", u.number+1, u.written)
	g := leaver{&user{site: u.site, number: u.number, name: name, draw: u.draw, http: u.http, tries: u.tries}, channel, "own-" + name, nil}
	if !g.enter(ctx, http.StatusCreated) {
		return
	}
	g.send(ctx, "POST", client.ChannelsPath, map[string]string{"name": g.own}, nil, http.StatusCreated, http.StatusConflict)
	g.to = g.site.history.anyPost(channel, "", g.draw.IntN)
	g.act(ctx)
	g.site.history.hide(g.name)
	passed := g.site.passed.Load()
	body := map[string]string{"password": client.Password, "posts": []string{"delete", "keep"}[u.draw.IntN(2)]}
	if a := g.send(ctx, "DELETE", client.AccountPath, body, nil, http.StatusAccepted, http.StatusUnauthorized); a.Status != http.StatusAccepted {
		return // it may take effect or not, and the history does not record it
	}
	if a := g.send(ctx, "GET", client.SubscriptionsPath, nil, nil, http.StatusUnauthorized); a.Status != 0 && u.draw.IntN(3) == 0 {
		pause(ctx, time.Duration(u.draw.Int64N(int64(time.Second))))
		undone := g.enter(ctx, http.StatusConflict) &&
			g.send(ctx, "POST", client.AccountPath+"/deletion/undo", nil, nil, http.StatusNoContent, http.StatusUnauthorized, http.StatusConflict).Status == http.StatusNoContent
		if undone {
			g.site.tally.add("kept", 1)
			g.mustReturn(ctx)
			return
		}
		switch {
		case g.unanswered:
			return // it may be undone
		case g.site.undoAccount > 0 && g.site.passed.Load() == passed:
			g.site.history.accuse("I3: %s was told that the deletion of their account can be undone, and it cannot", g.name)
		}
	}
	g.site.history.leave(g)
	g.site.tally.add("left", 1)
}

// mustReturn waits until the account is shown again after an undo. Another process than the one that
// answered learns of it within seconds.
func (g leaver) mustReturn(ctx context.Context) {
	for until := time.Now().Add(drainTime); time.Now().Before(until); pause(ctx, drainPoll) {
		if g.send(ctx, "GET", client.UsersPath+"/"+g.name, nil, nil, http.StatusOK, http.StatusGone).Status != http.StatusGone {
			return
		}
	}
	g.site.history.accuse("I3: %s undid the deletion of their account, and it is hidden %s later", g.name, drainTime)
}

// enter signs up, unless the account is there, and in.
func (g leaver) enter(ctx context.Context, signUp int) bool {
	who := client.Credentials(g.name)
	g.token = ""
	if a := g.send(ctx, "POST", client.UsersPath, who, nil, http.StatusCreated, http.StatusConflict); a.Status != signUp {
		return false
	}
	a := g.send(ctx, "POST", client.SessionsPath, who, nil, http.StatusCreated, http.StatusUnauthorized)
	var session client.Session
	if a.Status != http.StatusCreated || !g.decode(a, &session) {
		return false
	}
	g.token = session.Token
	return true
}

// act does each thing once.
func (g leaver) act(ctx context.Context) {
	for _, channel := range []string{g.channel, g.own} {
		g.write(ctx, channel, channel, client.BlogsPath(channel))
	}
	if p := g.to; p != nil {
		g.site.history.voted(p, g.name, ballotLost)
		g.send(ctx, "PUT", postPath(p)+"/vote", nil, nil, http.StatusNoContent, http.StatusNotFound, http.StatusGone)
		g.write(ctx, p.channel, postPath(p), repliesPath(p))
	}
	g.send(ctx, "PUT", client.SubscriptionPath(g.channel), nil, nil, http.StatusNoContent, http.StatusNotFound, http.StatusGone)
}

// write sends a post or a reply in a channel to a path. Where is that of its draft.
func (g leaver) write(ctx context.Context, channel, where, path string) {
	g.written++
	origin := fmt.Sprintf("%s/%d", g.name, g.written)
	g.site.history.draft(origin, where)
	a := g.send(ctx, "POST", path, map[string]string{"text": origin + " as posted"}, http.Header{"Idempotency-Key": {origin}},
		http.StatusCreated, http.StatusForbidden, http.StatusNotFound, http.StatusGone)
	if a.Status == http.StatusForbidden {
		g.site.history.forbidden(channel, origin, true)
	}
}

// hide records that the posts and the reply of a leaver may be hidden from now on, and may come back.
func (l *history) hide(name string) {
	defer l.lock()()
	l.hidden[name] = true
}

// leave records that the deletion of a leaver's account was accepted, and not undone.
func (l *history) leave(g leaver) {
	defer l.lock()()
	l.left = append(l.left, g)
}

// judgeLeaver waits until the account of a leaver is gone, and accuses the site of what is left.
func (s *site) judgeLeaver(ctx context.Context, g leaver) {
	wait, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	g.tries, g.token = finalTries, ""
	there := func() string {
		if a := g.send(ctx, "GET", client.UsersPath+"/"+g.name, nil, nil, http.StatusOK, http.StatusGone, http.StatusNotFound); a.Status != http.StatusNotFound {
			return "their account"
		}
		a := g.send(ctx, "GET", client.ChannelPath(g.own), nil, nil, http.StatusOK, http.StatusNotFound, http.StatusGone)
		if a.Status != http.StatusNotFound {
			return "their channel"
		}
		items, _ := s.users[0].list(ctx, g.channel)
		for _, i := range items {
			if i.UserID == g.name {
				return "post " + i.ID
			}
		}
		if g.to == nil {
			return ""
		}
		for _, i := range s.users[0].replies(ctx, g.to) {
			if i.UserID == g.name {
				return "reply " + i.ID
			}
		}
		return ""
	}
	left := there()
	for ; left != "" && wait.Err() == nil; left = there() {
		pause(wait, drainPoll)
	}
	if left != "" {
		s.history.accuse("I12: %s was gone, and %s is there after %s", g.name, left, drainTime)
	}
	if g.send(ctx, "POST", client.SessionsPath, client.Credentials(g.name), nil, http.StatusUnauthorized, http.StatusTooManyRequests).Status == 0 {
		s.history.accuse("I12: %s is gone, and their sign-in is not refused", g.name)
	}
}
