package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"microblogging/cmd/microblogging/feed"
	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
)

type importCommand struct {
	storageFlags `embed:""`
	Channel      string   `required:"" placeholder:"NAME" help:"The channel to post to. It is created if it does not exist."`
	Owner        string   `required:"" placeholder:"USER" help:"The user who posts. If the channel is created, this user owns it. The user must have an account."`
	CreateOwner  bool     `help:"Create the owner's account if there is none. The password is the environment variable MICROBLOGGING_OWNER_PASSWORD or, if that is not set, the first line of standard input."`
	DryRun       bool     `help:"Print the report and write nothing. With --create-owner, neither the store nor a password is needed."`
	Files        []string `arg:"" name:"file" help:"RSS, Atom or JSON Feed files of at most 64 MiB each, imported in this order."`
}

// Run imports the files in turn. If one of them is not a feed, or the owner has no
// account and gets none, nothing of any file is written.
func (c importCommand) Run(ctx context.Context, console *console) error {
	name, err := domain.ParseChannelName(c.Channel)
	if err != nil {
		return badName("--channel", err)
	}
	owner, err := domain.ParseUserName(c.Owner)
	if err != nil {
		return badName("--owner", err)
	}
	files := make([]importFile, len(c.Files))
	for i, file := range c.Files {
		if files[i], err = readImportFile(file); err != nil {
			return err
		}
	}
	err = c.use(ctx, c.CreateOwner && !c.DryRun, func(b *backend) error {
		return c.importAll(ctx, console, b.Parts, name, owner, files)
	})
	if c.DryRun && c.CreateOwner && (errors.Is(err, bolt.ErrNoStore) || errors.Is(err, domain.ErrMissing)) {
		return c.importAll(ctx, console, &storage.Parts{}, name, owner, files)
	}
	return err
}

// importAll imports the files into a store. Without a store, which a dry run may not have, it only counts.
func (c importCommand) importAll(ctx context.Context, console *console, parts *storage.Parts, name domain.ChannelName, owner domain.UserName, files []importFile) (err error) {
	var channel domain.Channel
	if parts.Store != nil {
		if channel, err = c.prepare(ctx, console, parts, name, owner); err != nil {
			return err
		}
	}
	var all importCounts
	for _, file := range files {
		to := newImporter(parts.Store, channel, owner, file.Source)
		if c.DryRun {
			to.create = func(ctx context.Context, in domain.Channel, postings []storage.Posting) []storage.PostResult {
				if in.Name == "" { // there is no channel yet
					return slices.Repeat([]storage.PostResult{{Made: true}}, len(postings))
				}
				return parts.Operator.Earlier(ctx, in, postings)
			}
		}
		err = importTo(ctx, console, file, to)
		notes := to.counts.notes()
		if file.Encoding != "" {
			notes = slices.Insert(notes, 0, "read as "+file.Encoding)
		}
		if len(files) > 1 {
			notes = append(notes, to.counts.String())
		}
		for _, note := range notes {
			fmt.Fprintf(console.stdout, "%s: %s\n", file.name, note)
		}
		if all.add(to.counts); err != nil {
			err = fmt.Errorf("importing %s: %w", file.name, err)
			break
		}
	}
	_, printErr := fmt.Fprintln(console.stdout, all)
	return cmp.Or(err, printErr)
}

// prepare returns the channel. It creates the owner's account and the channel if they do not exist. In a
// dry run it creates nothing, and returns no channel if there is none.
func (c importCommand) prepare(ctx context.Context, console *console, parts *storage.Parts, name domain.ChannelName, owner domain.UserName) (channel domain.Channel, err error) {
	password, err := c.checkOwner(ctx, console, parts.Store, owner)
	if err != nil {
		return channel, err
	}
	if password != "" {
		if _, err := parts.Operator.SignUp(ctx, string(owner), password); err != nil {
			return channel, cannotCreate(err)
		}
	}
	channel, err = parts.Channels.Get(ctx, name.Key().Address())
	switch {
	case !errors.Is(err, domain.ErrNotFound):
		return channel, err
	case c.DryRun:
		return domain.Channel{}, nil
	}
	if channel, err = domain.NewChannel(string(name), domain.About{}, owner); err == nil {
		channel, _, err = parts.Channels.Create(ctx, channel, "", 0)
	}
	return channel, err
}

// importTo posts the entries of a file, and shows a progress bar.
func importTo(ctx context.Context, console *console, file importFile, to *importer) error {
	progress := newProgress(console.stderr)
	defer progress.end()
	to.progress = func(done int) { progress.show(file.name, done, len(file.Entries)) }
	return to.post(ctx, file.Entries)
}

// maxImportFile bounds the bytes of a file, because a feed is read whole.
const maxImportFile = 64 << 20

// An importFile is a feed that was read.
type importFile struct {
	name string
	feed.Feed
}

// readImportFile reads a file, which may be a pipe. A file that is not a feed is an error.
func readImportFile(name string) (importFile, error) {
	file, err := os.Open(name)
	if err != nil {
		return importFile{}, cannotRunError{err}
	}
	defer file.Close()
	var document bytes.Buffer
	if _, err := document.ReadFrom(io.LimitReader(file, maxImportFile+1)); err != nil {
		return importFile{}, cannotRunError{err}
	}
	if document.Len() > maxImportFile {
		return importFile{}, cannotRunError{fmt.Errorf("%s is larger than %d MiB, which is too large for a feed", name, maxImportFile>>20)}
	}
	read, err := feed.Parse(document.Bytes())
	if err != nil {
		return importFile{}, fmt.Errorf("%s: %w", name, err)
	}
	return importFile{name, read}, nil
}

// ownerPasswordVariable is the environment variable with the password of an account
// that import --create-owner makes. It is not the variable of a flag, because every
// user of a machine can read the flags of a process.
const ownerPasswordVariable = "MICROBLOGGING_OWNER_PASSWORD"

// maxPasswordLine bounds how much of standard input is read as a password. It is
// more than the longest password that domain.CheckPassword accepts.
const maxPasswordLine = 4096

// checkOwner fails unless the owner has an account, or is to get one. It returns the
// password of an account to be made, or nothing. Without an account, another person could sign
// up under that name later and own the channel.
func (c importCommand) checkOwner(ctx context.Context, console *console, store *storage.Store, owner domain.UserName) (password string, err error) {
	_, err = store.Accounts.Get(ctx, owner)
	switch {
	case err == nil:
		return "", nil
	case !errors.Is(err, domain.ErrNotFound):
		return "", cannotRunError{err}
	case !c.CreateOwner:
		return "", cannotRunError{fmt.Errorf("--owner: there is no account %s; sign up first, or use --create-owner", owner)}
	case c.DryRun:
		return "", nil
	}
	password, err = ownerPassword(console)
	if err == nil {
		err = domain.CheckPassword("password", password, owner)
	}
	if err != nil {
		return "", cannotCreate(err)
	}
	return password, nil
}

func cannotCreate(err error) error { return cannotRunError{fmt.Errorf("--create-owner: %w", err)} }

// ownerPassword returns the password for a new account. It is the value of
// ownerPasswordVariable or, if that is not set, the first line of standard input. A terminal,
// which would show what is typed, is not read.
func ownerPassword(console *console) (string, error) {
	if password, ok := os.LookupEnv(ownerPasswordVariable); ok {
		return password, nil
	}
	if file, ok := console.stdin.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return "", fmt.Errorf("set %s, or give the password on standard input", ownerPasswordVariable)
	}
	line, err := bufio.NewReader(io.LimitReader(console.stdin, maxPasswordLine)).ReadString('\n')
	if line == "" {
		return "", fmt.Errorf("there is no password in %s and none on standard input: %w", ownerPasswordVariable, err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}
