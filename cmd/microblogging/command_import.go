package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mattn/go-isatty"
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
	Files        []string `arg:"" name:"file" help:"RSS, Atom or JSON Feed files, imported in this order."`
}

// Run imports the files in turn. If one of them is not a feed, or the owner has no
// account and gets none, nothing of any file is written.
func (c importCommand) Run(ctx context.Context, console *console) error {
	name, nameErr := domain.ParseChannelName(c.Channel)
	owner, ownerErr := domain.ParseUserName(c.Owner)
	switch {
	case nameErr != nil:
		return cannotRunError{fmt.Errorf("--channel: %w", nameErr)}
	case ownerErr != nil:
		return cannotRunError{fmt.Errorf("--owner: %w", ownerErr)}
	}
	feeds, err := readFeeds(c.Files)
	if err != nil {
		return err
	}
	return c.use(ctx, func(store *storage.Store) error {
		if err := c.checkOwner(ctx, console, store, owner); err != nil {
			return err
		}
		channel, err := findOrCreate(ctx, store, name, owner)
		if err != nil {
			return err
		}
		for i, f := range feeds {
			bar := c.bar(console.stderr, len(f.Entries), c.Files[i])
			counts, err := importFeed(ctx, store, channel.Ref(), owner, f, func() error { return bar.Add(1) })
			fmt.Fprintf(console.stdout, "%s: %s\n", c.Files[i], counts)
			if err != nil {
				return fmt.Errorf("importing %s: %w", c.Files[i], err)
			}
		}
		return nil
	})
}

// readFeeds reads all files before the import begins.
func readFeeds(files []string) ([]feed.Feed, error) {
	feeds := make([]feed.Feed, len(files))
	for i, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return nil, cannotRunError{err}
		}
		feeds[i], err = feed.Read(file)
		if err := errors.Join(err, file.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return feeds, nil
}

// bar returns the progress bar of one file. It is visible only if w is a terminal.
func (c importCommand) bar(w io.Writer, n int, name string) *progressbar.ProgressBar {
	file, ok := w.(*os.File)
	visible := ok && isatty.IsTerminal(file.Fd())
	return progressbar.NewOptions(n,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetVisibility(visible),
		progressbar.OptionSetDescription(name),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish())
}

// findOrCreate returns the channel of that name. It creates the channel if it does
// not exist.
func findOrCreate(ctx context.Context, store *storage.Store, name domain.ChannelName, owner domain.UserName) (domain.Channel, error) {
	channel, err := store.Channel(ctx, name.Key())
	if !errors.Is(err, domain.ErrNotFound) {
		return channel, err
	}
	channel, err = domain.NewChannel(string(name), "", owner)
	if err != nil {
		return channel, err
	}
	return store.CreateChannel(ctx, channel)
}
