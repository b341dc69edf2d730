package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"microblogging/storage/driver"
)

// TestDamage overwrites each page of a store in turn. Whatever then reads the page must say
// so: a panic in a goroutine, or a fault of the memory, would end the whole server.
func TestDamage(t *testing.T) {
	whole := t.TempDir()
	wasteful(t, whole)
	mustCompact(t, whole) // no page is free
	file := fileOf(t, whole)
	for name, damage := range map[string]func(page []byte){
		"a page of ones is an error":             onesPage,
		"a page that points nowhere is an error": wildPage,
	} {
		t.Run(name, func(t *testing.T) { damagedPages(t, file, damage) })
	}
}

func onesPage(page []byte) {
	for i := range page {
		page[i] = 0xff
	}
}

// wildPage has the header of the page that it was. If it was one of rows, their keys begin far
// behind the file.
func wildPage(page []byte) {
	for element := page[16:]; len(element) >= 16; element = element[16:] {
		for i, field := range []uint32{0, 0x6000_0000, 8, 8} { // no bucket; far; short
			binary.LittleEndian.PutUint32(element[4*i:], field)
		}
	}
}

func damagedPages(t *testing.T, file []byte, damage func(page []byte)) {
	size := os.Getpagesize()
	found := map[string]int{}
	for number := 2; number < 200; number += 1 + number/10 { // those of the inner trees come first
		dir, other := t.TempDir(), t.TempDir() // bbolt keeps the lock if it panics in Open
		page := file[number*size : (number+1)*size]
		before := bytes.Clone(page)
		damage(page)
		err := errors.Join(os.WriteFile(filepath.Join(dir, fileName), file, 0o600), os.WriteFile(filepath.Join(other, fileName), file, 0o600))
		copy(page, before)
		if err != nil {
			t.Fatal(err)
		}
		backupErr := Backup(t.Context(), dir, io.Discard)
		count(t, found, "Backup", backupErr)
		count(t, found, "reading", readAll(t.Context(), dir))
		_, _, err = Compact(t.Context(), other, func() {})
		count(t, found, "Compact", err)
		wantFiles(t, other, fileName)
	}
	for _, name := range []string{"Backup", "Compact", "reading"} {
		if found[name] == 0 {
			t.Errorf("%s has found no damage", name)
		}
	}
}

func count(t *testing.T, found map[string]int, name string, err error) {
	t.Helper()
	switch {
	case err == nil:
	case errors.Is(err, ErrDamaged), errors.Is(err, errForeign), errors.Is(err, errCorrupt):
		found[name]++
	default:
		t.Errorf("%s: %v", name, err)
	}
}

// readAll opens a store, reads all of it, and backs it up.
func readAll(ctx context.Context, dir string) error {
	db, err := Open(dir, Options{NoSync: true})
	if err != nil {
		return err
	}
	for _, err = range driver.NewTable(db, "T").All(ctx, driver.Scan{}) {
		if err != nil {
			break
		}
	}
	backupErr := db.Backup(ctx, io.Discard)
	return errors.Join(err, backupErr, db.Close())
}
