package e2e

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"microblogging/e2e/program"
)

// TestDisk damages the file of the embedded store under a running server. bbolt faults at the
// header of the file while it holds its locks.
func TestDisk(t *testing.T) {
	t.Parallel()
	from, s := imported(t, 25)
	whole, err := os.ReadFile(filepath.Join(from, "microblogging.db"))
	ok(t, err)
	overwrite := func(file string) error { return os.WriteFile(file, whole, 0o600) } // as cp does
	for name, damage := range map[string]func(file string) error{
		"a file that is cut to nothing":          func(file string) error { return os.Truncate(file, 0) },
		"a file that is cut behind its header":   func(file string) error { return os.Truncate(file, 4096) },
		"a file that is cut behind both headers": func(file string) error { return os.Truncate(file, 8192) },
		"a file that another is copied over":     overwrite,
		"a file that was renewed from a copy":    func(file string) error { return overwriteThere(file, whole) },
	} {
		t.Run(name+" ends the server with one line that names it", func(t *testing.T) {
			t.Parallel()
			p, file := s.serveCopy(t, whole)
			ok(t, damage(file))
			asked := http.Client{Timeout: program.Patience}
			for _, path := range []string{"/healthz", "/api/v1/latest", "/api/v1/channels", "/healthz"} {
				if response, err := asked.Get(p.url + path); err == nil {
					response.Body.Close()
				} else if os.IsTimeout(err) {
					t.Errorf("%s gets no answer", path)
				}
			}
			p.wantLost(t, file)
		})
		t.Run(name+" lets SIGTERM end the server", func(t *testing.T) {
			t.Parallel()
			p, file := s.serveCopy(t, whole)
			ok(t, damage(file))
			if err := p.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) { // it may have noticed by itself
				t.Fatal(err)
			}
			p.wantLost(t, file)
		})
	}
}

// overwriteThere writes over the bytes of a file without cutting it off before.
func overwriteThere(name string, content []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close() // a write that failed is known
	_, err = file.Write(content)
	return err
}

// serveCopy serves a store with this file.
func (s setup) serveCopy(t *testing.T, content []byte) (p *process, file string) {
	t.Helper()
	data := t.TempDir()
	file = filepath.Join(data, "microblogging.db")
	ok(t, os.WriteFile(file, content, 0o600))
	return s.start(t, "serve", "--listen", "127.0.0.1:0", "--data", data), file
}

// wantLost requires that the process ends, and says that it has lost the file.
func (p *process) wantLost(t *testing.T, file string) {
	t.Helper()
	select {
	case <-p.Ended():
	case <-time.After(program.Patience):
		t.Fatal("the server goes on")
	}
	said := p.stderr.String()
	if code := p.State().ExitCode(); code != 1 || strings.Count(said, "microblogging: "+file+" was cut off or overwritten") != 1 || strings.Contains(said, "goroutine ") {
		t.Errorf("exit %d after it wrote %s", code, said)
	}
}
