package main

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"microblogging/cmd/microblogging/feed"
	"microblogging/domain"
	"microblogging/storage"
)

// sampleFeeds holds the sample channels. Each is a JSON Feed whose file is named
// after the channel.
//
//go:embed sample/*.json
var sampleFeeds embed.FS

// sampleUsers lists the users of the sample. The sign-in link is for the first.
func sampleUsers() []domain.UserName { return []domain.UserName{"ada", "grace", "barbara"} }

// sampleOwner returns the owner of a sample channel. The first user owns all but
// one, so that there is one to subscribe to.
func sampleOwner(channel string) domain.UserName {
	users := sampleUsers()
	if channel == "reading-list" {
		return users[1]
	}
	return users[0]
}

// fillSample fills an empty store and returns the user to sign in as. If the
// store is not empty, it returns "". Nobody knows the passwords of the sample's
// accounts.
func fillSample(ctx context.Context, b *backend) (string, error) {
	if err := b.Prepare(ctx); err != nil {
		return "", cannotRunError{err}
	}
	page, err := b.Channels(ctx, "", "", 1)
	switch {
	case err != nil:
		return "", cannotRunError{err}
	case len(page.Items) > 0:
		return "", nil
	}
	for _, user := range sampleUsers() {
		_, err := b.SignUp(ctx, string(user), rand.Text())
		if errors.Is(err, domain.ErrExists) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
	}
	files, err := sampleFeeds.ReadDir("sample")
	if err != nil {
		return "", err
	}
	for _, file := range files {
		if err := addSampleChannel(ctx, b.Store, file.Name()); err != nil {
			return "", fmt.Errorf("sample %s: %w", file.Name(), err)
		}
	}
	return string(sampleUsers()[0]), nil
}

func addSampleChannel(ctx context.Context, store *storage.Store, name string) error {
	file, err := sampleFeeds.Open(path.Join("sample", name))
	if err != nil {
		return err
	}
	defer file.Close()
	var entries []feed.Entry
	f, err := feed.Read(file, func(entry feed.Entry) error {
		entries = append(entries, entry)
		return nil
	})
	if err != nil {
		return err
	}
	title := strings.TrimSuffix(name, ".json")
	channel, err := domain.NewChannel(title, f.Title, sampleOwner(title))
	if err != nil {
		return err
	}
	if channel, err = store.CreateChannel(ctx, channel); err != nil {
		return err
	}
	bringUpToDate(entries, time.Now())
	to := &importer{store: store, channel: channel.Ref(), owner: channel.Owner, source: f.Source, fresh: true}
	for _, entry := range entries {
		if err := to.post(ctx, entry); err != nil {
			return err
		}
	}
	return addSampleReaders(ctx, store, channel)
}

// addSampleReaders makes each user vote for some posts, and all users but the
// first subscribe.
func addSampleReaders(ctx context.Context, store *storage.Store, channel domain.Channel) error {
	page, err := store.Blogs(ctx, channel.Ref(), storage.BlogQuery{Limit: 30})
	if err != nil {
		return err
	}
	for i, user := range sampleUsers() {
		if i > 0 {
			if err := store.Subscribe(ctx, channel, user); err != nil {
				return err
			}
		}
		for n, blog := range page.Items {
			if n%(i+2) != 1 {
				continue
			}
			if err := store.Vote(ctx, channel.Ref(), blog.ID, user); err != nil {
				return err
			}
		}
	}
	return nil
}

// bringUpToDate moves all entries in time by the same amount, so that the newest
// is a few minutes old and the sample does not look abandoned.
func bringUpToDate(entries []feed.Entry, now time.Time) {
	var newest time.Time
	for _, entry := range entries {
		if entry.Published.After(newest) {
			newest = entry.Published
		}
	}
	move := now.Add(-3 * time.Minute).Sub(newest)
	for i := range entries {
		entries[i].Published = entries[i].Published.Add(move)
	}
}

// printSignInLink prints a link that signs its user in once.
func printSignInLink(ctx context.Context, console *console, b *backend, address, user string) error {
	token, err := b.SignInLink(ctx, domain.UserName(user))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(console.stdout, "sign in as %s, once: %s/sign-in/link?token=%s\n", user, address, token)
	return err
}
