package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestCompactCommand(t *testing.T) {
	t.Run("prints the sizes, and check no longer advises it", drivertest.Long(compactPrintsSizes))
	t.Run("is refused where there is no store that it may have", compactRefused)
}

// wasteful makes a store of which 80 MB are free.
func wasteful(t *testing.T, data string) {
	t.Helper()
	s := openSite(t, data)
	waste := driver.NewTable(s.db, "Waste")
	s.ok(waste.Create(t.Context()))
	var properties []driver.Property
	for i := range 15 {
		properties = append(properties, driver.String(fmt.Sprint("Text", i), strings.Repeat("é", 32<<10)))
	}
	var deleted []driver.Operation
	for i := range 80 {
		row := fmt.Sprint(i)
		s.ok(waste.Transact(t.Context(), "p", driver.Insert(row, properties...)))
		deleted = append(deleted, driver.Delete(row, driver.Exists))
	}
	s.ok(waste.Transact(t.Context(), "p", deleted...))
	s.close()
}

func compactPrintsSizes(t *testing.T) {
	data := t.TempDir()
	wasteful(t, data)
	if code, stdout, stderr := program(t, "check", "--data", data); code != exitOK || !strings.Contains(stderr, "microblogging compact") || strings.Contains(stdout, "compact") {
		t.Errorf("check exits with %d and says %q and %q, want advice", code, stdout, stderr)
	}
	code, stdout, stderr := program(t, "compact", "--data", data)
	var before, after float64
	if _, err := fmt.Sscanf(stdout, "%f MB before, %f kB after\n", &before, &after); err != nil || code != exitOK || stderr != "" || before < 80 || after > 1000 {
		t.Errorf("exit %d, %q and %q (%v)", code, stdout, stderr, err)
	}
	if info, err := os.Stat(filepath.Join(data, "microblogging.db")); err != nil || info.Size() > 1e6 {
		t.Errorf("the file is %v (%v)", info, err)
	}
	if _, _, stderr := program(t, "check", "--data", data); stderr != "" {
		t.Errorf("after it, check says %q", stderr)
	}
}

func compactRefused(t *testing.T) {
	used, none := t.TempDir(), filepath.Join(t.TempDir(), "slip")
	db, err := bolt.Open(used, bolt.Options{})
	ok(t, err)
	for says, args := range map[string][]string{
		"in use by another process, perhaps one that you started before: stop it first": {"--data", used}, "only for the embedded store": {"--storage", "azure"}, none: {"--data", none},
	} {
		refused(t, exitCannotRun, says, append([]string{"compact"}, args...)...)
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("it has made a directory")
	}
	ok(t, db.Close())
}
