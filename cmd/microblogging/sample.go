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
// channel.
//
//go:embed sample/*.json
var sampleFeeds embed.FS

// sampleUsers own, read and vote. Who follows the sign-in link is the first, who
// owns all channels but one, which is left to subscribe to.
func sampleUsers() []domain.UserName { return []domain.UserName{"ada", "grace", "barbara"} }

func sampleOwner(channel string) domain.UserName {
	users := sampleUsers()
	if channel == "reading-list" {
		return users[1]
	}
	return users[0]
}

// fillSample fills a store that holds nothing and returns who can sign in to it;
// nobody, if the store holds something. The sample's accounts have passwords that
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
	f, err := feed.Read(file)
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
	bringUpToDate(f.Entries, time.Now())
	if _, err = importFeed(ctx, store, channel.Ref(), channel.Owner, f, func() error { return nil }); err != nil {
		return err
	}
	return addSampleReaders(ctx, store, channel)
}

// addSampleReaders lets all users vote for some posts, each for others, and all
// but the first subscribe.
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
