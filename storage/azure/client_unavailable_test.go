package azure_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

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
	t.Run("is an account that cannot be reached", unreachableAccount)
	t.Run("is reported in time by default", defaultPatience)
	t.Run("is a service that cannot serve now", busyService)
	t.Run("is a 404 that the service did not send", foreignNotFound)
	t.Run("is a service that never answers", silentService)
	t.Run("is a call whose context ends", endedContext)
}

func unreachableAccount(t *testing.T) {
	c := open(t, with(unreachable))
	for _, call := range drivertest.EachCall("name") {
		t.Run(string(call.Method), func(t *testing.T) {
			err := c.Do(t.Context(), &call)
			want(t, err, domain.ErrUnavailable)
			wantBrief(t, err)
			var cause *net.OpError
			if !errors.As(err, &cause) {
				t.Errorf("the cause is out of reach of %v", err)
			}
			if strings.Contains(err.Error(), "http://") {
				t.Errorf("a URL, which may hold a signature, is in %q", err)
			}
		})
	}
}

func defaultPatience(t *testing.T) {
	c := open(t, azure.Config{ConnectionString: unreachable})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	_, err := driver.NewTable(c, "name").Get(ctx, "p", "r")
	want(t, err, domain.ErrUnavailable)
	want(t, err, syscall.ECONNREFUSED) // and not the end of the context
}

func busyService(t *testing.T) {
	for _, status := range []int{401, 403, 408, 429, 500, 502, 503, 504} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			c := open(t, with(unreachable, answers(status, nil, "")))
			for _, call := range drivertest.EachCall("name") {
				if err := c.Do(t.Context(), &call); !errors.Is(err, domain.ErrUnavailable) {
					t.Errorf("%s: %v", call.Method, err)
				}
			}
		})
	}
}

func foreignNotFound(t *testing.T) {
	c := open(t, with(unreachable, answers(http.StatusNotFound, http.Header{"Content-Type": {"text/html"}}, "<h1>404</h1>")))
	for _, call := range drivertest.EachCall("name") {
		err := c.Do(t.Context(), &call)
		if !errors.Is(err, domain.ErrUnavailable) || errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrLeaseLost) {
			t.Errorf("%s: %v", call.Method, err)
		}
	}
}

// silent starts a server that accepts connections and never answers, and returns an
// account that uses it.
func silent(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
	})
	return strings.ReplaceAll(unreachable, "127.0.0.1:1", listener.Addr().String())
}

func silentService(t *testing.T) {
	cfg := with(silent(t))
	cfg.Retry.TryTimeout = 20 * time.Millisecond
	c := open(t, cfg)
	for _, call := range drivertest.EachCall("name") {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if err := c.Do(ctx, &call); !errors.Is(err, domain.ErrUnavailable) || ctx.Err() != nil {
			t.Errorf("%s: %v", call.Method, err)
		}
		cancel()
	}
}

func endedContext(t *testing.T) {
	c := open(t, with(silent(t)))
	for _, call := range drivertest.EachCall("name") {
		t.Run(string(call.Method), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(10*time.Millisecond, cancel)
			want(t, c.Do(ctx, &call), context.Canceled)

			ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			err := c.Do(ctx, &call)
			want(t, err, context.DeadlineExceeded)
			want(t, err, domain.ErrUnavailable)
		})
	}
}

func TestHeal(t *testing.T) {
	t.Run("creates the tables and queues of an emptied Azurite", emptiedAzurite)
}

func emptiedAzurite(t *testing.T) {
	server := azuritetest.Start(t)
	c := open(t, with(server.Account()))
	names := map[driver.Method]string{}
	for _, call := range drivertest.EachCall("") {
		names[call.Method] = newName()
		transact(t, c, names[call.Method], driver.Insert("r"))
		if err := driver.NewQueue(c, names[call.Method]).Send(t.Context(), "m"); err != nil {
			t.Fatal(err)
		}
	}
	server.Stop(t)
	for _, call := range drivertest.EachCall(names[driver.CallGet]) {
		want(t, c.Do(t.Context(), &call), domain.ErrUnavailable)
	}
	server.Restart(t)

	expected := map[driver.Method]error{
		driver.CallGet: domain.ErrNotFound, driver.CallUpdate: domain.ErrLeaseLost, driver.CallDelete: domain.ErrLeaseLost,
		// These report what is missing and create nothing.
		driver.CallPeek: domain.ErrUnavailable, driver.CallLength: domain.ErrUnavailable,
	}
	for _, call := range drivertest.EachCall("") {
		call.Target = names[call.Method]
		if err := c.Do(t.Context(), &call); !errors.Is(err, expected[call.Method]) {
			t.Errorf("%s: got %v, want %v", call.Method, err, expected[call.Method])
		}
	}
}
