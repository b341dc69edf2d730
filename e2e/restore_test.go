package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"microblogging/e2e/program"
)

// A restore that is killed after any system call that makes, names or removes one of its files
// leaves no empty store that is accepted, and the next restore makes the whole one.
func TestRestoreKilled(t *testing.T) {
	t.Parallel()
	strace := installed(t, "strace")
	data, s := imported(t, 25)
	backup := filepath.Join(t.TempDir(), "backup")
	s.mustRun(t, "backup", backup, "--data", data)
	whole := s.mustRun(t, "check", "--data", data).Stdout

	feed := writeFeed(t, 1)
	calls := 0
	for killed := true; killed; calls++ {
		// A restore that died has left an empty folder, or what is refused, or the whole store.
		to := filepath.Join(t.TempDir(), "to")
		killed = s.killAfter(t, strace, calls+1, to, "restore", backup, "--data", to)
		if files, _ := filepath.Glob(filepath.Join(to, "*")); len(files) > 0 {
			if r := s.run(t, "check", "--data", to); r.Stdout != whole {
				r = s.run(t, "import", "--channel", "news", "--owner", "alice", "--create-owner", feed, "--data", to)
				if r.Code != 2 {
					t.Errorf("killed after call %d, an import is accepted: %d %q %q", calls+1, r.Code, r.Stdout, r.Stderr)
				}
			}
		}
		s.run(t, "restore", backup, "--data", to) // refused if the store was whole
		if r := s.run(t, "check", "--data", to); r.Stdout != whole {
			t.Errorf("killed after call %d, and restored again: %d %q %q", calls+1, r.Code, r.Stdout, r.Stderr)
		}
	}
	// It makes the folder and the file, opens it, and gives it its name.
	if calls < 5 {
		t.Errorf("a restore was killed after each of %d calls only: are they called otherwise now?", calls-1)
	}
}

// killAfter runs a command, and kills it after so many calls that change which files a folder
// has, or open one. It returns false if the command makes fewer.
func (s setup) killAfter(t *testing.T, strace string, calls int, folder string, args ...string) (killed bool) {
	t.Helper()
	const named = "mkdirat,openat,renameat,renameat2,linkat,unlinkat"
	log := filepath.Join(t.TempDir(), "calls")
	cmd := s.Command(context.WithoutCancel(t.Context()), args[0], args[1:]...)
	// Each call is written down, and then held for long enough to be read here.
	cmd.Args = append([]string{strace, "-f", "-qq", "-o", log, "-e", "trace=" + named,
		"-e", "inject=" + named + ":delay_exit=30000", s.Binary}, cmd.Args[1:]...)
	cmd.Path = strace
	p := launch(t, cmd)
	deadline := time.NewTimer(program.Patience)
	defer deadline.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if thread := threadOfCall(t, log, calls, folder); thread > 0 {
			ok(t, syscall.Kill(thread, syscall.SIGKILL))
			<-p.Ended()
			return true
		}
		select {
		case <-p.Ended():
			if !p.State().Success() {
				t.Fatalf("%v: %s", p.State(), p.stderr)
			}
			return false
		case <-deadline.C:
			t.Fatal("the command does not end")
		case <-tick.C:
		}
	}
}

// threadOfCall returns which thread made the call with that number among those that name
// something in the folder, or 0.
func threadOfCall(t *testing.T, log string, number int, folder string) int {
	text, err := os.ReadFile(log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, ` = `) || !strings.Contains(line, `"`+folder) {
			continue // not at its end yet, or of no interest
		}
		if number--; number == 0 {
			thread, err := strconv.Atoi(strings.Fields(line)[0])
			ok(t, err)
			return thread
		}
	}
	return 0
}
