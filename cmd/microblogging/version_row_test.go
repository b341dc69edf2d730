package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
	"microblogging/storage/version"
)

func TestStoreVersion(t *testing.T) {
	t.Run("other than this program's is refused by each command and role, which write nothing", otherVersionIsRefused)
	t.Run("is no row that keeps a backup from being restored", restoreOverVersion)
	t.Run("stops a role once it is another one, and a store that does not answer or loses its table does not", otherVersionStopsRole)
}

// reversioned makes a store whose version row says another version. An empty version is no row.
func reversioned(t *testing.T, of string) (data string) {
	t.Helper()
	s := openSite(t, t.TempDir())
	s.create("News", 3)
	s.ok(driver.NewTable(s.db, schema.TableDeletions).Transact(t.Context(), schema.VersionPartition, driver.Delete(schema.SingleRow, driver.Exists)))
	if of != "" {
		s.ok(driver.NewTable(s.db, schema.TableDeletions).Transact(t.Context(), schema.VersionPartition,
			driver.Insert(schema.SingleRow, driver.String(schema.PropVersion, of))))
	}
	s.close()
	return s.data
}

func fileIn(t *testing.T, data string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(data, "microblogging.db"))
	ok(t, err)
	return file
}

// everyUse is every command and role that needs a store of any backend, but for copy.
func everyUse(feed string) [][]string {
	return [][]string{
		{"serve", "--listen", "127.0.0.1:0"}, {"web", "--listen", "127.0.0.1:0"}, {"worker"},
		{"check"}, {"check", "--repair"}, {"requeue"}, {"requeue", "--drop"}, {"user", "reset", "ada"},
		{"import", "--channel", "news", "--owner", "ada", feed}, {"import", "--channel", "news", "--owner", "ada", "--create-owner", "--dry-run", feed},
	}
}

func otherVersionIsRefused(t *testing.T) {
	feed := filepath.Join(t.TempDir(), "feed")
	ok(t, os.WriteFile(feed, []byte(`{"version":"https://jsonfeed.org/version/1.1","title":"t","items":[]}`), 0o600))
	for of, says := range map[string]string{
		"":    "microblogging copy --from OLD --to NEW",
		"0.0": "microblogging copy --from OLD --to NEW",
		"9.9": "use the newer program",
		"two": "is damaged",
	} {
		data := reversioned(t, of)
		before := fileIn(t, data)
		backup := filepath.Join(t.TempDir(), "backup")
		for _, args := range append(everyUse(feed), []string{"compact"}, []string{"backup", backup}, []string{"restore", "--deletions", data, feed}) {
			line := refused(t, exitCannotRun, says, append(args, "--data", data)...)
			if !strings.Contains(line, data) || !bytes.Equal(before, fileIn(t, data)) {
				t.Errorf("%q of a store of version %q says %q; the file was changed: %t", args, of, line, !bytes.Equal(before, fileIn(t, data)))
			}
		}
		if _, err := os.Stat(backup); err == nil {
			t.Errorf("a backup of a store of version %q was written", of)
		}
		empty := filepath.Join(t.TempDir(), "empty")
		ok(t, os.WriteFile(backup, packed(t, string(before)), 0o600))
		line := refused(t, exitCannotRun, says, "restore", backup, "--data", empty)
		if !strings.Contains(line, "first restore it with the program that wrote it") || !strings.Contains(line, backup) {
			t.Errorf("a backup of version %q: %q", of, line)
		}
		if _, err := os.Stat(empty); err == nil {
			t.Error("a restore that was refused made a directory")
		}
	}
}

func restoreOverVersion(t *testing.T) {
	from, prepared := stocked(t, 3), openSite(t, t.TempDir())
	prepared.close()
	backup := filepath.Join(t.TempDir(), "backup")
	mustRun(t, "backup", backup, "--data", from)
	mustRun(t, "restore", backup, "--data", prepared.data)
	wantClean(t, prepared.data, from)
	refused(t, exitCannotRun, "not empty", "restore", backup, "--data", prepared.data)
}

func otherVersionStopsRole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := mem.Open(mem.Snapshot{}, "")
		var down, lost atomic.Bool
		under := driver.Wrap(db, func(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
			switch {
			case down.Load():
				return domain.ErrUnavailable
			case lost.Load() && c.Target == schema.TableDeletions:
				return domain.ErrMissing
			}
			return next(ctx)
		})
		var log strings.Builder // which the test reads while the role sleeps
		start := newStarter(slog.New(slog.NewTextHandler(&log, nil)))
		b := &backend{under: under, Parts: storage.New(under, storage.Options{Around: []driver.Around{start.around}})}
		ok(t, start.prepare(t.Context(), b))
		ended := make(chan error, 1)
		go func() { ended <- start.watch(t.Context(), b) }()
		down.Store(true)
		time.Sleep(time.Hour)
		down.Store(false)
		synctest.Wait()
		if strings.Contains(log.String(), "level=ERROR") {
			t.Errorf("the log of a store that does not answer begins with %.500s", log.String())
		}
		lost.Store(true)
		time.Sleep(time.Hour)
		synctest.Wait()
		if !strings.Contains(log.String(), `level=ERROR msg="could not read the version of the store"`) || len(ended) > 0 {
			t.Fatalf("without the table %d roles have ended, and the log begins with %.500s", len(ended), log.String())
		}
		if err := b.Health.Ready(t.Context()); !errors.Is(err, domain.ErrMissing) {
			t.Errorf("without the table the store is ready: %v", err)
		}
		lost.Store(false)
		time.Sleep(time.Hour)
		synctest.Wait()
		if err := b.Health.Ready(t.Context()); err != nil || len(ended) > 0 {
			t.Fatalf("the store is ready: %v, and %d roles have ended", err, len(ended))
		}
		ok(t, version.Replace(t.Context(), db, version.Unfinished)) // as a copy does
		time.Sleep(versionEvery + time.Second)
		synctest.Wait()
		err := <-ended
		if cannotRun := (cannotRunError{}); !errors.As(err, &cannotRun) || !errors.Is(err, version.ErrRefused) {
			t.Errorf("the role ends with %v", err)
		}
		if _, err := b.Operator.SignUp(t.Context(), "ada", "correct horse battery"); !errors.Is(err, version.ErrRefused) {
			t.Errorf("a write afterwards: %v", err)
		}
	})
}
