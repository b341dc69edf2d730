package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"microblogging/e2e/client"
	"microblogging/e2e/program"
)

// An account with three channels of 10,000 posts, and 5,000 votes and 300 posts in the channel of
// another, is deleted while the process that works on it is killed again and again. With the race
// detector, a quarter of that.
func TestErasure(t *testing.T) {
	t.Parallel()
	posts, votes, elsewhere, lifetime := 10_000, 5_000, 300, 400*time.Millisecond
	if program.Raced {
		posts, votes, elsewhere, lifetime = posts/4, votes/4, elsewhere/4, lifetime/4
	}
	s := onBolt(t)
	run := func() *process {
		return s.start(t, "serve", "--listen", "127.0.0.1:0", "--lease", "1s", "--reconcile", "1s", "--log-level", "warn",
			"--write-rate", "0", "--undo-account", "0")
	}
	first := run()
	for _, name := range []string{"alice", "lea"} {
		signUp(t, first.url, name)
	}
	first.endCleanly(t)
	s.mustRun(t, "import", "--channel", "garden", "--owner", "alice", writeFeed(t, votes))
	own := []string{"one", "two", "three"}
	for _, name := range own {
		s.mustRun(t, "import", "--channel", name, "--owner", "lea", writeFeed(t, posts))
	}
	p := run()
	alice, lea := signIn(t, p.url, "alice"), signIn(t, p.url, "lea")
	voteOnAll(t, lea, "garden")
	for n := range elsewhere {
		lea.post(t, "garden", fmt.Sprint("by lea ", n))
	}
	lea.do(t, "DELETE", client.AccountPath, map[string]string{"password": client.Password, "posts": "delete"}, http.StatusAccepted, nil)
	lea.do(t, "GET", client.SubscriptionsPath, nil, http.StatusUnauthorized, nil)

	kills := 0
	for left := "all"; left != ""; left = leftOf(t, alice, "lea", own) {
		time.Sleep(lifetime) // which is what a process has until it is killed
		p.kill(t)
		kills++
		p = run()
		alice.URL, lea.URL = p.url, p.url
	}
	t.Logf("%d kills", kills)
	if kills < 3 {
		t.Errorf("only %d kills: they prove little", kills)
	}
	lea.do(t, "POST", client.SessionsPath, client.Credentials("lea"), http.StatusUnauthorized, nil)
	lea.do(t, "POST", client.UsersPath, client.Credentials("lea"), http.StatusConflict, nil)
	if n := alice.countBlogs(t, "garden"); n != votes {
		t.Errorf("%d posts of others are left of %d", n, votes)
	}
	p.endCleanly(t)
	s.mustRun(t, "check")
}

type ratedBlog struct {
	ID, UserID string
	Rating     int
}

// eachBlog calls do with each page of the posts of a channel.
func eachBlog(t *testing.T, u user, channel string, do func(page []ratedBlog)) {
	t.Helper()
	query := url.Values{"limit": {"100"}}
	for {
		var page client.Page[ratedBlog]
		u.do(t, "GET", client.BlogsPath(channel)+"?"+query.Encode(), nil, http.StatusOK, &page)
		do(page.Items)
		if page.Next == "" {
			return
		}
		query.Set("after", page.Next)
	}
}

func voteOnAll(t *testing.T, u user, channel string) {
	t.Helper()
	eachBlog(t, u, channel, func(page []ratedBlog) {
		var votes sync.WaitGroup
		for _, b := range page {
			votes.Go(func() {
				r, err := u.Send(t.Context(), "PUT", client.BlogsPath(channel)+"/"+b.ID+"/vote", nil, nil)
				if err != nil || r.Status != http.StatusNoContent {
					t.Errorf("voting: %d, %v", r.Status, err)
				}
			})
		}
		votes.Wait()
	})
}

// leftOf says what can still be read of a user.
func leftOf(t *testing.T, u user, name string, own []string) (left string) {
	t.Helper()
	for _, channel := range own {
		r, err := u.Send(t.Context(), "GET", client.ChannelPath(channel), nil, nil)
		if err != nil || r.Status != http.StatusNotFound {
			return "channel " + channel
		}
	}
	u.do(t, "GET", client.UsersPath+"/"+name, nil, http.StatusNotFound, nil)
	eachBlog(t, u, "garden", func(page []ratedBlog) {
		for _, b := range page {
			if b.UserID == name || b.Rating != 0 {
				left = "post " + b.ID
			}
		}
	})
	return left
}
