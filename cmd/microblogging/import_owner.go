package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"microblogging/domain"
	"microblogging/storage"
)

// ownerPasswordVariable is the environment variable with the password of an account
// that import --create-owner makes. It is not the variable of a flag, because every
// user of a machine can read the flags of a process.
const ownerPasswordVariable = "MICROBLOGGING_OWNER_PASSWORD"

// maxPasswordLine bounds how much of standard input is read as a password. It is
// more than the longest password that domain.CheckPassword accepts.
const maxPasswordLine = 4096

// checkOwner fails unless the owner has an account, or is to get one. It returns the
// password of an account to be made, or nothing. Without an account, a stranger could sign
// up under that name later and own the channel.
func (c importCommand) checkOwner(ctx context.Context, console *console, store *storage.Store, owner domain.UserName) (password string, err error) {
	_, err = store.User(ctx, owner)
	switch {
	case err == nil:
		return "", nil
	case !errors.Is(err, domain.ErrNotFound):
		return "", cannotRunError{err}
	case !c.CreateOwner:
		return "", cannotRunError{fmt.Errorf("--owner: there is no account %s; sign up first, or use --create-owner", owner)}
	}
	password, err = ownerPassword(ctx, console, owner)
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
// ownerPasswordVariable or, if that is not set, what is typed at the terminal twice and
// without an echo, or the first line of standard input.
func ownerPassword(ctx context.Context, console *console, owner domain.UserName) (password string, err error) {
	if password, ok := os.LookupEnv(ownerPasswordVariable); ok {
		return password, nil
	}
	file, ok := console.stdin.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return interruptibly(ctx, func() (string, error) {
			line, err := bufio.NewReader(io.LimitReader(console.stdin, maxPasswordLine)).ReadString('\n')
			if line == "" {
				return "", fmt.Errorf("there is no password in %s and none on standard input: %w", ownerPasswordVariable, err)
			}
			return strings.TrimRight(line, "\r\n"), nil
		})
	}
	terminal := int(file.Fd())
	before, err := term.GetState(terminal)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, term.Restore(terminal, before)) }()
	for i, question := range []string{"New password", "The same password again"} {
		fmt.Fprintf(console.stderr, "%s for %s: ", question, owner)
		typed, err := interruptibly(ctx, func() (string, error) {
			typed, err := term.ReadPassword(terminal)
			return string(typed), err
		})
		fmt.Fprintln(console.stderr)
		if err == nil && i == 0 {
			password, err = typed, domain.CheckPassword("password", typed, owner)
		}
		if err == nil && typed != password {
			err = errors.New("the two passwords differ")
		}
		if err != nil {
			return "", err
		}
	}
	return password, nil
}

// interruptibly returns what read returns, or an error as soon as ctx ends. The read
// then goes on until the process ends, because a terminal cannot be told to stop.
func interruptibly(ctx context.Context, read func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		text, err := read()
		answered <- answer{text, err}
	}()
	select {
	case a := <-answered:
		return a.text, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
