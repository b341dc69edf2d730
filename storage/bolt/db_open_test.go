package bolt_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestOpen(t *testing.T) {
	t.Run("refuses a store in use within a second", storeInUse)
	t.Run("accepts the store of a killed process", storeOfKilledProcess)
	t.Run("makes the directory for its owner only", newDirectory)
	t.Run("names a directory that cannot be made", badDirectory)
	t.Run("names a file that cannot be opened", badFile)
	t.Run("refuses a newer store and does not change it", newerStore)
	t.Run("refuses the database of another program and does not change it", foreignDatabase)
	t.Run("refuses a file that is no database and does not change it", noDatabase)
	t.Run("refuses a file of no bytes and does not change it", noBytes)
	t.Run("completes a store that was only begun", emptyDatabase)
}

func storeInUse(t *testing.T) {
	dir := t.TempDir()
	startProcess(t, dir)
	start := time.Now()
	_, err := bolt.Open(dir, bolt.Options{})
	if !errors.Is(err, bolt.ErrInUse) || !strings.Contains(err.Error(), "in use by another process") {
		t.Errorf("got %v, want ErrInUse", err)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("the refusal took %s", took)
	}
}

func storeOfKilledProcess(t *testing.T) {
	dir := t.TempDir()
	startProcess(t, dir).kill(t)
	open(t, dir)
}

func newDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	open(t, dir)
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, storeFile): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}

func badDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := bolt.Open(filepath.Join(file, "data"), bolt.Options{})
	wantMessage(t, err, "data directory", file)
}

func badFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, storeFile)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := bolt.Open(dir, bolt.Options{})
	wantMessage(t, err, path)
}

func newerStore(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	alter(t, dir, func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("microblogging")).Put([]byte("schema"), binary.BigEndian.AppendUint32(nil, 2))
	})
	refusedUntouched(t, dir, "version 2", "newer version of this program")
}

func foreignDatabase(t *testing.T) {
	dir := t.TempDir()
	alter(t, dir, func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket([]byte("of another program"))
		return err
	})
	refusedUntouched(t, dir, "not a MicroBlogging store")
}

func noDatabase(t *testing.T) {
	for _, size := range []int{1, 100, 4096, 100_000} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, storeFile), bytes.Repeat([]byte{'x'}, size), 0o600); err != nil {
			t.Fatal(err)
		}
		refusedUntouched(t, dir, "not a MicroBlogging store")
	}
}

func noBytes(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, storeFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refusedUntouched(t, dir, "there is no store: the file has no bytes")
}

func emptyDatabase(t *testing.T) {
	dir := t.TempDir()
	alter(t, dir, func(*bbolt.Tx) error { return nil })
	if err := driver.NewTable(open(t, dir), "T").Create(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCalls(t *testing.T) {
	db := open(t, t.TempDir())
	for _, call := range drivertest.EachCall("nowhere") {
		if call.Method == driver.CallCreateTable || call.Method == driver.CallCreateQueue {
			continue
		}
		err := db.Do(t.Context(), &call)
		if err == nil || !strings.Contains(err.Error(), "nowhere: ") || !strings.Contains(err.Error(), "never created") || errors.Is(err, domain.ErrNotFound) {
			t.Errorf("%s: got %v, want an error that names what is missing, and no missing row", call.Method, err)
		}
	}
	if err := errors.Join(db.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	for _, call := range drivertest.EachCall("nowhere") {
		if err := db.Do(t.Context(), &call); !errors.Is(err, domain.ErrUnavailable) {
			t.Errorf("%s of a store that is closed: got %v", call.Method, err)
		}
	}
}

// alter writes to the file without the store, and makes it if it is missing.
func alter(t *testing.T, dir string, change func(*bbolt.Tx) error) {
	t.Helper()
	file, err := bbolt.Open(filepath.Join(dir, storeFile), 0o600, &bbolt.Options{Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(file.Update(change), file.Close()); err != nil {
		t.Fatal(err)
	}
}

func refusedUntouched(t *testing.T, dir string, parts ...string) {
	t.Helper()
	path := filepath.Join(dir, storeFile)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = bolt.Open(dir, bolt.Options{})
	wantMessage(t, err, append(parts, path)...)
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("the refused file was changed")
	}
}

func wantMessage(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("opened what must be refused")
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}
