package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/snapshot"
)

type restoreCommand struct {
	storageFlags `embed:""`
	Deletions    string `placeholder:"FILE" help:"A later backup, or what backup --deletions-only wrote. Each channel in it whose deletion was accepted is deleted again, so that the restore does not bring it back."`
	EndSessions  bool   `help:"End all sessions and sign-in links, and revoke the addresses of personal feeds. Otherwise those that were ended after the backup are valid again."`
	File         string `arg:"" help:"The file that backup wrote. It is read to its end before anything is written."`
}

// Run makes an empty store what a backup holds.
func (c restoreCommand) Run(ctx context.Context, console *console) (err error) {
	if c.Storage != "bolt" {
		return cannotRunError{errors.New("restore is for the embedded store only: microblogging copy moves what was restored to Azure")}
	}
	var deletions *backupFile
	if c.Deletions != "" {
		if deletions, err = openBackup(c.Deletions); err != nil {
			return err
		}
		defer deletions.Close() // it was only read
	}
	file, err := os.Open(c.File)
	if err != nil {
		return cannotRunError{err}
	}
	defer file.Close() // it was only read
	began, did := false, restored{}
	did.summary, err = bolt.Restore(ctx, c.Data, file, func() { began = true }, func(db *bolt.DB) error {
		return c.finish(ctx, storage.New(db, db), deletions, &did)
	})
	switch {
	case err != nil && !began:
		return cannotRunError{c.notBegun(err)}
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted, and nothing was restored: %w", err)
	case err != nil:
		return err
	}
	return c.tell(console, did, deletions)
}

// restored is what was done.
type restored struct {
	summary snapshot.Summary
	// repeated counts deletions, and users those whose sessions were ended.
	repeated, users int
}

// finish does what the flags ask for, before anybody can open the store.
func (c restoreCommand) finish(ctx context.Context, store *storage.Store, deletions *backupFile, did *restored) (err error) {
	if err := store.Prepare(ctx); err != nil {
		return err
	}
	if deletions != nil {
		if did.repeated, err = store.RepeatDeletions(ctx, bolt.DeletionsIn(deletions)); err != nil {
			return err
		}
	}
	if c.EndSessions {
		if did.users, err = store.EndAllSessions(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c restoreCommand) tell(console *console, did restored, deletions *backupFile) error {
	_, err := fmt.Fprintf(console.stdout, "restored %d rows, as they were at %s\n", did.summary.Rows, did.summary.TakenOn.Format(time.RFC3339))
	if c.EndSessions {
		fmt.Fprintf(console.stdout, "sessions ended of users: %d\n", did.users)
	}
	if deletions == nil {
		return err
	}
	fmt.Fprintf(console.stdout, "deletions asked for again: %d; a worker completes them\n", did.repeated)
	if deletions.summary.TakenOn.Before(did.summary.TakenOn) {
		fmt.Fprintf(console.stderr, "%s is older than the backup, so that it names no later deletion\n", c.Deletions)
	}
	return err
}

// notBegun says what is wrong, with the name of the file or of the store.
func (c restoreCommand) notBegun(err error) error {
	switch {
	case errors.Is(err, bolt.ErrNotEmpty):
		return fmt.Errorf("%w; restore into another directory with --data", err)
	case errors.Is(err, bolt.ErrInUse):
		return fmt.Errorf("%w; restore into a store that no server has open", err)
	case isBadBackup(err):
		return fmt.Errorf("%s cannot be restored: %w", c.File, err)
	}
	return err
}

// isBadBackup tells whether an error is about the file.
func isBadBackup(err error) bool {
	var given *snapshot.GivenUpError
	for _, bad := range []error{snapshot.ErrForeign, snapshot.ErrCut, snapshot.ErrAltered, snapshot.ErrNewer, bolt.ErrNotWhole} {
		if errors.Is(err, bad) {
			return true
		}
	}
	return errors.As(err, &given)
}

// A backupFile is an open file that is whole.
type backupFile struct {
	*os.File
	summary snapshot.Summary
}

// openBackup reads a file to its end and goes back to its beginning.
func openBackup(name string) (*backupFile, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, cannotRunError{err}
	}
	summary, err := bolt.CheckBackup(file)
	if err != nil {
		err = fmt.Errorf("%s cannot be used: %w", name, err)
	} else {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, cannotRunError{errors.Join(err, file.Close())}
	}
	return &backupFile{file, summary}, nil
}
