package web_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/web"
)

func TestQuota(t *testing.T) {
	t.Run("an account that stores too much in 24 hours is told when to go on", accountIsRefusedUntilTheWindowEnds)
	t.Run("all accounts of an address have one together", addressIsRefused)
	t.Run("of a day holds in other processes, and after a restart", quotaHoldsInAnotherProcess)
	t.Run("costs most posts no call of the store", quotaCostsMostPostsNoCall)
	t.Run("of all posts refuses the next, and what is deleted makes room", deletedPostsMakeRoom)
	t.Run("of all posts counts those that are there already", postsThatAreThereCount)
	t.Run("of all posts counts replies too", repliesCount)
	t.Run("counts on if there are too many posts for one request", countGoesOn)
	t.Run("of all posts is counted by one request at a time", oneRequestCounts)
	t.Run("that the store does not take is counted with the next post", whatTheStoreMissedIsCounted)
	t.Run("keeps what was typed", quotaKeepsWhatWasTyped)
	t.Run("refuses a post in a new channel before the channel is made", refusedPostMakesNoChannel)
	t.Run("refuses the entries of a batch that are too many", quotaRefusesEntries)
	t.Run("is told to the observer, with the bytes that were stored", observerOfQuotas)
}

// twoKilobytes is a text that counts 3,072 bytes as a post.
var twoKilobytes = strings.Repeat("x", 2048)

// quotaSite is a site with quotas, and ada with a channel. It must be made in a bubble.
func quotaSite(t *testing.T, q web.Quotas) (s *site, token string) {
	s = newSiteWith(t, web.Options{Version: "test", Quotas: q})
	token = s.signUp("ada")
	s.channel("Engines", "ada")
	return s, token
}

// hasPosts makes so many posts of ada's that no quota counts.
func (s *site) hasPosts(posts int) {
	s.Helper()
	for range posts {
		s.post(domain.Channel{Name: "Engines", Owner: "ada", Incarnation: s.ref("Engines").Incarnation}, "ada", twoKilobytes)
	}
}

// writesTwoKilobytes sends a post of a twoKilobytes.
func (s *site) writesTwoKilobytes(token string, changes ...change) answer {
	s.Helper()
	return s.do("POST", enginesBlogs, append(changes, bearer(token), fields("text", twoKilobytes))...)
}

func accountIsRefusedUntilTheWindowEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, token := quotaSite(t, web.Quotas{AccountDay: 7000})
		began := time.Now()
		s.writesTwoKilobytes(token).want(201)
		time.Sleep(23 * time.Hour)
		s.writesTwoKilobytes(token).want(201)
		until := began.Add(24*time.Hour + time.Minute).UTC().Format("15:04 UTC on 2 January 2006")
		a := s.writesTwoKilobytes(token).unwritten()
		a.wantRetryAfter(60 * 60)
		a.has("about 7000 bytes", "Nothing was saved", "Send it again after "+until)
		s.writesTwoKilobytes(s.signUp("bob")).want(201) // from the same address
		s.do("PUT", subscriptions+"/Engines", bearer(token)).want(204)
		time.Sleep(time.Hour - time.Second)
		s.writesTwoKilobytes(token).want(429)
		time.Sleep(time.Second)
		s.writesTwoKilobytes(token).want(201)
	})
}

func addressIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ada := quotaSite(t, web.Quotas{AddressDay: 7000})
		bob := s.signUp("bob")
		from := func(peer string) change { return func(r *http.Request) { r.RemoteAddr = peer } }
		s.writesTwoKilobytes(ada, from("[2001:db8::1]:1000")).want(201)
		s.writesTwoKilobytes(bob, from("[2001:db8::2]:1000")).want(201)
		s.writesTwoKilobytes(bob, from("[2001:db8::3]:1000")).retries(24*60*60).want(429).has("All accounts at your address", "Nothing was saved")
		s.writesTwoKilobytes(bob, from("[2001:db8:0:1::3]:1000")).want(201)
	})
}

func quotaHoldsInAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := web.Quotas{AccountDay: 70_000}
		s, token := quotaSite(t, q)
		other := newSiteOver(t, s.db, web.Options{Version: "test", Quotas: q})
		stored := 0
		for range 2 * 70_000 / 3072 {
			for _, process := range []*site{s, other} {
				if process.writesTwoKilobytes(token).status == 201 {
					stored += 3072
				}
			}
		}
		// Each may be wrong by a sixteenth.
		if stored < 70_000*7/8 || stored > 70_000*9/8 {
			t.Errorf("two processes have stored %d bytes", stored)
		}
		again, more := newSiteOver(t, s.db, web.Options{Version: "test", Quotas: q}), 0
		for again.writesTwoKilobytes(token).status == 201 {
			more += 3072
		}
		if more > 2*70_000/16 {
			t.Errorf("a process that begins anew has stored %d more bytes", more)
		}
	})
}

func quotaCostsMostPostsNoCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free, freeToken := quotaSite(t, web.Quotas{})
		s, token := quotaSite(t, web.Quotas{AccountDay: 10e6, AddressDay: 100e6, Account: 100e6})
		for range 2 {
			want := free.calls(func() { free.writesTwoKilobytes(freeToken).want(201) })
			is(t, "the calls of a post", s.calls(func() { s.writesTwoKilobytes(token).want(201) }), want)
		}
	})
}

// deletesNewest deletes the newest posts of a channel.
func (s *site) deletesNewest(token string, posts int) {
	s.Helper()
	listed, err := s.store.Posts.List(s.Context(), s.ref("Engines"), storage.BlogQuery{Limit: posts})
	ok(s, err)
	for _, post := range listed.Items {
		s.do("DELETE", enginesBlogs+"/"+string(post.ID), bearer(token)).want(204)
	}
}

func deletedPostsMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, token := quotaSite(t, web.Quotas{Account: 7000})
		full := func() answer {
			t.Helper()
			return s.writesTwoKilobytes(token).want(422).unwritten()
		}
		s.writesTwoKilobytes(token).want(201)
		s.writesTwoKilobytes(token).want(201)
		full().has("about 7000 bytes", "Nothing was saved", "Delete posts, replies or channels that you do not need, and send it again a minute later")
		s.deletesNewest(token, 1)
		full()
		time.Sleep(time.Minute)
		s.writesTwoKilobytes(token).want(201)
		full()
		// What is deleted with a channel makes room, too.
		s.do("DELETE", "/api/v1/channels/Engines", bearer(token)).want(202)
		s.do("POST", "/api/v1/channels", bearer(token), fields("name", "Wheels")).want(201)
		time.Sleep(time.Minute)
		s.do("POST", "/api/v1/channels/Wheels/blogs", bearer(token), fields("text", twoKilobytes)).want(201)
		s.writesTwoKilobytes(s.signUp("bob")).want(410)
	})
}

func postsThatAreThereCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, token := quotaSite(t, web.Quotas{Account: 32_000})
		s.hasPosts(10)
		s.writesTwoKilobytes(token).want(422)
		s.writesTwoKilobytes(s.signUp("bob")).want(201)
	})
}

func repliesCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := quotaSite(t, web.Quotas{Account: 32_000})
		s.hasPosts(1)
		bob, in := s.signUp("bob"), domain.Channel{Name: "Engines", Owner: "ada", Incarnation: s.ref("Engines").Incarnation}
		posts, err := s.store.Posts.List(t.Context(), in.Ref(), storage.BlogQuery{Limit: 1})
		ok(t, err)
		replies := repliesPath(in, posts.Items[0])
		for range 8 {
			s.reply(in, posts.Items[0], "bob", twoKilobytes)
		}
		s.writesTwoKilobytes(bob).want(201)
		s.do("POST", replies, bearer(bob), fields("text", twoKilobytes)).want(201)
		s.writesTwoKilobytes(bob).want(422)
		s.do("POST", replies, bearer(bob), fields("text", twoKilobytes)).want(422).has("leave no room")
		for _, id := range s.listed(replies, "id")[:2] {
			s.do("DELETE", replies+"/"+id, bearer(bob)).want(204)
		}
		time.Sleep(time.Minute)
		s.writesTwoKilobytes(bob).want(201)
	})
}

// A page of the list takes longer than one request counts, and the list has five of them.
func countGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, token := quotaSite(t, web.Quotas{Account: 1e6})
		s.hasPosts(400)
		time.Sleep(time.Second) // so that what follows is listed first
		s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Target == "Users" && call.Method == driver.CallRange {
				time.Sleep(2100 * time.Millisecond)
			}
			return send(ctx)
		})
		large := fields("text", strings.Repeat("😀", 5000)) // three of them are a sixteenth
		send := func(wants ...int) {
			t.Helper()
			for i, want := range wants {
				a := s.do("POST", enginesBlogs, bearer(token), large)
				if a.status != want || want == 503 && (a.header.Get("Retry-After") != "5" || a.writes > 0) {
					t.Errorf("post %d: status %d, want %d: %s", i+1, a.status, want, a.body)
				}
			}
		}
		send(201, 201, 201, 201, 201, 422, 422)
		time.Sleep(time.Minute)
		send(503, 503, 422)
		s.deletesNewest(token, 100)
		time.Sleep(time.Minute)
		send(503, 503, 503, 201)
	})
}

func oneRequestCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, token := quotaSite(t, web.Quotas{Account: 32_000})
		s.hasPosts(7)
		var counts atomic.Int64
		s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			err := send(ctx)
			if call.Target == "Users" && call.Method == driver.CallRange {
				counts.Add(1)
				time.Sleep(time.Second)
			}
			return err
		})
		statuses := make([]int, 4)
		drivertest.Together(len(statuses), func(i int) { statuses[i] = s.writesTwoKilobytes(token).status })
		slices.Sort(statuses)
		// The others do not know yet that there is no room. What they store is not among what was counted.
		if want := []int{201, 201, 201, 422}; counts.Load() != 2 || !slices.Equal(statuses, want) {
			t.Errorf("%d lists were read and %v, want those of posts and of replies once and %v", counts.Load(), statuses, want)
		}
		s.writesTwoKilobytes(token).want(422)
	})
}

func whatTheStoreMissedIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := web.Quotas{AccountDay: 16 * 4000}
		s, token := quotaSite(t, q)
		s.writesTwoKilobytes(token).want(201)
		s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Target == "Throttle" {
				return domain.ErrUnavailable
			}
			return send(ctx)
		})
		s.writesTwoKilobytes(token).unwritten().retries(5).want(503)
		s.mendStore()
		s.writesTwoKilobytes(token).want(201)
		sum, _, err := s.store.Accounts.AddText(t.Context(), "ada", 0)
		ok(t, err)
		is(t, "the sum in the store", sum, int64(3*3072))
	})
}

func quotaKeepsWhatWasTyped(t *testing.T) {
	for name, c := range map[string]struct {
		quotas web.Quotas
		status int
		kinds  []string
		says   string
	}{
		"of a day":     {web.Quotas{AccountDay: 1}, 429, []string{"Post", "Save", "Describe", "Create channel"}, "An account may store about 1 bytes of text in 24 hours on this site. Nothing was saved."},
		"of all posts": {web.Quotas{Account: 1}, 422, []string{"Post", "Save"}, "Delete posts, replies or channels that you do not need, and send it again a minute later."},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSiteWith(t, web.Options{Version: "test", Quotas: c.quotas})
			b := s.signedIn("ada")
			forms := draftForms(s, b)
			for _, kind := range c.kinds {
				f := forms[kind]
				p := b.send("POST", f.action, posted(f.values))
				p.want(c.status)
				p.says(c.says)
				if got := p.wrote(); !strings.HasPrefix(got, draftText) {
					t.Errorf("%s: shows %q", kind, got)
				}
			}
		})
	}
}

func refusedPostMakesNoChannel(t *testing.T) {
	for name, q := range map[string]web.Quotas{"of a day": {AccountDay: 3000}, "of all posts": {Account: 3000}} {
		t.Run(name, func(t *testing.T) {
			s := newSiteWith(t, web.Options{Version: "test", Quotas: q})
			b := s.signedIn("ada")
			p := b.send("POST", "/write", posted(url.Values{"name": {"Engines"}, "text": {twoKilobytes}}))
			p.says("Nothing was saved")
			s.do("GET", "/api/v1/channels/Engines").want(404)
		})
	}
}

func quotaRefusesEntries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, token := quotaSite(t, web.Quotas{AccountDay: 7000})
		var entries []any
		for range 3 {
			entries = append(entries, entry{Text: twoKilobytes})
		}
		a := s.do("POST", enginesBatch, bearer(token), batch(entries...)).statuses(201, 201, 429)
		a.retries(24 * 60 * 60)
	})
}

func observerOfQuotas(t *testing.T) {
	n := &notebook{}
	s := newSiteWith(t, web.Options{Version: "test", Observer: n, Quotas: web.Quotas{AccountDay: 10_000, Account: 4000}})
	token := s.signUp("ada")
	s.channel("Engines", "ada")
	s.writesTwoKilobytes(token).want(201)
	s.writesTwoKilobytes(token).want(422)
	s.do("PATCH", "/api/v1/channels/Engines", bearer(token), fields("description", "12345678")).want(200)
	is(t, "bytes", n.stored, int64(3072+8))
	is(t, "refusals", slices.DeleteFunc(n.held, func(held string) bool { return strings.Contains(held, " ") }), []string{"account"})
}
