package traces

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"microblogging/domain"
	"microblogging/storage/azure"
	"microblogging/storage/driver"
)

// service is a storage account that has nothing. It is busy for one request each time that
// busy is set.
func service(t *testing.T, busy *atomic.Bool) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case busy.CompareAndSwap(true, false):
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.URL.Path == "/account/queue": // it is there
		case strings.HasPrefix(r.URL.Path, "/account/queue/"):
			w.WriteHeader(http.StatusCreated)
		default:
			w.Header().Set("x-ms-error-code", "ResourceNotFound")
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestAzure(t *testing.T) {
	traces, kept := inMemory(t)
	var busy atomic.Bool
	url := service(t, &busy).URL
	client, err := azure.Open(azure.Config{
		ConnectionString: "AccountName=account;AccountKey=" + base64.StdEncoding.EncodeToString([]byte("key")) +
			";TableEndpoint=" + url + "/account;QueueEndpoint=" + url + "/account;",
		Retry:   &policy.RetryOptions{MaxRetries: 1, RetryDelay: time.Millisecond},
		Tracing: traces.Azure(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	traced := driver.Wrap(client, traces.Store)
	table, queue := driver.NewTable(traced, "Throttle"), driver.NewQueue(traced, "queue")

	if err := queue.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if spans := kept.GetSpans(); len(spans) != 0 {
		t.Errorf("calls outside of any span made %v", story{t, spans}.names())
	}

	ctx, request := traces.tracer.Start(t.Context(), "request")
	busy.Store(true)
	if _, err := table.Get(ctx, "SECRET", "SECRET"); !errors.Is(err, domain.ErrNotFound) {
		t.Fatal(err)
	}
	_ = queue.Send(ctx, "text") // the answer is empty
	request.End()
	told := story{t, kept.GetSpans()}
	for _, chain := range [][]string{
		{"HTTP GET", "Client.GetEntity", "point Throttle", "request"},
		{"HTTP POST", "QueueClient: send to", "send queue", "request"},
	} {
		for i := range len(chain) - 1 {
			for _, span := range told.named(chain[i]) {
				if span.Parent.SpanID() != told.one(chain[i+1]).SpanContext.SpanID() {
					t.Errorf("%q is not right below %q", chain[i], chain[i+1])
				}
			}
			told.one(chain[len(chain)-1])
		}
		if len(told.named(chain[0])) == 0 {
			t.Errorf("no %q in %v", chain[0], told.names())
		}
	}
	var tries []string
	for _, try := range told.named("HTTP GET") {
		tries = append(tries, value(try, "http.status_code"))
	}
	if got := strings.Join(tries, " "); got != "503 404" {
		t.Errorf("the tries were answered %q", got)
	}
	for _, span := range told.spans {
		for _, a := range span.Attributes {
			if strings.Contains(a.Value.String(), "SECRET") || strings.Contains(a.Value.String(), "sig=") {
				t.Errorf("%q has %s=%s", span.Name, a.Key, a.Value.String())
			}
		}
		if strings.Contains(span.Status.Description, "SECRET") {
			t.Errorf("%q says %q", span.Name, span.Status.Description)
		}
	}
}
