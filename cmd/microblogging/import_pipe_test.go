//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// writePipe returns a named pipe with the content of a file.
func writePipe(t *testing.T, file string) string {
	t.Helper()
	pipe := filepath.Join(t.TempDir(), "pipe")
	content, err := os.ReadFile(file)
	if err == nil {
		err = syscall.Mkfifo(pipe, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// It fails if the program reads only a part.
		_ = os.WriteFile(pipe, content, 0o600)
	}()
	t.Cleanup(func() { <-ended })
	return pipe
}
