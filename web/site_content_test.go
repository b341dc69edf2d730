package web_test

import (
	"context"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/storagetest"
)

// What the tests of subscriptions, feeds, digests and votes share.

// postOn makes a post that is dated.
func (s *site) postOn(on time.Time, channel domain.Channel, text string) domain.Blog {
	s.Helper()
	blog, _, err := s.store.Post(s.Context(), storage.Posting{
		Channel: channel.Ref(), By: channel.Owner, Key: string(domain.NewRevision()), Draft: domain.Draft{Text: text},
		CreatedOn: on,
	})
	if err != nil {
		s.Fatalf("posting: %v", err)
	}
	return blog
}

// subscribe subscribes a user to channels.
func (s *site) subscribe(user domain.UserName, channels ...domain.Channel) {
	s.Helper()
	for _, channel := range channels {
		if err := s.store.Subscribe(s.Context(), channel, user); err != nil {
			s.Fatalf("subscribing %s to %s: %v", user, channel.Name, err)
		}
	}
}

// vote gives a post the votes of so many users, who need no account for that.
func (s *site) vote(blog domain.Blog, votes int) {
	s.Helper()
	for i := range votes {
		if err := s.store.Vote(s.Context(), blog.Channel, blog.ID, domain.UserName("voter"+string(rune('a'+i)))); err != nil {
			s.Fatalf("voting: %v", err)
		}
	}
}

// signUpAll makes accounts, and returns the token of a session of each.
func (s *site) signUpAll(names []string) []string {
	s.Helper()
	tokens := make([]string, len(names))
	group, ctx := errgroup.WithContext(s.Context())
	for i, name := range names {
		group.Go(func() error {
			if _, err := s.store.SignUp(ctx, name, password); err != nil {
				return err
			}
			link, err := s.store.SignInLink(ctx, domain.UserName(name))
			if err == nil {
				tokens[i], _, err = s.store.FollowSignInLink(ctx, link)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		s.Fatalf("signing up: %v", err)
	}
	return tokens
}

// listed gathers one member of the items of all pages of a list.
func (s *site) listed(path, member string, changes ...change) (values []string) {
	s.Helper()
	for after := ""; ; {
		a := s.do("GET", continued(path, after), changes...).want(200)
		values = append(values, a.items(member)...)
		if after = a.text("next"); after == "" {
			return values
		}
	}
}

// items is one member of each item of a list.
func (a answer) items(member string) []string {
	a.t.Helper()
	values := []string{}
	for _, item := range a.get("items").([]any) {
		text, _ := dig(item, member).(string)
		values = append(values, text)
	}
	return values
}

func continued(path, after string) string {
	if after == "" {
		return path
	}
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return path + separator + "after=" + url.QueryEscape(after)
}

// calls counts what is asked of the store meanwhile, by table and method.
func (s *site) calls(request func()) map[string]int {
	var mu sync.Mutex
	counts := make(map[string]int)
	s.breakStore(func(ctx context.Context, call storagetest.Call, send storagetest.Send) error {
		mu.Lock()
		counts[call.Target+" "+call.Method]++
		mu.Unlock()
		return send(ctx)
	})
	defer s.mendStore()
	request()
	return counts
}

// A gauge sees how many calls of the store there are at once.
type gauge struct {
	mu            sync.Mutex
	now, greatest int
}

// hook holds each read of a range for a moment, so that others can catch up.
func (g *gauge) hook(ctx context.Context, call storagetest.Call, send storagetest.Send) error {
	if call.Target+" "+call.Method != "Blogs Range" {
		return send(ctx)
	}
	g.add(1)
	defer g.add(-1)
	for range 100 {
		runtime.Gosched()
	}
	return send(ctx)
}

func (g *gauge) add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now += n
	g.greatest = max(g.greatest, g.now)
}

func (g *gauge) most() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.greatest
}

// mustBeSound checks at rest all that the checker knows.
func (s *site) mustBeSound() {
	s.Helper()
	checker := s.store.NewChecker(time.Hour, false, func(b storage.Breach) { s.Errorf("breach: %+v", b) })
	if _, err := checker.Run(s.Context()); err != nil {
		s.Fatal(err)
	}
}
