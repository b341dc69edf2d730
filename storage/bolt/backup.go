package bolt

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/storage/snapshot"
)

// A backup is read in one transaction of bbolt, so it is one moment of all tables and
// queues. Such a transaction costs the others two things while it is open, and both are
// bounded. A backup that passes a bound is given up, and its file says why.
//
//   - No page of that moment is reused. Nor is a page that was added to the file since
//     and is free again: bbolt knows the age only of pages that come from its list. So on
//     a busy store the file grows as long as the reader of the backup takes. It may grow
//     by its own size, or by growthLeast if that is more. The space is free afterwards.
//   - A commit that makes the file outgrow its mapping waits for all readers, and new
//     readers wait for it. That is rare (db.go, mapped). A backup is in the way for half a
//     second at most, and the next one has room: the mapping has grown then.
//
// The transaction also ends when the context of the backup ends, and when the store is
// closed, even if the writer below does not return: the rows travel through a channel.

// Why a backup was given up. Whoever takes it may read these.
var (
	ErrBackupInWay   = errors.New("the store had to grow and could not wait for the backup; take it again")
	ErrBackupTooSlow = errors.New("so much was written meanwhile that the store would have grown without end; " +
		"take it when less is written, or to a disk of the same machine")
)

const (
	// lookInterval is how often a backup is looked at, and lookPatience is how long a new
	// reader may wait for its beginning, in some turns, until the backup is in the way.
	lookInterval = 250 * time.Millisecond
	lookPatience = 250 * time.Millisecond
	lookTurns    = 5
	// growthLeast is how many bytes any store may grow by during a backup.
	growthLeast = 256 << 20
	// blocksAhead is how many blocks are read ahead of a slow reader.
	blocksAhead = 4
)

// Backup writes one snapshot of the store while it is in use, all of it or the record of
// deletions alone. It takes as long as the writer below takes; the comment above says what
// that costs. If it fails before the beginning, it writes nothing; after that, the file says
// that it was given up, if the writer still takes that.
func (db *DB) Backup(ctx context.Context, to io.Writer, content snapshot.Content) (snapshot.Summary, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	defer func() { cancel(nil); <-watched }()
	go func() {
		defer close(watched)
		db.watchBackup(ctx, cancel)
	}()
	return backup(ctx, db.view, to, content)
}

// watchBackup ends a backup that passes a bound, and one of a store that is being closed.
func (db *DB) watchBackup(ctx context.Context, cancel context.CancelCauseFunc) {
	look := time.NewTicker(lookInterval)
	defer look.Stop()
	var first int64
	for {
		size, err := db.lookAtBackup(cancel)
		if err != nil {
			cancel(err)
			return
		}
		if first == 0 {
			first = size
		}
		if size-first > max(first, db.growthLeast) {
			cancel(ErrBackupTooSlow)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-db.closing:
			cancel(errClosed)
			return
		case <-look.C:
		}
	}
}

// lookAtBackup returns how many bytes of the file are in use or were. It cancels a backup
// that is in the way: a new reader waits only for a commit that waits for a reader.
func (db *DB) lookAtBackup(cancel context.CancelCauseFunc) (size int64, err error) {
	done := make(chan struct{})
	defer close(done)
	go db.impatient(done, cancel)
	err = db.view(context.Background(), func(tx *bbolt.Tx) error { size = tx.Size(); return nil })
	return size, err
}

// impatient cancels a backup if a look at it is not done in time. It counts turns, since a
// machine that has no time for this process has none for the look either.
func (db *DB) impatient(done <-chan struct{}, cancel context.CancelCauseFunc) {
	turn := time.NewTicker(lookPatience / lookTurns)
	defer turn.Stop()
	for range lookTurns {
		select {
		case <-done:
			return
		case <-turn.C:
		}
	}
	select {
	case <-done:
	case <-db.closing:
		cancel(errClosed)
	default:
		cancel(ErrBackupInWay)
	}
}

// Backup writes one snapshot of the store in a directory, which no process may have open.
// It changes nothing. The error is ErrInUse or ErrNoStore if it cannot begin.
func Backup(ctx context.Context, dir string, to io.Writer, content snapshot.Content) (summary snapshot.Summary, err error) {
	path, err := filepath.EvalSymlinks(filepath.Join(dir, fileName))
	if err != nil {
		return snapshot.Summary{}, noStore(err, dir)
	}
	if err := refuseUnfinished(path); err != nil {
		return snapshot.Summary{}, err
	}
	if _, err := look(path); err != nil {
		return snapshot.Summary{}, err
	}
	file, err := openBolt(path, readOnly())
	if err != nil {
		return snapshot.Summary{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	view := func(_ context.Context, read func(*bbolt.Tx) error) error {
		return safely(func() error { return file.View(read) })
	}
	return backup(ctx, view, to, content)
}

// backup reads in one goroutine, which has the transaction, and writes in another.
func backup(ctx context.Context, view func(context.Context, func(*bbolt.Tx) error) error, to io.Writer, content snapshot.Content) (
	summary snapshot.Summary, err error,
) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	blocks := make(chan []byte, blocksAhead)
	go func() {
		defer close(blocks)
		err = view(ctx, func(tx *bbolt.Tx) (err error) {
			summary, err = writeSnapshot(ctx, tx, blockSender{ctx, blocks}, content)
			return err
		})
	}()
	var failed error
	begun := false
	for block := range blocks {
		if failed == nil {
			if _, failed = to.Write(block); failed != nil {
				cancel(failed)
			}
		}
		begun = true
	}
	if err != nil {
		err = cmp.Or(causeOf(ctx), err)
	}
	if err != nil && failed == nil && begun {
		giveUp(to, err)
	}
	if err = cmp.Or(failed, err); err != nil {
		return snapshot.Summary{}, fmt.Errorf("backing up: %w", err)
	}
	return summary, nil
}

// giveUp ends a file that will not be whole. The caller gets the error.
func giveUp(file io.Writer, why error) { _, _ = file.Write(snapshot.GivenUp(givenUpReason(why))) }

// givenUpReason is what whoever has the file may know of an error.
func givenUpReason(err error) string {
	switch {
	case errors.Is(err, ErrBackupInWay):
		return ErrBackupInWay.Error()
	case errors.Is(err, ErrBackupTooSlow):
		return ErrBackupTooSlow.Error()
	case errors.Is(err, errClosed), errors.Is(err, context.Canceled):
		return "the server was stopped"
	}
	return "the server could not read its store; its log says why"
}

// A blockSender hands each block on, or fails with the cause when ctx has ended.
type blockSender struct {
	ctx    context.Context
	blocks chan<- []byte
}

func (s blockSender) Write(block []byte) (int, error) {
	select {
	case s.blocks <- bytes.Clone(block):
		return len(block), nil
	case <-s.ctx.Done():
		return 0, context.Cause(s.ctx)
	}
}

// causeOf returns why ctx has ended, or nil.
func causeOf(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// writeSnapshot writes each bucket as a section.
func writeSnapshot(ctx context.Context, tx *bbolt.Tx, to io.Writer, content snapshot.Content) (snapshot.Summary, error) {
	w, err := snapshot.NewWriter(to, snapshot.Head{Content: content, Schema: schemaVersion, TakenOn: time.Now()})
	if err != nil {
		return snapshot.Summary{}, err
	}
	err = tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
		if content == snapshot.Deletions && string(name) != string(tableBucket(deletionsTable)) {
			return nil
		}
		if err := w.Section(string(name), bucket.Sequence()); err != nil {
			return err
		}
		return bucket.ForEach(func(key, value []byte) error {
			if value == nil {
				return fmt.Errorf("bucket %q in bucket %q: %w", key, name, errForeign)
			}
			if err := w.Put(key, value); err != nil {
				return err
			}
			return causeOf(ctx)
		})
	})
	if err != nil {
		return snapshot.Summary{}, err
	}
	return w.Close()
}
