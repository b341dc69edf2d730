package web_test

import (
	"net/url"
	"strings"
	"testing"
)

func TestPreviewPage(t *testing.T) {
	t.Run("shows a text as its post would, and saves nothing", previewShowsTheTextAndSavesNothing)
	t.Run("says what is wrong with a text", previewSaysWhatIsWrong)
}

func preview(title, text string) change {
	return posted(url.Values{"title": {title}, "text": {text}, "key": {"k"}, "incarnation": {"x"}})
}

func previewShowsTheTextAndSavesNothing(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	channel := s.channel("Engines", "ada")
	post := s.post(channel, "ada", "There")
	before := s.writes.Load()
	page := b.send("POST", "/preview", preview("A <title>", "*Hello*, <b>\r\n\r\n# Head")).want(200).heading("Preview").
		says("Nothing is saved.", "A <title>", "Hello, <b>")
	if got := page.marked("em") + "|" + page.marked("h2") + "|" + page.marked("h3"); got != "Hello|A <title>|Head" {
		t.Errorf("the preview has %q", got)
	}
	if n := s.writes.Load() - before; n != 0 {
		t.Errorf("%d writes", n)
	}
	for _, path := range []string{"/channels/Engines", permalink(channel, post) + "/edit"} {
		if got := strings.Count(string(b.open(path).body), `formaction="/preview"`); got != 1 {
			t.Errorf("%s has %d buttons for a preview", path, got)
		}
	}
}

func previewSaysWhatIsWrong(t *testing.T) {
	b := newSite(t).signedIn("ada")
	b.send("POST", "/preview", preview("", " ")).want(422).says("must not be blank")
	b.send("POST", "/preview", preview("", strings.Repeat("x", 5001))).want(422).says("5000")
}
