package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/storage/drivertest"
	"microblogging/storage/schema"
	"microblogging/web"
)

func TestWriteLimit(t *testing.T) {
	t.Run("a user who writes too fast is told when to go on", userWhoWritesTooFastIsToldWhenToGoOn)
	t.Run("all users of one client are limited together", allUsersOfOneClientAreLimitedTogether)
}

// limited makes a site with this limit. It must be made in a bubble, whose clock fills
// the buckets.
func limited(t *testing.T, perSecond float64, burst int) *site {
	return newSiteWith(t, web.Options{Version: "test", WriteRate: perSecond, WriteBurst: burst})
}

func allUsersOfOneClientAreLimitedTogether(t *testing.T) {
	s := limited(t, 1.0/3600, 1) // and 10 of one client, which has a network of 64 bits
	s.channel("Engines", "ada")
	from := func(peer, name string) answer {
		return s.do("PUT", subscriptions+"/Engines", bearer(s.session(name)), func(r *http.Request) { r.RemoteAddr = peer })
	}
	for n := range 12 {
		s.author("user_" + strconv.Itoa(n))
	}
	for n := range 10 {
		from("[2001:db8::1]:1000", "user_"+strconv.Itoa(n)).want(204)
	}
	if a := from("[2001:db8::2]:1000", "user_10").want(429); !slices.Equal(a.header.Values("RateLimit"), []string{`"user";r=0;t=3600`, `"client";r=0;t=3600`}) {
		t.Errorf("%v", a.header)
	}
	from("[2001:db8:0:1::2]:1000", "user_11").want(204)
}

func (a answer) wantRetryAfter(seconds int) {
	a.t.Helper()
	a.want(429).headed("Retry-After", strconv.Itoa(seconds))
}

// retries fails the test unless the client is told to come again in so many seconds at most.
func (a answer) retries(most int) answer {
	a.t.Helper()
	if seconds, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || seconds < 1 || seconds > most {
		a.t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
	}
	return a
}

func userWhoWritesTooFastIsToldWhenToGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := limited(t, 0.4, 3)
		token := s.signUp("ada")
		s.channel("Engines", "ada")
		post := func() answer {
			return s.do("POST", "/api/v1/channels/Engines/blogs", bearer(token), fields("text", "Hello"))
		}
		for range 3 {
			post().want(201)
		}
		a := post().unwritten()
		a.wantRetryAfter(3) // a token comes each 2.5 s
		a.holds("title", "Too Many Requests").has("Nothing was saved")
		s.do("GET", "/api/v1/channels/Engines", bearer(token)).want(200)
		time.Sleep(2 * time.Second)
		post().wantRetryAfter(3)
		time.Sleep(time.Second)
		post().want(201)
		post().want(429)
	})
}

func TestStreamLimit(t *testing.T) {
	t.Run("one client has sixteen streams and no more", oneClientHasSixteenStreamsAndNoMore)
	t.Run("all clients together have 512 streams and no more", allClientsTogetherHave512StreamsAndNoMore)
}

// open opens a stream from a peer and returns what leaves it again, after the server
// has noticed. It must run in a bubble.
func (w watch) open(peer string) (leave func()) {
	w.Helper()
	ctx, cancel := context.WithCancel(w.Context())
	var ended atomic.Int64
	go func() { ended.Store(int64(w.from(ctx, peer).status)) }()
	synctest.Wait()
	if status := ended.Load(); status != 0 {
		w.Errorf("the stream of %s ended immediately with %d", peer, status)
	}
	return func() { cancel(); synctest.Wait() }
}

// from sends the request for a stream from a peer, and waits for the end of the answer.
func (w watch) from(ctx context.Context, peer string) answer {
	return w.do("GET", w.path, cookie(w.token), func(r *http.Request) { *r = *r.WithContext(ctx); r.RemoteAddr = peer })
}

func (w watch) wantFull(peer string) {
	w.Helper()
	a := w.from(w.Context(), peer).want(503)
	a.retries(60).has("Too many live pages").lacks("store")
	if log := w.log.String(); strings.Contains(log, "level=ERROR") {
		w.Errorf("a refusal is logged as a fault:\n%s", log)
	}
}

func oneClientHasSixteenStreamsAndNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(t, nil)
		leave := w.open("192.0.2.1:1000")
		for port := range 15 {
			defer w.open(fmt.Sprintf("192.0.2.1:%d", 2000+port))()
		}
		w.wantFull("192.0.2.1:3000")
		defer w.open("192.0.2.2:1000")() // another client
		leave()
		defer w.open("192.0.2.1:1001")()
		w.wantFull("192.0.2.1:3001")
		for host := range 16 {
			defer w.open(fmt.Sprintf("[2001:db8::%d]:1000", host))()
		}
		w.wantFull("[2001:db8::ffff]:1000")
	})
}

func allClientsTogetherHave512StreamsAndNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(t, nil)
		leave := w.open("192.0.2.1:1000")
		for n := range 511 {
			defer w.open(fmt.Sprintf("198.51.100.%d:1000", n/16))()
		}
		w.wantFull("203.0.113.1:1000")
		leave()
		defer w.open("203.0.113.1:1000")()
		w.wantFull("203.0.113.2:1000")
	})
}

func TestCostly(t *testing.T) {
	t.Run("work waits for its turn, and keeps no other page waiting", costlyWorkWaitsForItsTurn)
	t.Run("work that waits keeps no other page of its client waiting", costlyWorkKeepsNoPageOfItsClientWaiting)
	t.Run("work of one client is done one at a time", costlyWorkOfOneClientIsOneAtATime)
	t.Run("work of users who are signed in waits for no other client", usersWaitForNoOtherClient)
	t.Run("work of one kind waits for no other kind", kindsDoNotWaitForEachOther)
	t.Run("work is to merge and to preview too", mergesAndPreviewsAreOneAtATime)
	t.Run("work is to mark what was found too", marksAreMadeInASlot)
}

// A costlyPath takes thousands of rows or calls. who asks for it: one user, or an anonymous client.
type costlyPath struct {
	who  change
	user bool
}

func (s *site) costlyPaths() map[string]costlyPath {
	token, engines := s.signUp("ada"), s.channel("Engines", "ada")
	post := s.post(engines, "ada", "Hello")
	s.subscribe("ada", engines)
	secret, err := s.store.Accounts.NewDigestAddress(s.Context(), "ada")
	ok(s, err)
	anonymous, ada := costlyPath{header("Accept", "*/*"), false}, costlyPath{bearer(token), true}
	return map[string]costlyPath{
		findPath: anonymous, "/channels/Engines?find=hello": anonymous,
		"/search?q=hello": anonymous, "/api/v1/search?q=hello": anonymous,
		"/channels/Engines?newer=" + string(post.ID):                                     anonymous,
		"/digest/ada/" + secret + "/feed.atom?tz=" + url.QueryEscape("Pacific/Honolulu"): {anonymous.who, true},
		digestPath: ada, "/digest": ada,
	}
}

const findPath = enginesBlogs + "?find=hello"

// slowly calls work with a store that takes nearly as long to read a list, but not gates, as requests wait.
func (s *site) slowly(work func()) {
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Blogs" && call.Method != "Get" && !strings.HasPrefix(call.From, schema.GatePrefix) {
			time.Sleep(1900 * time.Millisecond)
		}
		return send(ctx)
	})
	defer s.mendStore()
	work()
}

// ask asks for a path once for each of some clients at the same time. What it returns waits for all answers, and
// returns how many clients were refused.
func (s *site) ask(path string, who change, clients ...int) (answered func() (refused int64)) {
	var refused atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for _, client := range clients {
		all.Go(func() {
			a := s.do("GET", path, who, func(r *http.Request) { r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1000", client) })
			if a.status != 503 {
				return
			}
			refused.Add(1)
			if took := time.Since(began); took < 2*time.Second || a.header.Get("Retry-After") == "" {
				s.Errorf("%s is refused after %s with Retry-After %q", path, took, a.header.Get("Retry-After"))
			}
		})
	}
	synctest.Wait()
	return func() int64 { all.Wait(); return refused.Load() }
}

// crowded calls test with a site of which each kind of costly work has two slots, and which keeps nothing.
func crowded(t *testing.T, test func(t *testing.T, s *site)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	synctest.Test(t, func(t *testing.T) { test(t, newSiteWith(t, web.Options{Version: "test", PageCache: 1})) })
}

// Some make one slow call in their slot: two clients more get their turn in time.
func costlyWorkWaitsForItsTurn(t *testing.T) {
	crowded(t, func(t *testing.T, s *site) {
		for path, p := range s.costlyPaths() {
			least, most := int64(2), int64(4)
			if p.user {
				least, most = 4, 5
			}
			s.slowly(func() {
				answered, began := s.ask(path, p.who, 1, 2, 3, 4, 5, 6), time.Now()
				s.do("GET", "/api/v1/channels").want(200)
				if took := time.Since(began); took > 0 {
					t.Errorf("%s: another page takes %s", path, took)
				}
				if refused := answered(); refused < least || refused > most {
					t.Errorf("%s: of six, %d are refused", path, refused)
				}
			})
		}
	})
}

func costlyWorkKeepsNoPageOfItsClientWaiting(t *testing.T) {
	crowded(t, func(t *testing.T, s *site) {
		ada := s.costlyPaths()[digestPath].who
		s.slowly(func() {
			answered, began := s.ask(digestPath, ada, 1, 1, 1, 1, 1, 1), time.Now()
			s.do("GET", "/api/v1/subscriptions", ada).want(200)
			if took := time.Since(began); took > 0 {
				t.Errorf("another page of the user takes %s", took)
			}
			answered()
		})
	})
}

func costlyWorkOfOneClientIsOneAtATime(t *testing.T) {
	crowded(t, func(t *testing.T, s *site) {
		paths := s.costlyPaths()
		s.slowly(func() {
			if refused := s.ask(findPath, paths[findPath].who, 1, 1, 1)(); refused != 1 {
				t.Errorf("of three of one address, %d are refused", refused)
			}
			if refused := s.ask(digestPath, paths[digestPath].who, 1, 2, 3)(); refused != 1 {
				t.Errorf("of three of one user, %d are refused", refused)
			}
		})
	})
}

func usersWaitForNoOtherClient(t *testing.T) {
	crowded(t, func(t *testing.T, s *site) {
		anonymous, bob := s.costlyPaths()[findPath].who, bearer(s.signUp("bob"))
		s.slowly(func() {
			finding := func() time.Duration {
				began := time.Now()
				s.do("GET", findPath, bob).want(200)
				return time.Since(began)
			}
			alone, others := finding(), s.ask(findPath, anonymous, 1, 2, 3, 4, 5, 6)
			if took := finding(); took != alone {
				t.Errorf("a user is answered after %s, and after %s if there are no others", took, alone)
			}
			if others() == 0 {
				t.Error("no other client is refused")
			}
		})
	})
}

// The second of two requests of a client gets its turn in time, and a third would not.
func kindsDoNotWaitForEachOther(t *testing.T) {
	crowded(t, func(t *testing.T, s *site) {
		paths := s.costlyPaths()
		s.slowly(func() {
			answered := map[string]func() int64{}
			for path, p := range paths {
				if path != "/channels/Engines?find=hello" && path != "/digest" && path != "/search?q=hello" { // two of these are of one kind
					answered[path] = s.ask(path, p.who, 1, 1)
				}
			}
			for path, refused := range answered {
				if refused() > 0 {
					t.Errorf("%s is refused, although one other request of its kind is under way", path)
				}
			}
		})
	})
}

func mergesAndPreviewsAreOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, path, second := meeting(t)
		b, bob := s.again("ada"), s.signedIn("bob")
		stale := b.open(path+"/edit").form("Save").fill("text", "Not lost")
		s.again("ada").open(path+"/edit").form("Save").fill("text", "Third").press().atPost(path)
		var held atomic.Bool
		s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Method == "Get" && strings.HasPrefix(call.Row, "blog!") && !held.Swap(true) {
				time.Sleep(5 * time.Second)
			}
			return send(ctx)
		})
		var merge sync.WaitGroup
		merge.Go(func() {
			second.form("Save this text").fill("text", " ").press().want(422).says("Two versions of one post")
		})
		synctest.Wait()
		began := time.Now()
		b.send("POST", "/preview", preview("", "Hello")).want(503)
		stale.press().want(503).says("Yours changed nothing.", "Not lost")
		if took := time.Since(began); took != 4*time.Second {
			t.Errorf("they waited for %s together, want 2 s each", took)
		}
		bob.send("POST", "/preview", preview("", "Hello")).want(200)
		merge.Wait()
	})
}

// A user's view of what was found is kept, so the second request for it makes the marks alone.
func marksAreMadeInASlot(t *testing.T) {
	for _, list := range []string{enginesBlogs, "/channels/Engines"} {
		synctest.Test(t, func(t *testing.T) {
			s := newSiteWith(t, web.Options{Version: "test", PageCache: 1 << 20})
			ada := s.costlyPaths()[digestPath].who
			found := func() time.Duration {
				began := time.Now()
				s.do("GET", list+"?find=hello", ada).want(200)
				return time.Since(began)
			}
			found()
			s.slowly(func() {
				alone, other := found(), s.ask(list+"?find=other", ada, 1)
				longest := alone
				for range 4 { // in one of the calls of the other request, that has a slot
					time.Sleep(700 * time.Millisecond)
					longest = max(longest, found())
				}
				if longest == alone {
					t.Errorf("%s: marks are made after %s, also while another request of the user has a slot", list, alone)
				}
				if other() > 0 {
					t.Errorf("%s: the other request is refused", list)
				}
			})
		})
	}
}

func TestGuard(t *testing.T) {
	t.Run("HTTPS stays on after the first use", httpsStaysOnAfterTheFirstUse)
	t.Run("a trusted proxy reports whether the connection is secure", trustedProxySaysWhetherTheConnectionIsSecure)
	t.Run("the base URL is no other origin", baseURLIsNoOtherOrigin)
}

func httpsStaysOnAfterTheFirstUse(t *testing.T) {
	s := newSiteWith(t, web.Options{BaseURL: &url.URL{Scheme: "https", Host: "blog.example"}})
	if got := s.do("GET", "/healthz").header.Get("Strict-Transport-Security"); got == "" {
		t.Error("no Strict-Transport-Security")
	}
	token := s.signUp("ada")
	s.do("POST", "/api/v1/channels", header("Cookie", "session="+token), fields("name", "Engines")).want(401)
	s.do("POST", "/api/v1/channels", header("Cookie", "__Host-session="+token), fields("name", "Engines")).want(201)
}

func trustedProxySaysWhetherTheConnectionIsSecure(t *testing.T) {
	for _, trust := range []bool{true, false} {
		s := newSiteWith(t, web.Options{TrustProxy: trust})
		token := s.signUp("ada")
		a := s.do("DELETE", "/api/v1/sessions/current", header("X-Forwarded-Proto", "https"),
			header("Cookie", "__Host-session="+token+"; session="+token)).want(204)
		cleared, err := http.ParseSetCookie(a.header.Get("Set-Cookie"))
		ok(t, err)
		if cleared.Secure != trust || strings.HasPrefix(cleared.Name, "__Host-") != trust ||
			!cleared.HttpOnly || cleared.SameSite != http.SameSiteLaxMode || cleared.Path != "/" || cleared.Domain != "" {
			t.Errorf("trusted %t: %s", trust, cleared)
		}
	}
}

// A proxy may change the Host; the browser sends the origin of the base URL.
func baseURLIsNoOtherOrigin(t *testing.T) {
	s := newSiteWith(t, web.Options{BaseURL: &url.URL{Scheme: "https", Host: "blog.example"}})
	token := header("Cookie", "__Host-session="+s.signUp("ada"))
	create := func(name, origin string) answer {
		return s.do("POST", "/api/v1/channels", token, header("Origin", origin), fields("name", name))
	}
	create("Engines", "https://blog.example").want(201)
	create("Wheels", "https://evil.example").want(403)
}
