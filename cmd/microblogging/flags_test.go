package main

import (
	"bufio"
	"context"
	"io"
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
		ended <- run(ctx, append([]string{"worker", "--data", t.TempDir()}, flags...), io.Discard, in)
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
