package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
)

// A sink takes a response at the least cost, so that a benchmark measures the server.
type sink struct {
	header http.Header
	status int
	size   int
}

func (s *sink) Header() http.Header { return s.header }

// SetWriteDeadline is there as in a connection.
func (s *sink) SetWriteDeadline(time.Time) error { return nil }

func (s *sink) WriteHeader(status int) { s.status = status }

func (s *sink) Write(p []byte) (int, error) { s.size += len(p); return len(p), nil }

func benchSession(b *testing.B, store *storage.Parts) string {
	b.Helper()
	if _, err := store.Operator.SignUp(b.Context(), "ada", password); err != nil {
		b.Fatal(err)
	}
	token, _, err := store.Accounts.SignIn(b.Context(), storage.Attempt{Name: "ada", Password: password})
	ok(b, err)
	return token
}

func benchStore(b *testing.B, options bolt.Options) *storage.Parts {
	b.Helper()
	db, err := bolt.Open(b.TempDir(), options)
	ok(b, err)
	b.Cleanup(func() { _ = db.Close() })
	store := storage.New(db, storage.Options{})
	ok(b, store.Operator.Prepare(b.Context()))
	return store
}

func benchChannel(b *testing.B, store *storage.Parts, name string) domain.Channel {
	b.Helper()
	channel, err := domain.NewChannel(name, domain.About{Description: "Pistons and valves"}, "ada")
	if err == nil {
		channel, _, err = store.Channels.Create(b.Context(), channel, domain.PostersOpen, "", 0)
	}
	ok(b, err)
	return channel
}

// crowdedStore makes a store with one channel that has so many posts.
func crowdedStore(b *testing.B, posts int) *storage.Parts {
	b.Helper()
	store := benchStore(b, bolt.Options{NoSync: true})
	channel := benchChannel(b, store, "Engines")
	draft := domain.Draft{Title: "On pistons", Text: strings.Repeat("Words & wheels. ", 25)}
	group, ctx := errgroup.WithContext(b.Context())
	group.SetLimit(64)
	for i := range posts {
		group.Go(func() error {
			_, _, err := store.Posts.Create(ctx, storage.NewPost{Channel: channel, By: "ada", Key: fmt.Sprint(i), Draft: draft})
			return err
		})
	}
	ok(b, group.Wait())
	return store
}
