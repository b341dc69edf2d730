package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"microblogging/storage/bolt"
)

const (
	// loadFolder is the directory of the load's own store, in the data directory.
	loadFolder = "load"
	// loadMark is a file beside that store. Without it the directory is not the load's, and
	// nothing in it is removed: somebody may have a site there.
	loadMark = "made-by-load"
)

// openLoadStore makes the store of a load, and the mark before it.
func openLoadStore(dir string) (*bolt.DB, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, loadMark), nil, 0o600); err != nil {
		return nil, err
	}
	db, err := bolt.Open(dir, bolt.Options{})
	return db, loadInUse(err)
}

// removeLoadStore removes the store of a load with all that it holds, and the directory. It
// does nothing if there is none. The error is bolt.ErrInUse while a load is running there.
func removeLoadStore(dir string) error {
	mark := filepath.Join(dir, loadMark)
	switch _, err := os.Stat(mark); {
	case errors.Is(err, fs.ErrNotExist):
		return refuseForeign(dir)
	case err != nil:
		return err
	}
	if err := bolt.Remove(dir); err != nil {
		return loadInUse(err)
	}
	if err := os.Remove(mark); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return removeIfEmpty(dir)
}

// refuseForeign refuses a directory in which there is something that no load has made.
func refuseForeign(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && len(entries) > 0:
		return fmt.Errorf("%s holds files that no load has made; give the load another directory with --data", dir)
	}
	return err
}

// loadInUse says what is in use if it is not the site's store.
func loadInUse(err error) error {
	if errors.Is(err, bolt.ErrInUse) {
		return fmt.Errorf("another load is running there: %w", err)
	}
	return err
}

// removeIfEmpty removes a directory that is there and holds nothing.
func removeIfEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && len(entries) > 0:
		return nil
	case err != nil:
		return err
	}
	return os.Remove(dir)
}
