package web_test

import (
	"context"
	"testing"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestVoteAPI(t *testing.T) {
	t.Run("a user has one vote however often it is given or taken back", userHasOneVoteHoweverOftenItIsGivenOrTakenBack)
	t.Run("votes survive an edit and an edit survives votes", votesSurviveAnEditAndAnEditSurvivesVotes)
	t.Run("an edit survives votes that come while it is written", editSurvivesVotesThatComeWhileItIsWritten)
}

func userHasOneVoteHoweverOftenItIsGivenOrTakenBack(t *testing.T) {
	s := newSite(t)
	ada, bob := s.signUp("ada"), s.signUp("bob")
	channel := s.channel("Engines", "ada")
	blog := s.post(channel, "ada", "Hello")
	path := votePath(channel, blog.ID)
	for _, step := range []struct {
		method, token string
		want          int
	}{
		{"DELETE", bob, 0}, {"PUT", bob, 1}, {"PUT", bob, 1}, {"PUT", ada, 2}, // ada votes for her own post
		{"DELETE", bob, 1}, {"DELETE", bob, 1}, {"PUT", bob, 2}, {"DELETE", ada, 1},
	} {
		s.do(step.method, path, bearer(step.token)).want(204)
		s.wantRating(channel, blog.ID, step.want)
	}
	s.do("PUT", path).want(401)
	s.do("DELETE", path).want(401)
	s.wantRating(channel, blog.ID, 1)
	s.mustBeSound()
}

func votesSurviveAnEditAndAnEditSurvivesVotes(t *testing.T) {
	s := newSite(t)
	ada, bob := s.signUp("ada"), s.signUp("bob")
	channel := s.channel("Engines", "ada")
	path := blogPath(channel, s.post(channel, "ada", "Hello").ID)
	read := s.do("GET", path).want(200).header.Get("ETag")

	s.do("PUT", path+"/vote", bearer(bob)).want(204)
	s.do("GET", path, header("If-None-Match", read)).want(200) // the rating is new
	edited := s.do("PUT", path, bearer(ada), header("If-Match", read), fields("text", "Second")).want(200)
	if got := edited.get("rating"); got != 1.0 {
		t.Errorf("rated %v after the edit, want 1", got)
	}
	s.do("PUT", path, bearer(ada), header("If-Match", read), fields("text", "Third")).want(412)
	s.do("DELETE", path+"/vote", bearer(bob)).want(204)
	s.do("DELETE", path, bearer(ada), header("If-Match", edited.header.Get("ETag"))).want(204)
}

func editSurvivesVotesThatComeWhileItIsWritten(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	channel := s.channel("Engines", "ada")
	blog := s.post(channel, "ada", "Hello")
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == "Transact" && call.Target == "Blogs" {
			s.mendStore()
			s.vote(blog, 3)
		}
		return send(ctx)
	})
	a := s.do("PUT", blogPath(channel, blog.ID), bearer(token),
		header("If-Match", `"`+string(blog.Revision)+`-0"`), fields("text", "Second")).want(200)
	if a.get("rating") != 3.0 || a.text("text") != "Second" {
		t.Errorf("the edit answers %s", a.body)
	}
	s.mustBeSound()
}

func (s *site) wantRating(channel domain.Channel, id domain.BlogID, want int) {
	s.Helper()
	if got := s.do("GET", blogPath(channel, id)).want(200).get("rating"); got != float64(want) {
		s.Fatalf("rated %v, want %d", got, want)
	}
}
