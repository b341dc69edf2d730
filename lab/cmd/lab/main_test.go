package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestKnown(t *testing.T) {
	t.Run("the fingerprint is not written if the records are not", func(t *testing.T) {
		dir := t.TempDir()
		c := knownCmd{filepath.Join(dir, "known.json")}
		if err := os.Mkdir(c.File, 0o700); err != nil {
			t.Fatal(err)
		}
		err := c.write(nil)
		if _, missing := os.Stat(filepath.Join(dir, "known.code")); err == nil || missing == nil {
			t.Errorf("%v, and known.code is there: %t", err, missing == nil)
		}
	})
}
