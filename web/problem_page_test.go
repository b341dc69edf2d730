package web_test

import (
	"testing"

	"microblogging/storage/drivertest"
)

func TestProblemPage(t *testing.T) {
	t.Run("a page says that the store does not answer", pageSaysThatTheStoreDoesNotAnswer)
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
