package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/templates"
)

type userCommand struct {
	Create createCommand    `cmd:"" help:"Create an account, and the store if there is none. --registration does not matter. Print a link that sets its password: once, within an hour."`
	Invite inviteCommand    `cmd:"" help:"Print a link that makes an account: once, within seven days."`
	Reset  resetCommand     `cmd:"" help:"Print a link that sets a new password for a user: once, within an hour. Setting it ends all sessions of the user."`
	Close  closeUserCommand `cmd:"" help:"Close an account, which deletes it and its channels. The user cannot sign in any more. Until the deletion begins, an operator with another account can undo it on the page /operator: of the only operator, once the flag --operator names another."`
}

type createCommand struct {
	createTask    `embed:""`
	operatorFlags `embed:""`
}

// Run prints the link. A name that is taken is an error that ends with exit status 2.
func (c createCommand) Run(ctx context.Context, console *console) error {
	return c.run(ctx, console, c.createTask)
}

type inviteCommand struct {
	inviteTask    `embed:""`
	operatorFlags `embed:""`
}

// Run prints the link.
func (c inviteCommand) Run(ctx context.Context, console *console) error {
	return c.run(ctx, console, c.inviteTask)
}

type closeUserCommand struct {
	closeUserTask `embed:""`
	operatorFlags `embed:""`
}

// Run says until when an operator can undo it. A user who is not there is an error that ends with exit status 2.
func (c closeUserCommand) Run(ctx context.Context, console *console) error {
	return c.run(ctx, console, c.closeUserTask)
}

type resetCommand struct {
	resetTask     `embed:""`
	operatorFlags `embed:""`
}

// Run prints the link. A user who is not there is an error that ends with exit status 2.
func (c resetCommand) Run(ctx context.Context, console *console) error {
	return c.run(ctx, console, c.resetTask)
}

// linkFlags are for commands that print a link.
type linkFlags struct {
	BaseURL siteURL `name:"base-url" placeholder:"URL" help:"The address that users see, as the web role has it. The link begins with it. With --admin, it is that of the server."`
}

// print prints a link.
func (f linkFlags) print(b *backend, console *console, path string) {
	address := cmp.Or(b.address, "http://127.0.0.1:8080")
	if site := cmp.Or(f.BaseURL.url, b.site); site != nil {
		address = site.String()
	} else {
		fmt.Fprintf(console.stderr, "the link begins with %s; if users reach the site at another address, give it with --base-url\n", address)
	}
	fmt.Fprintln(console.stdout, address+path)
}

// atCommandLine acts for a person who has the store, or the secret of the server that has it open.
func atCommandLine() domain.Actor { return domain.Actor{User: domain.CommandLine, Operator: true} }

type createTask struct {
	linkFlags `embed:""`
	Name      userName `arg:"" help:"The name of the user."`
}

func (createTask) command() string { return "user create" }

func (t createTask) do(ctx context.Context, b *backend, console *console) error {
	_, err := b.Operator.SignUp(ctx, string(t.Name), rand.Text())
	if errors.Is(err, domain.ErrExists) {
		return cannotRunError{fmt.Errorf("the name %s is taken; if the account is there, user reset prints a link for it", t.Name)}
	}
	if err != nil {
		return cannotRunError{err}
	}
	return t.printPasswordLink(ctx, b, console, t.Name)
}

type inviteTask struct {
	linkFlags `embed:""`
}

func (inviteTask) command() string { return "user invite" }

func (t inviteTask) do(ctx context.Context, b *backend, console *console) error {
	secret, _, err := b.Store.Accounts.Invite(ctx, "") // by no user
	if err != nil {
		return cannotRunError{err}
	}
	t.print(b, console, templates.InvitationPath(secret))
	return nil
}

type resetTask struct {
	linkFlags `embed:""`
	Name      userName `arg:"" help:"The name of the user."`
}

func (resetTask) command() string { return "user reset" }

func (t resetTask) do(ctx context.Context, b *backend, console *console) error {
	return t.printPasswordLink(ctx, b, console, t.Name)
}

// printPasswordLink prints a link that sets the password of a user.
func (f linkFlags) printPasswordLink(ctx context.Context, b *backend, console *console, name userName) error {
	token, _, err := b.Store.Accounts.PasswordLink(ctx, domain.UserName(name), atCommandLine())
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return cannotRunError{fmt.Errorf("there is no user %s", name)}
	case errors.Is(err, domain.ErrAccountClosed):
		return cannotRunError{fmt.Errorf("account %s was closed by an operator; undo that on the page /operator first", name)}
	case err != nil:
		return cannotRunError{err}
	}
	f.print(b, console, templates.ResetPath+"?token="+token)
	return nil
}

type closeUserTask struct {
	Name        userName      `arg:"" help:"The name of the user."`
	Posts       string        `enum:"delete,keep" default:"keep" help:"What becomes of the user's posts and replies in channels of others: delete, also the replies to these posts, or keep. Those that are kept lose the name."`
	UndoAccount time.Duration `default:"168h" within:"0s 168h" help:"How long an operator can undo it, up to 168h; 0 for not at all. With --admin, it is that of the server."`
}

func (closeUserTask) command() string { return "user close" }

func (t closeUserTask) times() (channel, account time.Duration) { return 0, t.UndoAccount }

func (t closeUserTask) do(ctx context.Context, b *backend, console *console) error {
	closed, err := b.Store.Accounts.Close(ctx, domain.UserName(t.Name), atCommandLine(), t.Posts == "keep")
	if errors.Is(err, domain.ErrNotFound) {
		return cannotRunError{fmt.Errorf("there is no user %s", t.Name)}
	}
	if err != nil {
		return err
	}
	said, who := fmt.Sprintf("account %s is closed", t.Name), "an operator with another account" // it may be that of an operator
	if closed.ByOperator == "" {
		said, who = fmt.Sprintf("the user %s has asked for the deletion before", t.Name), "the user"
	}
	printUndo(console, said, closed.State == domain.AccountPending, closed.RequestedOn, closed.UndoableUntil, who)
	posts := "be deleted"
	if closed.KeepPosts {
		posts = "stay, without the name"
	}
	fmt.Fprintf(console.stdout, "Their posts and replies in channels of others will %s.\n", posts)
	return nil
}

// printUndo says what was closed, and who can undo it.
func printUndo(console *console, said string, pending bool, asked, until time.Time, who string) {
	if pending && until.After(asked) {
		said += fmt.Sprintf("; %s can undo it until %s", who, until.UTC().Format(time.RFC3339))
	}
	fmt.Fprintln(console.stdout, said)
}
