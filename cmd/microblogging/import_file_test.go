package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestImportFile(t *testing.T) {
	t.Run("one over the limit is refused and nothing is written", fileOverTheLimit)
	t.Run("one that breaks off at its end is refused and nothing is written", fileThatBreaksOff)
	t.Run("one that is no feed keeps the others from being imported", fileAmongOthers)
}

func TestByteSize(t *testing.T) {
	for text, want := range map[string]byteSize{
		"1": 1, "17B": 17, "512KiB": 512 << 10, "3 MiB": 3 << 20, "2GiB": 2 << 30,
		"": 0, "0": 0, "-1MiB": 0, "1.5GiB": 0, "1GB": 0, "many": 0, "9223372036854775807": 0, "99999999999GiB": 0,
	} {
		var got byteSize
		err := got.UnmarshalText([]byte(text))
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q is %d, %v, want %d", text, got, err, want)
		}
		if err == nil && got.UnmarshalText([]byte(got.String())) != nil || got != want {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}

func fileOverTheLimit(t *testing.T) {
	data, file := t.TempDir(), writeFeed(t, "a", 100)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	arguments := func(limit int64) []string {
		return []string{"import", "--data", data, "--create-owner", "--channel", "news", "--owner", "ada",
			"--max-file-size", byteSize(limit).String(), file}
	}
	code, out, errs := programWithInput(t, testPassword+"\n", arguments(info.Size()-1)...)
	if code != exitCannotRun || out != "" || !strings.Contains(errs, "--max-file-size") || !strings.Contains(errs, file) {
		t.Errorf("exits with %d, prints %q and says %q, want 2 and the limit", code, out, errs)
	}
	expectUnwritten(t, data)
	data = t.TempDir()
	if code, _, errs := programWithInput(t, testPassword+"\n", arguments(info.Size())...); code != exitOK {
		t.Errorf("a file of the size of the limit: exits with %d and says %q", code, errs)
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
