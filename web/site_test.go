package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/drivertest"
	"microblogging/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A site is a web role over a real store, as one test uses it.
type site struct {
	testing.TB
	*role
}

// in is the same web role as a subtest uses it.
func (s *site) in(t testing.TB) *site { return &site{t, s.role} }

// A role is a web role over a store that can be made to fail.
type role struct {
	store   *storage.Store
	handler http.Handler
	log     *logBuffer
	spec    *openAPI
	writes  atomic.Int64
	hook    atomic.Pointer[drivertest.Hook]
}

func newSite(t testing.TB) *site { return newSiteWith(t, web.Options{Version: "test"}) }

func newSiteWith(t testing.TB, options web.Options) *site {
	t.Helper()
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	if err != nil {
		t.Fatalf("opening the store: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	s := &site{t, &role{log: &logBuffer{}}}
	faults := drivertest.NewFaults(db, db, s.intercept)
	s.store = storage.New(faults, faults)
	if err := s.store.Prepare(t.Context()); err != nil {
		t.Fatalf("preparing the store: %v", err)
	}
	options.Logger = slog.New(slog.NewTextHandler(s.log, nil))
	if s.handler, err = web.New(s.store, options); err != nil {
		t.Fatalf("making the web role: %v", err)
	}
	s.spec = parseOpenAPI(t, s.do("GET", "/api/openapi.json").body)
	return s
}

func (r *role) intercept(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
	if call.Write {
		r.writes.Add(1)
	}
	if hook := r.hook.Load(); hook != nil {
		return (*hook)(ctx, call, send)
	}
	return send(ctx)
}

// breakStore makes every later call of the store do what the hook does.
func (r *role) breakStore(hook drivertest.Hook) { r.hook.Store(&hook) }

func (r *role) mendStore() { r.hook.Store(nil) }

// unwritten runs a request and fails the test if it wrote anything.
func (s *site) unwritten(request func() answer) answer {
	s.Helper()
	before := s.writes.Load()
	a := request()
	if n := s.writes.Load() - before; n != 0 {
		s.Errorf("%d writes, want none", n)
	}
	return a
}

const password = "correct horse battery staple"

// signUp makes an account and returns the token of a session.
func (s *site) signUp(name string) string {
	s.Helper()
	if _, err := s.store.SignUp(s.Context(), name, password); err != nil {
		s.Fatalf("signing %s up: %v", name, err)
	}
	return s.session(name)
}

// session returns the token of one more session, without the cost of a password.
func (s *site) session(name string) string {
	s.Helper()
	link, err := s.store.SignInLink(s.Context(), domain.UserName(name))
	if err != nil {
		s.Fatalf("making a link: %v", err)
	}
	token, _, err := s.store.FollowSignInLink(s.Context(), link)
	if err != nil {
		s.Fatalf("following a link: %v", err)
	}
	return token
}

// channel makes a channel.
func (s *site) channel(name, owner string) domain.Channel {
	s.Helper()
	channel, err := domain.NewChannel(name, "All about "+name, domain.UserName(owner))
	if err == nil {
		channel, err = s.store.CreateChannel(s.Context(), channel)
	}
	if err != nil {
		s.Fatalf("creating channel %s: %v", name, err)
	}
	return channel
}

// post makes a post.
func (s *site) post(channel domain.Channel, by, text string) domain.Blog {
	s.Helper()
	blog, _, err := s.store.Post(s.Context(), storage.Posting{
		Channel: channel.Ref(), By: domain.UserName(by), Key: string(domain.NewRevision()), Draft: domain.Draft{Text: text},
	})
	if err != nil {
		s.Fatalf("posting: %v", err)
	}
	return blog
}

// askDeletion asks for the deletion of a channel, for its owner.
func (s *site) askDeletion(channel domain.Channel) {
	s.Helper()
	_, err := s.store.AskDeletion(s.Context(), channel.Key(), channel.Owner, domain.Any[domain.Incarnation]())
	if err != nil {
		s.Fatalf("asking for a deletion: %v", err)
	}
}

// cascade does what a worker does with a channel that is being deleted.
func (s *site) cascade(ref domain.ChannelRef) {
	s.Helper()
	ctx := s.Context()
	if _, err := s.store.ShutGate(ctx, ref); err != nil {
		s.Fatalf("shutting the gate: %v", err)
	}
	for found := true; found; {
		page, err := s.store.Sweep(ctx, ref, "", func(int) {})
		if err != nil {
			s.Fatalf("sweeping: %v", err)
		}
		found = page.Found > 0
	}
	if err := s.store.DisarmGate(ctx, ref); err != nil {
		s.Fatalf("disarming: %v", err)
	}
	if err := s.store.ReleaseName(ctx, ref); err != nil {
		s.Fatalf("releasing: %v", err)
	}
}

// An answer is a response that was read to its end.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

// A change alters a request before it is sent.
type change func(*http.Request)

func header(name, value string) change {
	return func(r *http.Request) { r.Header.Add(name, value) }
}

func bearer(token string) change { return header("Authorization", "Bearer "+token) }

func cookie(token string) change { return header("Cookie", "session="+token) }

// raw is a body as it stands, said to be JSON.
func raw(body string) change {
	return func(r *http.Request) {
		r.Header.Set("Content-Type", "application/json")
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	}
}

// fields are the members of a JSON body: names and values in turn.
func fields(pairs ...string) change {
	members := make(map[string]string)
	for i := 0; i < len(pairs); i += 2 {
		members[pairs[i]] = pairs[i+1]
	}
	body, err := json.Marshal(members)
	if err != nil {
		panic(err) // strings always marshal
	}
	return raw(string(body))
}

// do sends a request, and holds the answer of the API to what it documents.
func (s *site) do(method, path string, changes ...change) answer {
	s.Helper()
	r := httptest.NewRequestWithContext(s.Context(), method, path, nil)
	for _, change := range changes {
		change(r)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	a := answer{s, w.Code, w.Header(), w.Body.Bytes()}
	if strings.HasPrefix(path, "/api/v1/") {
		s.spec.check(s, r, a)
	}
	return a
}

// want fails the test unless the answer has the status.
func (a answer) want(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d, want %d\n%s", a.status, status, a.body)
	}
	return a
}

// get is a member of the JSON body, by a path such as "items.0.text". It is nil
// if there is none.
func (a answer) get(path string) any {
	a.t.Helper()
	var value any
	if err := json.Unmarshal(a.body, &value); err != nil {
		a.t.Fatalf("body is not JSON: %v\n%s", err, a.body)
	}
	return dig(value, path)
}

// text is get for strings.
func (a answer) text(path string) string {
	a.t.Helper()
	text, _ := a.get(path).(string)
	return text
}

// wantField fails the test unless the answer blames this field.
func (a answer) wantField(name string) answer {
	a.t.Helper()
	var p struct{ Errors []domain.FieldError }
	if err := json.Unmarshal(a.body, &p); err != nil {
		a.t.Fatalf("body is not JSON: %v\n%s", err, a.body)
	}
	for _, e := range p.Errors {
		if e.Field == name && e.Detail != "" {
			return a
		}
	}
	a.t.Fatalf("no error on field %q in %s", name, a.body)
	return a
}

// logBuffer is the log of a site.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
