package bolt

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/storage/driver"
)

func TestRestore(t *testing.T) {
	t.Run("gives every row, message and ETag back", restoreGivesBack)
	t.Run("of a file that is cut off, foreign or newer changes nothing", restoreRefusesFile)
	t.Run("that waits for a store in use does not mark it", restoreWaitsUnseen)
	t.Run("that fails leaves nothing", restoreFails)
	t.Run("into a directory where a store is made meanwhile leaves that alone", restoreFindsStore)
	t.Run("that was killed leaves a store that nobody opens, or a whole one", restoreIsKilled)
}

// backupOf is the backup of a store that is not in use.
func backupOf(t *testing.T, dir string) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := Backup(t.Context(), dir, &file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func restore(ctx context.Context, dir string, file []byte) error {
	_, err := Restore(ctx, dir, bytes.NewReader(file), func() {}, func(*DB) error { return nil })
	return err
}

// wantFiles requires that a directory holds these files alone.
func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s holds %v, want %v", dir, got, want)
	}
}

func restoreGivesBack(t *testing.T) {
	from := t.TempDir()
	wasteful(t, from)
	rows, file := content(t, from), backupOf(t, from)
	empty := t.TempDir()
	db := mustOpen(t, empty, Options{})
	// The message is of a worker that has looked for work.
	if err := errors.Join(driver.NewTable(db, "T").Create(t.Context()), driver.NewQueue(db, "q").Create(t.Context()), driver.NewQueue(db, "q").Send(t.Context(), "turn"), db.Close()); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(empty, fileName), 0o640); err != nil {
		t.Fatal(err)
	}
	nothing := t.TempDir()
	if err := os.WriteFile(filepath.Join(nothing, fileName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, mode := range map[string]fs.FileMode{empty: 0o640, nothing: 0o600, filepath.Join(t.TempDir(), "new"): 0o600} {
		if err := restore(t.Context(), dir, file); err != nil {
			t.Fatal(err)
		}
		wantFiles(t, dir, fileName)
		wantSoundPages(t, filepath.Join(dir, fileName), "after Restore")
		if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || info.Mode() != mode {
			t.Errorf("the file is %v (%v)", info, err)
		}
		if got := content(t, dir); !slices.Equal(got, rows) {
			t.Errorf("%d rows became %d, or others", len(rows), len(got))
		}
		if err := restore(t.Context(), dir, file); !errors.Is(err, ErrNotEmpty) {
			t.Errorf("the second time: %v", err)
		}
	}
}

func restoreRefusesFile(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	wasteful(t, from)
	file := backupOf(t, from)
	for n := 0; n < len(file); n += 1 + len(file)/20 {
		wantRefused(t, dir, file[:n])
	}
	wantRefused(t, dir, bytes.Repeat([]byte("text"), 10_000))
	alter(t, from, func(tx *bbolt.Tx) error {
		return tx.Bucket(aboutBucket()).Put(schemaKey(), []byte{0, 0, 0, schemaVersion + 1})
	})
	if err := wantRefused(t, dir, fileOf(t, from)); !errors.Is(err, errNewer) {
		t.Errorf("a newer one: %v", err)
	}
}

// wantRefused requires that a file is not restored, and that nothing has begun.
func wantRefused(t *testing.T, dir string, file []byte) error {
	t.Helper()
	_, err := Restore(t.Context(), dir, bytes.NewReader(file), func() { t.Error("it began") }, nil)
	if err == nil {
		t.Errorf("%d bytes were restored", len(file))
	}
	wantFiles(t, dir)
	return err
}

func restoreFindsStore(t *testing.T) {
	from, dir, other := t.TempDir(), t.TempDir(), t.TempDir()
	wasteful(t, from)
	wasteful(t, other)
	_, err := Restore(t.Context(), dir, bytes.NewReader(backupOf(t, from)), func() {}, func(*DB) error {
		return os.Rename(filepath.Join(other, fileName), filepath.Join(dir, fileName))
	})
	if !errors.Is(err, ErrNotEmpty) {
		t.Errorf("got %v", err)
	}
	wantFiles(t, dir, fileName)
}

// If it were killed while it waits, a marked store would be refused, with all that it holds.
func restoreWaitsUnseen(t *testing.T) {
	dir := t.TempDir()
	wasteful(t, dir)
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
		if left, err := restoresOf(filepath.Join(dir, fileName)); len(left) > 0 || err != nil {
			<-ended
			t.Fatal("the store looks as if a restore had begun")
		}
	}
}

func restoreFails(t *testing.T) {
	from := t.TempDir()
	wasteful(t, from)
	file := backupOf(t, from)
	dir, broken := t.TempDir(), errors.New("broken")
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Restore(ctx, dir, bytes.NewReader(file), cancel, func(*DB) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("told to stop: %v", err)
	}
	wantFiles(t, dir)
	if _, err := Restore(t.Context(), dir, bytes.NewReader(file), func() {}, func(*DB) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want what finish returned", err)
	}
	wantFiles(t, dir)
	mustOpen(t, dir, Options{}).Close()
	if _, err := Restore(t.Context(), dir, bytes.NewReader(file), func() {}, func(*DB) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want what finish returned", err)
	}
	wantFiles(t, dir, fileName)
}

// restoreIsKilled kills another process that restores into one new directory after another.
func restoreIsKilled(t *testing.T) {
	from, parent := t.TempDir(), t.TempDir()
	wasteful(t, from)
	rows, file := content(t, from), backupOf(t, from)
	if err := os.WriteFile(filepath.Join(parent, "file"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	unfinished := 0
	for range 12 {
		dir := killRestoring(t, parent)
		if _, err := os.Stat(filepath.Join(dir, fileName)); errors.Is(err, fs.ErrNotExist) {
			if left, _ := os.ReadDir(dir); len(left) > 0 { // it was killed after its first write
				unfinished++
				wantUnfinished(t, dir)
			}
			if err := restore(t.Context(), dir, file); err != nil {
				t.Fatal(err)
			}
		}
		wantSoundPages(t, filepath.Join(dir, fileName), "after a kill")
		if got := content(t, dir); !slices.Equal(got, rows) {
			t.Fatalf("%d rows became %d, or others", len(rows), len(got))
		}
		wantFiles(t, dir, fileName)
	}
	if unfinished == 0 {
		t.Error("no kill came before the end of a restore")
	}
}

// wantUnfinished requires that nobody opens a store, or makes one.
func wantUnfinished(t *testing.T, dir string) {
	t.Helper()
	_, opened := Open(dir, Options{NoSync: true})
	backedUp := Backup(t.Context(), dir, io.Discard)
	if !errors.Is(opened, ErrUnfinished) || !errors.Is(backedUp, ErrUnfinished) {
		t.Errorf("opening: %v, a backup: %v", opened, backedUp)
	}
	if _, _, err := Compact(t.Context(), dir, func() {}); err == nil {
		t.Error("it is compacted")
	}
}

// killRestoring starts the other process, kills it in its second restore or a later one,
// and returns the directory of the last.
func killRestoring(t *testing.T, parent string) (dir string) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "MICROBLOGGING_TEST_RESTORE="+parent)
	command.Stderr = os.Stderr
	stdout, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	var took time.Duration
	for range 2 {
		began := time.Now()
		lines.Scan()
		took = time.Since(began)
	}
	<-time.After(rand.N(took)) // this is when it is killed, and nothing waits for it
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for dir = lines.Text(); lines.Scan(); {
		dir = lines.Text()
	}
	_ = command.Wait() // it was killed
	return dir
}

// restoreUntilKilled is what that process does. It prints each directory before it begins.
func restoreUntilKilled(parent string) error {
	file, err := os.Open(filepath.Join(parent, "file"))
	if err != nil {
		return err
	}
	defer file.Close()
	for i := 0; ; i++ {
		dir := filepath.Join(parent, fmt.Sprintf("%d-%d", os.Getpid(), i))
		fmt.Println(dir)
		if _, err := Restore(context.Background(), dir, file, func() {}, func(*DB) error { return nil }); err != nil {
			return err
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
}
