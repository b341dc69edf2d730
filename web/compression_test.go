package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"microblogging/storage/drivertest"
)

func TestCompression(t *testing.T) {
	t.Run("is in gzip if the client likes that", compressedAsTheClientLikes)
	t.Run("leaves a body whose strong tag programs send back", taggedStateIsNotCompressed)
	t.Run("is of a fault too", faultIsCompressed)
	t.Run("is of no answer with the address of a personal feed", secretIsNotCompressed)
	t.Run("is not of what another site asked for with a cookie", otherSitesGetNoCompression)
	t.Run("reaches a browser over a connection", compressedOverAConnection)
}

func accepting(codings string) change { return header("Accept-Encoding", codings) }

// plain returns the body without its content coding.
func (a answer) plain() []byte {
	a.t.Helper()
	var reader io.Reader = bytes.NewReader(a.body)
	var err error
	switch coding := a.header.Get("Content-Encoding"); coding {
	case "gzip":
		reader, err = gzip.NewReader(reader)
	case "":
	default:
		a.t.Fatalf("Content-Encoding %q", coding)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	body, err := io.ReadAll(reader)
	if err != nil {
		a.t.Fatal(err)
	}
	return body
}

// crowded returns the site with a channel of 20 posts, whose pages are long.
func crowded(t testing.TB) *site {
	t.Helper()
	s := newSite(t)
	channel := s.channel("Engines", string(s.author("ada")))
	for i := range 20 {
		s.post(channel, "ada", fmt.Sprint("Post ", i, " is about pistons & wheels."))
	}
	return s
}

func compressedAsTheClientLikes(t *testing.T) {
	s := crowded(t)
	for _, path := range []string{"/channels/Engines", "/channels", "/api/v1/channels/Engines/blogs", "/api/openapi.json", "/how-deletion-works"} {
		whole := s.do("GET", path).want(200)
		for accepted, want := range map[string]string{
			"": "", "gzip": "gzip", "zstd": "", "gzip, deflate, br, zstd": "gzip", "gzip, deflate": "gzip", "br": "",
			"gzip;q=0, zstd;q=0": "", "*": "gzip", "identity": "",
		} {
			a := s.do("GET", path, accepting(accepted)).want(200)
			if got := a.header.Get("Content-Encoding"); got != want {
				t.Errorf("%s for %q: Content-Encoding %q, want %q", path, accepted, got, want)
			}
			if !bytes.Equal(a.plain(), whole.body) {
				t.Errorf("%s for %q: another body of %d bytes", path, accepted, len(a.plain()))
			}
			if a.header.Get("Content-Length") != strconv.Itoa(len(a.body)) || !strings.Contains(a.header.Get("Vary"), "Accept-Encoding") {
				t.Errorf("%s for %q: %d bytes, %v", path, accepted, len(a.body), a.header)
			}
			if want != "" && len(a.body) > len(whole.body)/2 {
				t.Errorf("%s for %q: %d of %d bytes", path, accepted, len(a.body), len(whole.body))
			}
		}
	}
}

func taggedStateIsNotCompressed(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	channel := s.channel("Engines", "ada")
	blog := s.post(channel, "ada", strings.Repeat("A long text. ", 300))
	path := blogPath(channel, blog.ID)
	a := s.do("GET", path, accepting("gzip")).want(200)
	if want := `"` + string(blog.Revision) + `-0"`; a.header.Get("Etag") != want || a.header.Get("Content-Encoding") != "" {
		t.Errorf("%v, want the tag %s", a.header, want)
	}
	s.do("GET", path, accepting("gzip"), header("If-None-Match", a.header.Get("Etag"))).want(304)
	stale := s.do("PUT", path, accepting("gzip"), bearer(token), header("If-Match", `"x-0"`), fields("title", "", "text", "Another")).want(412)
	if stale.header.Get("Etag") != a.header.Get("Etag") || stale.header.Get("Content-Encoding") != "" {
		t.Errorf("412 with %v", stale.header)
	}
	s.do("PUT", path, accepting("gzip"), bearer(token), header("If-Match", stale.header.Get("Etag")), fields("title", "", "text", "Another")).want(200)
}

func faultIsCompressed(t *testing.T) {
	s := newSite(t)
	s.breakStore(func(context.Context, drivertest.Call, drivertest.Send) error { panic("a fault") })
	a := s.do("GET", "/channels", accepting("gzip")).want(500)
	if a.header.Get("Content-Encoding") != "gzip" || !strings.Contains(string(a.plain()), a.header.Get("X-Request-Id")) {
		t.Errorf("%v: %s", a.header, a.plain())
	}
}

// Who can post in a channel that ada reads chooses words of her digest, which has the address
// of her personal feed.
func secretIsNotCompressed(t *testing.T) {
	s := newSite(t)
	ada := s.signedIn("ada")
	channel := s.channel("Engines", "bob")
	s.subscribe("ada", channel)
	s.postOn(time.Now().AddDate(0, 0, -1), channel, "GUESS")
	address := s.digestFeed(ada.jar["session"], "UTC")
	feed := s.do("GET", address, accepting("gzip")).want(200)
	if len(feed.body) < 1024 || !strings.Contains(string(feed.body), address) || !strings.Contains(feed.header.Get("Cache-Control"), "no-transform") {
		t.Errorf("the feed: %d bytes, %v", len(feed.body), feed.header)
	}
	made := s.do("POST", "/digest", ada.cookies, posted(url.Values{"action": {"make"}})).want(303)
	ada.keep(made)
	page := s.do("GET", "/digest", ada.cookies, accepting("gzip")).want(200)
	if !strings.Contains(string(page.body), "shown this once") || !strings.Contains(page.header.Get("Cache-Control"), "no-transform") {
		t.Errorf("the page with the address: %v", page.header)
	}
	if again := s.do("GET", "/digest", cookie(ada.jar["session"]), accepting("gzip")).want(200); again.header.Get("Content-Encoding") != "gzip" {
		t.Errorf("the page without the address: %v", again.header)
	}
}

func otherSitesGetNoCompression(t *testing.T) {
	s := newSite(t)
	ada := s.signedIn("ada")
	for site, want := range map[string]string{"cross-site": "", "same-site": "", "same-origin": "gzip", "none": "gzip", "": "gzip", "x": ""} {
		for _, path := range []string{"/channels/new?name=guess", "/digest", "/api/v1/nothing/" + strings.Repeat("guess", 300)} {
			a := s.do("GET", path, ada.cookies, accepting("gzip"), header("Sec-Fetch-Site", site))
			if got := a.header.Get("Content-Encoding"); got != want && (want == "" || len(a.plain()) >= 1024) {
				t.Errorf("%s, asked for by %q: Content-Encoding %q, want %q", path, site, got, want)
			}
		}
	}
	if got := s.do("GET", "/how-deletion-works", accepting("gzip"), header("Sec-Fetch-Site", "cross-site")).want(200).header.Get("Content-Encoding"); got != "gzip" {
		t.Errorf("a stranger who follows a link: Content-Encoding %q", got)
	}
}

func compressedOverAConnection(t *testing.T) {
	s := crowded(t)
	server := httptest.NewServer(s.handler)
	defer server.Close()
	for range 2 { // on one connection
		response, err := server.Client().Get(server.URL + "/channels/Engines") // it asks for gzip, and decodes it
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if closeErr := response.Body.Close(); err != nil || closeErr != nil {
			t.Fatal(err, closeErr)
		}
		if !response.Uncompressed || !bytes.Contains(body, []byte("Post 19")) {
			t.Errorf("uncompressed %t: %d bytes", response.Uncompressed, len(body))
		}
	}
}
