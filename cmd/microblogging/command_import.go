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
	Channel      string   `required:"" placeholder:"NAME" help:"The channel to post to. It is created if it does not exist."`
	Owner        string   `required:"" placeholder:"USER" help:"The user who posts. If the channel is created, this user owns it. The user must have an account."`
	CreateOwner  bool     `help:"Create the owner's account if there is none. The password is the environment variable MICROBLOGGING_OWNER_PASSWORD or, if that is not set, the first line of standard input."`
	DryRun       bool     `help:"Print the report and write nothing. With --create-owner, neither the store nor a password is needed."`
	Files        []string `arg:"" name:"file" help:"RSS, Atom or JSON Feed files of at most 64 MiB each, imported in this order."`
	storageFlags `embed:""`
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
	err = c.use(ctx, c.CreateOwner && !c.DryRun, storage.Options{}, func(b *backend) error {
		return c.importAll(ctx, console, b.Parts, name, owner, files)
	})
	if c.DryRun && c.CreateOwner && (errors.Is(err, bolt.ErrNoStore) || errors.Is(err, domain.ErrMissing)) {
		return c.importAll(ctx, console, &storage.Parts{}, name, owner, files)
	}
	return err
}

// importAll imports the files into a store. Without a store, which a dry run may not have, it only counts.
func (c importCommand) importAll(ctx context.Context, console *console, parts *storage.Parts, name domain.ChannelName, owner domain.UserName, files []importFile) (err error) {
	channel, created, err := c.prepare(ctx, console, parts, name, owner)
	if err != nil {
		return err
	}
	if c.DryRun {
		fmt.Fprintln(console.stdout, "dry run: nothing is written; the import would report:")
	}
	for _, what := range created {
		fmt.Fprintln(console.stdout, what, "created")
	}
	var all importCounts
	for _, file := range files {
		to := newImporter(parts, channel, owner)
		if slices.Contains(created, "channel "+string(name)) {
			to.earlier = nil
		}
		if c.DryRun {
			to.create = func(_ context.Context, _ domain.Channel, posts []storage.NewPost) []storage.PostResult {
				return slices.Repeat([]storage.PostResult{{Made: true}}, len(posts))
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

// prepare returns the channel. It creates the owner's account and the channel if they do not exist, and returns
// which. In a dry run it only says so, and returns no channel if there is none.
func (c importCommand) prepare(ctx context.Context, console *console, parts *storage.Parts, name domain.ChannelName, owner domain.UserName) (channel domain.Channel, created []string, err error) {
	withoutStore := parts.Store == nil
	if !withoutStore {
		channel, err = parts.Channels.Get(ctx, name.Key().Address())
	}
	isNew := withoutStore || errors.Is(err, domain.ErrNotFound)
	if isNew {
		if channel, err = domain.NewChannel(string(name), domain.About{}, owner); err != nil {
			err = badName("--channel", err)
		}
	}
	ownerIsNew := withoutStore
	if err == nil && !withoutStore {
		ownerIsNew, err = c.signUp(ctx, console, parts, owner)
	}
	if err != nil {
		return domain.Channel{}, nil, err
	}
	if ownerIsNew {
		created = append(created, "account "+string(owner))
	}
	if !isNew {
		return channel, created, nil
	}
	created = append(created, "channel "+string(name))
	if c.DryRun {
		return domain.Channel{}, created, nil
	}
	channel, _, err = parts.Channels.Create(ctx, channel, domain.PostersOpen, "", 0)
	if _, refused := errors.AsType[*domain.InvalidError](err); refused {
		err = badName("--channel", err)
	}
	return channel, created, err
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

// signUp fails unless the owner has an account, or is to get one. It creates that, but for a dry run, and reports
// whether it was missing. Without an account, another person could sign up under that name later and own the channel.
func (c importCommand) signUp(ctx context.Context, console *console, parts *storage.Parts, owner domain.UserName) (missing bool, err error) {
	_, err = parts.Accounts.Get(ctx, owner)
	switch {
	case err == nil:
		return false, nil
	case !errors.Is(err, domain.ErrNotFound):
		return false, cannotRunError{err}
	case !c.CreateOwner:
		return false, cannotRunError{fmt.Errorf("--owner: there is no account %s; sign up first, or use --create-owner", owner)}
	case c.DryRun:
		return true, nil
	}
	password, err := ownerPassword(console)
	if err == nil {
		err = domain.CheckPassword("password", password, owner)
	}
	if err == nil {
		_, err = parts.Operator.SignUp(ctx, string(owner), password)
	}
	if err != nil {
		return false, cannotRunError{fmt.Errorf("--create-owner: %w", err)}
	}
	return true, nil
}

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
