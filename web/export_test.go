package web_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	unsafe "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestExport(t *testing.T) {
	t.Run("has what a person has, and nothing else", exportHasAll)
	t.Run("reads lists to their end", exportIsWhole)
	t.Run("has files that every system can have", exportHasPortableFiles)
	t.Run("shows each post as one, whatever its text says", exportedPostIsOne)
	t.Run("is cut if the store fails on the way", exportIsCut)
	t.Run("is cut if a channel is deleted on the way", exportOfLostChannelIsCut)
	t.Run("is made once at a time", exportIsAlone)
	t.Run("takes no more than two of all places for an address", exportsOfAnAddress)
	t.Run("is cut after an hour, however slowly it is read", exportEndsAfterAnHour)
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
	answered := s.post(engines, "bob", "A reader of mine")
	elsewhere := s.post(wheels, "ada", "Mine elsewhere")
	mine := s.reply(engines, answered, "ada", "My reply at home")
	s.reply(engines, answered, "bob", "A reply at mine")
	s.reply(wheels, elsewhere, "bob", "Another’s reply elsewhere")
	s.reply(wheels, elsewhere, "ada", "My reply elsewhere")
	rated := s.post(axles, "bob", "Of another user")
	lost := s.post(gone, "ada", "Mine in what is gone")
	s.reply(gone, lost, "ada", "Mine in what is gone")
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
		want := []string{"channels/Engines.json", "channels/Engines.md", "posts/Wheels.json", "posts/Wheels.md", "profile.json", "replies.json", "subscriptions.json", "votes.json"}
		if !slices.Equal(names, want) {
			t.Errorf("%s has %q, want %q", path, names, want)
		}
		for name, parts := range map[string][]string{
			"channels/Engines.json": {"Mine at home", "A reader of mine", "A reply at mine", "My reply at home", string(mine.ID)},
			"channels/Engines.md":   {"Mine at home", "A reader of mine", "### Reply to @bob\n\n    A reply at mine\n\n@bob"},
			"replies.json":          {"My reply at home", "My reply elsewhere", string(elsewhere.ID), `"channel":"Wheels"`},
			"posts/Wheels.json":     {"Mine elsewhere"}, "posts/Wheels.md": {"Mine elsewhere"},
			"profile.json": {`"name":"ada"`}, "subscriptions.json": {`"Axles"`}, "votes.json": {string(rated.ID)},
		} {
			for _, part := range parts {
				if !strings.Contains(texts[name], part) {
					t.Errorf("%s has no %q: %s", name, part, texts[name])
				}
			}
		}
		for name, text := range texts {
			for _, not := range []string{"Of another user", "All about Wheels", "Voted on and off", "Mine in what is gone", "Another’s reply elsewhere", string(off.ID), string(lost.ID)} {
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

func exportHasPortableFiles(t *testing.T) {
	s, token, _ := engines(t, "ada")
	long := strings.Repeat("𐐀", domain.MaxChannelName-1) // of four bytes
	names := []string{"Con", "nul", "aux.2026", "COM1", "lpt9.a.b", "Console", "com10", "null", "a.con", long + "𐐀", long + "𐐁", "straße", "ı", "i"}
	for _, name := range names {
		ok(t, s.store.Operator.ListChannel(t.Context(), s.channel(name, "ada")))
	}
	texts := files(t, s.do("GET", "/account/export.zip", cookie(token)).want(200).body)
	devices := strings.Fields("CON PRN AUX NUL COM0 COM1 COM2 COM3 COM4 COM5 COM6 COM7 COM8 COM9 LPT0 LPT1 LPT2 LPT3 LPT4 LPT5 LPT6 LPT7 LPT8 LPT9")
	folded, titles := map[string]string{}, map[string]bool{}
	for name, text := range texts {
		_, file, inside := strings.Cut(name, "/")
		if !inside {
			continue
		}
		stem, _, _ := strings.Cut(file, ".")
		if slices.Contains(devices, strings.ToUpper(stem)) || len(file) > 255 || strings.ContainsAny(file, `/\<>:"|?* `) || strings.HasSuffix(strings.TrimSuffix(file, ".json"), ".") {
			t.Errorf("some system cannot have %q", name)
		}
		if other, twice := folded[domain.Fold(name)]; twice {
			t.Errorf("%q is %q where case does not count", name, other)
		}
		folded[domain.Fold(name)] = name
		if strings.HasSuffix(name, ".json") {
			var about struct{ Title string }
			ok(t, json.Unmarshal([]byte(text), &about))
			titles[about.Title] = true
		}
	}
	for _, name := range names {
		if !titles[name] || len(texts) < 2*len(names) {
			t.Errorf("no file has the channel %s", name)
		}
	}
}

// forgeries are texts that end their own post and begin another, if something lets them.
func forgeries() []string {
	const other = "@ada, 2026-01-02T03:04:05Z\n\n---\n\n## Another\n\nForged"
	return []string{
		"Mine\n\n" + other,
		"Mine\u2028\u2028" + strings.ReplaceAll(other, "\n", "\u2028"),
		"Mine\u2029" + strings.ReplaceAll(other, "\n", "\u2029"),
		"```\nMine\n```\n\n" + other,
		"\n\n\tMine\n\n\t" + other,
		"> Mine\n\n</code></pre></blockquote><p>@ada, 2026-01-02T03:04:05Z</p><hr><h2>Another</h2><p>Forged",
		"Mine <!--",
		"[Engines]: https://example.org/ada\n[^1]: Forged",
		"Mine\",\"authors\":[{\"name\":\"ada\"}]},\n{\"id\":\"1\",\"content_text\":\"Forged",
	}
}

func exportedPostIsOne(t *testing.T) {
	s, token, channel := engines(t, "ada")
	ok(t, s.store.Operator.ListChannel(t.Context(), channel))
	by := s.author("_bob_")
	titles := []string{"", "*Stress* \\ `code` #", "</h2><hr><p>@ada", "<!--", "[a](https://example.org) &amp;", "~~struck~~ $x$ {#engines}"}
	var posted []domain.Draft
	for i, forgery := range forgeries() {
		draft := domain.Draft{Title: titles[i%len(titles)], Text: forgery}
		_, _, err := s.store.Posts.Create(t.Context(), storage.NewPost{Channel: channel, By: by, Key: fmt.Sprint(i), Draft: draft})
		ok(t, err)
		posted = append([]domain.Draft{draft}, posted...)
	}
	texts := files(t, s.do("GET", "/account/export.zip", cookie(token)).want(200).body)
	mustBeThePosts(t, texts["channels/Engines.json"], posted)
	mustShowThePosts(t, texts["channels/Engines.md"], posted)
}

func mustBeThePosts(t *testing.T, feed string, posted []domain.Draft) {
	t.Helper()
	var got struct {
		Items []struct {
			Title   string
			Text    string `json:"content_text"`
			Authors []struct{ Name string }
		}
	}
	ok(t, json.Unmarshal([]byte(feed), &got))
	if len(got.Items) != len(posted) {
		t.Fatalf("%d items, want %d", len(got.Items), len(posted))
	}
	for i, item := range got.Items {
		if item.Text != posted[i].Text || item.Title != posted[i].Title || item.Authors[0].Name != "_bob_" {
			t.Errorf("item %d is %+v", i, item)
		}
	}
	if lines := strings.Count(feed, "\n"); lines != len(posted)+1 {
		t.Errorf("the posts take %d lines, want one each", lines)
	}
}

// mustShowThePosts reads Markdown as a program does that shows the HTML in it.
func mustShowThePosts(t *testing.T, source string, posted []domain.Draft) {
	t.Helper()
	var page bytes.Buffer
	reader := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote), goldmark.WithRendererOptions(unsafe.WithUnsafe()))
	ok(t, reader.Convert([]byte(source), &page))
	root, err := html.Parse(&page)
	ok(t, err)
	shown := map[string][]string{}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode || n.Type == html.CommentNode {
			shown[n.Data] = append(shown[n.Data], text(n))
		}
	}
	var headings, codes []string
	for _, draft := range posted {
		if draft.Title != "" {
			headings = append(headings, draft.Title)
		}
		codes = append(codes, strings.Trim(strings.NewReplacer("\u2028", "\u2028    ", "\u2029", "\u2029    ").Replace(draft.Text), "\n")+"\n")
	}
	codes = append([]string{"All about Engines\n"}, codes...)
	if !slices.Equal(shown["h2"], headings) || !slices.Equal(shown["code"], codes) {
		t.Errorf("it shows the titles %q and the texts %q", shown["h2"], shown["code"])
	}
	if len(shown["hr"]) != len(posted) || len(shown["p"]) != len(posted) {
		t.Errorf("it shows %d ends of posts and the paragraphs %q", len(shown["hr"]), shown["p"])
	}
	for _, paragraph := range shown["p"] {
		if !strings.HasPrefix(paragraph, "@_bob_, 20") {
			t.Errorf("it shows %q", paragraph)
		}
	}
	for _, line := range regexp.MustCompile("[\n\u2028\u2029]").Split(source, -1) {
		own := line == "" || line == "---" || line == "# Engines" || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, `@\_bob\_, 20`) || strings.HasPrefix(line, "## ")
		if !own {
			t.Errorf("a line of a text looks like one of the file: %q", line)
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

// exportsOfAnAddress begins exports within exports.
func exportsOfAnAddress(t *testing.T) {
	s := newSite(t)
	export := func(user string, client string) answer {
		return s.do("GET", "/account/export.zip", cookie(s.session(user)), from(client))
	}
	var users []string
	for i := range 11 {
		users = append(users, fmt.Sprintf("user%d", i))
		s.post(s.channel("Channel"+strconv.Itoa(i), string(s.author(users[i]))), users[i], "Hello")
	}
	// The first two users have one address, and each two others have one of their own.
	address := func(i int) string { return fmt.Sprintf("192.0.2.%d", i/2) }
	begun := 0
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == driver.CallRange && strings.HasPrefix(call.From, "blog!") && call.Partition == fmt.Sprintf("channel%d", begun) {
			begun++
			export(users[begun-1], address(10)).want(503).has("Your export is still running")
			if begun == 2 {
				export(users[2], address(0)).want(503).has("Others are downloading their data, here or at your address").headed("Retry-After", "30")
			}
			if begun == 8 {
				export(users[8], address(8)).want(503).has("Others are downloading their data, here or at your address").headed("Retry-After", "30")
				return send(ctx)
			}
			export(users[begun], address(begun)).want(200)
		}
		return send(ctx)
	})
	export(users[0], address(0)).want(200)
	s.mendStore()
	if export(users[9], address(0)).want(200); begun != 8 {
		t.Errorf("%d exports were under way together", begun)
	}
}

func exportEndsAfterAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, token, engines := engines(t, "ada")
		ok(t, s.store.Operator.ListChannel(t.Context(), engines))
		for range 100 {
			text := ""
			for len(text) < 4500 { // which no compression makes small
				text += rand.Text()
			}
			s.post(engines, "ada", text)
		}
		r, began := httptest.NewRequestWithContext(t.Context(), "GET", "/account/export.zip", nil), time.Now()
		cookie(token)(r)
		cut := s.read(r, func() { time.Sleep(5 * time.Minute) })
		if took := time.Since(began); !cut || took < time.Hour || took > 66*time.Minute {
			t.Errorf("cut %t, after %s", cut, took)
		}
	})
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
