package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"microblogging/storage/driver"
)

func TestBackup(t *testing.T) {
	t.Run("of a store in use is one moment", backupIsOneMoment)
	t.Run("of a stopped store changes nothing", backupChangesNothing)
	t.Run("ends with its context", backupEnds)
	t.Run("that cannot begin writes nothing", backupCannotBegin)
	t.Run("that cannot be written says why", backupCannotWrite)
}

// mustOpen opens a store that is closed with the test, if it is not before.
func mustOpen(t *testing.T, dir string, opts Options) *DB {
	t.Helper()
	opts.NoSync = true
	db, err := Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Each pair of rows is written one after the other, to two tables. So no moment has
// a second one without the first.
func backupIsOneMoment(t *testing.T) {
	db := mustOpen(t, t.TempDir(), Options{})
	if err := errors.Join(driver.NewTable(db, "A").Create(t.Context()), driver.NewTable(db, "B").Create(t.Context())); err != nil {
		t.Fatal(err)
	}
	pair := func(i int) error {
		op := []driver.Operation{driver.Insert(fmt.Sprintf("%06d", i), driver.String("Text", strings.Repeat("x", 1000+i)))}
		return errors.Join(driver.NewTable(db, "A").Transact(t.Context(), "p", op...), driver.NewTable(db, "B").Transact(t.Context(), "p", op...))
	}
	const before = 300
	for i := range before {
		if err := pair(i); err != nil {
			t.Fatal(err)
		}
	}
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		for i := before; ; i++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			if err := pair(i); err != nil {
				stopped <- err
				return
			}
		}
	}()
	for range 3 {
		var file bytes.Buffer
		if err := db.Backup(t.Context(), &file); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := restore(t.Context(), dir, file.Bytes()); err != nil {
			t.Fatal(err)
		}
		restored := mustOpen(t, dir, Options{})
		a, b := rowsIn(t, restored, "A"), rowsIn(t, restored, "B")
		if a < before || a-b < 0 || a-b > 1 {
			t.Errorf("%d rows and %d, want as many or one less", a, b)
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func rowsIn(t *testing.T, db *DB, table string) (n int) {
	t.Helper()
	for _, err := range driver.NewTable(db, table).All(t.Context(), driver.Scan{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

func backupChangesNothing(t *testing.T) {
	dir := t.TempDir()
	wasteful(t, dir)
	before := fileOf(t, dir)
	file := backupOf(t, dir)
	if !bytes.Equal(before, fileOf(t, dir)) {
		t.Error("the store has changed")
	}
	elsewhere := t.TempDir()
	if err := os.WriteFile(filepath.Join(elsewhere, fileName), file, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := content(t, elsewhere), content(t, dir); !slices.Equal(got, want) { // it is the file of a store
		t.Errorf("%d rows became %d, or others", len(want), len(got))
	}
}

// Whoever reads it may hang, and the file grows meanwhile.
func backupEnds(t *testing.T) {
	dir := t.TempDir()
	wasteful(t, dir)
	db := mustOpen(t, dir, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	writes := 0
	err := db.Backup(ctx, writerFunc(func(b []byte) (int, error) {
		if writes++; writes == 3 {
			cancel()
		}
		return len(b), nil
	}))
	if !errors.Is(err, context.Canceled) || writes != 3 {
		t.Errorf("got %v after %d writes", err, writes)
	}
	if err := db.Backup(ctx, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(b []byte) (int, error) { return w(b) }

// So its reader can be answered something else than a file.
func backupCannotBegin(t *testing.T) {
	db := mustOpen(t, t.TempDir(), Options{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := db.Backup(t.Context(), &file); !errors.Is(err, errClosed) || file.Len() > 0 {
		t.Errorf("got %v and %q", err, file.Bytes())
	}
}

func backupCannotWrite(t *testing.T) {
	dir := t.TempDir()
	wasteful(t, dir)
	for _, at := range []int{1, 3} {
		writes := 0
		err := Backup(t.Context(), dir, writerFunc(func(b []byte) (int, error) {
			if writes++; writes == at {
				return 0, errors.New("no room")
			}
			return len(b), nil
		}))
		if err == nil || !strings.Contains(err.Error(), "no room") || errors.Is(err, ErrDamaged) {
			t.Errorf("write %d: got %v", at, err)
		}
	}
}
