package e2e

import (
	"context"
	"errors"
	"net/http"
	"os"
	"syscall"
	"testing"

	"microblogging/e2e/program"
	"microblogging/storage/azuritetest"
)

func TestShutdown(t *testing.T) {
	t.Parallel()
	t.Run("SIGTERM ends every role cleanly", shutdownEndsRoles)
	t.Run("SIGTERM ends a process that is being watched", shutdownEndsStreams)
	t.Run("a process whose log has lost its reader goes on until SIGTERM", shutdownWithoutReader)
	t.Run("SIGTERM makes a process unready before it stops to answer, and another one ends it immediately", shutdownDrains)
}

func shutdownDrains(t *testing.T) {
	t.Parallel()
	web := onBolt(t).start(t, "web", "--listen", "127.0.0.1:0", "--drain-delay", "1h")
	reader(web.url).awaitStatus(t, "/readyz", http.StatusOK)
	ok(t, web.Signal(syscall.SIGTERM))
	reader(web.url).awaitStatus(t, "/readyz", http.StatusServiceUnavailable)
	reader(web.url).do(t, "GET", "/api/v1/channels", nil, http.StatusOK, nil)
	_ = web.Terminate() // to end by a signal is not clean
	if how := web.State().Sys().(syscall.WaitStatus); how.Signal() != syscall.SIGTERM {
		t.Errorf("%v after a second SIGTERM", web.State())
	}
}

func shutdownWithoutReader(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	ok(t, err)
	cmd := onBolt(t).Command(context.WithoutCancel(t.Context()), "serve", "--listen", "127.0.0.1:0")
	cmd.Stderr = write
	p, err := program.Start(cmd)
	ok(t, errors.Join(err, write.Close()))
	t.Cleanup(func() { ok(t, p.Kill()) })
	url, err := p.AwaitURL(t.Context())
	ok(t, errors.Join(err, read.Close()))
	signUp(t, url, "alice")
	ok(t, p.Terminate()) // which is logged
}

func shutdownEndsRoles(t *testing.T) {
	t.Parallel()
	azurite := onAzurite(azuritetest.Shared(t).Account())
	for name, c := range map[string]struct {
		setup
		args []string
	}{
		"serve on bolt":     {onBolt(t), []string{"serve", "--listen", "127.0.0.1:0"}},
		"web on bolt":       {onBolt(t), []string{"web", "--listen", "127.0.0.1:0"}},
		"serve on azurite":  {azurite, []string{"serve", "--listen", "127.0.0.1:0"}},
		"web on azurite":    {azurite, []string{"web", "--listen", "127.0.0.1:0"}},
		"worker on azurite": {azurite, []string{"worker"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := c.start(t, c.args...)
			if p.url != "" {
				reader(p.url).awaitStatus(t, "/readyz", http.StatusOK)
			} else {
				p.await(t, p.stderr, "worker started")
			}
			p.endCleanly(t)
		})
	}
}

// A page that follows a deletion keeps a connection open.
func shutdownEndsStreams(t *testing.T) {
	t.Parallel()
	s := onBolt(t)
	web := s.start(t, "web", "--listen", "127.0.0.1:0")
	alice := signUp(t, web.url, "alice")
	alice.createChannel(t, "doomed")
	progress := alice.deleteChannel(t, "doomed") // no worker runs, so it does not end
	stream := alice.watch(t, progress)
	web.endCleanly(t)
	<-stream
}
