package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"microblogging/e2e/program"
	"microblogging/storage/azuritetest"
)

func TestSIGTERMEndsEveryRoleCleanly(t *testing.T) {
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

// A page that follows a deletion holds a connection open for ever.
func TestSIGTERMEndsAProcessThatIsBeingWatched(t *testing.T) {
	t.Parallel()
	s := onBolt(t)
	web := s.start(t, "web", "--listen", "127.0.0.1:0")
	alice := signUp(t, web.url, "alice")
	alice.createChannel(t, "doomed")
	progress := alice.deleteChannel(t, "doomed") // nobody works on it
	stream := alice.watch(t, progress)
	web.endCleanly(t)
	<-stream
}

func TestASecondProcessOnTheSameDataIsRefused(t *testing.T) {
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

func TestADataDirectoryThatCannotBeWrittenIsRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// What must be named is what is wrong.
	directories := map[string]string{
		file:                        file, // no directory
		filepath.Join(file, "data"): file, // below what is none
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

func TestWhatCannotRunExitsWithTwo(t *testing.T) {
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
