package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"microblogging/domain"
	"microblogging/templates"
)

type userCommand struct {
	Reset resetCommand `cmd:"" help:"Print a link that sets a new password for a user: once, within an hour. Setting it ends all sessions of the user."`
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
	site := f.BaseURL.url
	if site == nil {
		site = b.site
	}
	if site == nil {
		site = &url.URL{Scheme: "http", Host: "127.0.0.1:8080"}
		fmt.Fprintf(console.stderr, "the link begins with %s; if users reach the site at another address, give it with --base-url\n", site)
	}
	fmt.Fprintln(console.stdout, site.String()+path)
}

type resetTask struct {
	linkFlags `embed:""`
	Name      userName `arg:"" help:"The name of the user."`
}

func (resetTask) command() string { return "user reset" }

func (t resetTask) do(ctx context.Context, b *backend, console *console) error {
	token, err := b.Operator.SignInLink(ctx, domain.UserName(t.Name))
	if errors.Is(err, domain.ErrNotFound) {
		return cannotRunError{fmt.Errorf("there is no user %s", t.Name)}
	}
	if err != nil {
		return cannotRunError{err}
	}
	t.print(b, console, templates.ResetPath+"?token="+token)
	return nil
}
