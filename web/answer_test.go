package web_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
	"microblogging/templates"
	"microblogging/web"
)

func TestAnswer(t *testing.T) {
	t.Run("of many bytes is refused to a client who has not read others, and to no other client", answersOfAClientAreBounded)
	t.Run("to a write or of a refusal is sent whatever its client has not read", answersToWritesAreSent)
	t.Run("is one of four in the making for a client, and of sixteen for all, but users wait for no other client", answersInTheMakingAreBounded)
	t.Run("of many posts has at most a mebibyte, and leads to the rest", listsAreBounded)
	t.Run("is kept once, whatever else the query says", answersAreKeptOnce)
}

// begin opens a connection of a client and sends a request. It reads the head of the answer.
func (s *site) begin(path, client string, headers ...string) (status int, header http.Header, body io.Reader) {
	s.Helper()
	conn := s.dialFrom(client)
	s.request(conn, path, headers...)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	ok(s, err)
	return response.StatusCode, response.Header, response.Body
}

func answersOfAClientAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		user := "Authorization: Bearer " + s.signUp("ada")
		s.fill(s.channel("Engines", "ada"), "ada", 50)
		s.post(s.channel("Small", "ada"), "ada", "Hello")
		const list = "/api/v1/users/ada/blogs?limit=50"
		for _, long := range []string{list, "/channels/Engines/feed.json", "/channels/Engines/feed.atom"} {
			var unread []io.Reader
			refused := 0
			for range 8 {
				status, header, body := s.begin(long, "192.0.2.1")
				if status == http.StatusOK {
					unread = append(unread, body)
					continue
				}
				refused++
				says, err := io.ReadAll(body)
				ok(t, err)
				if status != http.StatusServiceUnavailable || header.Get("Retry-After") != "5" || header.Get("ETag")+header.Get("Link") != "" ||
					!strings.Contains(string(says), "has asked for more than it reads") {
					t.Errorf("%s is refused with %d, %v: %s", long, status, header, says)
				}
			}
			if len(unread) < 2 || refused < 4 {
				t.Errorf("%d answers of %s wait for a client, and %d were refused", len(unread), long, refused)
			}
			for path, client := range map[string]string{"/channels/Small": "192.0.2.1", long: "192.0.2.2"} {
				status, _, body := s.begin(path, client)
				if _, err := io.Copy(io.Discard, body); err != nil || status != http.StatusOK {
					t.Errorf("meanwhile %s is answered to %s with %d, %v", path, client, status, err)
				}
			}
			if status, _, _ := s.begin(list, "192.0.2.1", user); status != http.StatusOK {
				t.Errorf("meanwhile a user with the address is answered with %d", status)
			}
			if _, err := io.Copy(io.Discard, unread[0]); err != nil {
				t.Error(err)
			}
			for what, wait := range map[string]time.Duration{"one was read": 0, "the others were cut off": time.Minute} {
				time.Sleep(wait)
				if status, _, _ := s.begin(long, "192.0.2.1"); status != http.StatusOK {
					t.Errorf("once %s, it is %d", what, status)
				}
				time.Sleep(time.Minute)
			}
			if log := s.log.String(); strings.Contains(log, "level=ERROR") {
				t.Errorf("it is logged as a fault:\n%s", log)
			}
		}
	})
}

func answersToWritesAreSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSiteWith(t, web.Options{Version: "test", Routes: map[string]web.Handler{
			"/refused": func(http.ResponseWriter, *http.Request, templates.Page) (templates.Response, error) {
				return templates.Response{}, &templates.Refusal{Problem: templates.Problem{Status: http.StatusNotFound, Title: "Refused", Detail: strings.Repeat("<", 20_000)}}
			}}})
		token, channel := s.signUp("ada"), s.channel("Engines", "ada")
		from := func(r *http.Request) { r.RemoteAddr = "192.0.2.1:1000" }
		long := strings.Repeat("<", 4900)
		for n := range 50 {
			s.post(channel, "ada", long+strconv.Itoa(n))
		}
		post := "/api/v1/channels/Engines/blogs/" + string(s.post(channel, "ada", long).ID)
		time.Sleep(time.Second)
		s.post(channel, "ada", long[:2800]) // the newest, an answer of which is counted just so
		tag := s.do("GET", post).want(200).header.Get("ETag")
		if tag == "" {
			t.Fatal("no entity tag")
		}
		for _, headers := range [][]string{nil, {"Authorization: Bearer " + token}} { // both clients leave all unread that they get
			for _, limit := range []string{"50", "49", "48", "10", "4", "2", "1"} {
				for status := http.StatusOK; status == http.StatusOK; {
					status, _, _ = s.begin("/api/v1/users/ada/blogs?limit="+limit, "192.0.2.1", headers...)
				}
			}
		}
		saved := s.do("PUT", post, from, bearer(token), header("If-Match", tag), fields("text", long+"new")).want(200)
		if len(saved.body) <= 16<<10 {
			t.Errorf("the answer has %d bytes, which are not counted", len(saved.body))
		}
		stale := s.do("PUT", post, from, bearer(token), header("If-Match", tag), fields("text", "lost?")).want(412)
		stale.holds("status", 412.0)
		s.do("POST", "/api/v1/channels/Engines/blogs", from, bearer(token), fields("text", long)).want(201)
		for _, as := range []change{header("Accept", "*/*"), cookie(token)} {
			refused := s.do("POST", "/channels/Nope", from, as, posted(url.Values{"text": {strings.Repeat(`"`, 4900)}}))
			if refused.status/100 != 4 || strings.Count(string(refused.body), "&#34;") < 4900 {
				t.Errorf("a form is answered %d with %d bytes", refused.status, len(refused.body))
			}
		}
		s.do("GET", "/refused", from).want(404)
		s.do("POST", "/preview", from, cookie(token), posted(url.Values{"text": {long}})).want(503)
		s.do("GET", "/channels/Engines", from, cookie(token)).want(503)
		secret, err := s.store.Accounts.NewDigestAddress(t.Context(), "ada")
		ok(t, err)
		once := s.do("GET", "/digest", from, header("Cookie", "session="+token+"; digest-secret="+secret)).want(503)
		if set := strings.Join(once.header["Set-Cookie"], " "); strings.Contains(set, "digest-secret") {
			t.Errorf("an address that was not shown is forgotten: %s", set)
		}
	})
}

func answersInTheMakingAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		ada := cookie(s.signUp("ada"))
		mended := make(chan struct{})
		var reading atomic.Int64
		s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Target == "Channels" {
				reading.Add(1)
				select {
				case <-mended:
				case <-ctx.Done():
				}
			}
			return send(ctx)
		})
		answered, asked := make(chan int, 100), 0
		ask := func(client int, as change, requests int) {
			for range requests {
				asked++
				name, method := strconv.Itoa(asked), []string{"GET", "HEAD"}[asked%2]
				go func() {
					answered <- s.do(method, "/channels/new"+name, as, func(r *http.Request) { r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1000", client) }).status
				}()
			}
			synctest.Wait()
		}
		anyone := header("Accept", "*/*")
		ask(1, anyone, 1)
		each := reading.Load()
		ask(1, anyone, 9)
		is(t, "calls of the store for a client", reading.Load(), 4*each)
		ask(2, anyone, 1)
		is(t, "with those for another client", reading.Load(), 5*each)
		before := reading.Load()
		ask(1, ada, 1)
		mine := reading.Load() - before
		if mine == 0 {
			t.Error("a user waits for others with the same address")
		}
		ask(2, ada, 9)
		is(t, "calls for the user", reading.Load()-before, 4*mine)
		for client := range 5 {
			ask(10+client, anyone, 4)
		}
		is(t, "calls for all clients together", reading.Load()-4*mine, 16*each)
		close(mended)
		for range asked {
			is(t, "an answer", <-answered, http.StatusNotFound)
		}
	})
}

// cells is the text that becomes the longest HTML.
func cells(n int) string {
	head := strings.Repeat("|", 70) + "\n" + strings.Repeat("|:-:", 69) + "|\n"
	return fmt.Sprintf("is of %d.\n\n", n) + (head + strings.Repeat(strings.Repeat("|", 70)+"\n", 70))[:4980]
}

// nextLink is the link to the next part in a header, an Atom feed, and a JSON Feed.
var nextLink = regexp.MustCompile(`<([^>]*)>; rel="next"|rel="next"[^>]* href="([^"]*)"|"next_url":"([^"]*)"`)

func nextOf(a answer) string {
	found := nextLink.FindStringSubmatch(a.header.Get("Link") + string(a.body))
	return strings.Join(found[min(1, len(found)):], "")
}

func listsAreBounded(t *testing.T) {
	const posts, most = 60, 1 << 20
	for name, text := range map[string]func(int) string{
		"markup": cells, "escapes": func(n int) string { return fmt.Sprintf("is of %d.\n\n", n) + strings.Repeat("<", 4980) },
	} {
		s := newSite(t)
		token := s.signUp("ada")
		channel := s.channel("Engines", "ada")
		atom, json := feedsOf(channel)
		for n := range posts {
			s.post(channel, "ada", text(n))
		}
		for _, list := range []string{
			atom, json, listPath + "?limit=100", listPath + "?limit=100&find=of", "/api/v1/latest?limit=100", "/api/v1/search?limit=100&q=of", "/api/v1/feed?limit=100",
			"/api/v1/users/ada/blogs?limit=100", "/api/v1/digest?limit=100", "/api/v1/channels/Engines/blogs?limit=100&order=rating",
		} {
			met, answers := map[string]int{}, 0
			for path := list; path != ""; answers++ {
				a := s.do("GET", path, bearer(token)).want(200)
				if len(a.body) > most {
					t.Errorf("%s of %s has %d bytes", path, name, len(a.body))
				}
				found := 0
				for n := range posts {
					if strings.Contains(string(a.body), fmt.Sprintf(" of %d.", n)) {
						met[fmt.Sprint(n)]++
						found++
					}
				}
				if path = nextOf(a); found == 0 && path != "" {
					t.Errorf("%s of %s has no post, and leads on", list, name)
				}
			}
			if len(met) != posts {
				t.Errorf("%s of %s has %d of %d posts in %d answers", list, name, len(met), posts, answers)
			}
			for n, times := range met {
				if times > 1 {
					t.Errorf("%s of %s has post %s %d times", list, name, n, times)
				}
			}
		}
		for _, page := range []string{"/", "/latest", "/channels/Engines", "/channels/Engines?find=of", "/search?q=of", "/users/ada", "/digest", "/channels/Engines?order=rating"} {
			a := s.do("GET", page, cookie(token)).want(200)
			if len(a.body) > most {
				t.Errorf("%s of %s has %d bytes", page, name, len(a.body))
			}
		}
	}
}

func answersAreKeptOnce(t *testing.T) {
	s, n := observed(t)
	engines := domain.Channel{Name: "Engines"}
	atom, json := feedsOf(engines)
	for _, path := range []string{"/channels/Engines", "/latest", atom, json, listPath, "/api/v1/latest"} {
		queries := []string{"?x=1", "?x=2&x=3", "?order2=x"}
		if strings.HasPrefix(path, "/api/") { // which has no unknown parameters
			queries = []string{"?limit=20&limit=21", "?%6cimit=20"}
			path += "?limit=20"
		}
		want := s.do("GET", path).want(200)
		n.held = nil
		for _, query := range queries {
			other, _, _ := strings.Cut(path, "?")
			if a := s.do("GET", other+query).want(200); string(a.body) != string(want.body) {
				t.Errorf("%s differs from %s", other+query, path)
			}
		}
		for _, held := range n.held {
			if held != "page true" {
				t.Errorf("%s: %q", path, n.held)
				break
			}
		}
	}
}
