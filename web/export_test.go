package web_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestExport(t *testing.T) {
	t.Run("has what a person has, and nothing else", exportHasAll)
	t.Run("reads lists to their end", exportIsWhole)
	t.Run("is cut if the store fails on the way", exportIsCut)
	t.Run("is cut if a channel is deleted on the way", exportOfLostChannelIsCut)
	t.Run("is made once at a time", exportIsAlone)
	t.Run("ends with its session, within five seconds and before another channel", exportEndsWithItsSession)
}

// files are the files of an export.
func files(t testing.TB, archive []byte) map[string]string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	ok(t, err)
	texts := map[string]string{}
	for _, file := range r.File {
		content, err := file.Open()
		ok(t, err)
		text, err := io.ReadAll(content)
		ok(t, err)
		texts[file.Name] = string(text)
		if time.Since(file.Modified).Abs() > time.Minute {
			t.Errorf("%s is of %s", file.Name, file.Modified)
		}
	}
	return texts
}

func exportHasAll(t *testing.T) {
	s, token, engines := engines(t, "ada")
	ok(t, s.store.Operator.ListChannel(t.Context(), engines))
	s.author("bob")
	wheels, axles, gone := s.channel("Wheels", "bob"), s.channel("Axles", "bob"), s.channel("Gone", "bob")
	s.post(engines, "ada", "Mine at home")
	s.post(engines, "bob", "A reader of mine")
	s.post(wheels, "ada", "Mine elsewhere")
	rated := s.post(axles, "bob", "Of another user")
	lost := s.post(gone, "ada", "Mine in what is gone")
	ok(t, s.store.Posts.Vote(t.Context(), axles.Ref(), rated.ID, "ada"))
	off := s.post(wheels, "bob", "Voted on and off")
	ok(t, s.store.Posts.Vote(t.Context(), wheels.Ref(), off.ID, "ada"))
	ok(t, s.store.Posts.Unvote(t.Context(), wheels.Ref(), off.ID, "ada"))
	ok(t, s.store.Posts.Vote(t.Context(), gone.Ref(), lost.ID, "ada"))
	s.requestDeletion(gone)
	s.subscribe("ada", axles)
	for _, path := range []string{"/account/export.zip", "/api/v1/account/export"} {
		got := s.do("GET", path, cookie(token)).want(200)
		if name := got.header.Get("Content-Disposition"); !strings.HasPrefix(name, "attachment; filename=microblogging-ada-") {
			t.Errorf("Content-Disposition %q", name)
		}
		texts := files(t, got.body)
		var names []string
		for name := range texts {
			names = append(names, name)
		}
		slices.Sort(names)
		want := []string{"channels/Engines.json", "channels/Engines.md", "posts/Wheels.json", "posts/Wheels.md", "profile.json", "subscriptions.json", "votes.json"}
		if !slices.Equal(names, want) {
			t.Errorf("%s has %q, want %q", path, names, want)
		}
		for name, parts := range map[string][]string{
			"channels/Engines.json": {"Mine at home", "A reader of mine"}, "channels/Engines.md": {"Mine at home", "A reader of mine"},
			"posts/Wheels.json": {"Mine elsewhere"}, "posts/Wheels.md": {"Mine elsewhere"},
			"profile.json": {`"name":"ada"`}, "subscriptions.json": {`"Axles"`}, "votes.json": {string(rated.ID)},
		} {
			for _, part := range parts {
				if !strings.Contains(texts[name], part) {
					t.Errorf("%s has no %q: %s", name, part, texts[name])
				}
			}
		}
		for name, text := range texts {
			for _, not := range []string{"Of another user", "All about Wheels", "Voted on and off", "Mine in what is gone", string(off.ID), string(lost.ID)} {
				if strings.Contains(text, not) {
					t.Errorf("%s has %q", name, not)
				}
			}
		}
	}
	s.do("GET", "/api/v1/account/export").want(401)
}

func exportIsWhole(t *testing.T) {
	s, token, engines := engines(t, "ada")
	ok(t, s.store.Operator.ListChannel(t.Context(), engines))
	s.author("bob")
	wheels := s.channel("Wheels", "bob")
	const posts = 230
	for range posts {
		s.post(engines, "ada", "Post")
		ok(t, s.store.Posts.Vote(t.Context(), wheels.Ref(), s.post(wheels, "ada", "Post").ID, "ada"))
	}
	texts := files(t, s.do("GET", "/account/export.zip", cookie(token)).want(200).body)
	for name, part := range map[string]string{"channels/Engines.json": `"content_text"`, "posts/Wheels.md": "@ada", "votes.json": `"url"`} {
		if n := strings.Count(texts[name], part); n < posts {
			t.Errorf("%s has %d of %d", name, n, posts)
		}
	}
}

func exportIsCut(t *testing.T) {
	s, token, engines := engines(t, "ada")
	ok(t, s.store.Operator.ListChannel(t.Context(), engines))
	s.post(engines, "ada", "Hello")
	failing := drivertest.Hook(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == driver.CallRange && call.Target == "Blogs" {
			return drivertest.ErrInjected
		}
		return send(ctx)
	})
	s.hook.Store(&failing)
	defer func() {
		if cause, _ := recover().(error); !errors.Is(cause, http.ErrAbortHandler) {
			t.Errorf("the connection is not cut: %v", cause)
		}
	}()
	got := s.do("GET", "/account/export.zip", cookie(token))
	t.Errorf("answered with %d and a file of %d bytes", got.status, len(got.body))
}

func exportOfLostChannelIsCut(t *testing.T) {
	s, token, engines := engines(t, "ada")
	ok(t, s.store.Operator.ListChannel(t.Context(), engines))
	for range 150 {
		s.post(engines, "ada", "Hello")
	}
	reads := 0
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == driver.CallRange && call.Target == "Blogs" {
			if reads++; reads == 2 { // the second page of the posts
				s.mendStore()
				s.requestDeletion(engines)
				s.cascade(engines.Ref())
			}
		}
		return send(ctx)
	})
	defer func() {
		if cause, _ := recover().(error); !errors.Is(cause, http.ErrAbortHandler) {
			t.Errorf("the connection is not cut: %v", cause)
		}
	}()
	got := s.do("GET", "/account/export.zip", cookie(token))
	t.Errorf("answered with %d and a file of %d bytes", got.status, len(got.body))
}

func exportIsAlone(t *testing.T) {
	s, token, engines := engines(t, "ada")
	ok(t, s.store.Operator.ListChannel(t.Context(), engines))
	s.post(engines, "ada", "Hello")
	second := 0
	nested := drivertest.Hook(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == driver.CallRange && call.Target == "Blogs" && second == 0 {
			second = -1
			second = s.do("GET", "/account/export.zip", cookie(token)).status
		}
		return send(ctx)
	})
	s.hook.Store(&nested)
	s.do("GET", "/account/export.zip", cookie(token)).want(200)
	if second != 503 {
		t.Errorf("a second export is answered with %d", second)
	}
	if got := s.do("GET", "/account/export.zip", cookie(token)).want(200); !bytes.HasPrefix(got.body, []byte("PK")) {
		t.Error("the next one is no zip")
	}
}

// A reading calls a function before its client accepts the headers or a part of a response.
type reading struct {
	*httptest.ResponseRecorder
	accept func()
}

func (r reading) WriteHeader(status int) { r.accept(); r.ResponseRecorder.WriteHeader(status) }

func (r reading) Write(part []byte) (int, error) { r.accept(); return r.ResponseRecorder.Write(part) }

// read answers a request of a client that calls accept for each part. It reports whether the connection was cut.
func (s *site) read(r *http.Request, accept func()) (cut bool) {
	s.Helper()
	defer func() {
		if cause := recover(); cause != nil {
			if cut = cause == any(http.ErrAbortHandler); !cut {
				panic(cause)
			}
		}
	}()
	s.handler.ServeHTTP(reading{httptest.NewRecorder(), accept}, r)
	return false
}

func exportEndsWithItsSession(t *testing.T) {
	for what, each := range map[string]time.Duration{"a slow reader": time.Second, "a fast one": 0} {
		synctest.Test(t, func(t *testing.T) {
			s, token, engines := engines(t, "ada")
			ok(t, s.store.Operator.ListChannel(t.Context(), engines))
			ok(t, s.store.Operator.ListChannel(t.Context(), s.channel("Wheels", "ada")))
			for range 100 {
				text := ""
				for len(text) < 4500 { // which no compression makes small
					text += rand.Text()
				}
				s.post(engines, "ada", text)
			}
			var next atomic.Int64
			var ended time.Time
			end := sync.OnceFunc(func() { ok(t, s.store.Accounts.EndSessions(t.Context(), "ada")); ended = time.Now() })
			s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
				if call.Method == driver.CallRange && strings.HasPrefix(call.From, "blog!") {
					switch call.Partition {
					case "engines":
						end()
					case "wheels":
						next.Add(1)
					}
				}
				return send(ctx)
			})
			r := httptest.NewRequestWithContext(t.Context(), "GET", "/account/export.zip", nil)
			cookie(token)(r)
			cut := s.read(r, func() { time.Sleep(each) })
			if took := time.Since(ended); !cut || took > 5*time.Second+each || next.Load() > 0 {
				t.Errorf("%s: cut %t, %s after the end of the session, and %d calls read the next channel", what, cut, took, next.Load())
			}
		})
	}
}
