// Package optimistic writes a row in the version that was read, and tries again if another
// writer was faster. No writer waits for another, and none overwrites what it has not seen.
//
// "Conflict" is never an answer. It may be a self-conflict: the write took
// effect, its reply was lost, and the backend's client sent it again. So a row carries the
// revisions of its last writes. A writer reads the row again and looks for its own there.
package optimistic

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

const (
	// maxAttempts is how often Retry tries. Of n writers that meet on one row, one succeeds
	// each time, and n is far smaller than this.
	maxAttempts = 1000
	// maxPause is the longest pause between two attempts.
	maxPause = 50 * time.Millisecond
	// history is how many revisions a row carries. There are several for the case that others
	// wrote to the row after a self-conflict.
	history = 8
)

// ErrAgain is returned by an attempt inside Retry when what it read is out of date. No
// operation returns it.
var ErrAgain = errors.New("try again")

// A Pause waits for d between two attempts. If ctx ends first, it returns the error of ctx.
// A nil Pause sleeps. The model checker has one that does not wait.
type Pause func(ctx context.Context, d time.Duration) error

// Retry calls attempt, which reads a row and writes it conditionally, until it returns
// anything but ErrAgain. It pauses for a random time in between, so that the writers of one
// row do not meet again. After maxAttempts it gives up with domain.ErrUnavailable.
func (p Pause) Retry(ctx context.Context, attempt func() error) error {
	if p == nil {
		p = sleep
	}
	for n := range maxAttempts {
		err := attempt()
		if !errors.Is(err, ErrAgain) {
			return err
		}
		ceiling := min(time.Millisecond<<min(n, 10), maxPause)
		if err := p(ctx, rand.N(ceiling)); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: too many writers on one row", domain.ErrUnavailable)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Change writes what change makes of a row, once. A row that is not there has no ETag, and is
// inserted. If change returns no properties or an error, nothing is written. It may be called
// several times; what counts is its last call.
func (p Pause) Change(ctx context.Context, table *driver.Table, partition, row string,
	change func(now driver.Entity) (driver.Properties, error),
) error {
	mine := domain.NewRevision()
	return p.Retry(ctx, func() error {
		//lab: Read the row that is to change.
		now, err := table.Find(ctx, partition, row)
		if err != nil || Bears(now.Properties, mine) {
			return err // without one, this is a conflict with our own earlier write
		}
		changes, err := change(now)
		if err != nil || len(changes) == 0 {
			return err
		}
		changes = append(changes, Stamp(now.Properties, mine)...)
		write := driver.Insert(row, changes...)
		if now.Found() {
			write = driver.Merge(row, driver.Match(now.ETag), changes...)
		}
		//lab: Write the row.
		return Again(table.Transact(ctx, partition, write))
	})
}

// Raced reports whether a transaction failed because a row is not as it was read. Either another writer
// was faster, or the failure is a conflict with the caller's own earlier write. What a read did not find
// has not raced, and neither has a transaction whose gate is gone: to try that again would not help.
func Raced(err error) bool {
	var failed *driver.OperationError
	return errors.As(err, &failed) &&
		(errors.Is(failed, domain.ErrConflict) || errors.Is(failed, domain.ErrNotFound) || errors.Is(failed, domain.ErrExists))
}

// Again returns ErrAgain in place of the error of a write that has Raced.
func Again(err error) error {
	if Raced(err) {
		return ErrAgain
	}
	return err
}

// UnlessRaced returns no error in place of that of a write that has Raced.
func UnlessRaced(err error) error {
	if Raced(err) {
		return nil
	}
	return err
}

// FailedAt reports whether a transaction failed because of its operation number index, counted
// from 0, and with this meaning.
func FailedAt(err error, index int, meaning error) bool {
	var failed *driver.OperationError
	return errors.As(err, &failed) && failed.Index == index && errors.Is(failed.Err, meaning)
}

// Stamp returns the properties that add a revision to those of a row.
func Stamp(row driver.Properties, revision domain.Revision) driver.Properties {
	last := append(strings.Fields(row.String(schema.PropRevisions)), string(revision))
	last = last[max(len(last)-history, 0):]
	return driver.Properties{
		driver.String(schema.PropRevision, revision),
		driver.String(schema.PropRevisions, strings.Join(last, " ")),
	}
}

// Bears reports whether one of the row's last writes had this revision.
func Bears(row driver.Properties, revision domain.Revision) bool {
	return strings.Contains(row.String(schema.PropRevisions), string(revision))
}

// Unchanged reports whether a row is still there in the version that was read.
func Unchanged(ctx context.Context, table *driver.Table, row driver.Entity) (bool, error) {
	//lab: Read the row again: is it still as it was?
	now, err := table.Find(ctx, row.Partition, row.Row)
	return now.ETag == row.ETag, err
}
