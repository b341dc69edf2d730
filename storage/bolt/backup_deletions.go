package bolt

import (
	"errors"
	"io"
	"iter"
	"strings"
	"time"

	"microblogging/storage/driver"
	"microblogging/storage/snapshot"
)

// deletionsTable is the one table that this package must know: a file may have it alone.
const deletionsTable = "Deletions"

// WriteDeletions writes a file with the rows of the table of deletions alone, as Backup
// does, from any backend. They need not be of one moment.
func WriteDeletions(to io.Writer, rows iter.Seq2[driver.Entity, error]) (snapshot.Summary, error) {
	w, err := snapshot.NewWriter(to, snapshot.Head{Content: snapshot.Deletions, Schema: schemaVersion, TakenOn: time.Now()})
	if err == nil {
		err = putDeletions(w, rows)
	}
	if err != nil {
		giveUp(to, err)
		return snapshot.Summary{}, err
	}
	return w.Close()
}

func putDeletions(w *snapshot.Writer, rows iter.Seq2[driver.Entity, error]) error {
	if err := w.Section(string(tableBucket(deletionsTable)), 0); err != nil {
		return err
	}
	for row, err := range rows {
		if err == nil {
			err = w.Put(rowKey(row.Partition, row.Row), encodeRecord(row.ETag, encodeProperties(row.Properties)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errStop ends a visit early.
var errStop = errors.New("stop")

// DeletionsIn streams the rows of the table of deletions of a file. Use it only after
// CheckBackup, and read it to its end.
func DeletionsIn(file io.Reader) iter.Seq2[driver.Entity, error] {
	return func(yield func(driver.Entity, error) bool) {
		inside := false
		_, err := snapshot.Each(file, snapshot.Visitor{
			Section: func(name string, _ uint64) error {
				inside = name == string(tableBucket(deletionsTable))
				return nil
			},
			Row: func(key, value []byte) error {
				if !inside {
					return nil
				}
				row, err := decodeRow(key, value)
				if err != nil {
					return err
				}
				if !yield(row, nil) {
					return errStop
				}
				return nil
			},
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(driver.Entity{}, err)
		}
	}
}

// decodeRow is the inverse of rowKey and of encodeRecord.
func decodeRow(key, value []byte) (driver.Entity, error) {
	partition, row, ok := strings.Cut(string(key), "\x00")
	stored, err := decodeRecord(string(value))
	if err == nil && !ok {
		err = errCorrupt
	}
	if err != nil {
		return driver.Entity{}, damaged(partition, row, err)
	}
	properties, err := stored.properties()
	if err != nil {
		return driver.Entity{}, damaged(partition, row, err)
	}
	return driver.Entity{Partition: partition, Row: row, ETag: stored.etag, Properties: properties}, nil
}
