package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/net/html"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/lab/modelcheck"
	"microblogging/lab/page"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/web"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if stale := modelcheck.Stale(); code != 0 && stale != nil {
			fmt.Println(stale)
		}
		os.Exit(code)
	}))
}

// A site is a web role with the pages of the lab, bound to one test. A call of its
// store is an error.
type site struct {
	testing.TB
	handler http.Handler
	log     *logBuffer
}

func newSite(t testing.TB) *site { return newSiteOf(t, page.New()) }

func newSiteOf(t testing.TB, pages *page.Lab) *site {
	t.Helper()
	db := driver.Wrap(mem.Open(mem.Snapshot{}, "site."), func(context.Context, *driver.Call, func(context.Context) error) error {
		return domain.ErrUnavailable
	})
	s := &site{TB: t, log: &logBuffer{}}
	handler, err := web.New(storage.New(db, storage.Options{}).Store, web.Options{
		Hosts: []string{"example.com"}, Routes: pages.Routes(), Logger: slog.New(slog.NewTextHandler(s.log, nil)),
	})
	ok(t, err)
	s.handler = handler
	return s
}

// get asks for a path with these headers, names and values in turn.
func (s *site) get(path string, headers ...string) response {
	s.Helper()
	return s.do(http.MethodGet, path, headers...)
}

func (s *site) do(method, path string, headers ...string) response {
	s.Helper()
	r := httptest.NewRequestWithContext(s.Context(), method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return response{s.TB, path, w.Code, w.Header(), w.Body.String()}
}

// leaving asks for a path, and its client leaves when the context ends.
func (s *site) leaving(ctx context.Context, path string) {
	s.handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil))
}

type response struct {
	testing.TB
	path   string
	status int
	header http.Header
	body   string
}

func (r response) want(status int) response {
	r.Helper()
	if r.status != status {
		r.Fatalf("%s: status %d, want %d: %s", r.path, r.status, status, excerpt(r.text(), ""))
	}
	return r
}

func (r response) says(texts ...string) response {
	r.Helper()
	for _, text := range texts {
		if !strings.Contains(r.text(), text) {
			r.Errorf("%s does not say %q but %s", r.path, text, excerpt(r.text(), text))
		}
	}
	return r
}

// excerpt is the part of a page where it begins to say what is wanted, or else its beginning.
func excerpt(page, want string) string {
	const before, length = 80, 400
	for at := -1; want != "" && at < 0; want = want[:max(0, strings.LastIndexByte(want, ' '))] {
		if at = strings.Index(page, want); at > before {
			page = "…" + page[at-before:]
		}
	}
	if len(page) > length {
		page = page[:length] + "…"
	}
	return strings.ToValidUTF8(page, "")
}

// text is what a reader can read.
func (r response) text() string {
	var words []string
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			words = append(words, strings.Fields(n.Data)...)
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
	}
	walk(r.document())
	return strings.Join(words, " ")
}

func (r response) document() *html.Node {
	r.Helper()
	root, err := html.Parse(strings.NewReader(r.body))
	ok(r, err)
	return root
}

// links returns the addresses of all links of the page.
func (r response) links() (hrefs []string) {
	r.Helper()
	for n := range r.document().Descendants() {
		if n.Type == html.ElementNode && n.Data == "a" {
			for _, a := range n.Attr {
				if a.Key == "href" {
					hrefs = append(hrefs, a.Val)
				}
			}
		}
	}
	return hrefs
}

// decode reads the JSON.
func (r response) decode(into any) {
	r.Helper()
	if err := json.Unmarshal([]byte(r.body), into); err != nil {
		r.Fatalf("%s: %v: %s", r.path, err, excerpt(r.body, ""))
	}
}

// logBuffer is the log of a site.
type logBuffer struct {
	mu sync.Mutex
	b  strings.Builder
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

// ok ends the test if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
