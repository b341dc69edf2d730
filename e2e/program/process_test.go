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
}

func TestRun(t *testing.T) {
	t.Run("a signal is an error", func(t *testing.T) {
		if _, err := program.Run(exec.Command("/bin/sh", "-c", "kill -9 $$")); err == nil {
			t.Error("no error")
		}
	})
}
