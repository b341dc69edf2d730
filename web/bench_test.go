package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/web"
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

func benchSession(b *testing.B, store *storage.Store) string {
	b.Helper()
	if _, err := store.SignUp(b.Context(), "ada", password); err != nil {
		b.Fatal(err)
	}
	token, _, err := store.SignIn(b.Context(), storage.Attempt{Name: "ada", Password: password})
	ok(b, err)
	return token
}

func benchStore(b *testing.B, options bolt.Options) *storage.Store {
	b.Helper()
	db, err := bolt.Open(b.TempDir(), options)
	ok(b, err)
	b.Cleanup(func() { _ = db.Close() })
	store := storage.New(db, storage.Options{})
	ok(b, store.Prepare(b.Context()))
	return store
}

func benchChannel(b *testing.B, store *storage.Store, name string) domain.Channel {
	b.Helper()
	channel, err := domain.NewChannel(name, domain.About{Description: "Pistons and valves"}, "ada")
	if err == nil {
		channel, err = store.CreateChannel(b.Context(), channel)
	}
	ok(b, err)
	return channel
}

// BenchmarkChannelPage serves a page of 20 posts of 400 bytes, from the embedded store
// to the last byte. The goal is under 150 µs and 400 allocations, independent of the
// size of the partition.
func BenchmarkChannelPage(b *testing.B) {
	for _, posts := range []int{100, 100_000} {
		b.Run(fmt.Sprintf("posts=%d", posts), func(b *testing.B) {
			store := crowdedStore(b, posts)
			handler, err := web.New(store, web.Options{PageCache: 64 << 20})
			ok(b, err)
			token := benchSession(b, store)
			b.Run("stranger", func(b *testing.B) { benchPage(b, handler, func(*http.Request) {}) })
			b.Run("signed-in", func(b *testing.B) { benchPage(b, handler, cookie(token)) })
		})
	}
}

func benchPage(b *testing.B, handler http.Handler, who change) {
	r := httptest.NewRequestWithContext(b.Context(), "GET", "/channels/Engines", nil)
	who(r)
	b.ReportAllocs()
	for b.Loop() {
		w := sink{header: make(http.Header, 16)}
		handler.ServeHTTP(&w, r)
		if w.status != http.StatusOK || w.size < 20*400 {
			b.Fatalf("status %d, %d bytes", w.status, w.size)
		}
	}
}

// crowdedStore makes a store with one channel that has so many posts.
func crowdedStore(b *testing.B, posts int) *storage.Store {
	b.Helper()
	store := benchStore(b, bolt.Options{NoSync: true})
	channel := benchChannel(b, store, "Engines")
	draft := domain.Draft{Title: "On pistons", Text: strings.Repeat("Words & wheels. ", 25)}
	group, ctx := errgroup.WithContext(b.Context())
	group.SetLimit(64)
	for i := range posts {
		group.Go(func() error {
			_, _, err := store.Post(ctx, storage.Posting{Channel: channel.Ref(), By: "ada", Key: fmt.Sprint(i), Draft: draft})
			return err
		})
	}
	ok(b, group.Wait())
	return store
}
