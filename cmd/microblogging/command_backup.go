package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"time"

	"microblogging/storage/bolt"
)

type backupCommand struct {
	File          string `arg:"" help:"The file to write. A backup of that name is replaced once the new one is whole; any other file is left alone."`
	operatorFlags `embed:""`
}

// Run writes one snapshot to a file.
func (c backupCommand) Run(ctx context.Context, console *console) error {
	if c.Admin == "" && c.Storage != "bolt" {
		return cannotRunError{errNoSnapshot}
	}
	size, err := writeBackup(c.File, func(w io.Writer) error {
		if c.Admin != "" {
			return c.download(ctx, w, adminTime)
		}
		return orAdmin(pack(w, func(w io.Writer) error { return bolt.Backup(ctx, c.Data, ofThisVersion(nil), w) }))
	})
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted, and %s was not written: %w", c.File, err)
	case err != nil:
		return err
	}
	if c.Admin != "" {
		err = c.confirm(ctx)
	} else {
		err = bolt.NoteBackup(c.Data, time.Now())
	}
	warnOfAge(console, err)
	_, err = fmt.Fprintf(console.stdout, "%s: %s\n", c.File, inBytes(size))
	return err
}

// warnOfAge says that the time of a backup, which is good all the same, could not be noted.
func warnOfAge(console *console, err error) {
	if err != nil {
		fmt.Fprintf(console.stderr, "the age of the last backup in the metrics stays as it was: %v\n", err)
	}
}

// download gets a backup from the admin listener of a server, in some time.
func (f operatorFlags) download(ctx context.Context, to io.Writer, most time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("--admin: %s sent no whole backup within %s", f.Admin, most))
	defer cancel()
	response, err := f.request(ctx, http.MethodGet, backupPath, nil, backupType, 0)
	if err != nil {
		return err
	}
	defer response.Body.Close() // all of it was read, or an error is known
	_, err = io.Copy(to, response.Body)
	if _, unwritten := errors.AsType[*fs.PathError](err); err == nil || unwritten {
		return err
	}
	return cmp.Or(context.Cause(ctx), fmt.Errorf("the server closed the connection before the backup was whole: %w", err))
}

// confirm tells the server that the file is whole and on the disk.
func (f operatorFlags) confirm(ctx context.Context) error {
	response, err := f.request(ctx, http.MethodPost, backupPath, nil, "", beginTime)
	if err != nil {
		return err
	}
	return response.Body.Close()
}
