package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"microblogging/storage/driver"
	"microblogging/storage/snapshot"
)

func TestBackup(t *testing.T) {
	t.Run("of a store in use is one moment", backupIsOneMoment)
	t.Run("of a stopped store changes nothing", backupChangesNothing)
	t.Run("of a store in use, a foreign one or none is refused", backupRefuses)
	t.Run("with a slow reader lets the file grow so much and no more", backupGrowth)
	t.Run("that keeps a commit waiting is given up", backupInWay)
	t.Run("lets the store close though its reader hangs", backupLetsClose)
	t.Run("that cannot begin writes nothing", backupCannotBegin)
	t.Run("of deletions says that it was given up", deletionsGivenUp)
	t.Run("of deletions alone has nothing else", backupOfDeletions)
}

// A gate is a writer that waits before its second write.
type gate struct {
	to             io.Writer
	writes         int
	reached, opens chan struct{}
}

func newGate(to io.Writer) *gate {
	return &gate{to: to, reached: make(chan struct{}), opens: make(chan struct{})}
}

func (g *gate) Write(b []byte) (int, error) {
	if g.writes++; g.writes == 2 {
		close(g.reached)
		<-g.opens
	}
	return g.to.Write(b)
}

// backingUp begins a backup that waits at its gate.
func backingUp(t *testing.T, db *DB, to io.Writer) (g *gate, ended <-chan error) {
	t.Helper()
	g = newGate(to)
	result := make(chan error, 1)
	go func() {
		_, err := db.Backup(t.Context(), g, snapshot.Whole)
		result <- err
	}()
	<-g.reached
	return g, result
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
	if err := errors.Join(db.CreateTable(t.Context(), "A"), db.CreateTable(t.Context(), "B")); err != nil {
		t.Fatal(err)
	}
	pair := func(i int) error {
		op := []driver.Operation{driver.Insert(fmt.Sprintf("%06d", i), driver.String("Text", strings.Repeat("x", 1000+i)))}
		return errors.Join(db.Transact(t.Context(), "A", "p", op), db.Transact(t.Context(), "B", "p", op))
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
		if _, err := db.Backup(t.Context(), &file, snapshot.Whole); err != nil {
			t.Fatal(err)
		}
		var a, b int
		var table string
		_, err := snapshot.Each(&file, snapshot.Visitor{
			Section: func(name string, _ uint64) error { table = name; return nil },
			Row: func([]byte, []byte) error {
				switch table {
				case "table A":
					a++
				case "table B":
					b++
				}
				return nil
			},
		})
		if err != nil || a < before || a-b < 0 || a-b > 1 {
			t.Errorf("%d rows and %d (%v), want as many or one less", a, b, err)
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func backupChangesNothing(t *testing.T) {
	dir := t.TempDir()
	wasteful(t, dir)
	before, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	summary, err := Backup(t.Context(), dir, &file, snapshot.Whole)
	if err != nil {
		t.Fatal(err)
	}
	// 200 rows, a message, the schema.
	if checked, err := CheckBackup(&file); err != nil || checked != summary || summary.Rows != 202 || summary.Bytes > int64(len(before))/4 {
		t.Errorf("%+v (%v), want %+v", checked, err, summary)
	}
	after, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the store has changed (%v)", err)
	}
}

func backupRefuses(t *testing.T) {
	inUse := t.TempDir()
	mustOpen(t, inUse, Options{})
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, fileName), []byte("foreign"), 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]error{inUse: ErrInUse, foreign: errForeign, t.TempDir(): ErrNoStore} {
		var file bytes.Buffer
		if _, err := Backup(t.Context(), dir, &file, snapshot.Whole); !errors.Is(err, want) || file.Len() > 0 {
			t.Errorf("got %v and %d bytes, want %v", err, file.Len(), want)
		}
	}
}

func backupGrowth(t *testing.T) {
	dir := t.TempDir()
	db := mustOpen(t, dir, Options{growthLeast: 1})
	rewrite := func() {
		for i := range 4 {
			var ops []driver.Operation
			for n := range 10 {
				ops = append(ops, driver.Replace(fmt.Sprintf("%02d-%02d", n, i), driver.Upsert, driver.String("Text", strings.Repeat("x", 50_000))))
			}
			put(t, db, ops...)
		}
	}
	if err := db.CreateTable(t.Context(), "T"); err != nil {
		t.Fatal(err)
	}
	rewrite()
	rewrite() // it has free pages now, as a store that was written to
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, fileName))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	var file bytes.Buffer
	gate, ended := backingUp(t, db, &file)
	grown, same := before, 0
	for began := time.Now(); same < 20; same++ {
		rewrite()
		if now := size(); now > grown || now <= 2*before {
			grown, same = now, 0
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("%d bytes became %d, and there is no end", before, grown)
		}
	}
	close(gate.opens)
	if err := <-ended; !errors.Is(err, ErrBackupTooSlow) {
		t.Errorf("got %v", err)
	}
	var given *snapshot.GivenUpError
	if _, err := CheckBackup(&file); !errors.As(err, &given) || given.Reason != ErrBackupTooSlow.Error() {
		t.Errorf("the file says %v", err)
	}
}

func backupInWay(t *testing.T) {
	dir := t.TempDir()
	db := mustOpen(t, dir, Options{mapped: 1 << 20})
	if err := errors.Join(db.CreateTable(t.Context(), "T")); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		put(t, db, driver.Insert(fmt.Sprint(i), driver.String("Text", strings.Repeat(fmt.Sprint(i), 100_000))))
	}
	var file bytes.Buffer
	gate, ended := backingUp(t, db, &file)
	for i := range 8 { // these do not fit into the mapping
		put(t, db, driver.Insert(fmt.Sprint("more ", i), driver.String("Text", strings.Repeat("x", 1<<20))))
	}
	close(gate.opens)
	if err := <-ended; !errors.Is(err, ErrBackupInWay) {
		t.Errorf("got %v", err)
	}
	var given *snapshot.GivenUpError
	if _, err := CheckBackup(&file); !errors.As(err, &given) || !strings.Contains(given.Reason, "take it again") {
		t.Errorf("the file says %v", err)
	}
	if _, err := db.Backup(t.Context(), io.Discard, snapshot.Whole); err != nil {
		t.Errorf("the next one: %v", err)
	}
}

func backupLetsClose(t *testing.T) {
	dir := t.TempDir()
	wasteful(t, dir)
	db := mustOpen(t, dir, Options{})
	gate, ended := backingUp(t, db, io.Discard)
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	close(gate.opens)
	if err := <-ended; err != nil && !errors.Is(err, errClosed) { // all may have been read before
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	db = mustOpen(t, dir, Options{})
	if _, err := db.Backup(ctx, io.Discard, snapshot.Whole); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// So its reader can be answered something else than a file.
func backupCannotBegin(t *testing.T) {
	db := mustOpen(t, t.TempDir(), Options{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := db.Backup(t.Context(), &file, snapshot.Whole); !errors.Is(err, errClosed) || file.Len() > 0 {
		t.Errorf("got %v and %q", err, file.Bytes())
	}
}

func deletionsGivenUp(t *testing.T) {
	var file bytes.Buffer
	broken := errors.New("broken")
	_, err := WriteDeletions(&file, func(yield func(driver.Entity, error) bool) {
		_ = yield(driver.Entity{Partition: "p", Row: "r"}, nil) && yield(driver.Entity{}, broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	var given *snapshot.GivenUpError
	if _, err := CheckBackup(&file); !errors.As(err, &given) {
		t.Errorf("the file says %v", err)
	}
}

func backupOfDeletions(t *testing.T) {
	dir := t.TempDir()
	db := mustOpen(t, dir, Options{})
	op := []driver.Operation{driver.Insert("r", driver.String("Name", "Garden"), driver.Int64("N", 3))}
	err := errors.Join(db.CreateTable(t.Context(), "T"), db.CreateTable(t.Context(), deletionsTable), db.CreateQueue(t.Context(), "q"),
		db.Transact(t.Context(), "T", "p", op), db.Transact(t.Context(), deletionsTable, "garden", op))
	if err != nil {
		t.Fatal(err)
	}
	var fromStore, fromRows bytes.Buffer
	_, err = db.Backup(t.Context(), &fromStore, snapshot.Deletions)
	_, err2 := WriteDeletions(&fromRows, driver.NewTable(db, deletionsTable).All(t.Context(), driver.Scan{}))
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	for _, file := range [][]byte{fromStore.Bytes(), fromRows.Bytes()} {
		summary, err := CheckBackup(bytes.NewReader(file))
		if err != nil || summary.Rows != 1 || summary.Content != snapshot.Deletions {
			t.Errorf("%+v (%v)", summary, err)
		}
		for row, err := range DeletionsIn(bytes.NewReader(file)) {
			if err != nil || row.Partition != "garden" || row.Row != "r" || row.Properties.String("Name") != "Garden" || row.Properties.Int64("N") != 3 {
				t.Errorf("%+v (%v)", row, err)
			}
		}
	}
}
