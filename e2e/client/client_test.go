package client_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"microblogging/e2e/client"
)

func TestSend(t *testing.T) {
	t.Run("sends the token, the body as JSON and the header", func(t *testing.T) {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body) // a lost body fails the comparison
			for _, name := range []string{"Authorization", "Content-Type", "If-Match"} {
				w.Header().Set("Sent-"+name, r.Header.Get(name))
			}
			w.WriteHeader(http.StatusTeapot)
			_, _ = w.Write(body)
		}))
		defer site.Close()
		c := client.Client{URL: site.URL, Token: "secret", HTTP: site.Client()}
		r, err := c.Send(t.Context(), "PUT", "/", map[string]string{"text": "Hello"}, http.Header{"If-Match": {"e"}})
		if err != nil || r.Status != http.StatusTeapot || string(r.Body) != `{"text":"Hello"}` {
			t.Errorf("%d %q, %v", r.Status, r.Body, err)
		}
		for name, want := range map[string]string{
			"Authorization": "Bearer secret", "Content-Type": "application/json", "If-Match": "e",
		} {
			if got := r.Header.Get("Sent-" + name); got != want {
				t.Errorf("%s: sent %q, want %q", name, got, want)
			}
		}
	})
	t.Run("an answer that breaks off is no reply", func(t *testing.T) {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("half"))
		}))
		defer site.Close()
		r, err := client.Client{URL: site.URL, HTTP: site.Client()}.Send(t.Context(), "GET", "/", nil, nil)
		if err == nil || r.Status != 0 {
			t.Errorf("%d, %v", r.Status, err)
		}
	})
}
