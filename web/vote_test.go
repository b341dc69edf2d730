package web_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/domain"
)

func TestVote(t *testing.T) {
	t.Run("votes survive an edit and an edit survives votes", votesSurviveAnEditAndAnEditSurvivesVotes)
	t.Run("a vote after the session ended is not counted, and the page says so", voteAfterTheSessionEndedIsNotCounted)
	t.Run("a vote of a visitor is counted after the sign-in or the sign-up that it led to", voteOfAVisitorIsCounted)
	t.Run("a vote for a deleted post is not found", voteForADeletedPostIsNotFound)
	t.Run("a vote in a list leads back to the post in the list", voteInAListLeadsBackToIt)
	t.Run("each list of the API says to a caller which of its posts they vote for", listsForACallerSayWhatTheyVoteFor)
	t.Run("a script gets the form that follows the one it sent", scriptGetsTheFormThatFollows)
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
	edited.holds("rating", 1.0)
	s.do("PUT", path, bearer(ada), header("If-Match", read), fields("text", "Third")).want(412)
	s.do("DELETE", path+"/vote", bearer(bob)).want(204)
	s.do("DELETE", path, bearer(ada), header("If-Match", edited.header.Get("ETag"))).want(204)
}

func voteAfterTheSessionEndedIsNotCounted(t *testing.T) {
	s, ada, channel := enginesBrowser(t, "ada")
	path := postPage(channel, s.post(channel, "ada", "Hello"))
	vote := ada.open("/channels/Engines").form("Vote for the post by @ada")
	s.endSessions("ada")
	back := vote.elsewhere().press().want(401).says("Nothing was done. Sign in, and then do it again.").saysNot("you wrote").
		form("Sign in").fill("name", "ada").fill("password", password).press().at(path).saysNot("1 vote")
	back.form("Vote for the post by @ada").press().at(path).says("1 vote")
}

func voteOfAVisitorIsCounted(t *testing.T) {
	s, ada, channel := enginesBrowser(t, "ada")
	post := s.post(channel, "ada", "Hello")
	link := func(b *browser) string {
		return attr(one(b.open("/channels/Engines").doc, func(n *html.Node) bool { return strings.HasPrefix(attr(n, "aria-label"), "Sign in to vote") }), "href")
	}
	visitor := s.browser()
	in := visitor.open(link(visitor)).says("Then your vote for the post in Engines is counted.")
	ada.open(link(s.browser())).at("/channels/Engines#post-" + string(post.ID)).saysNot("1 vote") // who is signed in presses it there
	in.form("Sign in").fill("name", "ada").fill("password", "wrong horse battery").press().want(401).
		form("Sign in").fill("name", "ada").fill("password", password).press().
		at("/channels/Engines#post-"+string(post.ID)).says("Your vote is counted.", "1 vote")
	carol := s.browser()
	carol.open(link(carol)).follow("Sign up").says("Then your vote").
		form("Sign up").fill("name", "carol").fill("password", password).press().says("Your vote is counted.", "2 votes")
}

func voteForADeletedPostIsNotFound(t *testing.T) {
	s, b, channel := enginesBrowser(t, "ada")
	path := postPage(channel, s.post(channel, "ada", "Hello"))
	vote := b.open(path).form("Vote for the post by @ada")
	b.open(path).form("Delete this post").press().at("/channels/Engines")
	vote.press().want(404).follow("Back to Engines").want(200)
	s.requestDeletion(channel)
	vote.press().want(410)
}

func voteInAListLeadsBackToIt(t *testing.T) {
	s := newSite(t)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	channel := s.channel("Engines", "ada")
	post := s.post(channel, "ada", "Hello")
	for _, list := range []string{"/channels/Engines", "/channels/Engines?order=rating", "/channels/Engines?find=Hello", "/", "/latest", "/digest", "/users/ada"} {
		here := list + "#post-" + string(post.ID)
		ada.open(list).form("Vote for the post by @ada").elsewhere().press().at(here).says("Your vote is counted.", "1 vote")
		ada.open(list).form("Take back your vote for the post by @ada").elsewhere().press().at(here).saysNot("1 vote")
	}
	ada.open("/channels/Engines").form("Vote for the post by @ada").elsewhere().press()
	bob.open("/channels/Engines").form("Vote for the post by @ada").elsewhere().press().says("2 votes", "Take back your vote")
	ada.open("/channels/Engines?rating=2").form("Take back your vote for the post by @ada").elsewhere().press().want(200)
	ada.open("/channels/Engines").says("1 vote").saysNot("Take back")
}

func listsForACallerSayWhatTheyVoteFor(t *testing.T) {
	s, bob, channel := engines(t, "bob")
	ada := s.signUp("ada")
	s.author("eve")
	s.subscribe("ada", channel)
	s.subscribe("bob", channel)
	mine, other, back := s.post(channel, "eve", "mine"), s.post(channel, "eve", "other"), s.post(channel, "eve", "taken back")
	s.vote(other, 1)
	for _, post := range []domain.Blog{mine, back} {
		s.do("PUT", blogPath(channel, post.ID)+"/vote", bearer(bob)).want(204)
	}
	s.vote(back, 1)
	s.do("DELETE", blogPath(channel, back.ID)+"/vote", bearer(bob)).want(204)
	for _, list := range []string{enginesBlogs, enginesBlogs + "?order=rating", enginesBlogs + "?find=mine", "/api/v1/latest", "/api/v1/users/eve/blogs", "/api/v1/feed", "/api/v1/digest"} {
		for _, who := range []struct {
			change
			votes int
		}{{bearer(bob), 1}, {bearer(ada), 0}, {header("Accept", "*/*"), 0}} {
			a := s.do("GET", list, who.change)
			if a.status == 401 && who.votes == 0 {
				continue
			}
			if got := strings.Count(string(a.want(200).body), `"voted":true`); got != who.votes {
				t.Errorf("%s says %d times that the caller votes, want %d: %s", list, got, who.votes, a.body)
			}
		}
	}
	s.do("GET", "/api/v1/latest", bearer("x")).want(401)
}

func scriptGetsTheFormThatFollows(t *testing.T) {
	s, ada, channel := enginesBrowser(t, "ada")
	s.post(channel, "ada", "Hello")
	form := ada.open("/channels/Engines").form("Vote for the post by @ada")
	send := func(action string) answer {
		values := form.fill("action", action).values
		return s.do("POST", form.action, ada.cookies, header("Prefer", "return=representation"), posted(values)).want(200)
	}
	first := send("vote")
	first.headed("Preference-Applied", "return=representation")
	first.has("<form class=\"vote\"", "1 vote", "value=\"unvote\"", "Your vote is counted.")
	send("unvote").has("value=\"vote\"").lacks("1 vote")
}
