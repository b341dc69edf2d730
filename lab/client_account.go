package lab

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// The requests about a user's account, its sessions and its digest address.

// account is a set-up: the user has an account, whose password nobody knows. A password
// would be hashed each time that the code is run.
func account(name domain.UserName) body {
	return func(ctx context.Context, c *Client) {
		_ = c.Tables.Transact(ctx, tableUsers, string(name),
			[]driver.Operation{driver.Insert("", driver.Int64("Epoch", 0), driver.String("Password", ""),
				driver.Time("CreatedOn", domain.Now()), driver.String("Revision", ""), driver.String("Revisions", ""))}) // nothing befalls a set-up
	}
}

// makeLink makes a sign-in link.
func makeLink(by domain.UserName) body {
	return func(ctx context.Context, c *Client) {
		if link, err := c.Store.SignInLink(ctx, by); err == nil {
			c.links = append(c.links, link)
			c.Tell(Fact{Kind: LinkMade, User: by, Token: link})
		}
	}
}

// follow follows the link that the actor has made, or the one of the set-up.
func follow(ctx context.Context, c *Client) {
	link := ""
	for _, f := range c.Given {
		if f.Kind == LinkMade {
			link = f.Token
		}
	}
	for _, made := range c.links {
		link = made
	}
	if link == "" {
		return
	}
	c.Tell(Fact{Kind: Following, Token: link})
	token, _, err := c.Store.FollowSignInLink(ctx, link)
	switch {
	case err == nil:
		c.tokens = append(c.tokens, token)
		c.Tell(Fact{Kind: Followed, Token: link, Session: token})
	case errors.Is(err, domain.ErrNotSignedIn):
		c.Tell(Fact{Kind: LinkUsed, Token: link})
	}
}

// signOut ends the sessions that the actor has.
func signOut(ctx context.Context, c *Client) {
	for _, token := range c.tokens {
		if err := c.Store.SignOut(ctx, token); err == nil {
			c.Tell(Fact{Kind: SignedOut, Token: token})
		}
	}
}

// endSessions ends all sessions of a user.
func endSessions(by domain.UserName) body {
	return func(ctx context.Context, c *Client) {
		c.Tell(Fact{Kind: Ending, User: by})
		if err := c.Store.EndSessions(ctx, by); err == nil { // it contends with others
			c.Tell(Fact{Kind: SessionsEnded, User: by})
		}
	}
}

func newAddress(by domain.UserName) body {
	return func(ctx context.Context, c *Client) {
		c.Tell(Fact{Kind: Addressing, User: by})
		_, _ = c.Store.NewDigestAddress(ctx, by) // what counts is that it does not come back
	}
}

func revokeAddress(by domain.UserName) body {
	return func(ctx context.Context, c *Client) {
		if err := c.Store.RevokeDigestAddress(ctx, by); err == nil {
			c.Tell(Fact{Kind: AddressRevoked, User: by})
		}
	}
}
