package main

import (
	"bufio"
	"context"
	"io"
	"regexp"
	"strings"
	"testing"
)

func TestReconcileFlag(t *testing.T) {
	for sentence, c := range map[string]struct {
		flag  string
		warns bool
	}{
		"its own name gives no warning":         {"--reconcile", false},
		"its old name works, and warns of that": {"--sweep", true},
	} {
		t.Run(sentence, func(t *testing.T) {
			if _, _, stderr := program(t, "worker", "--data", t.TempDir(), c.flag, "0s"); !strings.Contains(stderr, "not 0s") {
				t.Errorf("%s 0s is answered by %q", c.flag, stderr)
			}
			warned := false
			for _, line := range workerStarts(t, c.flag, "2s") {
				warned = warned || strings.Contains(line, "--sweep") && strings.Contains(line, "--reconcile")
			}
			if warned != c.warns {
				t.Errorf("%s warns: %v, want %v", c.flag, warned, c.warns)
			}
		})
	}
}

// workerStarts runs a worker until it has started, and returns what it logged.
func workerStarts(t *testing.T, flags ...string) (log []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"worker", "--data", t.TempDir()}, flags...), &console{stdout: io.Discard, stderr: in})
		in.Close()
	}()
	for scanner := bufio.NewScanner(out); scanner.Scan(); {
		log = append(log, scanner.Text())
		if strings.Contains(scanner.Text(), "worker started") {
			cancel()
		}
	}
	if code := <-ended; code != exitOK {
		t.Errorf("the worker ended with %d", code)
	}
	return log
}

func TestHelp(t *testing.T) {
	t.Run("shows every flag with its environment variable", helpShowsEnvironment)
	t.Run("of the program shows the flags of serve", helpShowsServe)
}

func helpShowsEnvironment(t *testing.T) {
	for _, command := range []string{"serve", "web", "worker", "import", "requeue", "check"} {
		code, help, _ := program(t, command, "--help")
		if code != exitOK {
			t.Fatalf("%s --help exits with %d", command, code)
		}
		flat := strings.Join(strings.Fields(help), " ")
		for _, flag := range regexp.MustCompile(`--[a-z][a-z-]*`).FindAllString(flat, -1) {
			if flag == "--help" {
				continue
			}
			variable := "$MICROBLOGGING_" + strings.ToUpper(strings.ReplaceAll(flag[2:], "-", "_"))
			if !strings.Contains(flat, variable) {
				t.Errorf("%s --help shows %s without %s", command, flag, variable)
			}
		}
	}
}

func helpShowsServe(t *testing.T) {
	code, help, _ := program(t, "--help")
	if code != exitOK || !strings.Contains(help, "--listen") || !strings.Contains(help, "requeue") {
		t.Errorf("--help exits with %d and shows\n%s", code, help)
	}
}
