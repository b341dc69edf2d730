package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

func TestPress(t *testing.T) {
	t.Run("made what is committed in served/", pressMadeWhatIsServed)
	t.Run("fails if a source cannot be parsed", brokenSourceIsAnError)
	t.Run("leaves nothing of before", pressLeavesNothingOfBefore)
}

func pressMadeWhatIsServed(t *testing.T) {
	want, err := pressed(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	served, err := os.ReadDir("../served")
	if err != nil || len(want) < 50 {
		t.Fatalf("%v; %d files", err, len(want))
	}
	for _, entry := range served {
		content, err := os.ReadFile(filepath.Join("../served", entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(content, want[entry.Name()]) {
			t.Errorf("served/%s is not what its source gives: make generate is due", entry.Name())
		}
		delete(want, entry.Name())
	}
	for name := range maps.Keys(want) {
		t.Errorf("served/%s is missing: make generate is due", name)
	}
}

func brokenSourceIsAnError(t *testing.T) {
	if _, err := pressed(fstest.MapFS{"app.js": {Data: []byte("const = ;")}}); err == nil {
		t.Error("a script with a syntax error is served")
	}
}

func pressLeavesNothingOfBefore(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("app.css", []byte("a { top: 0 }"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, before := range []string{"", "old.css"} {
		if before != "" {
			if err := os.WriteFile("served/"+before, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := write("served"); err != nil {
			t.Fatal(err)
		}
		if names, err := filepath.Glob("served/*"); err != nil || len(names) != 1 || names[0] != "served/app.css" {
			t.Errorf("%v, %v", names, err)
		}
	}
}
