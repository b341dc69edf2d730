package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A store says in its table Moves whether it takes writes, and whether it is the target of
// a copy. Package move copies one store to another; the argument is there. The rows are in
// one partition, so that one request reads all of them:
//
//   - frozen: the store is frozen, or was. It stays after the store is thawed, so that a
//     late copy of a request to freeze finds another version of it, and changes nothing.
//   - target: the store is the target of a copy, which is finished or not.
//   - run!<run>: the copy that runs. Whoever takes an unfinished copy over deletes the rows
//     of others in the transaction that inserts its own. What a copy writes in Moves
//     depends on its own row, so one that was taken over writes nothing there any more.
//   - at!<table>: how far the copy has come in a table.

// A Freeze is one time for which a store takes no writes.
type Freeze struct {
	// Store names the store, and ID the time: a store that is thawed and frozen again has
	// another. Both are empty if the store was never frozen.
	Store, ID domain.Revision
	// Frozen says that the store takes no writes.
	Frozen bool
	Since  time.Time
}

// A Moving is what a store says of being moved.
type Moving struct {
	Freeze Freeze
	// Target says that the store is, or was, the target of a copy of From. Unfinished
	// says that the copy has not ended: the store is not whole.
	Target, Unfinished bool
	From               Freeze
	// Run is the copy that runs, or was killed.
	Run domain.Revision
	// At is how far an unfinished copy has come, by table. A table is missing if nothing
	// is known.
	At map[string]CopiedTo

	frozen, target driver.Entity
	others         []driver.Operation
}

// CopiedTo is a position of a copy in one table: all rows up to this one are copied.
type CopiedTo struct {
	Partition, Row string
	// Whole says that all rows of the table are.
	Whole bool
}

const (
	propFrozen     = "Frozen"
	propFreeze     = "Freeze"
	propStore      = "Store"
	propSince      = "Since"
	propUnfinished = "Unfinished"
	propPartition  = "Partition"
	propRow        = "Row"
	propWhole      = "Whole"
)

// ErrTakenOver ends a copy whose place another one took.
var ErrTakenOver = errors.New("another process has taken this copy over")

// Moving reads what the store says of being moved. It is one request.
func (s *Store) Moving(ctx context.Context) (Moving, error) {
	m, err := readMoving(ctx, s.moves)
	if err != nil {
		return m, fmt.Errorf("reading whether the store is being moved: %w", err)
	}
	return m, nil
}

// ReadMoving is Moving of a store that need not be prepared.
func ReadMoving(ctx context.Context, tables driver.Tables) (Moving, error) {
	if err := tables.CreateTable(ctx, tableMoves); err != nil {
		return Moving{}, fmt.Errorf("creating table %s: %w", tableMoves, err)
	}
	return readMoving(ctx, driver.NewTable(tables, tableMoves))
}

func readMoving(ctx context.Context, moves *driver.Table) (Moving, error) {
	m := Moving{At: map[string]CopiedTo{}}
	for row, err := range moves.Within(ctx, driver.Range{Partition: movePartition}) {
		if err != nil {
			return m, err
		}
		m.add(row)
	}
	return m, nil
}

// add enters one row.
func (m *Moving) add(row driver.Entity) {
	table, isAt := strings.CutPrefix(row.Row, prefixAt)
	run, isRun := strings.CutPrefix(row.Row, prefixRun)
	switch {
	case row.Row == frozenRow:
		m.frozen, m.Freeze = row, decodeFreeze(row.Properties)
	case row.Row == targetRow:
		m.target, m.Target, m.From = row, true, decodeFreeze(row.Properties)
		m.Unfinished = row.Properties.Bool(propUnfinished)
	case isRun:
		m.Run = domain.Revision(run)
		m.others = append(m.others, driver.Delete(row.Row, driver.Exists))
	case isAt:
		m.At[table] = CopiedTo{
			Partition: row.Properties.String(propPartition), Row: row.Properties.String(propRow),
			Whole: row.Properties.Bool(propWhole),
		}
	}
}

func decodeFreeze(p driver.Properties) Freeze {
	return Freeze{
		Store: domain.Revision(p.String(propStore)), ID: domain.Revision(p.String(propFreeze)),
		Frozen: p.Bool(propFrozen), Since: p.Time(propSince),
	}
}

func (f Freeze) properties() driver.Properties {
	return driver.Properties{
		driver.String(propStore, f.Store), driver.String(propFreeze, f.ID),
		driver.Bool(propFrozen, f.Frozen), driver.Time(propSince, f.Since),
	}
}

// Freeze makes the store take no writes until it is thawed, and reports whether it was not
// frozen before. Writes that began before it may still land: see NewGuard.
func (s *Store) Freeze(ctx context.Context) (f Freeze, fresh bool, err error) {
	mine := domain.NewRevision()
	err = s.contend(ctx, func() error {
		now, err := s.Moving(ctx)
		if err != nil {
			return err
		}
		if f = now.Freeze; f.Frozen {
			fresh = f.ID == mine
			return nil
		}
		f = Freeze{Store: f.Store, ID: mine, Frozen: true, Since: domain.Now()}
		if f.Store == "" {
			f.Store = domain.NewRevision()
		}
		fresh = true
		return s.writeFrozen(ctx, now, f)
	})
	return f, fresh, err
}

// Thaw makes the store take writes again, and reports whether it was frozen.
func (s *Store) Thaw(ctx context.Context) (was bool, err error) {
	err = s.contend(ctx, func() error {
		now, err := s.Moving(ctx)
		if err != nil || !now.Freeze.Frozen {
			return err
		}
		was = true
		thawed := now.Freeze
		thawed.Frozen = false
		return s.writeFrozen(ctx, now, thawed)
	})
	return was, err
}

// writeFrozen writes the row frozen in the version that was read.
func (s *Store) writeFrozen(ctx context.Context, read Moving, f Freeze) error {
	op := driver.Insert(frozenRow, f.properties()...)
	if read.frozen.ETag != "" {
		op = driver.Replace(frozenRow, driver.Match(read.frozen.ETag), f.properties()...)
	}
	return tryAgainIfRaced(s.moves.Transact(ctx, movePartition, op))
}

func tryAgainIfRaced(err error) error {
	if raced(err) {
		return errTryAgain
	}
	return err
}

// BeginCopy makes the store the target of an unfinished copy, or takes such a copy over
// from another process. From is the freeze of the source. How far the copy has come counts
// only if the source was frozen ever since; otherwise it begins anew. The caller has looked
// that the store is empty, or the target of a copy of the same source.
func (s *Store) BeginCopy(ctx context.Context, from Freeze) (at Moving, err error) {
	mine := domain.NewRevision()
	err = s.contend(ctx, func() error {
		if at, err = s.Moving(ctx); err != nil || at.Run == mine {
			return err
		}
		target := append(from.properties(), driver.Bool(propUnfinished, true))
		ops := []driver.Operation{driver.Insert(runRow(mine)), driver.Insert(targetRow, target...)}
		if at.Target {
			ops[1] = driver.Replace(targetRow, driver.Match(at.target.ETag), target...)
		}
		ops = append(ops, at.others...)
		switch {
		case at.Target && !at.Unfinished:
			ops = append(ops, at.forget(append(copied(), emptied)...)...)
		case at.Target && at.From.ID != from.ID:
			ops = append(ops, at.forget(copied()...)...)
		}
		if err := s.moves.Transact(ctx, movePartition, ops...); err != nil {
			return tryAgainIfRaced(err)
		}
		return errTryAgain // read what was written
	})
	return at, err
}

// emptied is the note, beside those of tables, that a copy makes once it has seen that the target was empty
// when nobody could write to it any more.
const emptied = "empty"

// copied names what a copy notes its way in: the tables, and the queue of deletions for all
// queues.
func copied() []string { return append(DataTables(), domain.QueueName) }

// forget deletes notes.
func (m *Moving) forget(notes ...string) (ops []driver.Operation) {
	for _, note := range notes {
		if _, known := m.At[note]; known {
			ops = append(ops, driver.Delete(atRow(note), driver.Exists))
		}
	}
	return ops
}

// WasEmpty says that the target of the copy was empty when nobody could write to it any more.
func (m *Moving) WasEmpty() bool { return m.At[emptied].Whole }

// NoteEmpty records that. See NoteCopy.
func (s *Store) NoteEmpty(ctx context.Context, run domain.Revision) error {
	return s.NoteCopy(ctx, run, emptied, CopiedTo{Whole: true})
}

// NoteCopy records how far a copy has come. It returns ErrTakenOver if another process has
// taken the copy over.
func (s *Store) NoteCopy(ctx context.Context, run domain.Revision, table string, at CopiedTo) error {
	return s.heldBy(ctx, run, driver.Replace(atRow(table), driver.Upsert,
		driver.String(propPartition, at.Partition), driver.String(propRow, at.Row), driver.Bool(propWhole, at.Whole)))
}

// EndCopy makes the store whole: the copy has ended. It returns ErrTakenOver as NoteCopy
// does.
func (s *Store) EndCopy(ctx context.Context, run domain.Revision) error {
	now, err := s.Moving(ctx)
	if err != nil {
		return err
	}
	err = s.heldBy(ctx, run, append(now.forget(append(copied(), emptied)...), driver.Merge(targetRow, driver.Exists, driver.Bool(propUnfinished, false)))...)
	if !raced(err) {
		return err
	}
	again, readErr := s.Moving(ctx)
	if readErr == nil && again.Run == run && !again.Unfinished {
		return nil // the echo of this end
	}
	return errors.Join(err, readErr)
}

// AbandonCopy makes the store no target any more. The caller has copied nothing yet.
func (s *Store) AbandonCopy(ctx context.Context, run domain.Revision) error {
	return s.moves.Transact(ctx, movePartition, driver.Delete(runRow(run), driver.Exists), driver.Delete(targetRow, driver.Exists))
}

// heldBy makes a transaction that holds only for the copy that runs.
func (s *Store) heldBy(ctx context.Context, run domain.Revision, ops ...driver.Operation) error {
	err := s.moves.Transact(ctx, movePartition, append([]driver.Operation{driver.Merge(runRow(run), driver.Exists)}, ops...)...)
	if failedAt(err, 0, domain.ErrNotFound) {
		return ErrTakenOver
	}
	return err
}
