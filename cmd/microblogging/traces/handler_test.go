package traces

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"

	"microblogging/web"
)

const strangersTrace = "0af7651916cd43dd8448eb211c80319c"

func TestHandler(t *testing.T) {
	t.Run("a span has the route, and nothing that the log may not have", spanHasNoSecret)
	t.Run("a request of a proxy is part of its trace, and any other begins one", onlyProxiesAreBelieved)
	t.Run("a probe has no span", probeHasNoSpan)
	t.Run("a fault is an error, and a refusal is none", faultIsAnError)
	t.Run("a client that left is told from one that got its answer", clientThatLeftIsTold)
	t.Run("the handler can set deadlines and read the body", handlerControlsTheConnection)
	t.Run("without traces nothing is around the handler", withoutTracesNothingIsAround)
}

func spanHasNoSecret(t *testing.T) {
	s := newSite(t)
	for path, route := range map[string]string{
		"/channels?after=SECRET":                                "/channels",
		"/digest/ada/SECRET/feed.atom":                          "/digest/:user/:secret/feed.atom",
		"/digest/SECRET":                                        "",
		"/sign-in/link?token=SECRET":                            "",
		"/api/v1/channels?contains=SECRET":                      "/api/v1/channels",
		"/channels/garden/blogs/x?address=203.0.113.7&a=SECRET": "/channels/:name/blogs/:id",
	} {
		s.kept.Reset()
		r := httptest.NewRequest("GET", path, nil)
		r.RemoteAddr = "203.0.113.7:4711"
		r.Header.Set("X-Forwarded-For", "203.0.113.7")
		r.Header.Set("User-Agent", "SECRET")
		r.Header.Set("Cookie", "session=SECRET")
		s.handler.ServeHTTP(httptest.NewRecorder(), r)
		for _, span := range s.kept.GetSpans() {
			for _, a := range span.Attributes {
				if text := a.Value.String(); strings.Contains(text, "SECRET") || strings.Contains(text, "203.0.113.7") {
					t.Errorf("%s: the span %q has %s=%s", path, span.Name, a.Key, text)
				}
			}
			if strings.Contains(span.Name, "SECRET") || !span.Parent.IsValid() && route != "" && span.Name != "GET "+route {
				t.Errorf("%s has a span named %q", path, span.Name)
			}
		}
		if len(s.kept.GetSpans()) == 0 {
			t.Errorf("%s has no span", path)
		}
	}
}

func onlyProxiesAreBelieved(t *testing.T) {
	traces, kept := inMemory(t)
	h := traces.Handler(http.NotFoundHandler(), HandlerOptions{
		Path: web.LoggedPath, Trusted: func(r *http.Request) bool { return strings.HasPrefix(r.RemoteAddr, "10.") },
	})
	for address, part := range map[string]bool{"10.0.0.1:1": true, "203.0.113.7:1": false} {
		kept.Reset()
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = address
		r.Header.Set("traceparent", "00-"+strangersTrace+"-b7ad6b7169203331-01")
		h.ServeHTTP(httptest.NewRecorder(), r)
		span := kept.GetSpans()[0]
		if got := span.SpanContext.TraceID().String() == strangersTrace; got != part {
			t.Errorf("a request from %s is part of the trace that it names: %v", address, got)
		}
		if linked := len(span.Links) == 1 && span.Links[0].SpanContext.TraceID().String() == strangersTrace; linked == part {
			t.Errorf("a request from %s links to the trace that it names: %v", address, linked)
		}
	}
}

func probeHasNoSpan(t *testing.T) {
	s := newSite(t)
	s.kept.Reset()
	for _, path := range []string{"/healthz", "/readyz"} {
		s.call("GET", path, nil, http.StatusOK)
	}
	if spans := s.kept.GetSpans(); len(spans) != 0 {
		t.Errorf("there are %v", story{t, spans}.names())
	}
}

func faultIsAnError(t *testing.T) {
	traces, kept := inMemory(t)
	for status, want := range map[int]codes.Code{404: codes.Unset, 412: codes.Unset, 503: codes.Error} {
		kept.Reset()
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		traces.Handler(h, HandlerOptions{Path: web.LoggedPath, Trusted: func(*http.Request) bool { return true }}).
			ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		if got := kept.GetSpans()[0].Status.Code; got != want {
			t.Errorf("%d is %v", status, got)
		}
	}
}

func clientThatLeftIsTold(t *testing.T) {
	s := newSite(t)
	s.kept.Reset()
	ctx, leave := context.WithCancel(t.Context())
	leave()
	s.handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/channels", nil))
	span := story{t, s.kept.GetSpans()}.one("GET /channels")
	if status := value(span, "http.response.status_code"); status != "499" || span.Status.Code != codes.Unset {
		t.Errorf("the span says %s and %v", status, span.Status.Code)
	}
}

func handlerControlsTheConnection(t *testing.T) {
	traces, _ := inMemory(t)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Errorf("setting a deadline: %v", err)
		}
		if name := r.PostFormValue("name"); name != "ada" || r.URL.Query().Get("q") != "1" || r.RemoteAddr == "" || r.UserAgent() == "" {
			t.Errorf("the handler reads %q from %+v", name, r)
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Errorf("flushing: %v", err)
		}
	})
	server := httptest.NewServer(traces.Handler(h, HandlerOptions{Path: web.LoggedPath, Trusted: func(*http.Request) bool { return true }}))
	defer server.Close()
	answer, err := server.Client().PostForm(server.URL+"/?q=1", map[string][]string{"name": {"ada"}})
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	server.Client().CloseIdleConnections()
}

func withoutTracesNothingIsAround(t *testing.T) {
	var none *Traces
	handler := http.Handler(http.NewServeMux())
	if got := none.Handler(handler, HandlerOptions{}); got != handler {
		t.Errorf("the handler is %T", got)
	}
	if none.Worker() != nil || none.Azure().NewTracer("", "").Enabled() {
		t.Error("something observes")
	}
	none.Stop()
}
