package main

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"
)

// A terminal would show the password.
func TestImportAtTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("SKIPPED, NOT TESTED: this system has no pseudoterminals: %v", err)
	}
	t.Cleanup(func() { terminal.Close() })
	data := t.TempDir()
	var out, errs bytes.Buffer
	args := []string{"import", "--data", data, "--create-owner", "--channel", "news", "--owner", "ada", writeFeed(t, "a", "", 2)}
	code := run(t.Context(), args, &console{stdin: terminal, stdout: &out, stderr: &errs})
	if code != exitCannotRun || out.Len() > 0 || !strings.Contains(errs.String(), "set MICROBLOGGING_OWNER_PASSWORD") {
		t.Errorf("exits with %d, prints %q and says %q", code, &out, &errs)
	}
	expectUnwritten(t, data)
}
