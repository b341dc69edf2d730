package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckCommand(t *testing.T) {
	t.Run("warns that a store does not exist", checkWarnsOfNewStore)
}

func checkWarnsOfNewStore(t *testing.T) {
	data := filepath.Join(t.TempDir(), "slip")
	if code, stdout, stderr := program(t, "check", "--data", data); code != exitOK || !strings.Contains(stdout, "0 breaches") || !strings.Contains(stderr, data) {
		t.Errorf("exit %d, %q and %q, want a warning that names %s", code, stdout, stderr, data)
	}
	if _, _, stderr := program(t, "check", "--data", data); stderr != "" {
		t.Errorf("a store that exists gives the warning %q", stderr)
	}
}
