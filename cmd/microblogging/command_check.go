package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/worker"
)

type checkCommand struct {
	storageFlags `embed:""`
	leaseFlags   `embed:""`
	Repair       bool `help:"Mend what can be mended safely, deleting rows only in the version that was read."`
	JSON         bool `name:"json" help:"Print one JSON object instead of lines."`
}

// Run reports every breach and exits with 1 if there is any.
func (c checkCommand) Run(ctx context.Context, console *console) error {
	if err := c.announceNew(console.stderr); err != nil {
		return err
	}
	return c.use(ctx, func(store *storage.Store) error {
		var out breachWriter = &lineWriter{w: console.stdout}
		if c.JSON {
			out = &jsonWriter{w: console.stdout}
		}
		breaches := 0
		checker := store.NewChecker(worker.Patience(c.Lease), c.Repair, func(b domain.Breach) {
			out.breach(b)
			breaches++
		})
		counts, err := checker.Run(ctx)
		if err != nil {
			return cannotRunError{err}
		}
		if err := out.end(counts); err != nil {
			return err
		}
		if breaches > 0 {
			return errFound
		}
		return nil
	})
}

// announceNew warns that the check is about to find nothing wrong with a store
// that it makes itself: the directory's name may be a slip.
func (f storageFlags) announceNew(w io.Writer) error {
	if f.Storage != "bolt" {
		return nil
	}
	if _, err := os.Stat(f.Data); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_, err := fmt.Fprintf(w, "there was nothing in %s: this is a new store, and an empty one\n", f.Data)
	return err
}
