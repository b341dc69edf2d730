package bolt

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/storage/driver"
)

func TestBackup(t *testing.T) {
	t.Run("of a stopped store is its file, and changes nothing", backupIsFile)
	t.Run("ends with its context", backupEnds)
	t.Run("that cannot be written says why", backupCannotWrite)
}

func backupIsFile(t *testing.T) {
	dir := wasteful(t)
	rows, before := content(t, dir), fileOf(t, dir)
	file := backupOf(t, dir)
	if !bytes.Equal(before, fileOf(t, dir)) {
		t.Error("the store has changed")
	}
	wantContent(t, dirOf(t, file), rows)
}

// The reader of a backup may hang, and the file grows meanwhile.
func backupEnds(t *testing.T) {
	dir := wasteful(t)
	db := mustOpen(t, dir, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	writes := 0
	err := db.Backup(ctx, writerFunc(func(b []byte) (int, error) {
		if writes++; writes == 3 {
			cancel()
		}
		return len(b), nil
	}))
	is(t, context.Canceled, err, db.Backup(ctx, io.Discard))
	if writes != 3 {
		t.Errorf("%d writes", writes)
	}
}

func backupCannotWrite(t *testing.T) {
	dir := wasteful(t)
	for _, at := range []int{1, 3} {
		writes := 0
		err := Backup(t.Context(), dir, Options{}, writerFunc(func(b []byte) (int, error) {
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

func TestCompact(t *testing.T) {
	t.Run("gives the space back and keeps every row, message and ETag", compactKeeps)
	t.Run("keeps the mode of the file, and follows a link", compactKeepsMode)
	t.Run("that is told to stop changes nothing", compactIsStopped)
}

func compactKeeps(t *testing.T) {
	dir := wasteful(t)
	rows := content(t, dir)
	db := mustOpen(t, dir, Options{})
	wasted, err := db.Space()
	ok(t, err, db.Close())
	before, after := mustCompact(t, dir)
	if int(after) != len(fileOf(t, dir)) || after > before/4 {
		t.Errorf("%d bytes became %d", before, after)
	}
	if gain := before - after; wasted.Bytes != before || wasted.Free < gain*9/10 || wasted.Free > before || wasted.WorthCompacting() {
		t.Errorf("%+v, and Compact made %d bytes of %d", wasted, after, before)
	}
	db = opened(t, dir) // the first to write, whose ETags would be the first ones
	put(t, db, driver.Insert("new"))
	ok(t, db.Close())
	got, etags := content(t, dir), map[string]bool{}
	for _, row := range got {
		etags[strings.Fields(row)[1]] = true
	}
	wantContent(t, dir, append(rows, got[len(got)-1]))
	if len(etags) != len(rows)+1 {
		t.Errorf("%d rows have %d ETags", len(got), len(etags))
	}
	mustCompact(t, dir) // nothing to gain is no error
}

func compactKeepsMode(t *testing.T) {
	elsewhere, dir := wasteful(t), t.TempDir()
	path := filepath.Join(elsewhere, fileName)
	ok(t, os.Chmod(path, 0o640), os.Symlink(path, filepath.Join(dir, fileName)))
	before, after := mustCompact(t, dir)
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o640 || info.Size() != after || after >= before {
		t.Errorf("the file is now %v (%v)", info, err)
	}
	if info, err := os.Lstat(filepath.Join(dir, fileName)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is now %v (%v)", info, err)
	}
}

func compactIsStopped(t *testing.T) {
	dir := wasteful(t)
	rows := content(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err := Compact(ctx, dir, Options{}, func(bool) { cancel() })
	is(t, context.Canceled, err)
	wantFiles(t, dir, fileName)
	wantContent(t, dir, rows)
}

func TestRestore(t *testing.T) {
	t.Run("gives every row, message and ETag back", restoreGivesBack)
	t.Run("of a file that is cut off, foreign or newer changes nothing", restoreRefusesFile)
	t.Run("that waits for a store in use does not mark it", restoreWaitsUnseen)
	t.Run("that fails leaves nothing", restoreFails)
	t.Run("into a directory where a store is made meanwhile leaves that alone", restoreFindsStore)
}

func restoreGivesBack(t *testing.T) {
	from, empty := wasteful(t), t.TempDir()
	rows, file := content(t, from), backupOf(t, from)
	db := opened(t, empty)
	send(t, driver.NewQueue(db, "q"), "turn") // of a worker that has looked for work
	ok(t, db.Close(), os.Chmod(filepath.Join(empty, fileName), 0o640))
	for dir, mode := range map[string]fs.FileMode{empty: 0o640, dirOf(t, nil): 0o600, filepath.Join(t.TempDir(), "new"): 0o600} {
		ok(t, restore(t.Context(), dir, file))
		wantFiles(t, dir, fileName)
		if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || info.Mode() != mode {
			t.Errorf("the file is %v (%v)", info, err)
		}
		wantContent(t, dir, rows)
		is(t, ErrNotEmpty, restore(t.Context(), dir, file))
	}
}

func restoreRefusesFile(t *testing.T) {
	from, dir := wasteful(t), t.TempDir()
	file := backupOf(t, from)
	for _, n := range []int{0, 1, len(file) / 2, len(file) - 1} {
		wantRefused(t, dir, file[:n])
	}
	wantRefused(t, dir, bytes.Repeat([]byte("text"), 10_000))
	alter(t, from, func(tx *bbolt.Tx) error {
		return tx.Bucket(aboutBucket()).Put(schemaKey(), []byte{0, 0, 0, schemaVersion + 1})
	})
	is(t, errNewer, wantRefused(t, dir, fileOf(t, from)))
}

// wantRefused requires that a file is not restored, and that nothing has begun.
func wantRefused(t *testing.T, dir string, file []byte) error {
	t.Helper()
	_, err := Restore(t.Context(), dir, bytes.NewReader(file), Options{Empty: noRows}, func() { t.Error("it began") }, nil)
	if err == nil {
		t.Errorf("%d bytes were restored", len(file))
	}
	wantFiles(t, dir)
	return err
}

func restoreFindsStore(t *testing.T) {
	from, dir, other := wasteful(t), t.TempDir(), wasteful(t)
	_, err := Restore(t.Context(), dir, bytes.NewReader(backupOf(t, from)), Options{Empty: noRows}, func() {}, func(*DB) error {
		return os.Rename(filepath.Join(other, fileName), filepath.Join(dir, fileName))
	})
	is(t, ErrNotEmpty, err)
	wantFiles(t, dir, fileName)
}

// If it were killed while it waits, a marked store would be refused, with all that it holds.
func restoreWaitsUnseen(t *testing.T) {
	dir := wasteful(t)
	file := backupOf(t, dir)
	mustOpen(t, dir, Options{})
	ended := make(chan error, 1)
	go func() { ended <- restore(t.Context(), dir, file) }()
	look := time.NewTicker(lockPatience / 50)
	defer look.Stop()
	for looks := 0; ; looks++ {
		select {
		case err := <-ended:
			if !errors.Is(err, ErrInUse) || looks == 0 {
				t.Errorf("got %v after %d looks", err, looks)
			}
			return
		case <-look.C:
		}
		if left, err := leftOf(filepath.Join(dir, fileName), restoreSuffix); len(left) > 0 || err != nil {
			<-ended
			t.Fatal("the store looks as if a restore had begun")
		}
	}
}

func restoreFails(t *testing.T) {
	from, dir, broken := wasteful(t), t.TempDir(), errors.New("broken")
	file := backupOf(t, from)
	fails := func(ctx context.Context, begin func(), finish error) error {
		_, err := Restore(ctx, dir, bytes.NewReader(file), Options{Empty: noRows}, begin, func(*DB) error { return finish })
		return err
	}
	ctx, cancel := context.WithCancel(t.Context())
	is(t, context.Canceled, fails(ctx, cancel, nil))
	is(t, broken, fails(t.Context(), func() {}, broken))
	wantFiles(t, dir)
	ok(t, mustOpen(t, dir, Options{}).Close())
	is(t, broken, fails(t.Context(), func() {}, broken))
	wantFiles(t, dir, fileName)
}
