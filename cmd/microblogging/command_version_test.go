package main

import (
	"strings"
	"testing"
)

func TestVersionCommand(t *testing.T) {
	t.Run("names the storage libraries", versionNamesLibraries)
}

func versionNamesLibraries(t *testing.T) {
	code, out, _ := program(t, "version")
	for _, part := range []string{"microblogging ", "go1.", "aztables v", "azqueue/v2 v", "bbolt v"} {
		if code != exitOK || !strings.Contains(out, part) {
			t.Errorf("version exits with %d and prints %q, want %q in it", code, out, part)
		}
	}
}
