//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestImportFilePipe(t *testing.T) {
	t.Run("is imported as a file is", pipeIsImported)
}

func pipeIsImported(t *testing.T) {
	data := t.TempDir()
	for _, want := range []string{"100 posts added, 0 already there", "0 posts added, 100 already there"} {
		pipe := writePipe(t, writeFeed(t, "a", 100))
		code, out, errs := programWithInput(t, testPassword+"\n", "import", "--data", data, "--create-owner",
			"--channel", "news", "--owner", "ada", pipe)
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("exits with %d, prints %q and says %q, want %q", code, out, errs, want)
		}
	}
}

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
