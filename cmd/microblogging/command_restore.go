package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/version"
)

type restoreCommand struct {
	Deletions    string `placeholder:"FILE" help:"A later backup, or the directory of the store that the restored one replaces. Each channel whose deletion it records is deleted again, so that the restore does not bring the channel back."`
	EndSessions  bool   `help:"End all sessions, links and secret addresses. Otherwise those that were ended after the backup are valid again."`
	File         string `arg:"" help:"The file that backup wrote. It is read to its end before anything is written."`
	storageFlags `embed:""`
}

// Run fills an empty store from a backup.
func (c restoreCommand) Run(ctx context.Context, console *console) (err error) {
	if c.Storage != "bolt" {
		return cannotRunError{errors.New("restore is only for the embedded store; to move the restored store to Azure, run microblogging copy --to azure")}
	}
	var newer laterStore
	if c.Deletions != "" {
		if newer, err = readLater(ctx, c.Deletions, c.Data); err != nil {
			return cannotRunError{fmt.Errorf("%s cannot be used: %w", c.Deletions, err)}
		}
	}
	began, foreign, repeated, users := false, false, 0, 0
	rows, takenOn, err := restore(ctx, c.File, c.Data, func() { began = true }, func(db *bolt.DB) error {
		store := storage.New(db, storage.Options{})
		err := store.Operator.Prepare(ctx)
		if err == nil {
			repeated, err = store.Operator.RepeatDeletions(ctx, newer.deletions)
		}
		if err == nil && c.Deletions != "" {
			foreign, err = newer.isForeign(ctx, store)
		}
		if err == nil && c.EndSessions {
			users, err = store.Operator.EndAllSessions(ctx)
		}
		return err
	})
	if errors.Is(err, version.ErrRefused) {
		err = fmt.Errorf("%w; to copy what a backup holds, first restore it with the program that wrote it", err)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted, and nothing was restored: %w", err)
	case err != nil && !began:
		return cannotRunError{fmt.Errorf("%s cannot be restored: %w", c.File, err)}
	case err != nil:
		return err
	}
	warnOfAge(console, bolt.NoteBackup(c.Data, takenOn))
	_, err = fmt.Fprintf(console.stdout, "restored %d rows, as they were at %s\n", rows, takenOn.Format(time.RFC3339))
	if c.EndSessions {
		fmt.Fprintf(console.stdout, "sessions ended of users: %d\n", users)
	}
	if foreign {
		fmt.Fprintf(console.stderr, "%s has none of the accounts of the backup: if it is of another site, remove what was restored, and restore with the right file\n", c.Deletions)
	}
	if c.Deletions != "" {
		fmt.Fprintf(console.stdout, "deletions asked for again: %d; a worker completes them\n", repeated)
	}
	return err
}

// restore makes the store in a directory of a backup, which it reads to its end before. begin
// and finish are as bolt.Restore calls them.
func restore(ctx context.Context, name, dir string, begin func(), finish func(*bolt.DB) error) (rows int, takenOn time.Time, err error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, takenOn, err
	}
	defer file.Close() // it was only read
	if err := verify(file); err != nil {
		return 0, takenOn, err
	}
	packed, err := unpack(file)
	if err != nil {
		return 0, takenOn, err
	}
	rows, err = bolt.Restore(ctx, dir, packed, ofThisVersion(nil), begin, finish)
	return rows, packed.ModTime.UTC(), err
}

// A laterStore is what a restore needs of a later store of the site.
type laterStore struct {
	deletions []domain.Deletion
	// made says when each account was made. It is nil if they cannot all be read, because the store is damaged.
	made map[domain.UserName]time.Time
}

// isForeign reports whether none of the accounts of a store is in this one. An account has a row as long as no
// other account has its name. A store without accounts may be of any site.
func (l laterStore) isForeign(ctx context.Context, store *storage.Parts) (foreign bool, err error) {
	if l.made == nil {
		return false, nil
	}
	for user, err := range store.Operator.AllAccounts(ctx) {
		if err != nil || user.CreatedOn.Equal(l.made[user.Name]) {
			return false, err
		}
		foreign = true
	}
	return foreign, nil
}

// readLater reads a later store, or a backup of it, which it unpacks next to the store in the directory data.
func readLater(ctx context.Context, name, data string) (l laterStore, err error) {
	l.made = map[domain.UserName]time.Time{}
	read := func(db *bolt.DB) (err error) {
		store := storage.New(db, storage.Options{})
		for user, err := range store.Operator.AllAccounts(ctx) {
			if err != nil {
				l.made = nil
				break
			}
			l.made[user.Name] = user.CreatedOn
		}
		l.deletions, err = store.Operator.DeletionRecords(ctx)
		return err
	}
	if there, err := bolt.Exists(name); err == nil && there {
		db, err := bolt.Open(name, ofThisVersion(nil))
		if err != nil {
			return l, err
		}
		err = errors.Join(read(db), db.Close())
		return l, err
	}
	err = readUnpacked(ctx, name, data, read)
	return l, err
}

// errRead ends a restore of which the file alone was wanted.
var errRead = errors.New("was read")

// readUnpacked reads a backup, which it begins to restore. So if this process is killed, the next restore into that
// directory removes what was unpacked, and no command accepts the directory before. In a directory of temporary
// files, the password hashes would stay.
func readUnpacked(ctx context.Context, name, data string, read func(*bolt.DB) error) error {
	var failed error
	_, _, err := restore(ctx, name, data, func() {}, func(db *bolt.DB) error {
		failed = read(db)
		return errRead
	})
	if errors.Is(err, errRead) {
		return failed
	}
	return err
}
