package bolt

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"microblogging/domain"
)

func TestLastBackup(t *testing.T) {
	t.Run("is the last that was noted, also by a later process", lastBackupIsNoted)
	t.Run("that cannot be read, or is to come, is an error and very old", lastBackupIsDamaged)
	t.Run("is noted in no other file that has its name", lastBackupIsNewFile)
}

func wantBackup(t *testing.T, dir string, want time.Time) {
	t.Helper()
	db := mustOpen(t, dir, Options{})
	if got, err := db.LastBackup(); err != nil || !got.Equal(want) {
		t.Errorf("got %s (%v), want %s", got, err, want)
	}
	ok(t, db.Close())
}

func lastBackupIsNoted(t *testing.T) {
	dir := t.TempDir()
	wantBackup(t, dir, time.Time{})
	for _, day := range []int{3, 4, 2} {
		on := time.Date(2026, 11, day, 3, 30, 5, 0, time.UTC)
		ok(t, NoteBackup(dir, on.In(time.FixedZone("", 3600))))
		wantBackup(t, dir, on)
	}
	wantFiles(t, dir, "last-backup", fileName)
}

func lastBackupIsDamaged(t *testing.T) {
	dir := t.TempDir()
	db := mustOpen(t, dir, Options{})
	tomorrow := time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)
	for _, text := range []string{"", "yesterday", tomorrow} {
		ok(t, os.WriteFile(filepath.Join(dir, backupName), []byte(text), 0o600))
		if got, err := db.LastBackup(); err == nil || got.IsZero() || time.Since(got) < 365*24*time.Hour {
			t.Errorf("of %q, got %s (%v)", text, got, err)
		}
	}
	ok(t, NoteBackup(dir, time.Now().Add(domain.ClockTolerance/2))) // by a clock that was set back since
	if _, err := db.LastBackup(); err != nil {
		t.Error(err)
	}
}

// Root notes backups in the directory of a user whom it need not trust.
func lastBackupIsNewFile(t *testing.T) {
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	ok(t, os.WriteFile(other, []byte("text"), 0o600))
	for _, name := range []string{backupName, backupName + ".partial"} {
		ok(t, os.Symlink(other, filepath.Join(dir, name)))
	}
	ok(t, NoteBackup(dir, time.Now()))
	if text, err := os.ReadFile(other); err != nil || string(text) != "text" {
		t.Errorf("the other file is %q (%v)", text, err)
	}
	wantFiles(t, dir, backupName)
}
