package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/storage/storagetest"
)

func failing(context.Context, storagetest.Call, storagetest.Send) error {
	return storagetest.ErrInjected
}

// hanging never answers.
func hanging(ctx context.Context, _ storagetest.Call, _ storagetest.Send) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestAStoreThatDoesNotAnswerMakesAPageThatSaysSo(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	s.channel("Engines", "ada")
	form := b.open("/channels/Engines").form("Post").fill("text", "Hello")
	s.breakStore(failing)
	for _, path := range []string{"/", "/channels/Engines", "/channels/new", "/sign-in", "/account", "/sign-in/link?token=x"} {
		p := b.open(path).want(503).says("The store does not answer", "Try again in 5 seconds")
		if p.header.Get("Retry-After") != "5" {
			t.Errorf("%s: Retry-After %q", path, p.header.Get("Retry-After"))
		}
	}
	form.press().want(503).says("may or may not have been saved", "Reload this page")
	s.mendStore()
	form.press().at("/channels/Engines").says("Hello") // what reloading does
	b.open("/how-deletion-works").want(200)
}

func TestAStoreThatHangsMakesAPageAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.breakStore(hanging)
		start := time.Now()
		s.browser().open("/channels").want(503).says("The store does not answer").follow("How deletion works").want(200)
		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestAFormWhoseReplyWasLostMakesOnePost(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	s.channel("Engines", "ada")
	form := b.open("/channels/Engines").form("Post").fill("title", "Once").fill("text", "Hello")
	s.breakStore(storagetest.Only(storagetest.Writes, storagetest.FailAfter(1)))
	form.press().want(503)
	if got := form.press().at("/channels/Engines").titles(); len(got) != 1 {
		t.Errorf("posts %q", got)
	}
}

func TestADamagedFormIsRefusedUnread(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	s.channel("Engines", "ada")
	const urlencoded = "application/x-www-form-urlencoded"
	for name, test := range map[string]struct {
		send   change
		status int
	}{
		"too large":            {posted(url.Values{"text": {strings.Repeat("x", 64<<10)}}), 413},
		"too large, multipart": {multiparted(url.Values{"text": {strings.Repeat("x", 64<<10)}}), 413},
		"too large, chunked":   {chunked(urlencoded, "text="+strings.Repeat("x", 64<<10)), 413},
		"too large, chunked multipart": {chunked("multipart/form-data; boundary=x",
			"--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n"+strings.Repeat("x", 64<<10)), 413},
		"JSON":                {typed("application/json", `{"text":"x"}`), 415},
		"no type":             {typed("", "text=x"), 415},
		"a type that is none": {typed(";;", "text=x"), 415},
		"bad escape":          {typed(urlencoded, "text=%zz"), 400},
		"cut multipart":       {typed("multipart/form-data; boundary=x", "--x\r\nContent-Disp"), 400},
		"no boundary":         {typed("multipart/form-data", "--x--"), 400},
		"another origin":      {both(posted(url.Values{"text": {"x"}}), header("Origin", "https://evil.example")), 403},
		"another site":        {both(posted(url.Values{"text": {"x"}}), header("Sec-Fetch-Site", "cross-site")), 403},
		"nothing":             {typed("", ""), 422},
		"a file as text": {typed("multipart/form-data; boundary=x",
			"--x\r\nContent-Disposition: form-data; name=\"text\"; filename=\"a\"\r\n\r\nwords\r\n--x--\r\n"), 422},
	} {
		t.Run(name, func(t *testing.T) {
			before := s.writes.Load()
			b.send("POST", "/channels/Engines?text=in+the+query&title=too", test.send).want(test.status)
			if n := s.writes.Load() - before; n != 0 {
				t.Errorf("%d writes", n)
			}
		})
	}
	b.open("/channels/Engines").says("Nothing here yet")
}

func both(a, b change) change { return func(r *http.Request) { a(r); b(r) } }

// chunked is a body that does not announce its length.
func chunked(contentType, body string) change {
	return both(typed(contentType, body), func(r *http.Request) { r.ContentLength = -1 })
}

func TestAMethodThatAPageDoesNotHaveIsRefusedAsAPage(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	for _, path := range []string{"/", "/channels", "/how-deletion-works"} {
		p := b.send("POST", path, posted(nil)).want(405)
		if p.header.Get("Allow") == "" {
			t.Errorf("%s: no Allow", path)
		}
	}
	b.send("PUT", "/channels/new").want(405)
	b.send("DELETE", "/channels/Engines").want(405)
}

func TestAProblemPageNamesItsRequestAndNoCause(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	s.breakStore(failing)
	p := b.open("/channels/Engines").want(503).saysNot("injected", "Engines", "engines")
	id := p.header.Get("X-Request-Id")
	p.says(id)
	if log := s.log.String(); !strings.Contains(log, id) || !strings.Contains(log, "injected fault") {
		t.Errorf("the log does not tell of %s:\n%s", id, log)
	}
}

func TestAPageIsAskedForByHeadAsByGet(t *testing.T) {
	s := newSite(t)
	s.channel("Engines", string(s.author("ada")))
	for _, path := range []string{"/", "/channels/Engines", "/nothing"} {
		get, head := s.do("GET", path), s.do("HEAD", path)
		if get.status != head.status || get.header.Get("Content-Length") == "" {
			t.Errorf("%s: GET %d %v, HEAD %d", path, get.status, get.header, head.status)
		}
	}
}

func TestAChannelPageReadsNoMoreThanItShows(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	channel := s.channel("Engines", "ada")
	for range 30 {
		s.post(channel, "ada", "Hello")
	}
	for who, test := range map[string]struct {
		send change
		want string
	}{
		"a stranger":         {func(*http.Request) {}, "Get Channels, Range Blogs, Range Blogs"},
		"somebody signed in": {cookie(token), "Get Sessions, Get Users, Get Channels, Range Blogs, Range Blogs, Get Subscriptions"},
	} {
		var calls []string
		s.breakStore(func(ctx context.Context, call storagetest.Call, send storagetest.Send) error {
			calls = append(calls, call.Method+" "+call.Target)
			return send(ctx)
		})
		s.do("GET", "/channels/Engines", test.send).want(200)
		if got := strings.Join(calls, ", "); got != test.want {
			t.Errorf("for %s: %s", who, got)
		}
	}
}
