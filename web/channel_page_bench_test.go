package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/web"
)

// BenchmarkChannelPage serves a page of 20 posts of 400 bytes, from the embedded store
// to the last byte. The goal is under 150 µs and 400 allocations, independent of the
// size of the partition.
func BenchmarkChannelPage(b *testing.B) {
	for _, posts := range []int{100, 100_000} {
		b.Run(fmt.Sprintf("posts=%d", posts), func(b *testing.B) {
			store := crowdedStore(b, posts)
			handler, err := web.New(store, web.Options{PageCache: 64 << 20})
			if err != nil {
				b.Fatal(err)
			}
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
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	return store
}
