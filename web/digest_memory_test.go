package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/web"
)

const mebibyte = 1 << 20

// TestDigestMemory measures what digests and the feed take of the memory, each case in a
// process of its own. The digests are of one day, or of several, on which one user's posts of the
// greatest length filled many channels.
func TestDigestMemory(t *testing.T) {
	if dir := os.Getenv(memoryDir); dir != "" {
		reportMemory(t, dir)
		return
	}
	dir, token, feed := largeDigests(t)
	const day = "?day=2026-03-04"
	for _, test := range []struct {
		name, path string
		atOnce     int
		most       int // in MiB
	}{
		{"a page of the API takes less than 16 MiB", digestPath + day + "&limit=100", 1, 16},
		{"six pages of the API at once take less than 64 MiB", digestPath + day + "&limit=100", 6, 64},
		{"a page takes less than 16 MiB", "/digest" + day, 1, 16},
		{"six pages at once take less than 64 MiB", "/digest" + day, 6, 64},
		{"a personal feed takes less than 16 MiB", feed, 1, 16},
		{"six personal feeds at once take less than 64 MiB", feed, 6, 64},
		{"a page of the API's feed takes less than 14 MiB", "/api/v1/feed?limit=100", 1, 14},
		{"six pages of the API's feed at once take less than 64 MiB", "/api/v1/feed?limit=100", 6, 64},
		{"a page of the feed takes less than 10 MiB", "/", 1, 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			grown := memoryOf(t, dir, token, test.path, test.atOnce)
			t.Logf("%d at once: %.1f MiB more", test.atOnce, float64(grown)/mebibyte)
			if grown >= test.most*mebibyte {
				t.Errorf("%d at once take %.1f MiB, want less than %d", test.atOnce, float64(grown)/mebibyte, test.most)
			}
		})
	}
}

// largeDigests makes a store with digests of 200 posts of 5,000 characters in each of 20
// channels, on one day, and as much yesterday. It returns the
// store's directory, the token of a session of the reader, and the path of the reader's
// personal feed.
func largeDigests(t *testing.T) (dir, token, feed string) {
	t.Helper()
	dir = t.TempDir()
	db, err := bolt.Open(dir, bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	s := newSiteOver(t, db, web.Options{})
	token = s.signUp("bob")
	text := strings.Repeat("&", domain.MaxText) // which grows most in JSON and in HTML
	days := []time.Time{time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC), time.Now().AddDate(0, 0, -1)}
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(64)
	for c := range 20 {
		channel := s.channel(fmt.Sprintf("channel%02d", c), "bob")
		for i := range 200 * len(days) {
			group.Go(func() error {
				_, _, err := s.store.Post(ctx, storage.Posting{
					Channel: channel.Ref(), By: "bob", Key: strconv.Itoa(i), Draft: domain.Draft{Text: text},
					CreatedOn: days[i%len(days)],
				})
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	feed = s.digestFeed(token, "UTC")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, token, feed
}

// These variables make a run of the test binary the process that is measured.
const (
	memoryDir    = "MICROBLOGGING_TEST_MEMORY_DIR"
	memoryToken  = "MICROBLOGGING_TEST_MEMORY_TOKEN"
	memoryPath   = "MICROBLOGGING_TEST_MEMORY_PATH"
	memoryAtOnce = "MICROBLOGGING_TEST_MEMORY_AT_ONCE"
	memoryReport = "MICROBLOGGING_TEST_MEMORY_REPORT"
)

// memoryOf starts a process over the store that answers that many requests at once, and
// returns by how many bytes the memory of the process grew.
func memoryOf(t *testing.T, dir, token, path string, atOnce int) int {
	t.Helper()
	report := filepath.Join(t.TempDir(), "report")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDigestMemory$")
	cmd.Env = append(os.Environ(), memoryDir+"="+dir, memoryToken+"="+token, memoryPath+"="+path,
		memoryAtOnce+"="+strconv.Itoa(atOnce), memoryReport+"="+report)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	read, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	grown, err := strconv.Atoi(string(read))
	if err != nil {
		t.Fatal(err)
	}
	return grown
}

// reportMemory is what the measured process does.
func reportMemory(t *testing.T, dir string) {
	atOnce, err := strconv.Atoi(os.Getenv(memoryAtOnce))
	if err != nil {
		t.Fatal(err)
	}
	db, err := bolt.Open(dir, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	handler, err := web.New(storage.New(db, storage.Options{}), web.Options{})
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) {
		r := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
		bearer(os.Getenv(memoryToken))(r)
		cookie(os.Getenv(memoryToken))(r)
		w := sink{header: make(http.Header)}
		if handler.ServeHTTP(&w, r); w.status != http.StatusOK {
			t.Errorf("%s: status %d", path, w.status)
		}
	}
	get("/subscriptions") // what a first request makes is not the digest's
	debug.FreeOSMemory()
	before, peak := residentHeap(), watchHeap()
	var requests sync.WaitGroup
	for range atOnce {
		requests.Go(func() { get(os.Getenv(memoryPath)) })
	}
	requests.Wait()
	grown := strconv.Itoa(peak() - before)
	if err := os.WriteFile(os.Getenv(memoryReport), []byte(grown), 0o600); err != nil {
		t.Fatal(err)
	}
}

// residentHeap is how much memory the runtime has of the system, without what it has
// given back. The file of the store, which is mapped, is not a part of it.
func residentHeap() int {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}

// watchHeap samples residentHeap each millisecond. What it returns stops that, and
// returns the greatest.
func watchHeap() (stop func() int) {
	peaks, done := make(chan int), make(chan struct{})
	go func() {
		ticker := time.NewTicker(time.Millisecond)
		defer ticker.Stop()
		for peak := 0; ; {
			peak = max(peak, residentHeap())
			select {
			case <-ticker.C:
			case <-done:
				peaks <- max(peak, residentHeap())
				return
			}
		}
	}()
	return func() int { close(done); return <-peaks }
}
