package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/azure"
	"microblogging/storage/bolt"
	"microblogging/storage/move"
	"microblogging/storage/schema"
	"microblogging/storage/version"
)

type copyCommand struct {
	From         string `placeholder:"STORE" help:"The store to copy, which may be of an earlier version: bolt:DIR, or azure for the account of the environment or the flags below, or azure:CONNECTION. Without it, it is the store of --storage and --data. Stop its roles first."`
	To           string `required:"" placeholder:"STORE" help:"Where to copy it: bolt:DIR, azure or azure:CONNECTION. It must be empty, or an unfinished copy of the same store, which no role uses before the copy has ended."`
	Flight       int    `default:"8" within:"1 64" help:"How many transactions to write concurrently, 1 to 64."`
	storageFlags `embed:""`
}

// Run copies the store.
func (c copyCommand) Run(ctx context.Context, console *console) (err error) {
	from, source, err := c.side(c.From, storageFlags.mustExist)
	if err != nil {
		return cannotRunError{fmt.Errorf("--from: %w", err)}
	}
	defer func() { err = errors.Join(err, source.close()) }()
	to, target, err := c.side(c.To, func(storageFlags) error { return nil })
	if err != nil {
		return cannotRunError{fmt.Errorf("--to: %w", err)}
	}
	defer func() { err = errors.Join(err, target.close()) }()
	if err = copyStore(ctx, console, from, to, c.Flight); err == nil && target.local {
		// There are two whole stores now. Without a note, nothing would tell that no backup follows.
		warnOfAge(console, bolt.NoteBackup(target.data, time.Now()))
	}
	return err
}

// copyTryTime is how long a copy waits for a response before it sends a request again: no user
// waits for a copy, and Azurite takes long for a transaction of 100 rows.
const copyTryTime = 30 * time.Second

// side opens the store that a flag names, if it may be.
func (c copyCommand) side(value string, may func(storageFlags) error) (side move.Side, b *backend, err error) {
	f := c.storageFlags
	kind, where, given := strings.Cut(value, ":")
	switch {
	case value == "":
	case kind == "bolt" && where != "":
		f.Storage, f.Data = "bolt", where
	case kind == "azure" && !given:
		f.Storage = "azure"
	case kind == "azure" && where != "":
		f.Storage, f.AzureConnectionString, f.AzureConnectionStringFile = "azure", where, ""
	default:
		return side, nil, errors.New("it must be bolt:DIR, azure or azure:CONNECTION")
	}
	if err := may(f); err != nil {
		return side, nil, err
	}
	side.Name = f.Storage
	if f.Storage == "bolt" {
		side.Name = "bolt:" + f.Data
		b, err = f.open(bolt.Options{}, nil, storage.Options{})
	} else {
		var config azure.Config
		if config, err = f.azureConfig(nil); err == nil {
			config.Retry.TryTimeout = copyTryTime
			b, err = openAzure(config, nil, storage.Options{})
		}
	}
	if err != nil {
		return side, nil, err
	}
	side.Backend = b.under
	return side, b, nil
}

// copyStore copies a store, compares the two, and says what it did.
func copyStore(ctx context.Context, console *console, from, to move.Side, flight int) error {
	progress, doing, rows := newProgress(console.stderr), "", 0
	began := time.Now()
	result, err := move.Copy(ctx, from, to, move.Options{Flight: flight, Progress: func(now string, more int) {
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
	case errors.Is(err, domain.ErrConfiguration), errors.Is(err, version.ErrRefused):
		return cannotRunError{err}
	case errors.Is(err, domain.ErrUnavailable):
		return cannotRunError{fmt.Errorf("%w; run the same command again, and it goes on", err)}
	case err != nil:
		return err
	}
	out, sum := bufio.NewWriter(console.stdout), 0
	for _, table := range schema.Tables() {
		sum += result.Rows[table]
		fmt.Fprintf(out, "%-14s %9d rows in both\n", table, result.Rows[table])
	}
	fmt.Fprintf(out, "%-14s %9d rows in both, %d messages sent, in %s\n",
		"together", sum, result.Messages, time.Since(began).Round(time.Second))
	return out.Flush()
}
