package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"

	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/drivertest"
)

func TestSample(t *testing.T) {
	t.Run("comes once, and at each start has a link that signs in once", sampleComesOnce)
	t.Run("names users that have accounts, and is dated in order", drivertest.Long(sampleIsConsistent))
	t.Run("is whole after a start that was stopped in the middle", drivertest.Long(stoppedSampleIsCompleted))
	t.Run("does not come where another user has the name of one of its users", drivertest.Long(sampleUserWasTaken))
}

// Every user whom a row of the sample names has an account, so that no other client can
// sign up under the name. A channel is younger than its owner, and older than its posts.
func sampleIsConsistent(t *testing.T) {
	data := t.TempDir()
	r, _ := serving(t, "--sample", "--data", data)
	r.await(t, `(sign in as)`)
	r.end(t)
	inStore(t, data, func(store *storage.Parts) {
		channels, err := store.Channels.List(t.Context(), "", "", 100)
		ok(t, err)
		for _, channel := range channels.Items {
			owner, err := store.Accounts.Get(t.Context(), channel.Owner)
			if err != nil || !owner.CreatedOn.Before(channel.CreatedOn) {
				t.Errorf("%s was created on %s, its owner %+v, %v", channel.Name, channel.CreatedOn, owner, err)
			}
			blogs, err := store.Posts.List(t.Context(), channel.Ref(), storage.BlogQuery{Limit: 100})
			if err != nil || len(blogs.Items) == 0 || time.Since(blogs.Items[0].CreatedOn) > time.Hour+4*time.Minute {
				t.Errorf("%s: %v, %v", channel.Name, blogs.Items, err)
			}
			for _, blog := range blogs.Items {
				if _, err := store.Accounts.Get(t.Context(), blog.UserID); err != nil || !blog.CreatedOn.After(channel.CreatedOn) {
					t.Errorf("%s was created on %s, a post of %s (%v) on %s", channel.Name, channel.CreatedOn, blog.UserID, err, blog.CreatedOn)
				}
			}
		}
	})
}

func sampleUserWasTaken(t *testing.T) {
	for _, user := range sampleUsers() {
		data := t.TempDir()
		inStore(t, data, func(store *storage.Parts) {
			if _, err := store.Operator.SignUp(t.Context(), string(user), testPassword); err != nil {
				t.Fatal(err)
			}
		})
		r, _ := serving(t, "--sample", "--data", data)
		if r.end(t); strings.Contains(r.wrote.String(), "sign in as") {
			t.Errorf("%s has an account of their own, and the start prints %s", user, r.wrote.String())
		}
		inStore(t, data, func(store *storage.Parts) {
			if channels, err := store.Channels.List(t.Context(), "", "", 1); err != nil || len(channels.Items) > 0 {
				t.Errorf("%s has an account of their own: channels %+v, %v", user, channels.Items, err)
			}
		})
		expectPassword(t, data, string(user), testPassword)
	}
}

func sampleComesOnce(t *testing.T) {
	data, seen, first := t.TempDir(), map[string]bool{}, ""
	for start := range 3 {
		r, address := serving(t, "--sample", "--data", data)
		link := r.await(t, `sign in as ada, once: (\S+)\nthe next start prints another link\n`)
		if seen[link] {
			t.Errorf("start %d printed %s again", start, link)
		}
		seen[link] = true
		jar, err := cookiejar.New(nil)
		ok(t, err)
		if page := get(t, &http.Client{Jar: jar}, link, http.StatusOK); !strings.Contains(page, ">ada</a>") {
			t.Errorf("start %d: the link does not sign in as ada", start)
		}
		get(t, http.DefaultClient, link, http.StatusUnauthorized)
		channels := get(t, http.DefaultClient, address+"/api/v1/channels", http.StatusOK)
		if first = cmp.Or(first, channels); channels != first {
			t.Errorf("start %d changed the channels from %s to %s", start, first, channels)
		}
		r.end(t)
	}
}

func get(t *testing.T, client *http.Client, url string, want int) (body string) {
	t.Helper()
	response, err := client.Get(url)
	ok(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != want {
		t.Errorf("GET %s: %d, %v, want %d", url, response.StatusCode, err, want)
	}
	return string(text)
}

// A process that is killed makes no call from the n-th on.
func stoppedSampleIsCompleted(t *testing.T) {
	fill := func(n int) (shown string, calls int) {
		db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
		ok(t, err)
		defer db.Close()
		options := storage.Options{HashPassword: drivertest.CheapHash}
		store := storage.New(db, options)
		ok(t, store.Operator.Prepare(t.Context()))
		faults := drivertest.NewFaults(db, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if n > 0 && call.Seq >= n {
				return drivertest.ErrInjected
			}
			return send(ctx)
		})
		if _, err := openSample(t.Context(), storage.New(faults, options)); (err != nil) != (n > 0) {
			t.Fatalf("the start that is stopped at call %d: %v", n, err)
		}
		if link, err := openSample(t.Context(), store); err != nil || link == "" {
			t.Fatalf("the start after one that was stopped at call %d: %q, %v", n, link, err)
		}
		channels, err := store.Channels.List(t.Context(), "", "", 100)
		ok(t, err)
		for _, channel := range channels.Items {
			posts, err := store.Posts.List(t.Context(), channel.Ref(), storage.BlogQuery{Limit: 100})
			ok(t, err)
			readers, _, err := store.Subscriptions.Count(t.Context(), channel.Ref())
			ok(t, err)
			shown += fmt.Sprintln(channel.Name, channel.Owner, readers)
			for _, post := range posts.Items {
				shown += fmt.Sprintln(post.UserID, post.Rating, post.CreatedOn.Sub(channel.CreatedOn), post.Text)
			}
		}
		return shown, faults.Calls()
	}
	whole, calls := fill(0)
	for n := 1; n < calls; n += 1 + n/4 + calls/40 {
		if got, _ := fill(n); got != whole {
			t.Errorf("after a start that was stopped at call %d of %d, the next one has\n%s\nwant\n%s", n, calls, got, whole)
		}
	}
}
