package lab_test

import (
	"os"
	"strings"
	"testing"

	"microblogging/lab/prove"
)

func TestDocument(t *testing.T) {
	t.Run("its schedules are those that are known", schedulesAreCurrent)
}

func schedulesAreCurrent(t *testing.T) {
	const name = "../docs/consistency.md"
	text, err := os.ReadFile(name)
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
			t.Fatalf("docs/consistency.md:%d has\n%s\nwant\n%s\nmake generate writes it", i+1, got[i], current[i])
		}
	}
	if len(got) != len(current) {
		t.Errorf("docs/consistency.md has %d lines, want %d; make generate writes it", len(got), len(current))
	}
}
