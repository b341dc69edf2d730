package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
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
	deletions := &deletionList{}
	if c.Deletions != "" {
		if deletions, err = readDeletions(ctx, c.Deletions); err != nil {
			return cannotRunError{fmt.Errorf("%s cannot be used: %w", c.Deletions, err)}
		}
	}
	file, err := openBackup(c.File)
	if err != nil {
		return cannotRunError{c.refused(err)}
	}
	defer file.Close() // it was only read
	if file.kind != wholeStore {
		return cannotRunError{c.refused(errors.New("it holds deletions alone"))}
	}
	packed, err := file.unpack()
	if err != nil {
		return err
	}
	began, did := false, restored{takenOn: file.takenOn}
	did.rows, err = bolt.Restore(ctx, c.Data, packed, func() { began = true }, func(db *bolt.DB) error {
		return c.finish(ctx, storage.New(db, storage.Options{}), deletions, &did)
	})
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted, and nothing was restored: %w", err)
	case err != nil && !began:
		return cannotRunError{c.notBegun(err)}
	case err != nil:
		return err
	}
	return c.tell(console, did, deletions)
}

// restored is what was done.
type restored struct {
	rows    int
	takenOn time.Time
	// repeated counts deletions, and users those whose sessions were ended.
	repeated, users int
}

// finish does what the flags ask for, before anybody can open the store.
func (c restoreCommand) finish(ctx context.Context, store *storage.Store, deletions *deletionList, did *restored) (err error) {
	if err := store.Prepare(ctx); err != nil {
		return err
	}
	if did.repeated, err = store.RepeatDeletions(ctx, deletions.records); err != nil {
		return err
	}
	if c.EndSessions {
		if did.users, err = store.EndAllSessions(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c restoreCommand) tell(console *console, did restored, deletions *deletionList) error {
	_, err := fmt.Fprintf(console.stdout, "restored %d rows, as they were at %s\n", did.rows, did.takenOn.Format(time.RFC3339))
	if c.EndSessions {
		fmt.Fprintf(console.stdout, "sessions ended of users: %d\n", did.users)
	}
	if c.Deletions == "" {
		return err
	}
	fmt.Fprintf(console.stdout, "deletions asked for again: %d; a worker completes them\n", did.repeated)
	if deletions.takenOn.Before(did.takenOn) {
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
	}
	return c.refused(err)
}

func (c restoreCommand) refused(err error) error {
	return fmt.Errorf("%s cannot be restored: %w", c.File, err)
}

// A deletionList is what a file tells of deletions.
type deletionList struct {
	records []domain.Message
	takenOn time.Time
}

// readDeletions reads them from what backup --deletions-only wrote, or from a whole backup.
func readDeletions(ctx context.Context, name string) (*deletionList, error) {
	file, err := openBackup(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() // it was only read
	packed, err := file.unpack()
	if err != nil {
		return nil, err
	}
	list := &deletionList{takenOn: file.takenOn}
	if file.kind == wholeStore {
		return list, list.readStore(ctx, packed)
	}
	lines := bufio.NewScanner(packed)
	lines.Buffer(nil, maxDeletion)
	for lines.Scan() {
		record, err := domain.DecodeMessage(lines.Text())
		if err != nil {
			return nil, err
		}
		list.records = append(list.records, record)
	}
	return list, lines.Err()
}

// maxDeletion is more than a message has.
const maxDeletion = 1 << 20

// readStore restores a backup elsewhere.
func (l *deletionList) readStore(ctx context.Context, file io.Reader) (err error) {
	elsewhere, err := os.MkdirTemp("", "microblogging-restore-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(elsewhere)) }()
	_, err = bolt.Restore(ctx, elsewhere, file, func() {}, func(db *bolt.DB) error {
		for record, err := range storage.New(db, storage.Options{}).DeletionRecords(ctx) {
			if err != nil {
				return err
			}
			l.records = append(l.records, record)
		}
		return nil
	})
	return err
}
