package main

import (
	"strings"
	"testing"
)

func TestVersionCommand(t *testing.T) {
	t.Run("names the storage libraries", versionNamesLibraries)
	t.Run("says the commit that the linker was told", versionSaysCommit)
}

func versionNamesLibraries(t *testing.T) {
	code, out, _ := program(t, "version")
	if _, same, _ := program(t, "--version"); same != out {
		t.Errorf("--version prints %q, and version %q", same, out)
	}
	for _, part := range []string{"microblogging ", "go1.", "aztables v", "azqueue/v2 v", "bbolt v"} {
		if code != exitOK || !strings.Contains(out, part) {
			t.Errorf("version exits with %d and prints %q, want %q in it", code, out, part)
		}
	}
}

func versionSaysCommit(t *testing.T) {
	defer func() { commit = "" }()
	commit = "0123abcd"
	if code, out, _ := program(t, "version"); code != exitOK || !strings.HasPrefix(out, "microblogging 0123abcd\n") {
		t.Errorf("version exits with %d and prints %q", code, out)
	}
	if got := buildVersion(); got != commit {
		t.Errorf("the pages are of version %q, want %q", got, commit)
	}
}
