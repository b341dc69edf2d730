package web_test

import (
	"bufio"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"microblogging/domain"
)

func TestHead(t *testing.T) {
	t.Run("leads to files that are there", headLeadsToFilesThatAreThere)
	t.Run("robots may read and do not see forms", robotsMayReadAndDoNotSeeForms)
}

func headLeadsToFilesThatAreThere(t *testing.T) {
	s := newSite(t)
	p := s.browser().open("/channels").want(200)
	links := 0
	for _, n := range all(p.doc, tag("link")) {
		if href := attr(n, "href"); strings.HasPrefix(href, "/") {
			links++
			s.do("GET", href).want(200)
		}
	}
	if links < 4 {
		t.Errorf("%d links", links)
	}
	if policy := p.header.Get("Content-Security-Policy"); !strings.Contains(policy, "manifest-src 'self'") {
		t.Errorf("browsers may not read the manifest: %s", policy)
	}
}

// robotsAllow tells whether a robot may read a path, by the rules of RFC 9309 for the
// file as it is: one group, and rules of Disallow alone.
func robotsAllow(file, path string) bool {
	for line := range strings.Lines(file) {
		if rule, ok := strings.CutPrefix(strings.TrimSpace(line), "Disallow: "); ok && robotRuleMatches(rule, path) {
			return false
		}
	}
	return true
}

func robotRuleMatches(rule, path string) bool {
	rule, whole := strings.CutSuffix(rule, "$")
	parts := strings.Split(rule, "*")
	rest, ok := strings.CutPrefix(path, parts[0])
	for i, part := range parts[1:] {
		if !ok {
			return false
		}
		at := strings.Index(rest, part)
		if whole && i == len(parts)-2 {
			at = strings.LastIndex(rest, part)
		}
		if ok = at >= 0; ok {
			rest = rest[at+len(part):]
		}
	}
	return ok && (!whole || rest == "")
}

func robotsMayReadAndDoNotSeeForms(t *testing.T) {
	s := newSite(t)
	channel := s.channel("newspaper", string(s.author("ada")))
	blog := s.post(channel, "ada", "Hello")
	rules := string(s.do("GET", "/robots.txt").want(200).body)
	reading := []string{
		"/", "/channels", "/channels?after=x", "/channels/newspaper", "/channels/newspaper?order=rating", "/channels/newspaper/feed",
		"/channels/newspaper/feed.atom", "/channels/news", "/channels/edit", "/channels/delete", "/how-deletion-works", "/users/ada", "/lab", "/lab/A1", "/lab/A1/compare",
		"/users/account", permalink(channel, blog), "/static/app.css", "/robots.txt", "/favicon.ico",
	}
	for _, path := range reading {
		if !robotsAllow(rules, path) {
			t.Errorf("robots may not read %s", path)
		}
	}
	forms := []string{
		"/sign-in", "/sign-in?next=%2F", "/sign-up", "/sign-out", "/account", "/subscriptions", "/digest", "/digest?day=2026-01-01",
		"/digest/ada/secret/feed.atom", "/channels/new", "/channels/new?name=x", "/channels/newspaper/edit", "/channels/newspaper/delete",
		permalink(channel, blog) + "/edit", "/channels/newspaper/deletions/" + string(domain.NewIncarnation()), "/api/v1/channels",
	}
	endless := []string{"/lab/A1?s=ann", "/lab/open-gate?s=ann&at=0", "/lab/A1.json", "/lab/A1.json?s=ann", "/lab/queries"}
	for _, path := range append(forms, endless...) {
		if robotsAllow(rules, path) {
			t.Errorf("robots read %s", path)
		}
	}
}

func TestFirstVisit(t *testing.T) {
	t.Run("of a channel takes three requests and under 14 KB on the wire", firstVisitIsSmall)
}

// firstVisitBytes is what a first visit may take on the wire.
const firstVisitBytes = 14 << 10

// A wire counts what a server sends over a connection.
type wire struct {
	net.Conn
	read int
}

func (w *wire) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	w.read += n
	return n, err
}

// get returns the page, and how many bytes it took, with the head of the response.
func (w *wire) get(t *testing.T, path string) (a answer, bytes int) {
	t.Helper()
	before := w.read
	// The headers are what Chromium sends to an address of this machine, and by HTTPS.
	request := "GET " + path + " HTTP/1.1\r\nHost: blog.example\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n\r\n"
	if _, err := io.WriteString(w, request); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(w), nil)
	ok(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", path, response.StatusCode, err)
	}
	return answer{t, response.StatusCode, response.Header, body, 0}, w.read - before
}

// prose returns so many texts of 400 characters each, of made-up words in no order: what is
// repeated would be compressed better. English has some 10 bits a word once it is compressed, and
// so has this.
func prose(n int) []string {
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 1024)
	for i := range words {
		for range 1 + random.IntN(4) {
			words[i] += string("bdfgklmnprstvz"[random.IntN(14)]) + string("aeiou"[random.IntN(5)])
		}
	}
	texts := make([]string, n)
	for i := range texts {
		for len(texts[i]) < 400 {
			texts[i] += words[random.IntN(len(words))] + " "
		}
		texts[i] = texts[i][:400]
	}
	return texts
}

var (
	needed = regexp.MustCompile(`<(?:script|link rel="stylesheet")[^>]* (?:src|href)="(/static/[^"]+)"`)
	wanted = regexp.MustCompile(`<link rel="(?:icon|manifest)"[^>]* href="(/static/[^"]+)"`)
)

// What comes later weighs nothing here: app.js loads the keys when somebody uses the page,
// and the news when somebody stays. Once the page is shown, a browser with a window asks for
// the icon of its tab and for the manifest.
func firstVisitIsSmall(t *testing.T) {
	s := newSite(t)
	channel := s.channel("Engines", "ada")
	for _, text := range prose(20) {
		s.post(channel, "ada", text)
	}
	server := httptest.NewServer(s.handler)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	ok(t, err)
	defer conn.Close()
	w := &wire{Conn: conn}
	page, total := w.get(t, "/channels/Engines")
	html := string(page.plain())
	t.Logf("the page: %d bytes, of which %d are the body, which has %d", total, len(page.body), len(html))
	load := func(links *regexp.Regexp) (requests int) {
		for _, link := range links.FindAllStringSubmatch(html, -1) {
			a, bytes := w.get(t, link[1])
			t.Logf("%s: %d bytes, of which %d are the body", link[1], bytes, len(a.body))
			requests++
			total += bytes
		}
		return requests
	}
	if requests := 1 + load(needed); requests != 3 {
		t.Errorf("%d requests, want 3: the page, a style sheet and a script", requests)
	}
	if total > firstVisitBytes {
		t.Errorf("a first visit takes %d bytes, want at most %d", total, firstVisitBytes)
	}
	t.Logf("%d bytes until the page is complete", total)
	if load(wanted) != 2 {
		t.Error("no icon, or no manifest")
	}
	t.Logf("%d bytes with the icon and the manifest", total)
}
