package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"microblogging/e2e/program"
)

func TestStart(t *testing.T) {
	t.Parallel()
	t.Run("a second process on the same data is refused", startRefusesSecondProcess)
	t.Run("a data directory that cannot be written is refused", startRefusesDirectory)
	t.Run("with the sample prints a fresh sign-in link each time", startPrintsAFreshLink)
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

func startRefusesDirectory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// From the directory to what the message must name as the cause.
	directories := map[string]string{
		file:                        file, // a file is no directory
		filepath.Join(file, "data"): file, // nor can it hold one
	}
	if os.Getuid() != 0 { // root may write anywhere
		sealed := filepath.Join(t.TempDir(), "sealed")
		if err := os.Mkdir(sealed, 0o500); err != nil {
			t.Fatal(err)
		}
		directories[sealed] = sealed
		directories[filepath.Join(sealed, "data")] = sealed
	}
	for directory, culprit := range directories {
		s := setup{program.Setup{Binary: binary, Flags: []string{"--data", directory}}}
		r := s.run(t, "serve", "--listen", "127.0.0.1:0")
		if r.Code != 2 || !strings.Contains(r.Stderr, culprit) {
			t.Errorf("--data %s: exit %d and %q", directory, r.Code, r.Stderr)
		}
	}
}

func startPrintsAFreshLink(t *testing.T) {
	onEachBackend(t, func(t *testing.T, s setup) {
		var former string
		for start := range 3 {
			p := s.start(t, "serve", "--sample", "--listen", "127.0.0.1:0", "--log-level", "error")
			link := p.await(t, &p.Stdout, `sign in as ada, once: (http://\S+)`)
			_, token, _ := strings.Cut(link, "token=")
			r, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Get(link)
			if err != nil {
				t.Fatal(err)
			}
			r.Body.Close()
			if r.StatusCode != http.StatusSeeOther || r.Header.Get("Set-Cookie") == "" || token == former {
				t.Errorf("start %d: the link %s answers %d", start, link, r.StatusCode)
			}
			former = token
			switch start {
			case 0:
				p.endCleanly(t)
			case 1:
				p.kill(t)
			}
		}
	})
}

func startExitsWithTwo(t *testing.T) {
	t.Parallel()
	s := setup{program.Setup{Binary: binary}}
	for _, args := range [][]string{
		{"serve", "--no-such-flag"},
		{"serve", "--storage", "paper"},
		{"serve", "--data", t.TempDir(), "--listen", "nowhere:x"},
		{"worker", "--lease", "0s"},
		{"no-such-command"},
		{"import", "--data", t.TempDir(), "--channel", "c", "--owner", "alice", "no-such-file"},
		{"import", "--data", t.TempDir(), "--channel", "not a name", "--owner", "alice", writeFeed(t, 1)},
		{"check", "--storage", "azure"},
	} {
		if r := s.run(t, args...); r.Code != 2 || r.Stderr == "" || r.Stdout != "" {
			t.Errorf("%s: exit %d, %q on standard output and %q on standard error",
				strings.Join(args, " "), r.Code, r.Stdout, r.Stderr)
		}
	}
}
