package web_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestEdit(t *testing.T) {
	t.Run("a stale edit is refused with the current post", staleEditIsRefusedWithTheCurrentPost)
	t.Run("an edit without a usable If-Match is refused", editWithoutAUsableIfMatchIsRefused)
	t.Run("a form that does not say what it began with is merged by hand", formWithoutABaseIsMergedByHand)
	t.Run("a conflict says of the title, and of the text, that both changed it only if both did", conflictSaysWhatBothChanged)
	t.Run("a sent base can be anything", sentBaseCanBeAnything)
	t.Run("a base never makes a form too large", baseNeverMakesAFormTooLarge)
	t.Run("a merge that is refused is shown again next to the other version, and either version can still be kept", mergeThatIsRefusedIsShownAgain)
	t.Run("an edit whose reply was lost is no conflict", editWhoseReplyWasLostIsNoConflict)
	t.Run("a form that changes nothing makes no version for another to merge with", unchangedFormMakesNoVersion)
	t.Run("a bad edit is shown again as it was typed", badEditIsShownAgainAsItWasTyped)
}

func staleEditIsRefusedWithTheCurrentPost(t *testing.T) {
	s, token, channel := engines(t, "ada")
	path := blogPath(channel, s.post(channel, "ada", "Hello").ID)
	put := func(match, text string) answer {
		return s.do("PUT", path, bearer(token), header("If-Match", match), fields("text", text))
	}
	stale := s.do("GET", path).header.Get("ETag")
	current := put(stale, "Second").want(200).header.Get("ETag")
	for _, match := range []string{stale, "W/" + current, `"nothing"`, `"-0"`, stale + `,W/` + current} {
		a := put(match, "Third").unwritten().want(412)
		a.holds("current.text", "Second").headed("ETag", current)
	}
	s.do("DELETE", path, bearer(token), header("If-Match", stale)).unwritten().want(412)
	put(`"x" , `+stale+` ,, `+current, "Third").want(200)
	put(" * ", "Fourth").want(200)
	s.do("GET", path).holds("text", "Fourth")
}

func editWithoutAUsableIfMatchIsRefused(t *testing.T) {
	s, token, channel := engines(t, "ada")
	path := blogPath(channel, s.post(channel, "ada", "Hello").ID)
	s.do("PUT", path, bearer(token), fields("text", "x")).unwritten().want(428)
	for _, malformed := range []string{"", "abc", `"a" "b"`, `"a`, `*, "a"`, `w/"a"`, `"a b"`, ","} {
		s.do("PUT", path, bearer(token), header("If-Match", malformed), fields("text", "x")).unwritten().want(400)
		s.do("DELETE", path, bearer(token), header("If-Match", malformed)).unwritten().want(400)
	}
}

// meeting makes two edits of one post in two browsers. It returns the page that the
// second author sees after saving.
func meeting(t *testing.T) (s *site, path string, second page) {
	t.Helper()
	s = newSite(t)
	first, late := s.signedIn("ada"), s.again("ada")
	channel := s.channel("Engines", "ada")
	path = permalink(channel, s.post(channel, "ada", "The piston moves up.\nThen it moves down."))
	early, form := first.open(path+"/edit").form("Save"), late.open(path+"/edit").form("Save")
	early.fill("title", "Pistons").fill("text", "The piston moves up and up.\nThen it moves down.").press().atPost(path)
	second = form.fill("title", "On pistons").fill("text", "The piston moves up.\r\nThen it rests.").press().want(412)
	return s, path, second
}

func formWithoutABaseIsMergedByHand(t *testing.T) {
	s, path, _ := meeting(t)
	old := s.again("ada").open(path + "/edit").form("Save")
	s.again("ada").open(path+"/edit").form("Save").fill("text", "Third").press().atPost(path)
	delete(old.values, "base")
	page := old.fill("text", "Fourth").press().want(412).says("Merge by hand", "Third", "Fourth")
	if form := page.form("Save this text"); form.values.Get("text") != "Fourth" {
		t.Errorf("the merge starts with %v", form.values)
	}
}

func unchangedFormMakesNoVersion(t *testing.T) {
	s, b, channel := enginesBrowser(t, "ada")
	path := permalink(channel, s.post(channel, "ada", "The piston moves up.\nThen it moves down."))
	late := b.open(path + "/edit").form("Save")
	b.open(path + "/edit").form("Save").press().atPost(path)
	late.fill("text", "It rests.").press().atPost(path)
}

func conflictSaysWhatBothChanged(t *testing.T) {
	s, b, channel := enginesBrowser(t, "ada")
	conflict := func(title, text string) page {
		path := permalink(channel, s.post(channel, "ada", "One two"))
		late := b.open(path + "/edit").form("Save")
		b.open(path+"/edit").form("Save").fill("title", "Theirs").fill("text", "One zwei").press().atPost(path)
		return late.fill("title", title).fill("text", text).press().want(412)
	}
	const ofTitle, ofText = "Both changed the title.", "Both changed this sentence."
	conflict("Mine", "One two").says(ofTitle).saysNot(ofText)
	conflict("", "One 2").says(ofText).saysNot(ofTitle)
	conflict("Mine", "One 2").says(ofTitle, ofText)
}

func sentBaseCanBeAnything(t *testing.T) {
	s, path, _ := meeting(t)
	for _, base := range []string{"", "x", "%%%", "\xff", "One line", "A title\n", "A title\n\x00", "{}", "null", `{"text":7}`, `{"title":"x","text":" "}`} {
		old := s.again("ada").open(path + "/edit").form("Save")
		s.again("ada").open(path+"/edit").form("Save").fill("text", rand.Text()).press().atPost(path)
		old.fill("text", "Mine").fill("base", base).press().want(412).says("Merge by hand")
	}
}

func baseNeverMakesAFormTooLarge(t *testing.T) {
	s, b, channel := enginesBrowser(t, "ada")
	long := strings.Repeat("\U00020000", 5000) // each takes 12 bytes in a form
	path := permalink(channel, s.post(channel, "ada", long))
	late := b.open(path + "/edit").form("Save")
	b.open(path+"/edit").form("Save").fill("title", "Long").press().atPost(path).heading("Long")
	late.fill("text", "x"+long[4:]).press().want(412).form("Save both together").press().atPost(path).says("x\U00020000")
}

func mergeThatIsRefusedIsShownAgain(t *testing.T) {
	s, path, second := meeting(t)
	mine := func(p page) form {
		f := one(p.says("Save mine", "Discard mine").doc, func(n *html.Node) bool { return attr(n, "id") == "mine" })
		return form{page: p, action: attr(f, "action"), values: controls(f)}
	}
	for _, bad := range []string{" \n", strings.Repeat("x", 5001), "\xff"} {
		p := second.form("Save this text").fill("text", bad).press().want(422).
			heading("Two versions of one post").says("The piston moves up and up.")
		if kept := mine(p).values; kept.Get("title") != "On pistons" || kept.Get("text") != "The piston moves up.\nThen it rests." {
			t.Errorf("“Save mine” saves %q", kept)
		}
		second = p
	}
	s.again("ada").open(path+"/edit").form("Save").fill("text", "Third").press().atPost(path)
	third := second.form("Save this text").fill("text", "Right").press().want(412).says("Third")
	mine(third.form("Save this text").fill("text", " ").press().want(422)).press().atPost(path).says("Right")
}

func editWhoseReplyWasLostIsNoConflict(t *testing.T) {
	s, b, channel := enginesBrowser(t, "ada")
	path := permalink(channel, s.post(channel, "ada", "Draft"))
	form := b.open(path+"/edit").form("Save").fill("title", "Edited")
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		err := send(ctx)
		if call.Writes() && err == nil {
			err = fmt.Errorf("the reply is lost: %w", domain.ErrUnavailable)
		}
		return err
	})
	form.press().want(503)
	s.mendStore()
	form.press().atPost(path).heading("Edited")
}

func badEditIsShownAgainAsItWasTyped(t *testing.T) {
	s, b, channel := enginesBrowser(t, "ada")
	path := permalink(channel, s.post(channel, "ada", "Draft"))
	form := b.open(path+"/edit").form("Save").fill("title", "Kept").fill("text", " ")
	again := form.press().want(422).complains("text", "must not be blank").form("Save")
	if again.values.Get("title") != "Kept" || again.values.Get("etag") != form.values.Get("etag") {
		t.Errorf("the form comes back as %v", again.values)
	}
	again.fill("text", "Words").press().atPost(path).heading("Kept")
}
