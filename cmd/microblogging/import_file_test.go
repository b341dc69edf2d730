package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"microblogging/cmd/microblogging/feed"
)

func TestImportFile(t *testing.T) {
	t.Run("one over the limit is refused and nothing is written", fileOverTheLimit)
	t.Run("one that breaks off at its end is refused and nothing is written", fileThatBreaksOff)
	t.Run("one that is no feed keeps the others from being imported", fileAmongOthers)
}

// The file has nothing but its size.
func fileOverTheLimit(t *testing.T) {
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "large.rss")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, maxImportFile+1); err != nil {
		t.Fatal(err)
	}
	code, out, errs := programWithInput(t, testPassword+"\n", "import", "--data", data, "--create-owner",
		"--channel", "news", "--owner", "ada", file)
	if code != exitCannotRun || out != "" || !strings.Contains(errs, file+" is larger than 64 MiB") {
		t.Errorf("exits with %d, prints %q and says %q, want 2 and the limit", code, out, errs)
	}
	expectUnwritten(t, data)
	if err := os.Truncate(file, maxImportFile); err != nil {
		t.Fatal(err)
	}
	if _, err := readImportFile(file); !errors.Is(err, feed.ErrNotAFeed) {
		t.Errorf("a file of the size of the limit: %v", err)
	}
}

func fileThatBreaksOff(t *testing.T) {
	data, file := t.TempDir(), writeFeed(t, "a", 100)
	whole, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, whole[:len(whole)-1], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs := programWithInput(t, testPassword+"\n", "import", "--data", data, "--create-owner",
		"--channel", "news", "--owner", "ada", file)
	if code != exitFound || out != "" || !strings.Contains(errs, file) {
		t.Errorf("exits with %d, prints %q and says %q, want 1 and the file", code, out, errs)
	}
	expectUnwritten(t, data)
}

func fileAmongOthers(t *testing.T) {
	data, page := t.TempDir(), filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(page, []byte("<!DOCTYPE html><p>Hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := programWithInput(t, testPassword+"\n", "import", "--data", data, "--create-owner",
		"--channel", "news", "--owner", "ada", writeFeed(t, "a", 2), page)
	if code != exitFound || out != "" || !strings.Contains(errs, page) {
		t.Errorf("exits with %d, prints %q and says %q, want 1 and the file", code, out, errs)
	}
	expectUnwritten(t, data)
}
