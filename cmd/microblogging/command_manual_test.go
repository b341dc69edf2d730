package main

import (
	"strings"
	"testing"
)

func TestManual(t *testing.T) {
	t.Run("is dated by the release, and tells of every command and variable", func(t *testing.T) {
		code, out, errs := program(t, "man", "--dated", "2026-11-22")
		if code != exitOK || errs != "" || !strings.HasPrefix(out, `.TH MICROBLOGGING 1 "2026-11-22"`) {
			t.Fatalf("exits with %d, prints %.80q and says %q", code, out, errs)
		}
		for _, want := range []string{"requeue", "--trust-proxy", "MICROBLOGGING_TRUST_PROXY", "MICROBLOGGING_DATA", "it could not run"} {
			if !strings.Contains(strings.ReplaceAll(out, `\-`, "-"), want) {
				t.Errorf("the page does not tell of %s", want)
			}
		}
	})
	t.Run("has completions for three shells and no other", func(t *testing.T) {
		for _, shell := range []string{"bash", "zsh", "fish"} {
			if code, out, errs := program(t, "completion", shell); code != exitOK || errs != "" || !strings.Contains(out, "requeue") {
				t.Errorf("%s: exits with %d, prints %.80q and says %q", shell, code, out, errs)
			}
		}
		if code, out, errs := program(t, "completion", "cmd"); code != exitCannotRun || out != "" || !strings.Contains(errs, "bash") {
			t.Errorf("exits with %d, prints %q and says %q", code, out, errs)
		}
	})
}
