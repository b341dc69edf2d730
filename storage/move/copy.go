package move

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
)

// A Side is the source or the target of a copy.
type Side struct {
	// Name is what an operator calls it.
	Name   string
	Tables driver.Tables
	Queues driver.Queues
	// Alone says that no other process can use the store while this one has it open. Then
	// no request can be under way.
	Alone bool
}

// Options are the settings of a copy.
type Options struct {
	// Flight is how many transactions are under way at once. Zero means 1.
	Flight int
	// Pause waits. It is nil for real time.
	Pause storage.Pause
	// Progress, if it is not nil, is told of each step, by one goroutine at a time.
	Progress func(Progress)
	// Check, if it is not nil, is called before the copy ends. Its error keeps the target
	// unfinished.
	Check func(ctx context.Context, source, target *storage.Store) error
}

// A Result says what a copy has found and done.
type Result struct {
	// Rows counts the rows by table. They are the same in both stores.
	Rows map[string]int
	// Messages and Poison count the messages that the last run has sent.
	Messages, Poison int
	// Mended counts the rows that the comparison found to differ.
	Mended int
	// Already says that an earlier run had finished, and this one did nothing.
	Already bool
}

// A RefusedError says why a copy did not begin. Nothing was changed.
type RefusedError struct{ Why string }

func (e *RefusedError) Error() string { return e.Why }

func refuse(format string, args ...any) error { return &RefusedError{fmt.Sprintf(format, args...)} }

// end is how long a request of a copy that was killed can be under way.
const end = storage.LastWrite

// copier is one run of a copy.
type copier struct {
	Options
	from, to       Side
	source, target *storage.Store
	freeze         storage.Freeze
	// fresh says that this run has frozen the source.
	fresh  bool
	at     storage.Moving
	result Result
	told   Progress
}

// Copy copies a store, or goes on with a copy of it. See the package.
func Copy(ctx context.Context, from, to Side, o Options) (Result, error) {
	o.Flight = max(o.Flight, 1)
	if o.Pause == nil {
		o.Pause = sleep
	}
	c := &copier{
		Options: o, from: from, to: to,
		source: storage.NewWithPause(from.Tables, from.Queues, o.Pause),
		target: storage.NewWithPause(to.Tables, to.Queues, o.Pause),
		result: Result{Rows: map[string]int{}},
	}
	err := c.run(ctx)
	return c.result, err
}

func (c *copier) run(ctx context.Context) error {
	done, err := c.begin(ctx)
	if err != nil || done {
		return err
	}
	c.bePatient()
	for _, step := range []func(context.Context) error{c.copyTables, c.copyMessages, c.compareTables, c.lookAtFreeze, c.check, c.finish} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// bePatient makes calls again that a shared store does not answer. Before the copy has begun,
// they say that it cannot begin. A store that one process has alone is never too busy: its
// disk is full or broken, and waiting does not help.
func (c *copier) bePatient() {
	for _, side := range []*Side{&c.from, &c.to} {
		if !side.Alone {
			side.Tables = patiently(side.Tables, c.Pause)
		}
	}
	c.source = storage.NewWithPause(c.from.Tables, c.from.Queues, c.Pause)
	c.target = storage.NewWithPause(c.to.Tables, c.to.Queues, c.Pause)
}

// begin looks at both stores, freezes the source and marks the target. It reports whether
// there is nothing to do.
func (c *copier) begin(ctx context.Context) (done bool, err error) {
	if err := errors.Join(c.source.Prepare(ctx), c.target.Prepare(ctx)); err != nil {
		return false, err
	}
	source, err := c.source.Moving(ctx)
	if err != nil {
		return false, err
	}
	if source.Unfinished {
		return false, refuse("%s is the unfinished target of a copy, and cannot be copied", c.from.Name)
	}
	target, err := c.target.Moving(ctx)
	if err != nil {
		return false, err
	}
	known := target.Target && target.From.Store == source.Freeze.Store
	if known && !target.Unfinished {
		if target.From.ID == source.Freeze.ID && source.Freeze.Frozen {
			c.result.Already = true
			return true, nil
		}
		return false, refuse("%s has been in use since an earlier copy of %s; copy to an empty store", c.to.Name, c.from.Name)
	}
	if !known {
		if err := c.mustBeEmpty(ctx, target); err != nil {
			return false, err
		}
	}
	if c.freeze, c.fresh, err = c.source.Freeze(ctx); err != nil {
		return false, err
	}
	// Only now can it be told that two names mean one store: nobody else has this freeze.
	if again, err := c.target.Moving(ctx); err != nil || again.Freeze.ID == c.freeze.ID {
		return false, errors.Join(err, c.undo(ctx, refuse("%s and %s are the same store", c.from.Name, c.to.Name)))
	}
	if c.at, err = c.target.BeginCopy(ctx, c.freeze); err != nil {
		return false, err
	}
	return false, c.settle(ctx)
}

// settle waits until no write can be acknowledged any more, in either store: a process that
// serves the target has to see that it is one. Only then can it be told that the target is
// empty.
func (c *copier) settle(ctx context.Context) error {
	if !c.from.Alone || !c.to.Alone {
		c.tell(Waiting, 0, 0)
		if err := c.Pause(ctx, storage.LastWrite); err != nil {
			return err
		}
	}
	if c.at.WasEmpty() {
		return nil
	}
	err := c.mustBeEmpty(ctx, storage.Moving{})
	if refused := (*RefusedError)(nil); errors.As(err, &refused) {
		return errors.Join(c.undo(ctx, err), c.target.AbandonCopy(ctx, c.at.Run))
	}
	if err != nil {
		return err
	}
	return c.target.NoteEmpty(ctx, c.at.Run)
}

// undo thaws the source if this run has frozen it, and returns the reason.
func (c *copier) undo(ctx context.Context, reason error) error {
	if !c.fresh {
		return reason
	}
	_, err := c.source.Thaw(ctx)
	if err != nil {
		return errors.Join(reason, fmt.Errorf("thawing %s: %w", c.from.Name, err))
	}
	return reason
}

// mustBeEmpty refuses a target that holds anything, or that was frozen as a source.
func (c *copier) mustBeEmpty(ctx context.Context, target storage.Moving) error {
	if target.Unfinished {
		return refuse("%s is the unfinished copy of another store", c.to.Name)
	}
	if target.Freeze.Frozen {
		return refuse("%s is frozen, because it was copied; it cannot be a target", c.to.Name)
	}
	for _, name := range storage.DataTables() {
		rows, err := c.table(c.to, name).First(ctx, driver.Scan{Paging: driver.Paging{KeysOnly: true}})
		if err != nil {
			return fmt.Errorf("looking whether %s is empty: %w", c.to.Name, err)
		}
		if rows {
			return refuse("%s is not empty: it has rows in the table %s; copy to an empty store", c.to.Name, name)
		}
	}
	for _, name := range queues() {
		n, err := driver.NewQueue(c.to.Queues, name).Length(ctx)
		if err != nil {
			return fmt.Errorf("looking whether %s is empty: %w", c.to.Name, err)
		}
		if n > 0 {
			return refuse("%s is not empty: it has messages on the queue %s; copy to an empty store", c.to.Name, name)
		}
	}
	return nil
}

// queues are those that are copied.
func queues() []string { return []string{domain.QueueName, domain.PoisonQueueName} }

// lookAtFreeze makes sure that the source was frozen all the time.
func (c *copier) lookAtFreeze(ctx context.Context) error {
	now, err := c.source.Moving(ctx)
	if err != nil {
		return err
	}
	if !now.Freeze.Frozen || now.Freeze.ID != c.freeze.ID {
		return fmt.Errorf("%s was thawed during the copy, and may have changed; the copy is unfinished, run it again", c.from.Name)
	}
	return nil
}

func (c *copier) check(ctx context.Context) error {
	if c.Check == nil {
		return nil
	}
	c.tell(Checking, 0, 0)
	return c.Check(ctx, c.source, c.target)
}

// finish makes the target whole.
func (c *copier) finish(ctx context.Context) error {
	if !c.to.Alone {
		c.tell(Waiting, 0, 0)
		if err := c.Pause(ctx, end); err != nil {
			return err
		}
	}
	if err := c.lookAtFreeze(ctx); err != nil {
		return err
	}
	if err := c.target.EndCopy(ctx, c.at.Run); err != nil {
		return fmt.Errorf("ending the copy: %w", err)
	}
	return nil
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
