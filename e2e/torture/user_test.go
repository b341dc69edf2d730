package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/e2e/client"
)

func TestUser(t *testing.T) {
	t.Run("an answer with a status that is not allowed is a violation", userAccusesStatus)
	t.Run("an account that stays hidden after an undo is a violation", userAccusesHidden)
	t.Run("a reply that may not be made, where no owner has ruled so, is a violation", userAccusesForbidden)
	t.Run("a reply that was acknowledged must be there, and one that was deleted must not", userRecordsReply)
	t.Run("who leaves replies to the post of another user", leaverReplies)
	t.Run("a reply that has landed after it was forbidden is a violation", userAccusesForbiddenReply)
	t.Run("an owner looks for replies while a rule forbids them", userRulesOutReplies)
	t.Run("a list is read to its end, from the time of the first request", userReadsPages)
	t.Run("no answer is a violation only if no try was answered", userAccusesSilence)
}

func userAccusesStatus(t *testing.T) {
	for status, want := range map[int]int{
		http.StatusInternalServerError: 1, http.StatusUnauthorized: 1,
		http.StatusServiceUnavailable: 0, http.StatusNotFound: 0,
	} {
		s := &site{history: newHistory("test")}
		u := newUser(s, 0, 1, 1)
		u.http = &http.Client{Transport: always(status)}
		s.roles = []*role{{command: "serve", process: &process{url: "http://test"}}}
		u.look(t.Context(), "news")
		if found := s.history.found(); len(found) != want {
			t.Errorf("%d: found %q, want %d", status, found, want)
		}
	}
}

func userAccusesHidden(t *testing.T) {
	for status, want := range map[int]string{http.StatusGone: "I3: bob undid", http.StatusOK: ""} {
		synctest.Test(t, func(t *testing.T) {
			b, u, _ := staged(nil)
			u.http, u.name = &http.Client{Transport: always(status)}, "bob"
			leaver{user: u}.mustReturn(t.Context())
			b.mustFind(t, want)
		})
	}
}

func userAccusesForbidden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, u, p := staged(nil)
		u.http, u.tries = &http.Client{Transport: always(http.StatusForbidden)}, 0
		u.reply(t.Context(), p.channel)
		b.mustFind(t, "I11: ann/1 may not be posted in news")
		if where := b.drafts["ann/1"]; where == postPath(p) {
			t.Error("the reply was forbidden, and may be there")
		}
	})
}

// deleting makes a reply and deletes it.
type deleting struct{ answers }

func (d deleting) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodDelete {
		return always(http.StatusNoContent).RoundTrip(r)
	}
	return d.answers.RoundTrip(r)
}

func userRecordsReply(t *testing.T) {
	for deleted, want := range map[bool]string{false: "I3: reply r to post p of news is not listed", true: "I3: its removal was acknowledged, and reply r"} {
		synctest.Test(t, func(t *testing.T) {
			for seed := range uint64(100) { // some delete the reply, and some do not
				b, u, p := staged(nil)
				u.http = &http.Client{Transport: deleting{answers{repliesPath(p): `{"id":"r"}`}}}
				u.draw = rand.New(rand.NewPCG(1, seed))
				u.reply(t.Context(), p.channel)
				if p.replies[0].removed.IsZero() == deleted {
					continue
				}
				var items []item
				if deleted {
					items = []item{{ID: "r", Text: "ann/1"}}
				}
				b.listedReplies(b.during(), p, items)
				b.mustFind(t, want)
				return
			}
			t.Error("no seed does that")
		})
	}
}

func leaverReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, u, p := staged(nil)
		u.http, u.name, u.tries = &http.Client{Transport: always(http.StatusServiceUnavailable)}, "gil", 0
		leaver{u, p.channel, "own-gil", p}.act(t.Context())
		if where := b.drafts["gil/3"]; where != postPath(p) {
			t.Errorf("the leaver's third text is for %q, want %q", where, postPath(p))
		}
	})
}

func userAccusesForbiddenReply(t *testing.T) {
	one, two := time.Unix(1, 0).UTC(), time.Unix(2, 0).UTC()
	old, recent := item{ID: "q", Text: "bob/2", CreatedOn: one}, item{ID: "r", Text: "bob/3", CreatedOn: two}
	for name, c := range map[string]struct {
		before, after time.Time
		author, want  string
	}{
		"no reply":                         {one, one, "bob", ""},
		"a reply":                          {one, two, "bob", "I11: r of bob has landed in news"},
		"the first reply":                  {time.Time{}, two, "bob", "I11: r"},
		"a reply of a user who may":        {one, two, "cyd", ""},
		"a reply that was deleted by then": {one, two.Add(time.Second), "bob", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, u, p := staged(nil)
				body, _ := json.Marshal(map[string][]item{"items": {old, recent}})
				u.http = &http.Client{Transport: answers{repliesPath(p): string(body)}}
				before := []item{{ID: p.id, Text: p.text, RepliedOn: c.before}}
				after := []item{{ID: p.id, Text: p.text, RepliedOn: c.after}, {ID: "back", RepliedOn: two}}
				after = append(after, u.repliedSince(t.Context(), p.channel, before, after)...)
				b.mustNotGrow(p.channel, before, after, func(author string) bool { return author == c.author })
				b.mustFind(t, c.want)
			})
		})
	}
}

// A replying site shows a post without a reply first, and then with one that has landed.
type replying struct {
	post, reply item
	lists       int
}

func (r *replying) RoundTrip(request *http.Request) (*http.Response, error) {
	shown := r.post
	switch {
	case request.Method != http.MethodGet:
		return always(http.StatusNoContent).RoundTrip(request)
	case strings.HasSuffix(request.URL.Path, "/replies"):
		shown = r.reply
	case strings.HasSuffix(request.URL.Path, "/blogs"):
		if r.lists++; r.lists > 1 {
			shown.RepliedOn = r.reply.CreatedOn
		}
	}
	body, err := json.Marshal(client.Page[item]{Items: []item{shown}})
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Etag": {"i"}}, Body: io.NopCloser(bytes.NewReader(body))}, err
}

func userRulesOutReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(100) { // some close the channel, and some block a user
			b, u, p := staged(nil)
			u.http = &http.Client{Transport: &replying{post: item{ID: p.id, Text: p.text}, reply: item{ID: "r", Text: "bob/3", CreatedOn: time.Unix(1, 0).UTC()}}}
			u.draw = rand.New(rand.NewPCG(1, seed))
			if u.rule(t.Context(), b.incarnations[p.channel][0]); u.site.tally.n["rules"] > 0 {
				b.mustFind(t, "I11: r of bob has landed in news")
				return
			}
		}
		t.Error("no seed closes the channel")
	})
}

// pages are three pages of a list, one item each, a second each.
type pages struct{}

func (pages) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(time.Second)
	page := client.Page[item]{Items: []item{{ID: "1"}}, Next: "1"}
	if after := r.FormValue("after"); after != "" {
		page = client.Page[item]{Items: []item{{ID: after + "1"}}, Next: map[string]string{"1": "11"}[after]}
	}
	body, err := json.Marshal(page)
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(body))}, err
}

func userReadsPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, u, p := staged(nil)
		u.http = &http.Client{Transport: pages{}}
		a, items := u.pages(t.Context(), repliesPath(p), 1)
		if len(items) != 3 || items[2].ID != "111" || a.to.Sub(a.from) != 3*time.Second {
			t.Errorf("read %v in %s, want three items in 3s", items, a.to.Sub(a.from))
		}
	})
}

// always answers with one status.
type always int

func (a always) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: int(a), Body: http.NoBody}, nil
}

func userAccusesSilence(t *testing.T) {
	for failures, want := range map[int]int{0: 0, 1: 0, finalTries: 0, finalTries + 1: 1} {
		synctest.Test(t, func(t *testing.T) {
			s := &site{history: newHistory("test")}
			s.roles = []*role{{command: "serve", process: &process{url: "http://test"}}}
			u := newUser(s, 0, 1, 1)
			u.http, u.tries = &http.Client{Transport: &recovering{failures}}, finalTries
			u.look(t.Context(), "news")
			if found := s.history.found(); len(found) != want {
				t.Errorf("%d failures: found %q, want %d", failures, found, want)
			}
		})
	}
}

// recovering answers with 503 as often as it says, and then with 404.
type recovering struct{ failures int }

func (r *recovering) RoundTrip(*http.Request) (*http.Response, error) {
	status := http.StatusNotFound
	if r.failures > 0 {
		r.failures--
		status = http.StatusServiceUnavailable
	}
	return &http.Response{StatusCode: status, Body: http.NoBody}, nil
}
