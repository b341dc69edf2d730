package web_test

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/templates"
	"microblogging/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A site is a web role over a real store, bound to one test.
type site struct {
	testing.TB
	*role
}

// in returns the same web role, bound to a subtest.
func (s *site) in(t testing.TB) *site { return &site{t, s.role} }

// A role is a web role over a store that can be made to fail.
type role struct {
	store   *storage.Parts
	db      driver.Backend
	handler http.Handler
	log     *logBuffer
	spec    *openAPI
	writes  atomic.Int64
	hook    atomic.Pointer[drivertest.Hook]
}

// withRequestID logs as the program does, whose log has the id of the request in each line.
type withRequestID struct{ slog.Handler }

func (h withRequestID) Handle(ctx context.Context, r slog.Record) error {
	r.AddAttrs(slog.String("request_id", web.RequestID(ctx)))
	return h.Handler.Handle(ctx, r)
}

func newSite(t testing.TB) *site { return newSiteWith(t, web.Options{Version: "test"}) }

func newSiteWith(t testing.TB, options web.Options) *site {
	t.Helper()
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	ok(t, err)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return newSiteOver(t, db, options)
}

// newSiteOver is for a test that opens the store itself, and closes it.
func newSiteOver(t testing.TB, db driver.Backend, options web.Options) *site {
	t.Helper()
	s := &site{t, &role{db: db, log: &logBuffer{}}}
	faults := drivertest.NewFaults(drivertest.Far(db), s.intercept)
	s.store = storage.New(faults, storage.Options{Undo: options.Undo, UndoAccount: options.UndoAccount})
	ok(t, s.store.Operator.Prepare(t.Context()))
	options.Hosts = append(options.Hosts, "example.com", "blog.example") // the first is that of package httptest
	options.PageCache = cmp.Or(options.PageCache, 16<<20)
	options.Logger = cmp.Or(options.Logger, slog.New(withRequestID{slog.NewTextHandler(s.log, nil)}))
	var err error
	if s.handler, err = web.New(s.store.Store, options); err != nil {
		t.Fatalf("making the web role: %v", err)
	}
	s.spec = parseOpenAPI(t, s.do("GET", "/api/openapi.json").body)
	return s
}

func (r *role) intercept(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
	if call.Writes() {
		r.writes.Add(1)
	}
	if hook := r.hook.Load(); hook != nil {
		return (*hook)(ctx, call, send)
	}
	return send(ctx)
}

// breakStore runs the hook for every later call of the store.
func (r *role) breakStore(hook drivertest.Hook) { r.hook.Store(&hook) }

func (r *role) mendStore() { r.hook.Store(nil) }

// ok ends the test unless the error is nil.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// is fails the test unless something is as wanted.
func is(t testing.TB, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// do sends a request.
func (s *site) do(method, path string, changes ...change) answer {
	s.Helper()
	r := httptest.NewRequestWithContext(s.Context(), method, path, nil)
	for _, change := range changes {
		change(r)
	}
	return s.answer(s, r)
}

// answer answers a request. It compares an answer of the API with the description.
func (s *site) answer(t testing.TB, r *http.Request) answer {
	t.Helper()
	before, w := s.writes.Load(), httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	a := answer{t, w.Code, w.Header(), w.Body.Bytes(), s.writes.Load() - before}
	if strings.HasPrefix(r.URL.Path, "/api/v1/") {
		s.spec.check(t, r, a)
	}
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

// calls counts the calls of the store during a request, by table and method.
func (s *site) calls(request func()) map[string]int {
	var mu sync.Mutex
	counts := make(map[string]int)
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		mu.Lock()
		counts[call.Target+" "+string(call.Method)]++
		mu.Unlock()
		return send(ctx)
	})
	defer s.mendStore()
	request()
	return counts
}

// hanging answers only when the context ends.
func hanging(ctx context.Context, _ drivertest.Call, _ drivertest.Send) error {
	<-ctx.Done()
	return ctx.Err()
}

// everyCall fails each call of the store.
func everyCall(err error) drivertest.Hook {
	return func(context.Context, drivertest.Call, drivertest.Send) error { return err }
}

// permalink is the short path of the page of a post, and postPage the one that people see.
func permalink(channel domain.Channel, blog domain.Blog) string {
	return "/channels/" + url.PathEscape(string(channel.Name)) + "/blogs/" + string(blog.ID)
}

func postPage(channel domain.Channel, blog domain.Blog) string {
	return templates.BlogPath(channel.Name, blog)
}

func blogPath(channel domain.Channel, id domain.BlogID) string {
	return "/api/v1/channels/" + url.PathEscape(string(channel.Name)) + "/blogs/" + string(id)
}

func feedsOf(channel domain.Channel) (atom, json string) {
	path := "/channels/" + url.PathEscape(string(channel.Name))
	return path + "/feed.atom", path + "/feed.json"
}

const digestPath = "/api/v1/digest"

const subscriptions = "/api/v1/subscriptions"
