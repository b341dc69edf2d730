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
)

// unreachable is an account at port 1, where nothing listens.
const unreachable = "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=dGVzdA==;" +
	"TableEndpoint=http://127.0.0.1:1/a;QueueEndpoint=http://127.0.0.1:1/a;"

// calls has every method of driver.Tables and driver.Queues.
var calls = map[string]func(context.Context, *azure.Client, string) error{
	"CreateTable": func(ctx context.Context, c *azure.Client, name string) error { return c.CreateTable(ctx, name) },
	"Get": func(ctx context.Context, c *azure.Client, name string) error {
		_, err := c.Get(ctx, name, "p", "r")
		return err
	},
	"Range": func(ctx context.Context, c *azure.Client, name string) error {
		_, err := c.Range(ctx, name, driver.Range{Partition: "p", Paging: driver.Paging{Limit: 1}})
		return err
	},
	"Scan": func(ctx context.Context, c *azure.Client, name string) error {
		_, err := c.Scan(ctx, name, driver.Scan{Paging: driver.Paging{Limit: 1}})
		return err
	},
	"Transact": func(ctx context.Context, c *azure.Client, name string) error {
		return c.Transact(ctx, name, "p", []driver.Operation{driver.Insert("r")})
	},
	"CreateQueue": func(ctx context.Context, c *azure.Client, name string) error { return c.CreateQueue(ctx, name) },
	"Send": func(ctx context.Context, c *azure.Client, name string) error {
		return c.Send(ctx, name, "m")
	},
	"Receive": func(ctx context.Context, c *azure.Client, name string) error {
		_, err := c.Receive(ctx, name, 1, time.Second)
		return err
	},
	"Update": func(ctx context.Context, c *azure.Client, name string) error {
		_, err := c.Update(ctx, name, driver.Message{ID: "1", Receipt: "r"}, time.Second)
		return err
	},
	"Delete": func(ctx context.Context, c *azure.Client, name string) error {
		return c.Delete(ctx, name, driver.Message{ID: "1", Receipt: "r"})
	},
	"Ping": func(ctx context.Context, c *azure.Client, name string) error { return c.Ping(ctx, name) },
	"Length": func(ctx context.Context, c *azure.Client, name string) error {
		_, err := c.Length(ctx, name)
		return err
	},
}

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
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			err := call(t.Context(), c, "name")
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
	err := calls["Get"](ctx, c, "name")
	want(t, err, domain.ErrUnavailable)
	want(t, err, syscall.ECONNREFUSED) // and not the end of the context
}

func busyService(t *testing.T) {
	for _, status := range []int{401, 403, 408, 429, 500, 502, 503, 504} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			c := open(t, with(unreachable, answers(status, nil, "")))
			for name, call := range calls {
				if err := call(t.Context(), c, "name"); !errors.Is(err, domain.ErrUnavailable) {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

func foreignNotFound(t *testing.T) {
	c := open(t, with(unreachable, answers(http.StatusNotFound, http.Header{"Content-Type": {"text/html"}}, "<h1>404</h1>")))
	for name, call := range calls {
		err := call(t.Context(), c, "name")
		if !errors.Is(err, domain.ErrUnavailable) || errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrLeaseLost) {
			t.Errorf("%s: %v", name, err)
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
	for name, call := range calls {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if err := call(ctx, c, "name"); !errors.Is(err, domain.ErrUnavailable) || ctx.Err() != nil {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}

func endedContext(t *testing.T) {
	c := open(t, with(silent(t)))
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(10*time.Millisecond, cancel)
			want(t, call(ctx, c, "name"), context.Canceled)

			ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			err := call(ctx, c, "name")
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
	c := open(t, with(server.ConnectionString()))
	names := map[string]string{}
	for call := range calls {
		names[call] = newName()
		transact(t, c, names[call], driver.Insert("r"))
		if err := c.Send(t.Context(), names[call], "m"); err != nil {
			t.Fatal(err)
		}
	}
	server.Stop(t)
	want(t, c.Transact(t.Context(), names["Get"], "p", []driver.Operation{driver.Insert("r")}), domain.ErrUnavailable)
	server.Restart(t)

	expected := map[string]error{
		"Get":    domain.ErrNotFound,
		"Update": domain.ErrLeaseLost,
		"Delete": domain.ErrLeaseLost,
		// Ping and Length report what is missing and create nothing.
		"Ping":   domain.ErrUnavailable,
		"Length": domain.ErrUnavailable,
	}
	for name, call := range calls {
		if err := call(t.Context(), c, names[name]); !errors.Is(err, expected[name]) {
			t.Errorf("%s: got %v, want %v", name, err, expected[name])
		}
	}
}
