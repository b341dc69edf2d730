package bolt

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	"go.uber.org/goleak"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

// A test that kills a process starts this binary again, with one of these environment
// variables. Its value is the directory to work in.
const (
	writeIn   = "MICROBLOGGING_TEST_WRITE"
	compactIn = "MICROBLOGGING_TEST_COMPACT"
	cutIn     = "MICROBLOGGING_TEST_CUT"
)

func TestMain(m *testing.M) {
	for name, work := range map[string]func(string) error{writeIn: writeUntilKilled, compactIn: compactUntilKilled, cutIn: cutInCommit} {
		if dir := os.Getenv(name); dir != "" {
			fmt.Fprintln(os.Stderr, work(dir))
			os.Exit(1)
		}
	}
	goleak.VerifyTestMain(m)
}

// A process is another process, which works until it is killed.
type process struct {
	command *exec.Cmd
	lines   *bufio.Scanner
}

func startProcess(t *testing.T, work, dir string) *process {
	t.Helper()
	p := &process{command: exec.Command(os.Args[0])}
	p.command.Env, p.command.Stderr = append(os.Environ(), work+"="+dir), os.Stderr
	stdout, err := p.command.StdoutPipe()
	if err == nil {
		err = p.command.Start()
	}
	ok(t, err)
	p.lines = bufio.NewScanner(stdout)
	return p
}

// next returns the next line that the process prints.
func (p *process) next(t *testing.T) string {
	t.Helper()
	if !p.lines.Scan() {
		t.Fatalf("the other process ended: %v", p.lines.Err())
	}
	return p.lines.Text()
}

// kill ends the process with SIGKILL and returns the lines that it has printed since next.
func (p *process) kill(t *testing.T) (printed []string) {
	t.Helper()
	ok(t, p.command.Process.Kill())
	for p.lines.Scan() {
		printed = append(printed, p.lines.Text())
	}
	if err := p.command.Wait(); err == nil {
		t.Error("the other process had ended before")
	}
	return printed
}

func TestTables(t *testing.T) {
	drivertest.Tables(t, func(t *testing.T) driver.Backend { return mustOpen(t, t.TempDir(), Options{}) })
}

func TestQueues(t *testing.T) {
	drivertest.Queues(t, func(t *testing.T) driver.Backend { return mustOpen(t, t.TempDir(), Options{}) })
}

func ok(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// is requires that each error has this meaning, or that there is none.
func is(t testing.TB, meaning error, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if !errors.Is(err, meaning) {
			t.Errorf("got %v, want %v", err, meaning)
		}
	}
}

// mustOpen opens a store that is closed with the test, if it is not before.
func mustOpen(t testing.TB, dir string, opts Options) *DB {
	t.Helper()
	db, err := Open(dir, opts)
	ok(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// opened opens a store with the table T and the queue q, which logs nothing. A loss of power would
// lose writes.
func opened(t testing.TB, dir string) *DB {
	t.Helper()
	db := mustOpen(t, dir, Options{NoSync: true, Log: slog.New(slog.DiscardHandler)})
	ok(t, driver.NewTable(db, "T").Create(t.Context()), driver.NewQueue(db, "q").Create(t.Context()))
	return db
}

// transaction is of partition p, and may be larger than Table lets pass.
func transaction(ops ...driver.Operation) *driver.Call {
	return &driver.Call{Method: driver.CallTransact, Target: "T", Partition: "p", Operations: ops}
}

func put(t testing.TB, db *DB, ops ...driver.Operation) {
	t.Helper()
	ok(t, db.Do(t.Context(), transaction(ops...)))
}

func has(t testing.TB, db *DB, row string) bool {
	t.Helper()
	_, err := driver.NewTable(db, "T").Get(t.Context(), "p", row)
	if err != nil {
		is(t, domain.ErrNotFound, err)
	}
	return err == nil
}

func send(t testing.TB, queue *driver.Queue, texts ...string) {
	t.Helper()
	for _, text := range texts {
		ok(t, queue.Send(t.Context(), text))
	}
}

// received receives what is visible.
func received(t testing.TB, queue *driver.Queue, lease time.Duration) []driver.Message {
	t.Helper()
	messages, err := queue.Receive(t.Context(), driver.MaxReceive, lease)
	ok(t, err)
	return messages
}

// wasteful makes a store of which most is free: 200 rows of 2,000, and a message.
func wasteful(t testing.TB) (dir string) {
	t.Helper()
	dir = t.TempDir()
	db := opened(t, dir)
	send(t, driver.NewQueue(db, "q"), "text")
	var deleted []driver.Operation
	for i := range 20 {
		var inserted []driver.Operation
		for n := range 100 {
			row := fmt.Sprintf("%02d-%03d", n, i)
			inserted = append(inserted, driver.Insert(row, driver.String("Text", strings.Repeat("x", 2000+n))))
			if n >= 10 {
				deleted = append(deleted, driver.Delete(row, driver.Exists))
			}
		}
		put(t, db, inserted...)
	}
	put(t, db, deleted...)
	ok(t, db.Close())
	return dir
}

// content is every row with its ETag, of a store that has the message of wasteful.
func content(t testing.TB, dir string) (rows []string) {
	t.Helper()
	db := opened(t, dir)
	for row, err := range driver.NewTable(db, "T").All(t.Context(), driver.Scan{}) {
		ok(t, err)
		rows = append(rows, fmt.Sprintf("%s %s %d", row.Row, row.ETag, len(row.Properties.String("Text"))))
	}
	messages, err := driver.NewQueue(db, "q").Peek(t.Context(), 32)
	if err != nil || len(messages) != 1 || messages[0].Text != "text" {
		t.Errorf("the messages are %v (%v)", messages, err)
	}
	ok(t, db.Close())
	return rows
}

func wantContent(t testing.TB, dir string, want []string) {
	t.Helper()
	if got := content(t, dir); !slices.Equal(got, want) {
		t.Fatalf("%d rows became %d, or others", len(want), len(got))
	}
}

// fileOf returns the bytes of a store's file.
func fileOf(t testing.TB, dir string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(dir, fileName))
	ok(t, err)
	return file
}

// dirOf returns a new directory with this file as a store.
func dirOf(t testing.TB, file []byte) string {
	t.Helper()
	dir := t.TempDir()
	ok(t, os.WriteFile(filepath.Join(dir, fileName), file, 0o600))
	return dir
}

// wantFiles requires that a directory holds these files alone.
func wantFiles(t testing.TB, dir string, want ...string) {
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

// alter writes to the file without the store, and makes it if it is missing.
func alter(t testing.TB, dir string, change func(*bbolt.Tx) error) {
	t.Helper()
	file, err := bbolt.Open(filepath.Join(dir, fileName), 0o600, &bbolt.Options{Timeout: time.Second, NoFreelistSync: true})
	ok(t, err)
	ok(t, file.Update(change), file.Close())
}

// wantSound lets bbolt check the file. It must hold that each page is reachable or
// on the list of free pages, and not both.
func wantSound(t testing.TB, dir string) {
	t.Helper()
	file, err := bbolt.Open(filepath.Join(dir, fileName), 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	ok(t, err)
	err = file.View(func(tx *bbolt.Tx) error {
		var all error
		for err := range tx.Check() {
			all = errors.Join(all, err)
		}
		return all
	})
	ok(t, err, file.Close())
}

func backupOf(t testing.TB, dir string) []byte {
	t.Helper()
	var file bytes.Buffer
	ok(t, Backup(t.Context(), dir, Options{}, &file))
	return file.Bytes()
}

// noRows is Options.Empty for a store with the table T.
func noRows(db driver.Backend) (bool, error) {
	page, err := driver.NewTable(db, "T").Scan(context.Background(), driver.Scan{Paging: driver.Paging{Limit: 1}})
	if errors.Is(err, domain.ErrMissing) {
		return true, nil
	}
	return len(page.Rows) == 0, err
}

func restore(ctx context.Context, dir string, file []byte) error {
	_, err := Restore(ctx, dir, bytes.NewReader(file), Options{Empty: noRows}, func() {}, func(*DB) error { return nil })
	return err
}

func mustCompact(t testing.TB, dir string) (before, after int64) {
	t.Helper()
	before, after, err := Compact(t.Context(), dir, Options{}, func(bool) {})
	ok(t, err)
	return before, after
}

// A writerFunc is a writer.
type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(b []byte) (int, error) { return w(b) }
