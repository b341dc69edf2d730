package main

import (
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/e2e/program"
)

// answers are bodies by path. A path without a body is answered with 503.
type answers map[string]string

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	body, ok := a[r.URL.Path]
	status := http.StatusOK
	switch {
	case !ok:
		status = http.StatusServiceUnavailable
	case r.Method == http.MethodPost:
		status = http.StatusCreated
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Etag": {"i"}}, Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

// staged is a site that gives these answers. Its one user owns a channel and has
// posted there.
func staged(a answers) (bench, *user, *post) {
	b := bench{newHistory("test")}
	s := &site{tally: &tally{n: map[string]int64{}}, history: b.history, channels: []string{"news"}}
	s.roles = []*role{{command: "serve", process: &process{url: "http://test"}}}
	u := newUser(s, 0, 1, 1)
	u.http, u.name, u.tries = &http.Client{Transport: a}, "ann", finalTries
	s.users = []*user{u}
	return b, u, b.postedIn(b.channel())
}

func TestJudge(t *testing.T) {
	t.Run("accuses what is not as it was acknowledged", judgeAccuses)
	t.Run("accuses what is left of a user who is gone", judgeAccusesRemains)
	t.Run("accuses a deletion that does not end, or ends in poison", judgeAccusesEndlessDeletion)
	t.Run("accuses a log line that no process should write", judgeAccusesLogLine)
	t.Run("accuses its own commands", judgeAccusesCommand)
}

func judgeAccuses(t *testing.T) {
	const (
		channel = "/api/v1/channels/news"
		there   = `{"owner":"ann","description":"ann/1"}`
		shown   = `{"id":"p","text":"ann/2 as posted"}`
		listed  = `{"items":[` + shown + `]}`
		reply   = `{"id":"r","text":"bob/3"}`
		replies = channel + "/blogs/p/replies"
		nothing = `{"items":[]}`
	)
	right := answers{
		channel: there, channel + "/blogs": listed, channel + "/blogs/p": shown, replies: nothing,
	}
	with := func(path, body string) answers {
		a := maps.Clone(right)
		if a[path] = body; body == "" {
			delete(a, path)
		}
		return a
	}
	for name, c := range map[string]struct {
		answers answers
		told    func(b bench, u *user, p *post)
		want    string
	}{
		"nothing, if all is well": {right, func(bench, *user, *post) {}, ""},
		"a vote that does not count": {right, func(b bench, _ *user, p *post) {
			b.voted(p, "bob", ballotYes)
		}, "I8"},
		"a vote that no user cast":      {with(channel+"/blogs/p", `{"id":"p","text":"ann/2 as posted","rating":1}`), func(bench, *user, *post) {}, "I8"},
		"a post that is not there":      {with(channel+"/blogs", nothing), func(bench, *user, *post) {}, "I3"},
		"a list that is never answered": {with(channel+"/blogs", ""), func(bench, *user, *post) {}, "GET " + channel + "/blogs"},
		"a reply that is there": {with(replies, `{"items":[`+reply+`]}`), func(b bench, _ *user, p *post) {
			b.repliedTo(p)
		}, ""},
		"a reply that is not there": {right, func(b bench, _ *user, p *post) {
			b.repliedTo(p)
		}, "I3: reply r"},
		"a reply that no user wrote":      {with(replies, `{"items":[`+reply+`]}`), func(bench, *user, *post) {}, "I2"},
		"replies that are never answered": {with(replies, ""), func(bench, *user, *post) {}, "GET " + replies},
		"a post that is never answered":   {with(channel+"/blogs/p", ""), func(bench, *user, *post) {}, "GET " + channel + "/blogs/p"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, u, p := staged(c.answers)
				c.told(b, u, p)
				time.Sleep(time.Second)
				u.site.judge(t.Context())
				b.mustFind(t, c.want)
			})
		})
	}
}

// remains is what is left of a user who is gone: a path without a body is not found.
type remains answers

func (r remains) RoundTrip(request *http.Request) (*http.Response, error) {
	switch _, ok := r[request.URL.Path]; {
	case ok:
		return answers(r).RoundTrip(request)
	case request.Method == http.MethodPost: // they sign in
		return always(http.StatusUnauthorized).RoundTrip(request)
	}
	return always(http.StatusNotFound).RoundTrip(request)
}

func judgeAccusesRemains(t *testing.T) {
	const (
		blogs   = "/api/v1/channels/news/blogs"
		shown   = `{"id":"p","text":"ann/2 as posted"}`
		replies = blogs + "/p/replies"
		theirs  = `{"id":"q","text":"gil/1 as posted","userId":"gil"}`
		nothing = `{"items":[]}`
	)
	for name, c := range map[string]struct {
		posts, replies, want string
	}{
		"nothing":              {shown, "", ""},
		"a post":               {shown + "," + theirs, "", "I12: gil was gone, and post q"},
		"a reply":              {shown, theirs, "I12: gil was gone, and reply q"},
		"a reply that is kept": {shown, strings.Replace(theirs, `"gil"`, `"[deleted]"`, 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, u, p := staged(nil)
				u.http = &http.Client{Transport: remains{blogs: `{"items":[` + c.posts + `]}`, replies: `{"items":[` + c.replies + `]}`}}
				g := leaver{&user{site: u.site, name: "gil", http: u.http}, "news", "own-gil", p}
				b.draft("gil/1", map[bool]string{true: "news", false: postPath(p)}[c.replies == ""])
				u.site.judgeLeaver(t.Context(), g)
				b.mustFind(t, c.want)
			})
		})
	}
}

func judgeAccusesEndlessDeletion(t *testing.T) {
	for state, want := range map[string]string{"running": "I5", "poisoned": "I5", "done": ""} {
		synctest.Test(t, func(t *testing.T) {
			b, u, _ := staged(answers{"/api/v1/channels/news/deletions/i": `{"state":"` + state + `"}`})
			b.accepted(b.incarnations["news"][0])
			u.site.drain(t.Context())
			b.mustFind(t, want)
		})
	}
}

func judgeAccusesLogLine(t *testing.T) {
	for text, want := range map[string]int{
		`{"outcome":"done","deliveries":3}`:     0,
		`{"outcome":"panic"}`:                   1,
		"WARNING: DATA RACE":                    1,
		strings.Repeat("x", 100_000) + " panic": 1,
	} {
		s := &site{tally: &tally{n: map[string]int64{}}, history: newHistory("test")}
		log := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(log, []byte(`{"outcome":"done","deliveries":1}`+"\n"+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s.roles = []*role{{log: log}}
		err := s.readLogs()
		if found := s.history.found(); err != nil || len(found) != want {
			t.Errorf("%.40s: found %d and %v, want %d", text, len(found), err, want)
		}
		if n := s.tally.n["redeliveries"]; want == 0 && n != 2 {
			t.Errorf("%d redeliveries, want 2", n)
		}
	}
}

func judgeAccusesCommand(t *testing.T) {
	const sound, violation, idle = `{"violations":[]}`, `{"violations":[{"invariant":"I1"}]}`, `{"violations":[{"invariant":"I5"}]}`
	for name, c := range map[string]struct{ script, want string }{
		"a sound check is not accused":       {"echo '" + sound + "'", ""},
		"a check that finds a violation":     {"echo '" + violation + "'; exit 1", "I1"},
		"a check that writes nothing":        {"exit 2", "check: exit 2"},
		"a check that raced":                 {"echo '" + sound + "'; echo WARNING: DATA RACE >&2; exit 66", "check: exit 66"},
		"a check that raced and ended well":  {"echo '" + sound + "'; echo WARNING: DATA RACE >&2", "check: exit 0"},
		"a check of a deletion that is idle": {"echo '" + idle + "'; exit 1", "I5"},
	} {
		t.Run(name, func(t *testing.T) {
			binary := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(binary, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			s := &site{tally: &tally{n: map[string]int64{}}, history: newHistory("test"), setup: program.Setup{Binary: binary}}
			s.end(t.Context())
			s.history.mustFind(t, c.want)
		})
	}
}
