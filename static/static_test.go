package static

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sources are the files as they were written.
var sources = os.DirFS(".")

func newAssets(t *testing.T) *Assets {
	t.Helper()
	a, err := Embedded()
	ok(t, err)
	return a
}

func get(a *Assets, url, etag string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodGet, url, nil)
	if etag != "" {
		request.Header.Set("If-None-Match", etag)
	}
	response := httptest.NewRecorder()
	a.ServeHTTP(response, request)
	return response
}

func TestAssets(t *testing.T) {
	t.Run("are each served under their URL for a year", eachAssetIsServedUnderItsURLForAYear)
	t.Run("are sent in the coding that the client likes best", assetIsSentAsTheClientLikes)
	t.Run("are told apart by coding", assetIsToldApartByCoding)
	t.Run("of another version are served but not cached", anotherVersionIsServedButNotCached)
	t.Run("have the type that browsers expect", eachAssetHasItsType)
	t.Run("with a fixed address may be kept for a day", fileWithAFixedAddressMayBeKeptForADay)
	t.Run("with another content have another URL, and the others stay", assetWithAnotherContent)
	t.Run("that do not exist are not found", whatIsNotAnAssetIsNotFound)
	t.Run("are used by a page or a script, and give style to classes that a page has", assetsAreUsed)
}

func eachAssetIsServedUnderItsURLForAYear(t *testing.T) {
	a := newAssets(t)
	for name, kind := range map[string]string{
		"app.css":     "text/css; charset=utf-8",
		"app.js":      "text/javascript; charset=utf-8",
		"favicon.svg": "image/svg+xml",
	} {
		response := get(a, a.URL(name), "")
		want, err := fs.ReadFile(sources, name)
		ok(t, err)
		if response.Code != http.StatusOK || response.Body.String() != string(want) {
			t.Errorf("%s: %d, or another content", name, response.Code)
		}
		if got := response.Header().Get("Content-Type"); got != kind {
			t.Errorf("%s: Content-Type %q, want %q", name, got, kind)
		}
		if got := response.Header().Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: Cache-Control %q", name, got)
		}
		if again := get(a, a.URL(name), response.Header().Get("ETag")); again.Code != http.StatusNotModified {
			t.Errorf("%s: %d for the ETag that it has", name, again.Code)
		}
	}
}

// ask sends a request with these headers, by name and value.
func ask(a *Assets, method, url string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, url, nil)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response := httptest.NewRecorder()
	a.ServeHTTP(response, request)
	return response
}

func decoded(t *testing.T, response *httptest.ResponseRecorder) string {
	t.Helper()
	var reader io.Reader = response.Body
	if response.Header().Get("Content-Encoding") == "gzip" {
		var err error
		if reader, err = gzip.NewReader(reader); err != nil {
			t.Fatal(err)
		}
	}
	content, err := io.ReadAll(reader)
	ok(t, err)
	return string(content)
}

func assetIsSentAsTheClientLikes(t *testing.T) {
	a := newAssets(t)
	for _, name := range []string{"app.css", "app.js"} {
		whole := get(a, a.URL(name), "").Body.String()
		for accepted, want := range map[string]string{
			"gzip, deflate, br, zstd": "gzip", "br;q=0, *": "gzip", "*": "gzip", "br": "", "": "", "gzip;q=0": "", "identity": "",
		} {
			for _, method := range []string{"GET", "HEAD"} {
				r := ask(a, method, a.URL(name), "Accept-Encoding", accepted)
				h := r.Header()
				if r.Code != http.StatusOK || h.Get("Content-Encoding") != want || h.Get("Vary") != "Accept-Encoding" || !strings.Contains(h.Get("Cache-Control"), "immutable") {
					t.Errorf("%s %s for %q: %d, %v", method, name, accepted, r.Code, h)
				}
				if method == "HEAD" {
					continue
				}
				if length := r.Body.Len(); h.Get("Content-Length") != strconv.Itoa(length) || want != "" && length > len(whole)*3/5 {
					t.Errorf("%s for %q: %d of %d bytes, Content-Length %s", name, accepted, length, len(whole), h.Get("Content-Length"))
				}
				if decoded(t, r) != whole {
					t.Errorf("%s for %q is another text", name, accepted)
				}
			}
		}
	}
	if h := ask(a, "GET", a.URL("favicon.ico"), "Accept-Encoding", "br").Header(); h.Get("Content-Encoding") != "" || h.Get("Vary") != "" {
		t.Errorf("a small picture has %v", h)
	}
}

func assetIsToldApartByCoding(t *testing.T) {
	a := newAssets(t)
	tags := map[string]bool{}
	for _, accepted := range []string{"", "gzip"} {
		tag := ask(a, "GET", a.URL("app.css"), "Accept-Encoding", accepted).Header().Get("ETag")
		tags[tag] = true
		if again := ask(a, "GET", a.URL("app.css"), "Accept-Encoding", accepted, "If-None-Match", tag); again.Code != http.StatusNotModified || again.Header().Get("ETag") != tag || again.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: %d with %v for its own tag", accepted, again.Code, again.Header())
		}
		if other := ask(a, "GET", a.URL("app.css"), "Accept-Encoding", "zstd", "If-None-Match", tag); (other.Code == http.StatusNotModified) != (accepted == "") {
			t.Errorf("%d without coding for the tag of %q", other.Code, accepted)
		}
	}
	if len(tags) != 2 {
		t.Errorf("tags %v", tags)
	}
}

// A page of the next version may ask this version for its style sheet.
func anotherVersionIsServedButNotCached(t *testing.T) {
	a := newAssets(t)
	for _, url := range []string{"/static/app.0123456789ab.css", "/static/app.css"} {
		response := get(a, url, "")
		if got := response.Header().Get("Cache-Control"); response.Code != http.StatusOK || got != "no-cache" {
			t.Errorf("%s: %d, Cache-Control %q", url, response.Code, got)
		}
	}
}

func eachAssetHasItsType(t *testing.T) {
	a := newAssets(t)
	for name, want := range map[string]string{
		"manifest.webmanifest": "application/manifest+json", "favicon.ico": "image/x-icon", "icon-192.png": "image/png",
		"robots.txt": "text/plain; charset=utf-8",
	} {
		if got := get(a, a.URL(name), "").Header().Get("Content-Type"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func fileWithAFixedAddressMayBeKeptForADay(t *testing.T) {
	a := newAssets(t)
	response := httptest.NewRecorder()
	a.ServeFile(response, httptest.NewRequest(http.MethodGet, "/favicon.ico", nil), "favicon.ico")
	if response.Code != http.StatusOK || response.Header().Get("Cache-Control") != "public, max-age=86400" {
		t.Errorf("%d, %v", response.Code, response.Header())
	}
	response = httptest.NewRecorder()
	a.ServeFile(response, httptest.NewRequest(http.MethodGet, "/x", nil), "x")
	if response.Code != http.StatusNotFound {
		t.Errorf("%d for no file", response.Code)
	}
}

func assetWithAnotherContent(t *testing.T) {
	const name = "manifest.webmanifest"
	before := newAssets(t)
	after := before.With(name, []byte("{}"))
	if after.URL(name) == before.URL(name) || after.URL("app.css") != before.URL("app.css") {
		t.Errorf("%s and %s", after.URL(name), after.URL("app.css"))
	}
	if got := get(after, after.URL(name), "").Body.String(); got != "{}" {
		t.Errorf("it is %q", got)
	}
	if got := get(before, before.URL(name), "").Body.String(); got == "{}" {
		t.Error("the former files have it too")
	}
}

func whatIsNotAnAssetIsNotFound(t *testing.T) {
	a := newAssets(t)
	for _, url := range []string{"/static/", "/static/static.go", "/static/x.0123456789ab.css", "/static/../static.go", "/static/.css", "/static/..."} {
		if response := get(a, url, ""); response.Code != http.StatusNotFound || a.Has(url) {
			t.Errorf("%s: %d, and whether it is there: %v", url, response.Code, a.Has(url))
		}
	}
	if got := a.URL("nothing.css"); got != "" {
		t.Errorf("the URL of nothing is %q", got)
	}
}

func assetsAreUsed(t *testing.T) {
	words := map[string]bool{} // between quotes in templates, and in the Go and the scripts that make classes
	for _, folder := range []string{"../lab", "../static", "../templates", "../web"} {
		ok(t, filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !regexp.MustCompile(`\.(templ|go|js)$`).MatchString(name) || regexp.MustCompile(`_(templ|test)\.go$`).MatchString(name) {
				return err
			}
			text, err := os.ReadFile(name)
			for _, quoted := range regexp.MustCompile(`"[^"\n]*"`).FindAllString(string(text), -1) {
				quoted = strings.Trim(quoted, `"`)
				words[strings.ReplaceAll(quoted, " ", "-")] = true // a state of an actor
				for word := range strings.FieldsSeq(quoted) {
					words[word] = true
				}
			}
			return err
		}))
	}
	loaded, err := fs.Glob(sources, "*.*s")
	ok(t, err)
	for _, name := range loaded {
		if !words[name] && !words["./"+name] {
			t.Errorf("no page and no script loads %s: take it out", name)
		}
	}
	styles, err := fs.Glob(sources, "*.css")
	ok(t, err)
	for _, name := range styles {
		text, err := fs.ReadFile(sources, name)
		ok(t, err)
		selectors := regexp.MustCompile(`(?s)/\*.*?\*/|\{[^{}]*\}`).ReplaceAllString(string(text), " ")
		for _, class := range regexp.MustCompile(`\.([a-zA-Z][\w-]*)`).FindAllStringSubmatch(selectors, -1) {
			if !words[class[1]] && !words[strings.TrimRight(class[1], "0123456789")] {
				t.Errorf("%s: no page has the class %s: take it out", name, class[1])
			}
		}
	}
}

// ok ends the test if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
