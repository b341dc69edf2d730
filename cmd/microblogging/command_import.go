package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/schollz/progressbar/v3"

	"microblogging/cmd/microblogging/feed"
	"microblogging/domain"
	"microblogging/storage"
)

type importCommand struct {
	storageFlags `embed:""`
	Channel      string   `required:"" placeholder:"NAME" help:"The channel to post to. It is created if it does not exist."`
	Owner        string   `required:"" placeholder:"USER" help:"The user who posts. If the channel is created, this user owns it. The user must have an account."`
	CreateOwner  bool     `help:"Create the owner's account if there is none. The password is the environment variable MICROBLOGGING_OWNER_PASSWORD or, if that is not set, is asked for on a terminal, or is the first line of standard input."`
	MaxFileSize  byteSize `default:"1GiB" help:"Refuse a file that is larger, such as 512MiB or 2GiB. One entry at a time is in memory (16 MiB at most), so a larger file takes longer, and not more memory."`
	Files        []string `arg:"" name:"file" help:"RSS, Atom or JSON Feed files, imported in this order."`
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
	for _, file := range c.Files {
		if err := find(file); err != nil {
			return err
		}
	}
	return c.use(ctx, func(store *storage.Store) (err error) {
		password, err := c.checkOwner(ctx, console, store, owner)
		if err != nil {
			return err
		}
		files, err := c.inspect(ctx) // it may take long
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, closeFiles(files)) }()
		if err := createOwner(ctx, store, owner, password); err != nil {
			return err
		}
		channel, created, err := findOrCreate(ctx, store, name, owner)
		if err != nil {
			return err
		}
		for _, file := range files {
			to := newImporter(store, channel.Ref(), owner, file.source(), created)
			err := c.importFile(ctx, console, file, to)
			fmt.Fprintf(console.stdout, "%s: %s\n", file.name, to.counts)
			if err != nil {
				return fmt.Errorf("importing %s: %w", file.name, err)
			}
		}
		return nil
	})
}

// inspect reads all files before the import begins.
func (c importCommand) inspect(ctx context.Context) ([]*importFile, error) {
	files := make([]*importFile, len(c.Files))
	for i, name := range c.Files {
		var err error
		if files[i], err = inspect(ctx, name, c.MaxFileSize); err != nil {
			return nil, errors.Join(err, closeFiles(files))
		}
	}
	return files, nil
}

func closeFiles(files []*importFile) error {
	var errs error
	for _, file := range files {
		errs = errors.Join(errs, file.Close())
	}
	return errs
}

// importFile posts the entries of a file, and shows a progress bar.
func (c importCommand) importFile(ctx context.Context, console *console, file *importFile, to *importer) error {
	bar := newProgressBar(console.stderr, file.head.Entries, file.name, progressbar.OptionShowCount())
	to.progress = bar.Add
	head, err := file.read(func(entry feed.Entry) error { return to.post(ctx, entry) })
	to.counts.leftOut = head.LeftOut
	return cmp.Or(to.flush(ctx), err)
}

// findOrCreate returns the channel of that name. It creates the channel if it does
// not exist.
func findOrCreate(ctx context.Context, store *storage.Store, name domain.ChannelName, owner domain.UserName) (
	channel domain.Channel, created bool, err error,
) {
	channel, err = store.Channel(ctx, name.Key())
	switch {
	case err == nil && channel.Owner == owner:
		return channel, false, store.ListChannel(ctx, channel) // an earlier import may have not
	case !errors.Is(err, domain.ErrNotFound):
		return channel, false, err
	}
	channel, err = domain.NewChannel(string(name), "", owner)
	if err != nil {
		return channel, false, err
	}
	if channel, err = store.CreateChannel(ctx, channel); err != nil {
		return channel, false, err
	}
	return channel, true, store.ListChannel(ctx, channel)
}
