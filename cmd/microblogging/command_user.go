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
	BaseURL      siteURL `name:"base-url" placeholder:"URL" help:"The address that users see, as the web role has it. The link begins with it."`
	Name         string  `arg:"" help:"The name of the user."`
	storageFlags `embed:""`
}

// Run prints the link. A user who is not there is an error that ends with exit status 2.
func (c resetCommand) Run(ctx context.Context, console *console) error {
	name, err := domain.ParseUserName(c.Name)
	if err != nil {
		return badName("NAME", err)
	}
	return c.use(ctx, false, func(b *backend) error {
		token, err := b.Operator.SignInLink(ctx, name)
		if errors.Is(err, domain.ErrNotFound) {
			return cannotRunError{fmt.Errorf("there is no user %s", name)}
		}
		if err != nil {
			return cannotRunError{err}
		}
		site := c.BaseURL.url
		if site == nil {
			site = &url.URL{Scheme: "http", Host: "127.0.0.1:8080"}
			fmt.Fprintf(console.stderr, "the link begins with %s; if users reach the site at another address, give it with --base-url\n", site)
		}
		fmt.Fprintln(console.stdout, site.String()+templates.ResetPath+"?token="+token)
		return nil
	})
}
