package main

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"path"
	"slices"
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

// sampleKey begins the idempotency keys under which the accounts of the sample are made.
// A later start recognises them by it.
const sampleKey = "account of the sample: "

// openSample fills an empty store, or goes on where an earlier start was stopped. It returns the token of
// a sign-in link for the first user of the sample, which works once. There is none if the store has
// channels without the sample, or if another client made an account under the name of one of its users.
func openSample(ctx context.Context, store *storage.Parts) (token string, err error) {
	made, err := fillSample(ctx, store)
	if err == nil && made {
		token, err = store.Operator.SignInLink(ctx, sampleUsers()[0])
	}
	if err != nil {
		return "", cannotRunError{err}
	}
	return token, nil
}

// sampleAge is how long ago the accounts of the sample were made, before all of its posts.
const sampleAge = 30 * 24 * time.Hour

// fillSample makes the accounts and the channels of the sample, and reports whether the store has them.
// The passwords are random and not kept. Everything has a fixed key, so that it is made once: what a fill
// that was stopped has made stays, and the next start makes the rest. The account of the last user is the
// first row of a fill, and says when it began; that of the first user is the last row.
func fillSample(ctx context.Context, store *storage.Parts) (made bool, err error) {
	users := sampleUsers()
	last := users[len(users)-1]
	made, err = store.Operator.MadeWithKey(ctx, users[0], sampleKey+string(users[0]))
	if !errors.Is(err, domain.ErrNotFound) {
		return made, err
	}
	begun, err := store.Operator.MadeWithKey(ctx, last, sampleKey+string(last))
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return false, err
	}
	if page, err := store.Channels.List(ctx, "", "", 1); err != nil || len(page.Items) > 0 && !begun {
		return false, err
	}
	for _, user := range slices.Backward(users[1:]) {
		if made, err := addSampleUser(ctx, store, user, time.Now()); err != nil || !made {
			return false, err
		}
	}
	first, err := store.Accounts.Get(ctx, last)
	if err != nil {
		return false, err
	}
	now := first.CreatedOn.Add(sampleAge)
	files, err := sampleFeeds.ReadDir("sample")
	if err != nil {
		return false, err
	}
	for _, file := range files {
		if err := addSampleChannel(ctx, store, file.Name(), now); err != nil {
			return false, fmt.Errorf("sample %s: %w", file.Name(), err)
		}
	}
	return addSampleUser(ctx, store, users[0], now)
}

// addSampleUser reports false if another client has the name.
func addSampleUser(ctx context.Context, store *storage.Parts, user domain.UserName, now time.Time) (made bool, err error) {
	key := sampleKey + string(user)
	made, err = store.Operator.MadeWithKey(ctx, user, key)
	if !errors.Is(err, domain.ErrNotFound) {
		return made, err
	}
	_, _, err = store.Accounts.Create(ctx, storage.SignUpRequest{
		Attempt: storage.Attempt{Name: string(user), Password: rand.Text()}, Key: key, CreatedOn: now.Add(-sampleAge),
	})
	if errors.Is(err, domain.ErrExists) || errors.Is(err, domain.ErrKeyReused) {
		return false, nil
	}
	return err == nil, err
}

func addSampleChannel(ctx context.Context, store *storage.Parts, name string, now time.Time) error {
	document, err := sampleFeeds.ReadFile(path.Join("sample", name))
	if err != nil {
		return err
	}
	f, err := feed.Parse(document)
	if err != nil {
		return err
	}
	title := strings.TrimSuffix(name, ".json")
	owner := sampleUsers()[0]
	if title == "reading-list" { // so that there is one to subscribe to
		owner = sampleUsers()[1]
	}
	channel, err := domain.NewChannel(title, domain.About{Description: f.Title}, owner)
	if err != nil {
		return err
	}
	channel.CreatedOn = domain.Storable(bringUpToDate(f.Entries, now).Add(-time.Hour))
	if channel, _, err = store.Channels.Create(ctx, channel, domain.PostersOpen, "sample "+title, 0); err != nil {
		return err
	}
	to := newImporter(store, channel, channel.Owner)
	if err := to.post(ctx, f.Entries); err != nil {
		return err
	}
	return addSampleReaders(ctx, store.Store, channel)
}

// addSampleReaders makes each user vote for some posts, and all users but the
// first subscribe.
func addSampleReaders(ctx context.Context, store *storage.Store, channel domain.Channel) error {
	page, err := store.Posts.List(ctx, channel.Ref(), storage.BlogQuery{Limit: 30})
	if err != nil {
		return err
	}
	for i, user := range sampleUsers() {
		if i > 0 {
			if err := store.Subscriptions.Create(ctx, channel, user); err != nil {
				return err
			}
		}
		for n, blog := range page.Items {
			if n%(i+2) != 1 {
				continue
			}
			if err := store.Posts.Vote(ctx, channel.Ref(), blog.ID, user); err != nil {
				return err
			}
		}
	}
	return nil
}

// bringUpToDate moves all entries in time by the same hours, so that the newest is an hour old at
// most and the sample does not look abandoned. A sample has as many rows at any time, since posts of
// one hour share a row. It returns when the oldest is of then.
func bringUpToDate(entries []feed.Entry, now time.Time) (oldest time.Time) {
	byTime := func(a, b feed.Entry) int { return a.Published.Compare(b.Published) }
	move := now.Add(-3 * time.Minute).Sub(slices.MaxFunc(entries, byTime).Published).Truncate(time.Hour)
	for i := range entries {
		entries[i].Published = entries[i].Published.Add(move)
	}
	return slices.MinFunc(entries, byTime).Published
}
