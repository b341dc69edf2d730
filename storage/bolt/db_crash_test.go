package bolt_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"microblogging/storage/bolt"
	"microblogging/storage/driver"
)

func TestCrash(t *testing.T) {
	t.Run("every acknowledged write survives a killed process", acknowledgedWritesSurviveKill)
	t.Run("a copy of the file in use has every acknowledged write", copyOfFileInUse)
}

func acknowledgedWritesSurviveKill(t *testing.T) {
	dir := t.TempDir()
	var acknowledged []string
	for range 2 {
		writer := startProcess(t, dir)
		for range 200 {
			acknowledged = append(acknowledged, writer.next(t))
		}
		acknowledged = append(acknowledged, writer.kill(t)...)
		bolt.WantSoundPages(t, filepath.Join(dir, storeFile))
		db := open(t, dir)
		wantAll(t, db, acknowledged)
		clearRows(t, db)
		acknowledged = nil
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func copyOfFileInUse(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	db := open(t, dir)
	if err := driver.NewTable(db, processTable).Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"1", "2", "3"} {
		err := driver.NewTable(db, processTable).Transact(t.Context(), "p", driver.Insert("a-"+row), driver.Insert("b-"+row))
		if err != nil {
			t.Fatal(err)
		}
	}
	copyFile(t, filepath.Join(elsewhere, storeFile), filepath.Join(dir, storeFile))
	wantAll(t, open(t, elsewhere), []string{"1", "2", "3"})
}

const storeFile = "microblogging.db"

func copyFile(t *testing.T, to, from string) {
	t.Helper()
	source, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	target, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(target, source); err != nil {
		t.Fatal(err)
	}
	if err := target.Close(); err != nil {
		t.Fatal(err)
	}
	if err := source.Close(); err != nil {
		t.Fatal(err)
	}
}

// wantAll requires that each acknowledged transaction is there, and that each
// transaction is there with both rows or none.
func wantAll(t *testing.T, db *bolt.DB, acknowledged []string) {
	t.Helper()
	rows := map[string]bool{}
	for _, row := range allRows(t, db) {
		rows[row] = true
	}
	for _, row := range acknowledged {
		if !rows["a-"+row] || !rows["b-"+row] {
			t.Errorf("row %s was acknowledged but is lost", row)
		}
	}
	for row := range rows {
		if twin := string('a'+'b'-row[0]) + row[1:]; !rows[twin] {
			t.Errorf("row %s is there without %s", row, twin)
		}
	}
}

func allRows(t *testing.T, db *bolt.DB) (rows []string) {
	t.Helper()
	for row, err := range driver.NewTable(db, processTable).All(t.Context(), driver.Scan{Paging: driver.Paging{KeysOnly: true}}) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row.Row)
	}
	return rows
}

// clearRows deletes all rows, because the next process inserts the same ones.
func clearRows(t *testing.T, db *bolt.DB) {
	t.Helper()
	for _, row := range allRows(t, db) {
		if err := driver.NewTable(db, processTable).Transact(t.Context(), "p", driver.Delete(row, driver.Exists)); err != nil {
			t.Fatal(err)
		}
	}
}
