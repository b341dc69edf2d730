package web_test

import (
	"net/http/httptest"
	"testing"
)

// What is around the handler, such as a trace, names a request by its route.
func TestRoute(t *testing.T) {
	s := newSite(t)
	for path, want := range map[string]string{
		"/channels/garden":                     "/channels/:name",
		"/api/v1/channels/garden/blogs?limit=": "/api/v1/channels/:name/blogs",
		"/static/app.css":                      "/static/*",
		"/healthz":                             "/healthz",
		"/no/such/page":                        "",
	} {
		request := httptest.NewRequest("GET", path, nil)
		s.handler.ServeHTTP(httptest.NewRecorder(), request)
		if request.Pattern != want {
			t.Errorf("%s is answered by %q, want %q", path, request.Pattern, want)
		}
	}
}
