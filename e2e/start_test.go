package e2e

import (
	"net/http"
	"strings"
	"testing"

	"microblogging/e2e/program"
)

func TestStart(t *testing.T) {
	t.Parallel()
	t.Run("a second process on the same data is refused", startRefusesSecondProcess)
	t.Run("a command that cannot run exits with 2", startExitsWithTwo)
}

func startRefusesSecondProcess(t *testing.T) {
	t.Parallel()
	s := onBolt(t)
	first := s.start(t, "serve", "--listen", "127.0.0.1:0")
	for _, args := range [][]string{
		{"serve", "--listen", "127.0.0.1:0"},
		{"web", "--listen", "127.0.0.1:0"},
		{"worker"},
		{"check"},
		{"import", "--channel", "news", "--owner", "alice", writeFeed(t, 1)},
	} {
		r := s.run(t, args...)
		if r.Code != 2 || !strings.Contains(r.Stderr, "another process") {
			t.Errorf("%s: exit %d and %q", args[0], r.Code, r.Stderr)
		}
	}
	reader(first.url).do(t, "GET", "/readyz", nil, http.StatusOK, nil)
}

func startExitsWithTwo(t *testing.T) {
	t.Parallel()
	s := setup{program.Setup{Binary: binary}}
	for _, args := range [][]string{
		{"serve", "--no-such-flag"},
		{"worker", "--data", t.TempDir(), "--health-listen", "nowhere:x"},
		{"check", "--storage", "azure"},
	} {
		if r := s.run(t, args...); r.Code != 2 || r.Stderr == "" || r.Stdout != "" {
			t.Errorf("%s: exit %d, %q on standard output and %q on standard error",
				strings.Join(args, " "), r.Code, r.Stdout, r.Stderr)
		}
	}
}
