package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestBlogBatchAPI(t *testing.T) {
	t.Run("each entry is answered as a post alone", eachEntryIsAnsweredAlone)
	t.Run("a request that is no batch is refused whole", requestThatIsNoBatchIsRefusedWhole)
	t.Run("each entry is a write of its user", eachEntryIsAWrite)
	t.Run("a store that fails in the middle leaves what was made", storeThatFailsInTheMiddle)
	t.Run("a user has one batch at a time", userHasOneBatchAtATime)
}

const enginesBatch = "/api/v1/channels/Engines/blogs:batch"

// entry is one post of a batch. Members that are empty are left out.
type entry struct {
	Key   string `json:"key,omitempty"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text"`
}

// batch is a body with these entries.
func batch(entries ...any) change {
	body, err := json.Marshal(map[string]any{"items": entries})
	if err != nil {
		panic(err) // texts always marshal
	}
	return raw(string(body))
}

// entries are n posts, whose texts are their keys.
func entries(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = entry{Key: fmt.Sprint("k", i), Text: fmt.Sprint("k", i)}
	}
	return list
}

// statuses fails the test unless the entries of a batch have these.
func (a answer) statuses(want ...int) answer {
	a.t.Helper()
	var got []int
	items, _ := a.want(200).get("items").([]any)
	for i := range items {
		status := int(a.get(fmt.Sprintf("items.%d.status", i)).(float64))
		member := "problem"
		if status < 300 {
			member = "blog"
		}
		item := items[i].(map[string]any)
		if item[member] == nil || len(item) != 2 {
			a.t.Errorf("entry %d: %v", i, item)
		}
		if member == "problem" && (dig(item, "problem.status") != float64(status) || dig(item, "problem.requestId") != a.header.Get("X-Request-Id")) {
			a.t.Errorf("entry %d: %v", i, item)
		}
		got = append(got, status)
	}
	if !slices.Equal(got, want) {
		a.t.Fatalf("the entries are answered %v, want %v\n%s", got, want, a.body)
	}
	return a
}

func eachEntryIsAnsweredAlone(t *testing.T) {
	s, bob, channel := engines(t, "bob")
	earlier := s.do("POST", enginesBlogs, bearer(bob), header("Idempotency-Key", "earlier"), fields("text", "Earlier")).want(201)
	gone := s.do("POST", enginesBlogs, bearer(bob), header("Idempotency-Key", "gone"), fields("text", "Gone")).want(201)
	s.do("DELETE", blogPath(channel, domain.BlogID(gone.text("id"))), bearer(bob)).want(204)
	send := func() answer {
		return s.do("POST", enginesBatch, bearer(bob), batch(
			entry{Key: "new", Title: " Title ", Text: "One\r\ntwo"}, entry{Key: "earlier", Text: "Earlier"}, entry{Key: "earlier", Text: "Other"},
			entry{Key: "gone", Text: "Gone"}, entry{Key: "long", Title: strings.Repeat("é", 121), Text: " "}, "text", entry{Key: "new", Title: "Title", Text: "One\ntwo"},
			map[string]any{"text": "a", "color": "red"}, map[string]any{"key": "", "text": "a"}, map[string]any{"key": strings.Repeat("k", 256), "text": "a"},
			map[string]any{"title": nil, "key": nil, "text": "Without a key"}, map[string]any{"text": 1}, []any{},
		))
	}
	a := send().statuses(201, 200, 422, 410, 422, 400, 200, 422, 422, 422, 201, 422, 400)
	for path, want := range map[string]any{
		"items.0.blog.title": "Title", "items.0.blog.text": "One\ntwo", "items.0.blog.userId": "bob", "items.0.blog.channel": "Engines",
		"items.1.blog.id": earlier.text("id"), "items.2.problem.type": "urn:microblogging:key-reused",
		"items.4.problem.errors.0.field": "title", "items.4.problem.errors.1.field": "text", "items.6.blog.id": a.get("items.0.blog.id"),
		"items.7.problem.errors.0.field": "color", "items.8.problem.errors.0.field": "key", "items.9.problem.errors.0.field": "key",
		"items.11.problem.errors.0.field": "text", "items.12.problem.title": "Bad Request",
	} {
		a.holds(path, want)
	}
	if got := s.listed(enginesBlogs, "text"); len(got) != 3 {
		t.Errorf("the posts are %q", got)
	}
	// What was sent without a key is made each time.
	send().statuses(200, 200, 422, 410, 422, 400, 200, 422, 422, 422, 201, 422, 400)
	s.do("POST", enginesBatch, bearer(s.signUp("eve")), batch(entry{Key: "new", Text: "Another user's key"})).statuses(201)
	s.mustBeSound()
}

func requestThatIsNoBatchIsRefusedWhole(t *testing.T) {
	s, bob, _ := engines(t, "bob")
	for body, status := range map[string]int{
		"": 400, "[]": 400, `{"items":[{"text":"a"}`: 400, `{"items":[],"items":[{"text":"a"}]}`: 400, "{\"items\":[{\"text\":\"\xff\"}]}": 400,
		`{}`: 422, `{"items":null}`: 422, `{"items":{"text":"a"}}`: 422, `{"items":"a"}`: 422, `{"items":[]}`: 422,
		`{"items":[{"text":"a"}],"more":1}`: 422,
	} {
		a := s.do("POST", enginesBatch, bearer(bob), raw(body)).unwritten().want(status)
		if status == 422 && !strings.Contains(body, "more") {
			a.wantField("items")
		}
	}
	s.do("POST", enginesBatch, bearer(bob), batch(entries(34)...)).unwritten().want(422).wantField("items")
	s.do("POST", enginesBatch, batch(entries(1)...)).unwritten().want(401)
	s.do("POST", "/api/v1/channels/Nothing/blogs:batch", bearer(bob), batch(entries(1)...)).unwritten().want(404)
	s.do("GET", enginesBatch).want(405)
}

func eachEntryIsAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := limited(t, 0.4, 3)
		token := s.signUp("ada")
		s.channel("Engines", "ada")
		send := func(list ...any) answer { return s.do("POST", enginesBatch, bearer(token), batch(list...)) }
		a := send(entry{Key: "a", Text: "a"}, entry{Text: " "}, entry{Key: "b", Text: "b"}, entry{Key: "c", Text: "c"}, entry{Text: " "}).
			statuses(201, 422, 201, 429, 429)
		if got := a.header.Get("Retry-After"); got != "3" || a.get("items.3.problem.retryAfter") != 3.0 { // a token comes each 2.5 s
			t.Errorf("Retry-After %q\n%s", got, a.body)
		}
		send(entry{Text: "none"}).unwritten().wantRetryAfter(3)
		time.Sleep(5 * time.Second)
		a = send(entry{Key: "c", Text: "c"}, entry{Key: "a", Text: "a"}).statuses(201, 200)
		is(t, "Retry-After", a.header.Get("Retry-After"), "")
		s.do("POST", enginesBlogs, bearer(token), fields("text", "alone")).want(429)
	})
}

// onTransaction is a hook for the transactions on the table Blogs.
func onTransaction(do func(send func() error) error) drivertest.Hook {
	return func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method != "Transact" || call.Target != "Blogs" {
			return send(ctx)
		}
		return do(func() error { return send(ctx) })
	}
}

// The first transaction is refused for a key that was used before. The second is not
// answered.
func storeThatFailsInTheMiddle(t *testing.T) {
	s, bob, _ := engines(t, "bob")
	s.do("POST", enginesBlogs, bearer(bob), header("Idempotency-Key", "k1"), fields("text", "k1")).want(201)
	n := 0
	s.breakStore(onTransaction(func(send func() error) error {
		if n++; n > 1 {
			return errors.Join(domain.ErrUnavailable, errors.New("dial tcp 10.0.0.1: connection refused"))
		}
		return send()
	}))
	before := len(s.log.String())
	a := s.do("POST", enginesBatch, bearer(bob), batch(entries(3)...)).statuses(503, 200, 503)
	a.headed("Retry-After", "5").lacks("10.0.0.1")
	if log := s.log.String()[before:]; strings.Count(log, "10.0.0.1") != 1 || !strings.Contains(log, a.header.Get("X-Request-Id")) {
		t.Errorf("the log says %s", log)
	}
}

func userHasOneBatchAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		ada, bob := s.signUp("ada"), s.signUp("bob")
		s.channel("Engines", "ada")
		end, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			s.do("POST", enginesBatch, bearer(ada), func(r *http.Request) {
				r.Header.Set("Content-Type", "application/json")
				r.Body, r.ContentLength = io.NopCloser(&held{1 << 20, end}), -1
			}).want(400)
		}()
		synctest.Wait()
		s.do("POST", enginesBatch, bearer(ada), batch(entries(1)...)).want(429).headed("Retry-After", "1")
		s.do("POST", enginesBatch, bearer(bob), batch(entries(1)...)).statuses(201)
		close(end)
		<-ended
		s.do("POST", enginesBatch, bearer(ada), batch(entries(1)...)).statuses(201)
	})
}
