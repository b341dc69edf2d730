package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// How many rows a deletion has removed is counted on its shut gate. Each transaction of a
// sweep merges that row anyway. So it counts in the transaction what it removes: the count
// is right whatever dies, and costs no request.
//
// No store can add to a number. So each handling of a deletion has its own numbers there,
// one for each transaction that it has under way at once: its lanes. A lane counts what its
// transactions have removed, all together. Only one transaction of a lane is under way, and
// a lane whose last transaction may or may not have taken effect is not used again. A late
// copy of a transaction takes no effect, because its rows are gone and never return.
//
// The sum of all lanes goes into the Deletions row before the gate is deleted
// (Deletion.Count). By then the partition is empty, so the sum is final.
const (
	// propLane is how the property of a lane begins. The token of its handling and a
	// number follow.
	propLane = "Swept"
	// propLanes has the lanes that foldLanes put together: "TOKEN_0:99 TOKEN_1:99".
	propLanes = "SweptBefore"
	// manyLanes is how many lanes a handling may find before it folds them. A row of
	// Azure has room for 252 properties.
	manyLanes = 64
	// mostLanes is how many lanes a fold keeps apart, so that they fit into one property.
	mostLanes = 600
	// foldedLane is the lane that stands for all that a fold before found.
	foldedLane = "_"
)

// A Tally counts the rows that one handling of a deletion removes. ShutGate makes it. It is
// safe for concurrent use.
type Tally struct {
	mu sync.Mutex
	// handling is the token that begins the names of its lanes.
	handling domain.Revision
	lanes    int
	free     []*lane
	// before is what the gate counted when this handling began.
	before int64
	// passes is how many passes over the partition were begun.
	passes int
	// total is what the gate counted once the partition was empty; -1 until that is known.
	total int64
}

// A lane is one number on the shut gate, of one handling.
type lane struct {
	property string
	rows     int64
}

// NewTally returns the Tally of a handling, before which so many rows had been removed.
func NewTally(before int64) *Tally {
	return &Tally{handling: domain.NewRevision(), before: before, total: -1}
}

// Before returns how many rows of the incarnation had been removed when this handling
// began. There may be more: of those that are removed elsewhere since, it knows nothing.
func (t *Tally) Before() int64 { return t.before }

// take returns a lane that no transaction uses.
func (t *Tally) take() *lane {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.free); n > 0 {
		l := t.free[n-1]
		t.free = t.free[:n-1]
		return l
	}
	l := &lane{property: propLane + string(t.handling) + "_" + strconv.Itoa(t.lanes)}
	t.lanes++
	return l
}

// giveBack makes a lane free again, of which it is known what it counts.
func (t *Tally) giveBack(l *lane) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, l)
}

// pass begins a pass over the partition, and reports whether it is the first.
func (t *Tally) pass() (first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.passes++
	return t.passes == 1
}

func (t *Tally) end(total int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total = total
}

// SweptRows returns how many rows the sweeps of an incarnation have removed, all together.
// It is called once a pass has found no row. If the gate is gone, so is the need to count:
// whoever deleted it had recorded the number.
func (s *Store) SweptRows(ctx context.Context, ref domain.ChannelRef, t *Tally) (rows int64, err error) {
	t.mu.Lock()
	total := t.total
	t.mu.Unlock()
	if total >= 0 {
		return total, nil
	}
	gate, err := s.shutGate(ctx, ref)
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return 0, fmt.Errorf("counting the rows of channel %s: %w", ref.Key, err)
	}
	return lanesOf(gate).sum(), nil
}

func (s *Store) shutGate(ctx context.Context, ref domain.ChannelRef) (driver.Entity, error) {
	return s.blogs.Get(ctx, partitionOf(ref.Key), shutGateRow(ref.Incarnation))
}

// tookEffect tells whether the transaction of a lane, which removed some rows, took effect
// although its caller was told that a row was missing: the answer may be an echo. Whatever
// it finds is final, since one of the rows is gone. If the gate is gone, it does not matter.
func (s *Store) tookEffect(ctx context.Context, ref domain.ChannelRef, l *lane, rows int64) (bool, error) {
	gate, err := s.shutGate(ctx, ref)
	if errors.Is(err, domain.ErrNotFound) {
		return false, nil
	}
	return err == nil && gate.Properties.Int64(l.property) == l.rows+rows, err
}

// lanes has what each lane of a gate counts, by its name.
type lanes map[string]int64

// lanesOf reads the lanes of a shut gate. Of a lane that was folded, and has counted more
// since, the larger number is right.
func lanesOf(gate driver.Entity) lanes {
	all := lanes{}
	for _, item := range strings.Fields(gate.Properties.String(propLanes)) {
		name, rows, _ := strings.Cut(item, ":")
		if n, err := strconv.ParseInt(rows, 10, 64); err == nil {
			all[name] = n
		}
	}
	for _, p := range gate.Properties {
		if name, ok := strings.CutPrefix(p.Name, propLane); ok && p.Name != propLanes {
			all[name] = max(all[name], gate.Properties.Int64(p.Name))
		}
	}
	return all
}

// foldLanes puts the lanes of a shut gate into one property if they are many, and returns
// the gate as it is then. Lanes that are still used may grow beside it. Only if there are
// far too many are those added up that an earlier fold has found. A request that left its
// sender so many handlings ago must not land any more.
func (s *Store) foldLanes(ctx context.Context, ref domain.ChannelRef, gate driver.Entity) (driver.Entity, error) {
	err := s.contend(ctx, func() (err error) {
		if len(gate.Properties) <= manyLanes {
			return nil
		}
		row := driver.Replace(gate.Row, driver.Match(gate.ETag),
			driver.String(propIncarnation, ref.Incarnation), driver.String(propLanes, lanesOf(gate).folded(gate)))
		err = s.blogs.Transact(ctx, gate.Partition, row)
		if err != nil && !raced(err) {
			return err
		}
		if gate, err = s.shutGate(ctx, ref); err != nil {
			return err
		}
		return errTryAgain // which ends with the first comparison if the fold took effect
	})
	return gate, err
}

// folded is the text of propLanes with all lanes of the gate.
func (l lanes) folded(gate driver.Entity) string {
	if len(l) > mostLanes {
		for _, item := range strings.Fields(gate.Properties.String(propLanes)) {
			if name, _, _ := strings.Cut(item, ":"); name != foldedLane {
				l[foldedLane] += l[name]
				delete(l, name)
			}
		}
	}
	items := make([]string, 0, len(l))
	for name, rows := range l {
		items = append(items, name+":"+strconv.FormatInt(rows, 10))
	}
	slices.Sort(items)
	return strings.Join(items, " ")
}

func (l lanes) sum() (rows int64) {
	for _, n := range l {
		rows += n
	}
	return rows
}
