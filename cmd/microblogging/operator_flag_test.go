package main

import (
	"slices"
	"strings"
	"testing"

	"microblogging/domain"
)

func TestOperatorFlag(t *testing.T) {
	t.Run("names each operator, also in the environment", func(t *testing.T) {
		if got := parsed(t, "web", "--operator", "Ada", "--operator", "@bob").Web.options().Operators; !slices.Equal(got, domain.Operators{"ada", "bob"}) {
			t.Errorf("the operators are %v", got)
		}
		t.Setenv("MICROBLOGGING_OPERATOR", "ada, bob")
		if got := parsed(t, "serve").Serve.webFlags.options().Operators; !slices.Equal(got, domain.Operators{"ada", "bob"}) {
			t.Errorf("the operators of the environment are %v", got)
		}
		t.Setenv("MICROBLOGGING_OPERATOR", "")
		if got := parsed(t, "serve").Serve.webFlags.options().Operators; got.Has("") {
			t.Errorf("an empty variable names %v", got)
		}
	})
	t.Run("refuses what is no name of a user", func(t *testing.T) {
		refused(t, exitCannotRun, "--operator: must have 2 to 32 characters", "web", "--operator", "a", "--data", t.TempDir())
	})
	t.Run("warns of a name without an account, and of no other", func(t *testing.T) {
		r, _ := serving(t, "--sample", "--operator", string(sampleUsers()[0]), "--operator", "nobody_here")
		r.await(t, `level=WARN msg="operator has no account: .*" (operator=nobody_here)`)
		if r.end(t); strings.Count(r.wrote.String(), "operator has no account") != 1 {
			t.Errorf("the log says %s", r.wrote.String())
		}
	})
}
