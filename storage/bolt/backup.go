package bolt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// A backup is the file of the store, read in one transaction of bbolt. So it is one moment of
// all tables and queues. Writers do not wait for it, but no page of that moment is used again
// while it is read, so the file of a busy store grows meanwhile. A commit that makes the file
// outgrow its mapping would wait, and new readers with it; mapped is so large that few stores
// get there. So whoever reads a backup must not take for ever: ctx ends it.

// Backup writes the file of the store while it is in use. It decodes each row before it writes
// anything, and writes nothing if the error is ErrDamaged.
func (db *DB) Backup(ctx context.Context, to io.Writer) error {
	return db.view(ctx, func(tx *bbolt.Tx) error { return backup(ctx, tx, to) })
}

// Backup does the same for the store in a directory, which no process may have open. It
// changes nothing. The error is ErrInUse, ErrUnfinished or ErrNoStore if it cannot begin.
func Backup(ctx context.Context, dir string, to io.Writer) (err error) {
	path := resolve(filepath.Join(dir, fileName))
	if err := refuseUnfinished(path); err != nil {
		return err
	}
	file, err := openToRead(path)
	if err != nil {
		return noStore(err, dir)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return safely(func() error {
		return file.View(func(tx *bbolt.Tx) error { return backup(ctx, tx, to) })
	})
}

func backup(ctx context.Context, tx *bbolt.Tx, to io.Writer) error {
	_, err := readable(ctx, tx)
	if err == nil {
		_, err = tx.WriteTo(stopWriter{ctx, to})
	}
	if ctx.Err() != nil {
		err = ctx.Err() // bbolt hides some errors of a writer
	}
	if err != nil {
		return fmt.Errorf("backing up: %w", err)
	}
	return nil
}

// A stopWriter writes until ctx ends.
type stopWriter struct {
	ctx context.Context
	to  io.Writer
}

func (w stopWriter) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.to.Write(b)
}
