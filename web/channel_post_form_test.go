package web_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"microblogging/domain"
)

func TestPostForm(t *testing.T) {
	t.Run("a form sent twice makes one post", formSentTwiceMakesOnePost)
	t.Run("a form sent again with another text asks first", formSentAgainWithAnotherTextAsksFirst)
	t.Run("a form whose post was deleted does not bring it back", formWhosePostWasDeletedDoesNotBringItBack)
	t.Run("a bad post is shown again as it was typed", badPostIsShownAgainAsItWasTyped)
}

func formSentTwiceMakesOnePost(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	s.channel("Engines", "ada")
	form := b.open("/channels/Engines").form("Post").fill("title", "Once").fill("text", "Hello")
	for range 3 {
		if got := form.press().at("/channels/Engines").titles(); !slices.Equal(got, []string{"Once"}) {
			t.Fatalf("posts %q", got)
		}
	}
	b.send("POST", "/channels/Engines", multiparted(form.values)).at("/channels/Engines")
	b.open("/channels/Engines").form("Post").fill("title", "Twice").fill("text", "Hello").press()
	if got := b.open("/channels/Engines").titles(); !slices.Equal(got, []string{"Twice", "Once"}) {
		t.Fatalf("posts %q", got)
	}
}

func formSentAgainWithAnotherTextAsksFirst(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	s.channel("Engines", "ada")
	form := b.open("/channels/Engines").form("Post").fill("title", "First").fill("text", "Hello")
	form.press().at("/channels/Engines")
	asked := form.fill("title", "Second").press().want(422).says("This form was sent before")
	if got := asked.titles(); !slices.Equal(got, []string{"First"}) {
		t.Fatalf("posts %q", got)
	}
	again := asked.form("Post")
	if again.values.Get("title") != "Second" || again.values.Get("text") != "Hello" {
		t.Errorf("what was typed is lost: %v", again.values)
	}
	if got := again.press().at("/channels/Engines").titles(); !slices.Equal(got, []string{"Second", "First"}) {
		t.Fatalf("posts %q", got)
	}
}

func formWhosePostWasDeletedDoesNotBringItBack(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	channel := s.channel("Engines", "ada")
	form := b.open("/channels/Engines").form("Post").fill("title", "Regretted").fill("text", "Hello")
	form.press().at("/channels/Engines").follow("Regretted").form("Delete this post").press().at("/channels/Engines")
	asked := s.unwrittenPosts(channel, func() page { return form.press() }).want(410).says("has been deleted since", "Nothing here yet")
	if got := asked.form("Post").press().at("/channels/Engines").titles(); !slices.Equal(got, []string{"Regretted"}) {
		t.Fatalf("posts %q", got)
	}
}

// unwrittenPosts fails the test if the request changes the posts of the channel.
func (s *site) unwrittenPosts(channel domain.Channel, request func() page) page {
	s.Helper()
	before := s.browser().open("/channels/" + url.PathEscape(string(channel.Name))).titles()
	p := request()
	after := s.browser().open("/channels/" + url.PathEscape(string(channel.Name))).titles()
	if !slices.Equal(before, after) {
		s.Errorf("posts before %q, after %q", before, after)
	}
	return p
}

func badPostIsShownAgainAsItWasTyped(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	s.channel("Engines", "ada")
	for name, test := range map[string]struct{ title, text, field, detail string }{
		"blank":          {"Title", " \n\t ", "text", "Text must not be blank."},
		"title too long": {strings.Repeat("ä", 121), "Text", "title", "at most 120 characters, this has 121"},
		"invalid UTF-8":  {"Title", "a\xffb", "text", "Text is not valid UTF-8."},
	} {
		t.Run(name, func(t *testing.T) {
			form := b.open("/channels/Engines").form("Post").fill("title", test.title).fill("text", test.text)
			before := s.writes.Load()
			p := form.press().want(422).heading("Engines").complains(test.field, test.detail)
			if n := s.writes.Load() - before; n != 0 {
				t.Errorf("%d writes", n)
			}
			again := p.form("Post").values
			if again.Get("key") != form.values.Get("key") {
				t.Error("the key has changed, so the form could make two posts")
			}
			if got := again.Get("title"); test.title == "Title" && got != test.title {
				t.Errorf("title %q", got)
			}
			if got := again.Get("text"); test.text == "Text" && got != test.text {
				t.Errorf("text %q", got)
			}
		})
	}
}
