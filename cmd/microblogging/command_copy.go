package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/move"
	"microblogging/worker"
)

type copyCommand struct {
	storageFlags `embed:""`
	From         string `placeholder:"STORE" help:"The store to copy: bolt:DIR, or azure for the account of the environment or the flags below, or azure:CONNECTION. Without it, it is the store of --storage and --data. It takes no writes from then on, until it is thawed; reads go on. A server that has an embedded store open must be stopped first."`
	To           string `placeholder:"STORE" help:"Where to copy it: bolt:DIR, azure or azure:CONNECTION. It must be empty, or the unfinished copy of the same store. Nobody serves it before the copy has ended."`
	Thaw         bool   `help:"Copy nothing. Let the store of --from take writes again, because the copy is not wanted any more. A server notices within 5 seconds."`
	Flight       int    `default:"8" help:"How many transactions to have under way at once, 1 to 64."`
}

// maxFlight is the largest --flight.
const maxFlight = 64

// Validate is called by kong.
func (c copyCommand) Validate() error {
	switch {
	case c.Thaw && c.To != "":
		return errors.New("--thaw copies nothing: leave out --to")
	case !c.Thaw && c.To == "":
		return errors.New("missing flags: --to=STORE")
	case c.Flight < 1 || c.Flight > maxFlight:
		return fmt.Errorf("--flight must be 1 to %d, not %d", maxFlight, c.Flight)
	}
	return nil
}

// Run copies the store, or thaws it.
func (c copyCommand) Run(ctx context.Context, console *console) (err error) {
	from, err := c.side("--from", c.From, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.close()) }()
	if c.Thaw {
		return from.thaw(ctx, console)
	}
	if c.names(from) {
		return cannotRunError{errors.New("--from and --to are the same store")}
	}
	to, err := c.side("--to", c.To, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.close()) }()
	return copyStore(ctx, console, from, to, c.Flight)
}

// names tells that --to is the embedded store that is open.
func (c copyCommand) names(from copySide) bool {
	dir, isBolt := strings.CutPrefix(c.To, "bolt:")
	if !isBolt || !from.local {
		return false
	}
	a, errA := os.Stat(dir)
	b, errB := os.Stat(strings.TrimPrefix(from.name, "bolt:"))
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// A copySide is an open store, and what an operator calls it.
type copySide struct {
	*backend
	name string
}

func (s copySide) side() move.Side {
	return move.Side{Name: s.name, Tables: s.tables, Queues: s.queues, Alone: s.local}
}

// side opens the store that a flag names.
func (c copyCommand) side(flag, value string, mustExist bool) (copySide, error) {
	f := c.storageFlags
	if value != "" {
		kind, where, given := strings.Cut(value, ":")
		switch {
		case kind == "bolt" && where != "":
			f.Storage, f.Data = "bolt", where
		case kind == "azure" && !given:
			f.Storage = "azure"
		case kind == "azure" && where != "":
			f.Storage, f.AzureConnectionString, f.AzureConnectionStringFile = "azure", where, ""
		default:
			return copySide{}, cannotRunError{fmt.Errorf("%s must be bolt:DIR, azure or azure:CONNECTION", flag)}
		}
	}
	name := "azure"
	if f.Storage == "bolt" {
		name = "bolt:" + f.Data
		there, err := bolt.Exists(f.Data)
		if err == nil && !there && mustExist {
			err = fmt.Errorf("%w in %s", bolt.ErrNoStore, f.Data)
		}
		if err != nil {
			return copySide{}, cannotRunError{fmt.Errorf("%s: %w", flag, err)}
		}
	}
	b, err := f.openToCopy()
	if err != nil {
		return copySide{}, cannotRunError{fmt.Errorf("%s: %w", flag, err)}
	}
	return copySide{b, name}, nil
}

// copyTryTime is how long a copy waits for an answer, before a request is sent again: nobody
// waits for it, and Azurite takes long for a transaction of 100 rows.
const copyTryTime = 30 * time.Second

func (f storageFlags) openToCopy() (*backend, error) {
	retry, err := f.retryFlags.options()
	if err != nil || f.Storage != "azure" {
		return f.openWith(bolt.Options{})
	}
	retry.TryTimeout = copyTryTime
	return f.openAzure(nil, retry, observers{})
}

// thaw lets the store take writes again.
func (s copySide) thaw(ctx context.Context, console *console) error {
	store := storage.New(s.tables, s.queues)
	if err := store.Prepare(ctx); err != nil {
		return cannotRunError{err}
	}
	moving, err := store.Moving(ctx)
	if err != nil {
		return cannotRunError{err}
	}
	switch {
	case moving.Unfinished && moving.WasEmpty():
		return cannotRunError{fmt.Errorf("%s is the target of a copy that has not ended; thaw its source, and copy to another store or go on with the copy", s.name)}
	case moving.Unfinished: // nothing was copied
		if err := store.AbandonCopy(ctx, moving.Run); err != nil {
			return err
		}
	}
	was, err := store.Thaw(ctx)
	switch {
	case err != nil:
		return err
	case was || moving.Unfinished:
		_, err = fmt.Fprintf(console.stdout, "%s takes writes again\n", s.name)
	default:
		_, err = fmt.Fprintf(console.stdout, "%s was not frozen\n", s.name)
	}
	return err
}

// copyStore copies a store and says what it did.
func copyStore(ctx context.Context, console *console, from, to copySide, flight int) error {
	bar := &copyBar{w: console.stderr}
	if err := bar.count(ctx, from); err != nil {
		return cannotRunError{err}
	}
	check := &copyCheck{console: console, from: from.name, to: to.name}
	began := time.Now()
	result, err := move.Copy(ctx, from.side(), to.side(), move.Options{Flight: flight, Progress: bar.show, Check: check.run})
	bar.end()
	refused := (*move.RefusedError)(nil)
	switch {
	case errors.As(err, &refused):
		return cannotRunError{err}
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted; run the same command again, and it goes on")
	case errors.Is(err, domain.ErrUnavailable):
		return cannotRunError{fmt.Errorf("%w; run the same command again, and it goes on", err)}
	case err != nil:
		return err
	case result.Already:
		_, err := fmt.Fprintf(console.stdout, "%s was copied to %s already\n", from.name, to.name)
		return err
	}
	if err := printCopy(console, result, time.Since(began)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(console.stdout, "%s is whole; %s takes no writes until microblogging copy --thaw --from %s\n", to.name, from.name, from.name)
	if err == nil && check.found {
		return errFound // the source has the same breaches
	}
	return err
}

// printCopy prints the counts.
func printCopy(console *console, result move.Result, took time.Duration) error {
	sum := 0
	for _, table := range storage.DataTables() {
		sum += result.Rows[table]
		if _, err := fmt.Fprintf(console.stdout, "%-14s %9d rows in both\n", table, result.Rows[table]); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(console.stdout, "%-14s %9d rows in both, %d messages and %d poisoned ones sent, in %s\n",
		"together", sum, result.Messages, result.Poison, took.Round(time.Second))
	return err
}

// copyCheck checks both stores.
type copyCheck struct {
	console  *console
	from, to string
	// found says that the source has a breach.
	found bool
}

// run prints what is wrong with the two stores. It fails if the target has breaches that
// the source does not have.
func (c *copyCheck) run(ctx context.Context, source, target *storage.Store) error {
	inSource, err := c.check(ctx, c.from, source)
	if err != nil {
		return err
	}
	inTarget, err := c.check(ctx, c.to, target)
	if err != nil {
		return err
	}
	c.found = inSource > 0
	if inTarget > inSource {
		return fmt.Errorf("%s has %d breaches and %s has %d: the copy is not sound, and stays unfinished", c.to, inTarget, c.from, inSource)
	}
	return nil
}

// check prints the breaches of one store, and their number.
func (c *copyCheck) check(ctx context.Context, name string, store *storage.Store) (breaches int, err error) {
	out := &lineWriter{w: c.console.stdout}
	checker := store.NewChecker(worker.Patience(defaultLease), false, out.breach)
	counts, err := checker.Run(ctx)
	if err != nil {
		return out.n, fmt.Errorf("checking %s: %w", name, err)
	}
	out.printf("%s: ", name)
	return out.n, out.end(counts, nil)
}

// defaultLease is the default of --lease.
const defaultLease = 30 * time.Second
