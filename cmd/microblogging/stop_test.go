package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"microblogging/worker"
)

func TestDrainDelay(t *testing.T) {
	t.Run("a worker is not ready until it is over", workerDrains)
}

// A role is a program that runs until its process is told to stop.
type role struct {
	stop  func()
	ended chan int
	mu    sync.Mutex
	wrote strings.Builder
	news  chan struct{}
}

func (r *role) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrote.Write(p)
	select {
	case r.news <- struct{}{}:
	default:
	}
	return len(p), nil
}

// await waits until the role has written what the pattern matches, and returns the
// group in it.
func (r *role) await(t *testing.T, pattern string) string {
	t.Helper()
	for {
		r.mu.Lock()
		match := regexp.MustCompile(pattern).FindStringSubmatch(r.wrote.String())
		r.mu.Unlock()
		if match != nil {
			return match[1]
		}
		select {
		case <-r.news:
		case code := <-r.ended:
			t.Fatalf("ended with %d after writing %s", code, r.wrote.String())
		}
	}
}

func startRole(t *testing.T, args ...string) *role {
	t.Helper()
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	if !slices.Contains(args, "--data") {
		args = append(args, "--data", t.TempDir())
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &role{stop: cancel, ended: make(chan int, 1), news: make(chan struct{}, 1)}
	go func() {
		r.ended <- run(ctx, args, &console{stdin: strings.NewReader(""), stdout: r, stderr: r})
	}()
	return r
}

// serving starts the role serve, and returns the address of its site.
func serving(t *testing.T, args ...string) (r *role, address string) {
	t.Helper()
	r = startRole(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	return r, r.await(t, `listening on (\S+)\n`)
}

// end stops the role, which must end well.
func (r *role) end(t *testing.T) {
	t.Helper()
	r.stop()
	if code := <-r.ended; code != exitOK {
		t.Errorf("ended with %d after writing %s", code, r.wrote.String())
	}
}

func workerDrains(t *testing.T) {
	r := startRole(t, "worker", "--health-listen", "127.0.0.1:0", "--drain-delay", "2s")
	address := r.await(t, `health listener started" address=(\S+)`)
	r.await(t, `level=(WARN) .*use serve`) // a role that runs alone with the embedded store
	get(t, http.DefaultClient, address+"/readyz", http.StatusOK)
	told := time.Now()
	r.stop()
	if body := get(t, http.DefaultClient, address+"/readyz", http.StatusServiceUnavailable); !strings.Contains(body, "shutting down") {
		t.Errorf("/readyz answers %s", body)
	}
	get(t, http.DefaultClient, address+"/healthz", http.StatusOK)
	http.DefaultClient.CloseIdleConnections()
	if r.end(t); time.Since(told) < 2*time.Second {
		t.Errorf("ended after %s, want the delay of 2 s", time.Since(told))
	}
	if response, err := http.Get(address + "/healthz"); err == nil {
		response.Body.Close()
		t.Error("the listener is still open")
	}
}

// The grace period of the compose file is longer than each role takes to stop.
// The engine kills a container that takes longer.
func TestGracePeriod(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docker-compose.yml"))
	ok(t, err)
	var file struct {
		Services map[string]struct {
			Command     string
			GracePeriod string `yaml:"stop_grace_period"`
		}
	}
	ok(t, yaml.Unmarshal(data, &file))
	for _, name := range []string{"web", "worker", "embedded"} {
		service := file.Services[name]
		grace, err := time.ParseDuration(service.GracePeriod)
		ok(t, err)
		flags := parsed(t, strings.Fields(service.Command)...)
		takes := flags.Web.DrainDelay + drainTime
		switch name {
		case "worker":
			takes = flags.Worker.DrainDelay + worker.StopTime
		case "embedded":
			takes = flags.Serve.DrainDelay + max(drainTime, worker.StopTime)
		}
		if takes += adminDrainTime + time.Second; takes > grace { // to close the store
			t.Errorf("%s takes up to %s to stop, and has %s", name, takes, grace)
		}
	}
}
