package main

import (
	"context"
	"errors"
	"fmt"

	"microblogging/storage/bolt"
)

type compactCommand struct {
	storageFlags `embed:""`
}

// Run gives the free space of the embedded store back to the disk.
func (c compactCommand) Run(ctx context.Context, console *console) error {
	if c.Storage != "bolt" {
		return cannotRunError{errors.New("compact is only for the embedded store; Azure frees space by itself")}
	}
	began := false
	before, after, err := bolt.Compact(ctx, c.Data, ofThisVersion(nil), func(missing bool) {
		if began = true; missing {
			fmt.Fprintln(console.stderr, "one of the two headers of the file was invalid: the last write may be missing")
		}
	})
	switch {
	case err != nil && !began && !errors.Is(err, bolt.ErrDamaged):
		return cannotRunError{inUseHint(err)}
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted, and the store is as it was: %w", err)
	case err != nil:
		return err
	}
	_, err = fmt.Fprintf(console.stdout, "%s before, %s after\n", inBytes(before), inBytes(after))
	return err
}

// inBytes says a size in MB, or in kB if it is small.
func inBytes(bytes int64) string {
	if bytes < 100_000 {
		return fmt.Sprintf("%.1f kB", float64(bytes)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}
