package lab_test

import (
	"os"
	"strings"
	"testing"

	"microblogging/lab/modelcheck"
)

func TestDocument(t *testing.T) {
	for _, name := range []string{"consistency.md", "model-checking.md", "costs.md"} {
		t.Run("the schedules of "+name+" are those that are known", func(t *testing.T) { schedulesAreCurrent(t, "docs/"+name) })
	}
}

func schedulesAreCurrent(t *testing.T, name string) {
	text, err := os.ReadFile("../" + name)
	ok(t, err)
	want, err := modelcheck.Document(string(text))
	ok(t, err)
	current := strings.Split(want, "\n")
	for i, line := range strings.Split(string(text), "\n") {
		if i >= len(current) || line != current[i] {
			t.Fatalf("%s:%d has\n%s\nmake generate writes it anew", name, i+1, line)
		}
	}
}
