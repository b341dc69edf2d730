package web_test

import (
	"net/url"
	"testing"
)

func TestVotePage(t *testing.T) {
	t.Run("a vote is counted once and taken back", voteIsCountedOnceAndTakenBack)
	t.Run("a stranger is asked to sign in to vote", strangerIsAskedToSignInToVote)
	t.Run("a vote for a deleted post is not found", voteForADeletedPostIsNotFound)
}

func voteIsCountedOnceAndTakenBack(t *testing.T) {
	s := newSite(t)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	channel := s.channel("Engines", "ada")
	path := permalink(channel, s.post(channel, "ada", "Hello"))
	vote := ada.open(path).saysNot("vote ·", "0 votes").form("Vote") // ada votes for her own post
	vote.press().at(path).says("Your vote is counted.", "1 vote", "You voted for this post.").saysNot("1 votes")
	vote.press().at(path).says("1 vote").saysNot("2 votes") // the form is sent twice
	bob.open(path).saysNot("You voted").form("Vote").press().at(path).says("2 votes")
	back := ada.open(path).form("Take back the vote")
	back.press().at(path).says("Your vote is taken back.", "1 vote").saysNot("You voted")
	back.press().at(path).says("1 vote")
	if ada.open(path).hasForm("Take back the vote") {
		t.Error("the page still offers to take back a vote")
	}
}

func strangerIsAskedToSignInToVote(t *testing.T) {
	s := newSite(t)
	channel := s.channel("Engines", string(s.author("ada")))
	path := permalink(channel, s.post(channel, "ada", "Hello"))
	b := s.browser()
	p := b.open(path).says("Sign in to vote for this post.")
	if p.hasForm("Vote") {
		t.Error("a stranger sees a form that would be refused")
	}
	b.send("POST", path, posted(url.Values{"action": {"vote"}})).want(401)
}

func voteForADeletedPostIsNotFound(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	channel := s.channel("Engines", "ada")
	path := permalink(channel, s.post(channel, "ada", "Hello"))
	vote := b.open(path).form("Vote")
	b.open(path).form("Delete this post").press().at("/channels/Engines")
	vote.press().want(404).follow("Back to Engines").want(200)
	s.askDeletion(channel)
	vote.press().want(410)
}
