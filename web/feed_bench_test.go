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

const (
	benchChannels = 200
	benchPosts    = 1000 // in each channel
)

// benchDay is the day whose digest is measured: the middle day of all posts.
const benchDay = "2025-06-15"

// BenchmarkFeed reads a page of a feed of 200 channels with 1,000 posts each: from the
// embedded store alone, and up to the last byte of the response. The goal is under
// 5 ms.
func BenchmarkFeed(b *testing.B) {
	store, token := manyChannels(b, time.Hour)
	b.Run("store", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if page, err := store.Feed(b.Context(), "ada", "", 20); err != nil || len(page.Items) != 20 {
				b.Fatalf("%d posts, %v", len(page.Items), err)
			}
		}
	})
	b.Run("api", func(b *testing.B) { benchAPI(b, store, token, "/api/v1/feed") })
}

// BenchmarkDigest reads the first 100 posts of the digest of a day from 200 channels with
// 1,000 posts each. The name says how many posts are of that day. The goal is under 5 ms.
func BenchmarkDigest(b *testing.B) {
	for _, daily := range []int{1, 5, 24} {
		store, token := manyChannels(b, 24*time.Hour/time.Duration(daily))
		day, err := domain.ParseDay(benchDay, "UTC", time.Now())
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("posts=%d/store", daily*benchChannels), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				page, err := store.Digest(b.Context(), "ada", storage.DigestQuery{Day: day, Limit: 100})
				if err != nil || page.Next == "" || page.Channels[0].Total != daily {
					b.Fatalf("%d channels, %v", len(page.Channels), err)
				}
			}
		})
		b.Run(fmt.Sprintf("posts=%d/api", daily*benchChannels), func(b *testing.B) {
			benchAPI(b, store, token, "/api/v1/digest?limit=100&day="+benchDay)
		})
	}
}

func benchAPI(b *testing.B, store *storage.Store, token, path string) {
	handler, err := web.New(store, web.Options{})
	if err != nil {
		b.Fatal(err)
	}
	r := httptest.NewRequestWithContext(b.Context(), "GET", path, nil)
	bearer(token)(r)
	b.ReportAllocs()
	for b.Loop() {
		w := sink{header: make(http.Header, 16)}
		handler.ServeHTTP(&w, r)
		if w.status != http.StatusOK {
			b.Fatalf("status %d", w.status)
		}
	}
}

// manyChannels makes a store and a session of ada, who owns 200 channels and so
// subscribes to them. Each has 1,000 posts, that far apart. benchDay is in the middle.
func manyChannels(b *testing.B, apart time.Duration) (store *storage.Store, token string) {
	b.Helper()
	store = benchStore(b, bolt.Options{NoSync: true})
	token = benchSession(b, store)
	middle, err := time.Parse(time.DateOnly, benchDay)
	if err != nil {
		b.Fatal(err)
	}
	first := middle.Add(-benchPosts / 2 * apart)
	draft := domain.Draft{Title: "On pistons", Text: strings.Repeat("Words & wheels. ", 25)}
	group, ctx := errgroup.WithContext(b.Context())
	group.SetLimit(64)
	for c := range benchChannels {
		channel := benchChannel(b, store, fmt.Sprintf("Engines-%d", c))
		for i := range benchPosts {
			group.Go(func() error {
				_, _, err := store.Post(ctx, storage.Posting{
					Channel: channel.Ref(), By: "ada", Key: fmt.Sprint(i), Draft: draft,
					CreatedOn: first.Add(time.Duration(i)*apart + time.Duration(c)*time.Second),
				})
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	return store, token
}
