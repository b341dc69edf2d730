package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"microblogging/e2e/client"
)

// postPath is the path of a post, or of a reply.
func postPath(p *post) string {
	if p.to != nil {
		return repliesPath(p.to) + "/" + p.id
	}
	return client.BlogsPath(p.channel) + "/" + p.id
}

func repliesPath(p *post) string { return postPath(p) + "/replies" }

// look reads a channel; nil if there was none, or no answer.
func (u *user) look(ctx context.Context, channel string) *incarnation {
	a := u.send(ctx, "GET", client.ChannelPath(channel), nil, nil, http.StatusOK, http.StatusNotFound, http.StatusGone)
	return u.sight(a, channel, http.StatusOK)
}

// sight records an answer that shows a channel, with the status there, or says
// that there is none.
func (u *user) sight(a answer, channel string, there int) *incarnation {
	switch a.Status {
	case there:
		var shown struct{ Owner, Description string }
		if !u.decode(a, &shown) {
			return nil
		}
		return u.site.history.saw(a.span, channel, client.Incarnation(a.Header.Get("ETag")), shown.Owner, shown.Description)
	case http.StatusNotFound, http.StatusGone:
		u.site.history.absent(a.span, channel)
	}
	return nil
}

// create asks for a channel. The description says which request made it.
func (u *user) create(ctx context.Context, channel string) {
	u.written++
	creation := fmt.Sprintf("%s/%d", u.name, u.written)
	a := u.send(ctx, "POST", client.ChannelsPath, map[string]string{"name": channel, "description": creation}, nil,
		http.StatusCreated, http.StatusConflict)
	switch a.Status {
	case http.StatusCreated:
		u.sight(a, channel, http.StatusCreated)
	case http.StatusConflict:
		u.site.history.refuse(creation)
		u.look(ctx, channel)
	}
}

// post posts. It asks again with the same idempotency key if no answer comes, and
// sometimes although one came.
func (u *user) post(ctx context.Context, channel string) {
	u.written++
	origin := fmt.Sprintf("%s/%d", u.name, u.written)
	u.site.history.draft(origin, channel)
	var first *post
	var made span
	for try := range 4 {
		a := u.send(ctx, "POST", client.BlogsPath(channel), map[string]string{"text": origin + " as posted"},
			http.Header{"Idempotency-Key": {origin}},
			http.StatusCreated, http.StatusOK, http.StatusForbidden, http.StatusNotFound, http.StatusGone)
		if try == 0 {
			made.from = a.from
		}
		switch a.Status {
		case http.StatusCreated, http.StatusOK:
			var shown item
			if !u.decode(a, &shown) {
				return
			}
			made.to = a.to
			if first != nil {
				u.site.history.repeated(channel, first.id, shown.ID, first.made, a.span)
				return
			}
			first = u.site.history.posted(made, shown.ID, channel, u.name, origin+" as posted")
			if u.draw.IntN(8) > 0 {
				return
			}
		case http.StatusForbidden:
			u.site.history.forbidden(channel, origin, try == 0 && u.tries == 0)
			return
		case http.StatusNotFound, http.StatusGone:
			if first != nil {
				u.site.history.missing(a.span, first)
			} else {
				u.site.history.absent(a.span, channel)
			}
			return
		}
	}
}

// list reads all posts of a channel. It reports whether it came to the end of them.
func (u *user) list(ctx context.Context, channel string) (items []item, ok bool) {
	a, items := u.pages(ctx, client.BlogsPath(channel), 100)
	switch a.Status {
	case http.StatusOK:
		u.site.history.listed(a.span, channel, items)
	case http.StatusNotFound, http.StatusGone:
		u.site.history.absent(a.span, channel)
	}
	return items, a.Status == http.StatusOK
}

// replies reads all replies to a post.
func (u *user) replies(ctx context.Context, p *post) []item {
	a, items := u.pages(ctx, repliesPath(p), 2) // few on a page, so that there are more pages
	switch a.Status {
	case http.StatusOK:
		u.site.history.listedReplies(a.span, p, items)
		u.site.tally.add("judged", int64(len(items)))
	case http.StatusNotFound, http.StatusGone:
		u.site.history.missing(a.span, p)
	}
	return items
}

// pages reads all pages of a list. It returns the last answer, from the time of the first request, and
// no items unless it came to the end.
func (u *user) pages(ctx context.Context, path string, limit int) (a answer, items []item) {
	from, query := time.Now(), url.Values{"limit": {strconv.Itoa(limit)}}
	for {
		a = u.send(ctx, "GET", path+"?"+query.Encode(), nil, nil, http.StatusOK, http.StatusNotFound, http.StatusGone)
		a.from = from
		if a.Status != http.StatusOK {
			return a, nil
		}
		var page client.Page[item]
		if !u.decode(a, &page) {
			return answer{}, nil
		}
		items = append(items, page.Items...)
		if page.Next == "" {
			return a, items
		}
		query.Set("after", page.Next)
	}
}

// read reads any post and the replies to it.
func (u *user) read(ctx context.Context, channel string) {
	if p := u.site.history.anyPost(channel, "", u.draw.IntN); p != nil {
		u.fetch(ctx, p)
		u.replies(ctx, p)
	}
}

// fetch reads a post and returns its ETag; empty if there was none, or no answer.
func (u *user) fetch(ctx context.Context, p *post) (etag string) {
	a := u.send(ctx, "GET", postPath(p), nil, nil, http.StatusOK, http.StatusNotFound, http.StatusGone)
	switch a.Status {
	case http.StatusOK:
		var shown item
		if u.decode(a, &shown) {
			u.site.history.shown(a.span, p.channel, shown)
		}
		return a.Header.Get("ETag")
	case http.StatusNotFound, http.StatusGone:
		u.site.history.missing(a.span, p)
	}
	return ""
}

// edit reads one of the user's own posts and saves another text. No other user
// edits that post.
func (u *user) edit(ctx context.Context, channel string) {
	p := u.site.history.anyPost(channel, u.name, u.draw.IntN)
	if p == nil {
		return
	}
	disputed := u.site.history.disputed(p)
	etag := u.fetch(ctx, p)
	if etag == "" {
		return
	}
	u.written++
	origin := item{Text: p.text}.origin()
	text := fmt.Sprintf("%s edited %d", origin, u.written)
	u.site.history.editing(p, text)
	a := u.send(ctx, "PUT", postPath(p), map[string]string{"text": text}, http.Header{"If-Match": {etag}},
		http.StatusOK, http.StatusForbidden, http.StatusPreconditionFailed, http.StatusNotFound, http.StatusGone)
	switch a.Status {
	case http.StatusOK:
		u.site.history.edited(p, text)
	case http.StatusForbidden:
		u.site.history.forbidden(channel, origin, false)
	case http.StatusPreconditionFailed:
		if !disputed {
			u.site.history.accuse("A4: an edit of post %s was told that another user edited it, and none did", p.id)
		}
	case http.StatusNotFound, http.StatusGone:
		u.site.history.missing(a.span, p)
	}
}

// remove removes one of the user's own posts.
func (u *user) remove(ctx context.Context, channel string) {
	if p := u.site.history.anyPost(channel, u.name, u.draw.IntN); p != nil {
		u.delete(ctx, p)
	}
}

// delete deletes a post or a reply of the user.
func (u *user) delete(ctx context.Context, p *post) {
	u.site.history.removing(p)
	a := u.send(ctx, "DELETE", postPath(p), nil, nil, http.StatusNoContent, http.StatusNotFound, http.StatusGone)
	switch a.Status {
	case http.StatusNoContent:
		u.site.history.removed(p)
	case http.StatusNotFound:
		u.site.history.vanished(a.span, p)
	case http.StatusGone: // with its channel, unless that comes back
		u.site.history.kept(a.span, p)
	}
}

// vote votes on any post, or takes the vote back.
func (u *user) vote(ctx context.Context, channel string) {
	p := u.site.history.anyPost(channel, "", u.draw.IntN)
	if p == nil {
		return
	}
	method, means := "PUT", ballotYes
	if u.draw.IntN(3) == 0 {
		method, means = "DELETE", ballotNo
	}
	a := u.send(ctx, method, postPath(p)+"/vote", nil, nil, http.StatusNoContent, http.StatusNotFound, http.StatusGone)
	switch a.Status {
	case http.StatusNoContent:
		u.site.history.voted(p, u.name, means)
	case http.StatusNotFound, http.StatusGone:
		u.site.history.missing(a.span, p)
	default:
		u.site.history.voted(p, u.name, ballotLost)
	}
}

// reply replies to any post, asks again with the same idempotency key as post does, and sometimes deletes the reply.
func (u *user) reply(ctx context.Context, channel string) {
	p := u.site.history.anyPost(channel, "", u.draw.IntN)
	if p == nil {
		return
	}
	u.written++
	origin := fmt.Sprintf("%s/%d", u.name, u.written)
	u.site.history.draft(origin, postPath(p))
	var first *post
	var made span
	for try := range 4 {
		a := u.send(ctx, "POST", repliesPath(p), map[string]string{"text": origin}, http.Header{"Idempotency-Key": {origin}},
			http.StatusCreated, http.StatusOK, http.StatusForbidden, http.StatusNotFound, http.StatusGone)
		if try == 0 {
			made.from = a.from
		}
		switch a.Status {
		case http.StatusCreated, http.StatusOK:
			var shown item
			switch {
			case !u.decode(a, &shown):
				return
			case first != nil && first.id != shown.ID:
				u.site.history.accuse("I7: one key made the replies %s and %s to post %s", first.id, shown.ID, p.id)
			}
			made.to = a.to
			if first = u.site.history.replied(made, shown.ID, p, u.name, origin); u.draw.IntN(8) == 0 {
				continue
			}
			if u.draw.IntN(4) == 0 {
				u.delete(ctx, first)
			}
			return
		case http.StatusForbidden:
			u.site.history.forbidden(channel, origin, try == 0 && u.tries == 0)
			return
		case http.StatusNotFound, http.StatusGone:
			u.site.history.missing(a.span, p)
			return
		}
	}
}

// subscribe subscribes to a channel, or unsubscribes from it. What is left is judged by check.
func (u *user) subscribe(ctx context.Context, channel string) {
	method := []string{"PUT", "DELETE"}[u.draw.IntN(2)]
	a := u.send(ctx, method, client.SubscriptionPath(channel), nil, nil,
		http.StatusNoContent, http.StatusNotFound, http.StatusGone)
	if a.Status == http.StatusNotFound {
		u.site.history.absent(a.span, channel)
	}
}

// requestDeletion asks for the deletion of one of the user's own channels.
func (u *user) requestDeletion(ctx context.Context, of *incarnation) {
	first := u.site.history.asking(of)
	a := u.send(ctx, "DELETE", client.ChannelPath(of.channel), nil, http.Header{"If-Match": {strconv.Quote(of.id)}},
		http.StatusAccepted, http.StatusNotFound, http.StatusPreconditionFailed)
	switch a.Status {
	case http.StatusAccepted:
		u.site.history.accept(of)
		if !of.adrift && u.draw.IntN(3) > 0 {
			u.undo(ctx, of, u.promise(ctx, of, a, first))
		}
	case http.StatusNotFound, http.StatusPreconditionFailed:
		if first {
			u.site.history.accuse("I2: incarnation %s of %s is gone before its deletion was asked for", of.id, of.channel)
		}
	default:
		u.site.history.lost(of)
	}
}

// promise is until when the deletion can be undone that an answer has accepted, by our clock. It is
// zero if that is not known, since an earlier request may have been accepted.
func (u *user) promise(ctx context.Context, of *incarnation, accepted answer, first bool) time.Time {
	if !first {
		return time.Time{}
	}
	var d client.Deletion
	a := u.send(ctx, "GET", client.DeletionPath(of.channel, of.id), nil, nil, http.StatusOK)
	if a.Status != http.StatusOK || !u.decode(a, &d) || d.UndoableUntil.IsZero() {
		return time.Time{}
	}
	return accepted.from.Add(d.UndoableUntil.Sub(d.RequestedOn))
}

// undo undoes a deletion that was accepted, unless the time that was promised is over and a worker
// was faster.
func (u *user) undo(ctx context.Context, of *incarnation, promised time.Time) {
	pause(ctx, time.Duration(u.draw.Int64N(int64(undoShort+undoShort/4))))
	u.site.history.undoing(of)
	a := u.send(ctx, "POST", client.DeletionPath(of.channel, of.id)+"/undo", nil, nil, http.StatusOK, http.StatusConflict)
	switch a.Status {
	case http.StatusOK:
		u.site.history.undone(of)
		u.site.tally.add("undone", 1)
		u.list(ctx, of.channel)
	case http.StatusConflict:
		if a.to.Before(promised) {
			u.site.history.accuse("I3: the deletion of incarnation %s of %s cannot be undone, %s before the time that was told", of.id, of.channel, promised.Sub(a.to))
		}
		u.site.history.accept(of)
	}
}
