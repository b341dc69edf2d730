package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"microblogging/domain"
	"microblogging/storage"
)

type importCommand struct {
	storageFlags `embed:""`
	Channel      string   `required:"" placeholder:"NAME" help:"The channel to post to. It is created if it does not exist."`
	Owner        string   `required:"" placeholder:"USER" help:"The user who posts. If the channel is created, this user owns it. The user must have an account."`
	CreateOwner  bool     `help:"Create the owner's account if there is none. The password is the environment variable MICROBLOGGING_OWNER_PASSWORD or, if that is not set, is asked for on a terminal, or is the first line of standard input."`
	Files        []string `arg:"" name:"file" help:"RSS, Atom or JSON Feed files of at most 64 MiB each, imported in this order."`
}

// Run imports the files in turn. If one of them is not a feed, or the owner has no
// account and gets none, nothing of any file is written.
func (c importCommand) Run(ctx context.Context, console *console) error {
	name, nameErr := domain.ParseChannelName(c.Channel)
	owner, ownerErr := domain.ParseUserName(c.Owner)
	switch {
	case nameErr != nil:
		return badName("--channel", nameErr)
	case ownerErr != nil:
		return badName("--owner", ownerErr)
	}
	for _, file := range c.Files { // before anybody is asked for a password
		info, err := os.Stat(file)
		if err == nil && info.IsDir() {
			err = fmt.Errorf("%s is a directory, not a feed", file)
		}
		if err != nil {
			return cannotRunError{err}
		}
	}
	return c.use(ctx, func(store *storage.Store) (err error) {
		password, err := c.checkOwner(ctx, console, store, owner)
		if err != nil {
			return err
		}
		files := make([]importFile, len(c.Files))
		for i, file := range c.Files {
			if files[i], err = readImportFile(file); err != nil {
				return err
			}
		}
		if err := createOwner(ctx, store, owner, password); err != nil {
			return err
		}
		channel, created, err := findOrCreate(ctx, store, name, owner)
		if err != nil {
			return err
		}
		for _, file := range files {
			to := newImporter(store, channel.Ref(), owner, file.Source, created)
			err := importTo(ctx, console, file, to)
			fmt.Fprintf(console.stdout, "%s: %s\n", file.name, to.counts)
			if err != nil {
				return fmt.Errorf("importing %s: %w", file.name, err)
			}
		}
		return nil
	})
}

// importTo posts the entries of a file, and shows a progress bar.
func importTo(ctx context.Context, console *console, file importFile, to *importer) error {
	progress := newProgress(console.stderr)
	defer progress.end()
	to.progress = func(done int) { progress.show(file.name, done, len(file.Entries)) }
	return to.post(ctx, file.Entries)
}

// findOrCreate returns the channel of that name. It creates the channel if it does
// not exist.
func findOrCreate(ctx context.Context, store *storage.Store, name domain.ChannelName, owner domain.UserName) (
	channel domain.Channel, created bool, err error,
) {
	channel, err = store.Channel(ctx, name.Key())
	switch {
	case err == nil && channel.Owner == owner:
		return channel, false, store.ListChannel(ctx, channel) // an earlier version may have not
	case !errors.Is(err, domain.ErrNotFound):
		return channel, false, err
	}
	channel, err = domain.NewChannel(string(name), "", owner)
	if err != nil {
		return channel, false, err
	}
	channel, err = store.CreateChannelWithin(ctx, channel, 0)
	return channel, err == nil, err
}
