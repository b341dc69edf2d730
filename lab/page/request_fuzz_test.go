package page_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

// FuzzRequest looks for a query that a scenario answers with a fault, or for an address
// that does not lead to itself.
func FuzzRequest(f *testing.F) {
	s := newSite(f)
	for _, query := range []string{
		"", "s=ann", "s=ann,olga*2,w1*3&at=2", "s=ann,ann", "s=ann*10000", "s=network:lands@255", "s=w1@1&rest=1", "s=olga:dies-after&rest=1",
		"s=ann:lost&at=-1", "s=%zz", "s=;", "at=1&at=2", "s=ann%00", "s=,", "s=ann*-1", "s=ann,olga&graph=1", "graph=1&rest=1", "s=olga*99999999999999999999",
	} {
		f.Add(uint8(0), query)
		f.Add(uint8(200), query)
	}
	names := []string{"A1", "A3", "post", "web-dies", "stalled", "forgotten", "A1.json", "forgotten.json", "late-copy", "late-row"}
	f.Fuzz(func(t *testing.T, at uint8, query string) {
		address := &url.URL{Path: "/lab/" + names[int(at)%len(names)], RawQuery: query}
		ask := func() *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/lab", nil)
			r.URL = address
			w := httptest.NewRecorder()
			s.handler.ServeHTTP(w, r)
			return w
		}
		w := ask()
		if w.Code == http.StatusFound {
			var err error
			if address, err = url.Parse(w.Header().Get("Location")); err != nil {
				t.Fatal(err)
			}
			if w = ask(); w.Code == http.StatusFound {
				t.Fatalf("%s leads on to %s", address, w.Header().Get("Location"))
			}
		}
		if w.Code != http.StatusOK && w.Code != http.StatusBadRequest {
			t.Fatalf("%s is answered with %d: %s", address, w.Code, w.Body)
		}
	})
}
