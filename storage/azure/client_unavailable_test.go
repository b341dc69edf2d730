package azure_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"microblogging/domain"
	"microblogging/storage/azure"
	"microblogging/storage/azuritetest"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

// unreachable is an account at port 1, where nothing listens.
const unreachable = "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=dGVzdA==;" +
	"TableEndpoint=http://127.0.0.1:1/a;QueueEndpoint=http://127.0.0.1:1/a;"

func TestUnavailable(t *testing.T) {
	html := http.Header{"Content-Type": {"text/html"}}
	for sentence, cfg := range map[string]azure.Config{
		"an account that cannot be reached":   with(unreachable),
		"a service that never answers":        impatient(silent(t)),
		"a 404 that the service did not send": with(unreachable, answers(404, html, "<h1>404</h1>")),
		"a service that is busy":              with(unreachable, answers(503, nil, "")),
		"a panic of a library":                with(unreachable, fault(func(*policy.Request) (*http.Response, error) { panic("a bug of a library") })),
	} {
		t.Run(sentence, func(t *testing.T) { unavailable(t, cfg) })
	}
	t.Run("is a call whose context ends", endedContext)
	t.Run("is reported in time by default", defaultPatience)
}

// unavailable requires that each call says in a line that the store is unavailable, and nothing
// else. Panics are in the log, each once.
func unavailable(t *testing.T, cfg azure.Config) {
	var log strings.Builder
	cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	c := open(t, cfg)
	for _, call := range drivertest.EachCall("name") {
		log.Reset()
		err := c.Do(t.Context(), &call)
		want(t, err, domain.ErrUnavailable)
		wantBrief(t, err)
		notAnOperation(t, err)
		if errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrLeaseLost) || errors.Is(err, domain.ErrConfiguration) {
			t.Errorf("%s: %v", call.Method, err)
		}
		if strings.Contains(err.Error(), "http://") {
			t.Errorf("a URL, which may hold a signature, is in %q", err)
		}
		panicked := strings.Contains(err.Error(), "panic")
		if n := strings.Count(log.String(), "debug.Stack"); n > 1 || panicked != (n == 1) {
			t.Errorf("%d stacks in %.200q", n, log.String())
		}
	}
}

func defaultPatience(t *testing.T) {
	c := open(t, azure.Config{ConnectionString: unreachable})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	_, err := driver.NewTable(c, "name").Get(ctx, "p", "r")
	want(t, err, syscall.ECONNREFUSED) // and not the end of the context
}

// silent starts a server that accepts connections and never answers, and returns an
// account that uses it.
func silent(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ok(t, err)
	t.Cleanup(func() {
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
	})
	return strings.ReplaceAll(unreachable, "127.0.0.1:1", listener.Addr().String())
}

func impatient(account string) azure.Config {
	cfg := with(account)
	cfg.Retry.TryTimeout = 20 * time.Millisecond
	return cfg
}

func endedContext(t *testing.T) {
	c := open(t, with(silent(t)))
	for _, call := range drivertest.EachCall("name") {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Millisecond, cancel)
		want(t, c.Do(ctx, &call), context.Canceled)

		ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
		err := c.Do(ctx, &call)
		want(t, err, context.DeadlineExceeded)
		want(t, err, domain.ErrUnavailable)
		cancel()
	}
}

// What was removed is not made again by the call that needs it.
func TestMissing(t *testing.T) {
	c := open(t, with(azuritetest.Shared(t).Account()))
	calls := drivertest.EachCall("")
	for i := range calls {
		table, queue := newTable(t, c), newQueue(t, c)
		if calls[i].Target = table; calls[i].OfQueue() {
			calls[i].Target = queue
		}
		ok(t, c.Drop(t.Context(), []string{table}, []string{queue}))
	}
	for _, call := range calls {
		if call.Method == driver.CallCreateTable || call.Method == driver.CallCreateQueue {
			continue
		}
		for range 2 {
			err := c.Do(t.Context(), &call)
			want(t, err, domain.ErrMissing)
			notAnOperation(t, err)
			if text := err.Error(); !strings.Contains(text, "NotFound, request ") || !strings.Contains(text, call.Target) {
				t.Errorf("%s: %v", call.Method, err)
			}
		}
	}
}

// A service that refuses the caller, whatever it is asked for.
func TestRefused(t *testing.T) {
	account := azuritetest.Shared(t).Account()
	id := http.Header{"X-Ms-Request-Id": {"5ea1"}}
	for sentence, cfg := range map[string]azure.Config{
		"a wrong key":    with(strings.Replace(account, "AccountKey=", "AccountKey=b3Ro", 1)),
		"a missing role": with(unreachable, answers(403, id, `{"odata.error":{"code":"AuthorizationPermissionMismatch"}}`)),
		"a 401":          with(unreachable, answers(401, id, "")),
	} {
		t.Run(sentence, func(t *testing.T) {
			c := open(t, cfg)
			for _, call := range drivertest.EachCall("name") {
				err := c.Do(t.Context(), &call)
				want(t, err, domain.ErrConfiguration)
				want(t, err, domain.ErrUnavailable) // a worker waits
				if errors.Is(err, domain.ErrMissing) || !strings.Contains(err.Error(), ", request ") {
					t.Errorf("%s: %v", call.Method, err)
				}
				notAnOperation(t, err)
				wantBrief(t, err)
			}
		})
	}
}
