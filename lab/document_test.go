package lab_test

import (
	"os"
	"strings"
	"testing"

	"microblogging/lab/prove"
)

func TestDocument(t *testing.T) {
	for _, name := range []string{"consistency.md", "proof.md", "costs.md"} {
		t.Run("the schedules of "+name+" are those that are known", func(t *testing.T) { schedulesAreCurrent(t, "docs/"+name) })
	}
}

func schedulesAreCurrent(t *testing.T, name string) {
	text, err := os.ReadFile("../" + name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := prove.Document(string(text))
	if err != nil {
		t.Fatal(err)
	}
	got, current := strings.Split(string(text), "\n"), strings.Split(want, "\n")
	for i := range min(len(got), len(current)) {
		if got[i] != current[i] {
			t.Fatalf("%s:%d has\n%s\nwant\n%s\nmake generate writes it", name, i+1, got[i], current[i])
		}
	}
	if len(got) != len(current) {
		t.Errorf("%s has %d lines, want %d; make generate writes it", name, len(got), len(current))
	}
}
