package web_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/storage/drivertest"
)

func TestProblemPage(t *testing.T) {
	t.Run("a page says that the store does not answer", pageSaysThatTheStoreDoesNotAnswer)
	t.Run("a store that hangs makes a page after ten seconds", storeThatHangsMakesAPageAfterTenSeconds)
	t.Run("a wrong method is refused with a page", wrongMethodIsRefusedWithAPage)
	t.Run("a problem page names its request and no cause", problemPageNamesItsRequestAndNoCause)
}

func pageSaysThatTheStoreDoesNotAnswer(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	s.channel("Engines", "ada")
	form := b.open("/channels/Engines").form("Post").fill("text", "Hello")
	s.breakStore(everyCall(drivertest.ErrInjected))
	for _, path := range []string{"/", "/channels/Engines", "/channels/new", "/sign-in", "/account", "/sign-in/link?token=x"} {
		p := b.open(path).want(503).says("The store does not answer", "Try again in 5 seconds")
		if p.header.Get("Retry-After") != "5" {
			t.Errorf("%s: Retry-After %q", path, p.header.Get("Retry-After"))
		}
	}
	form.press().want(503).says("may or may not have been saved", "Reload this page")
	s.mendStore()
	form.press().at("/channels/Engines").says("Hello") // as a reload does
	b.open("/how-deletion-works").want(200)
}

func storeThatHangsMakesAPageAfterTenSeconds(t *testing.T) {
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

func wrongMethodIsRefusedWithAPage(t *testing.T) {
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

func problemPageNamesItsRequestAndNoCause(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	s.breakStore(everyCall(drivertest.ErrInjected))
	p := b.open("/channels/Engines").want(503).saysNot("injected", "Engines", "engines")
	id := p.header.Get("X-Request-Id")
	p.says(id)
	if log := s.log.String(); !strings.Contains(log, id) || !strings.Contains(log, "injected fault") {
		t.Errorf("the log does not have %s:\n%s", id, log)
	}
}
