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
	From         string `placeholder:"STORE" help:"The store to copy: bolt:DIR, or azure for the account of the environment or the flags below, or azure:CONNECTION. Without it, it is the store of --storage and --data. Stop its roles first."`
	To           string `required:"" placeholder:"STORE" help:"Where to copy it: bolt:DIR, azure or azure:CONNECTION. It must be empty, or an unfinished copy of the same store. Start no role on it before the copy has ended."`
	Flight       int    `default:"8" help:"How many transactions to have under way at once, 1 to 64."`
}

// maxFlight is the largest --flight.
const maxFlight = 64

// Validate is called by kong.
func (c copyCommand) Validate() error {
	if c.Flight < 1 || c.Flight > maxFlight {
		return fmt.Errorf("--flight must be 1 to %d, not %d", maxFlight, c.Flight)
	}
	return nil
}

// Run copies the store, and checks the copy.
func (c copyCommand) Run(ctx context.Context, console *console) (err error) {
	from, err := c.side("--from", c.From, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.close()) }()
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
	return move.Side{Name: s.name, Backend: s.under}
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
	retry, err := f.retry()
	if err != nil || f.Storage != "azure" {
		return f.open(bolt.Options{}, nil)
	}
	retry.TryTimeout = copyTryTime
	return f.openAzure(nil, retry, nil)
}

// copyStore copies a store, checks the copy, and says what it did.
func copyStore(ctx context.Context, console *console, from, to copySide, flight int) error {
	progress, doing, rows := newProgress(console.stderr), "", 0
	began := time.Now()
	result, err := move.Copy(ctx, from.side(), to.side(), move.Options{Flight: flight, Progress: func(now string, more int) {
		if now != doing {
			progress.end()
			fmt.Fprintln(console.stderr, now)
			doing, rows = now, 0
		}
		rows += more
		progress.show("rows", rows, 0)
	}})
	progress.end()
	refused := (*move.RefusedError)(nil)
	switch {
	case errors.As(err, &refused):
		return cannotRunError{refused}
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted; run the same command again, and it goes on")
	case errors.Is(err, domain.ErrUnavailable):
		return cannotRunError{fmt.Errorf("%w; run the same command again, and it goes on", err)}
	case err != nil:
		return err
	}
	out := &lineWriter{w: console.stdout}
	printCopy(out, result, time.Since(began))
	checker := storage.New(to.under, storage.Options{}).NewChecker(worker.Patience(defaultLease), false, out.breach)
	counts, err := checker.Run(ctx)
	if err != nil {
		return fmt.Errorf("checking %s: %w", to.name, err)
	}
	out.printf("%s is what %s is: ", to.name, from.name)
	out.counts(counts)
	if out.err == nil && out.n > 0 {
		return errFound // the source has the same breaches
	}
	return out.err
}

// printCopy prints the counts.
func printCopy(out *lineWriter, result move.Result, took time.Duration) {
	sum := 0
	for _, table := range storage.DataTables() {
		sum += result.Rows[table]
		out.printf("%-14s %9d rows in both\n", table, result.Rows[table])
	}
	out.printf("%-14s %9d rows in both, %d messages and %d poisoned ones sent, in %s\n",
		"together", sum, result.Messages, result.Poison, took.Round(time.Second))
}

// defaultLease is the default of --lease.
const defaultLease = 30 * time.Second
