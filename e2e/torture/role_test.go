package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"microblogging/e2e/program"
)

func TestRole(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		do     func(r *role)
		want   string
	}{
		"a process that ends by itself is accused": {"exit 0", func(r *role) {
			<-r.current().judged
		}, "role ended by itself"},
		"a process that SIGTERM ends at its work is accused": {"echo ready >&2; while :; do sleep 0.01; done", func(r *role) {
			awaitReady(r)
			r.terminate()
		}, "role: signal: terminated after SIGTERM"},
		"a process that ends with an error before it logs anything is accused": {"trap 'exit 3' TERM; >\"$0.ready\"; while :; do sleep 0.01; done", func(r *role) {
			awaitFile(filepath.Join(filepath.Dir(r.log), "worker.ready"))
			r.terminate()
		}, "role: exit status 3 after SIGTERM"},
		"a process that ends with an error is accused": {"trap 'exit 3' TERM; echo ready >&2; while :; do sleep 0.01; done", func(r *role) {
			awaitReady(r)
			r.terminate()
		}, "role: exit status 3 after SIGTERM"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "worker"), []byte(c.script), 0o600); err != nil {
				t.Fatal(err)
			}
			s := &site{history: newHistory("test")}
			r := &role{
				// The shell takes the command for the name of a script.
				name: "role", site: s, setup: program.Setup{Binary: "/bin/sh"}, command: "worker", log: filepath.Join(dir, "log"),
			}
			if err := r.start(t.Context()); err != nil {
				t.Fatal(err)
			}
			c.do(r)
			r.kill()
			s.history.mustFind(t, c.want)
		})
	}
}

// awaitFile waits until a file is there.
func awaitFile(name string) {
	for _, err := os.Stat(name); err != nil; _, err = os.Stat(name) {
		time.Sleep(time.Millisecond)
	}
}

// awaitReady waits until the process has installed its trap.
func awaitReady(r *role) {
	for text := ""; !strings.Contains(text, "ready"); time.Sleep(time.Millisecond) {
		data, _ := os.ReadFile(r.log) // it is there as soon as the process is
		text = string(data)
	}
}
