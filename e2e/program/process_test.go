package program_test

import (
	"os/exec"
	"strings"
	"testing"

	"microblogging/e2e/program"
)

func TestProcess(t *testing.T) {
	start := func(t *testing.T, script string) *program.Process {
		p, err := program.Start(exec.Command("/bin/sh", "-c", script))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := p.Kill(); err != nil {
				t.Error(err)
			}
		})
		return p
	}
	t.Run("it is awaited by its URL", func(t *testing.T) {
		p := start(t, "echo listening on http://127.0.0.1:80; exec sleep 60")
		if url, err := p.AwaitURL(t.Context()); err != nil || url != "http://127.0.0.1:80" {
			t.Errorf("%q, %v", url, err)
		}
	})
	t.Run("its end ends the wait", func(t *testing.T) {
		_, err := start(t, "exit 3").AwaitURL(t.Context())
		if err == nil || !strings.Contains(err.Error(), "exit status 3") {
			t.Error(err)
		}
	})
	t.Run("what it wrote last counts", func(t *testing.T) {
		p := start(t, "echo bye")
		<-p.Ended()
		if _, err := p.Await(t.Context(), &p.Stdout, "bye"); err != nil {
			t.Error(err)
		}
	})
	t.Run("an unclean end is an error", func(t *testing.T) {
		p := start(t, "trap 'exit 3' TERM; echo listening on http://x; while :; do sleep 0.01; done")
		if _, err := p.AwaitURL(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := p.Terminate(); err == nil || !strings.Contains(err.Error(), "exit status 3") {
			t.Error(err)
		}
	})
}

func TestRun(t *testing.T) {
	t.Run("an exit code is no error", func(t *testing.T) {
		r, err := program.Run(exec.Command("/bin/sh", "-c", "echo out; echo err >&2; exit 2"))
		if err != nil || r != (program.Result{Code: 2, Stdout: "out\n", Stderr: "err\n"}) {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("a signal is an error", func(t *testing.T) {
		if _, err := program.Run(exec.Command("/bin/sh", "-c", "kill -9 $$")); err == nil {
			t.Error("no error")
		}
	})
}
