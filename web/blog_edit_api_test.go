package web_test

import (
	"fmt"
	"testing"
)

func TestBlogEditAPI(t *testing.T) {
	t.Run("an edit replaces what its author has seen", editReplacesWhatItsAuthorHasSeen)
	t.Run("a stale edit is refused with the current post", staleEditIsRefusedWithTheCurrentPost)
	t.Run("a vote in between makes no edit stale", voteInBetweenMakesNoEditStale)
	t.Run("an edit without a usable If-Match is refused", editWithoutAUsableIfMatchIsRefused)
	t.Run("only the author edits, and the owner of the channel also deletes", onlyTheAuthorEditsAndTheOwnerOfTheChannelAlsoDeletes)
}

func editReplacesWhatItsAuthorHasSeen(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	channel := s.channel("Engines", "ada")
	path := blogPath(channel, s.post(channel, "ada", "Hello").ID)
	etag := s.do("GET", path).header.Get("ETag")
	edited := s.do("PUT", path, bearer(token), header("If-Match", etag), fields("title", "T", "text", "Second")).want(200)
	if edited.text("text") != "Second" || edited.text("editedOn") == "" || edited.header.Get("ETag") == etag {
		t.Errorf("edited to %s", edited.body)
	}
	if read := s.do("GET", path); string(read.body) != string(edited.body) || read.header.Get("ETag") != edited.header.Get("ETag") {
		t.Errorf("read %s", read.body)
	}
}

func staleEditIsRefusedWithTheCurrentPost(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	channel := s.channel("Engines", "ada")
	path := blogPath(channel, s.post(channel, "ada", "Hello").ID)
	put := func(match, text string) answer {
		return s.do("PUT", path, bearer(token), header("If-Match", match), fields("text", text))
	}
	stale := s.do("GET", path).header.Get("ETag")
	current := put(stale, "Second").want(200).header.Get("ETag")
	for _, match := range []string{stale, "W/" + current, `"nothing"`, `"-0"`, stale + `,W/` + current} {
		a := s.unwritten(func() answer { return put(match, "Third") }).want(412)
		if a.text("current.text") != "Second" || a.header.Get("ETag") != current {
			t.Errorf("If-Match %s: %s", match, a.body)
		}
	}
	s.unwritten(func() answer { return s.do("DELETE", path, bearer(token), header("If-Match", stale)) }).want(412)
	put(`"x" , `+stale+` ,, `+current, "Third").want(200)
	put(" * ", "Fourth").want(200)
	if got := s.do("GET", path).text("text"); got != "Fourth" {
		t.Errorf("text %q", got)
	}
}

func voteInBetweenMakesNoEditStale(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	channel := s.channel("Engines", "ada")
	blog := s.post(channel, "ada", "Hello")
	voted := fmt.Sprintf(`"%s-%d"`, blog.Revision, blog.Rating+7)
	s.do("PUT", blogPath(channel, blog.ID), bearer(token), header("If-Match", voted), fields("text", "Second")).want(200)
	s.do("GET", blogPath(channel, blog.ID), header("If-None-Match", voted)).want(200)
}

func editWithoutAUsableIfMatchIsRefused(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	channel := s.channel("Engines", "ada")
	path := blogPath(channel, s.post(channel, "ada", "Hello").ID)
	s.unwritten(func() answer { return s.do("PUT", path, bearer(token), fields("text", "x")) }).want(428)
	for _, malformed := range []string{"", "abc", `"a" "b"`, `"a`, `*, "a"`, `w/"a"`, `"a b"`, ","} {
		s.unwritten(func() answer {
			return s.do("PUT", path, bearer(token), header("If-Match", malformed), fields("text", "x"))
		}).want(400)
		s.unwritten(func() answer {
			return s.do("DELETE", path, bearer(token), header("If-Match", malformed))
		}).want(400)
	}
}

func onlyTheAuthorEditsAndTheOwnerOfTheChannelAlsoDeletes(t *testing.T) {
	s := newSite(t)
	ada, bob, eve := s.signUp("ada"), s.signUp("bob"), s.signUp("eve")
	channel := s.channel("Engines", "ada")
	path := blogPath(channel, s.post(channel, "bob", "Hello").ID)
	put := func(who ...change) answer {
		return s.unwritten(func() answer {
			return s.do("PUT", path, append(who, header("If-Match", "*"), fields("text", "Mine"))...)
		})
	}
	put(bearer(ada)).want(403)
	put(bearer(eve)).want(403)
	put().want(401)
	s.unwritten(func() answer { return s.do("DELETE", path, bearer(eve)) }).want(403)
	s.unwritten(func() answer { return s.do("DELETE", path) }).want(401)
	s.do("DELETE", path, bearer(ada)).want(204)
	s.do("GET", path).want(404)
	s.do("DELETE", path, bearer(ada)).want(404)

	path = blogPath(channel, s.post(channel, "bob", "Hello").ID)
	etag := s.do("GET", path).header.Get("ETag")
	s.do("DELETE", path, bearer(bob), header("If-Match", etag)).want(204)
}
