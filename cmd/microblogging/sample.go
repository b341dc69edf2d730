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

// sampleFeeds are the sample channels: a JSON Feed each, named after the
// channel, with the owner as the feed's author.
//
//go:embed sample/*.json
var sampleFeeds embed.FS

// sampleUser owns the sample channels.
const sampleUser domain.UserName = "ada"

// fillSample fills a store that holds nothing and returns who can sign in to it;
// nobody, if the store holds something. The sample's account has a password that
// nobody knows.
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
	_, err = b.SignUp(ctx, string(sampleUser), rand.Text())
	if errors.Is(err, domain.ErrExists) {
		return "", nil
	}
	if err != nil {
		return "", err
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
	return string(sampleUser), nil
}

func addSampleChannel(ctx context.Context, store *storage.Store, name string) error {
	file, err := sampleFeeds.Open(path.Join("sample", name))
	if err != nil {
		return err
	}
	defer file.Close()
	f, err := feed.Read(file)
	if err != nil {
		return err
	}
	channel, err := domain.NewChannel(strings.TrimSuffix(name, ".json"), f.Title, sampleUser)
	if err != nil {
		return err
	}
	if channel, err = store.CreateChannel(ctx, channel); err != nil {
		return err
	}
	bringUpToDate(f.Entries, time.Now())
	_, err = importFeed(ctx, store, channel.Ref(), sampleUser, f, func() error { return nil })
	return err
}

// bringUpToDate moves all entries in time by as much as brings the newest to a
// few minutes ago, so that the sample never looks abandoned.
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
