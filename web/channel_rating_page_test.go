package web_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"golang.org/x/net/html"

	"microblogging/domain"
)

func TestAVoteIsCountedOnceAndTakenBack(t *testing.T) {
	s := newSite(t)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	channel := s.channel("Engines", "ada")
	path := permalink(channel, s.post(channel, "ada", "Hello"))
	vote := ada.open(path).saysNot("vote ·", "0 votes").form("Vote") // one's own post, too
	vote.press().at(path).says("Your vote is counted.", "1 vote", "You voted for this post.").saysNot("1 votes")
	vote.press().at(path).says("1 vote").saysNot("2 votes") // sent twice
	bob.open(path).saysNot("You voted").form("Vote").press().at(path).says("2 votes")
	back := ada.open(path).form("Take back the vote")
	back.press().at(path).says("Your vote is taken back.", "1 vote").saysNot("You voted")
	back.press().at(path).says("1 vote")
	if ada.open(path).hasForm("Take back the vote") {
		t.Error("there is a vote to take back")
	}
}

func TestAStrangerIsAskedToSignInToVote(t *testing.T) {
	s := newSite(t)
	channel := s.channel("Engines", string(s.author("ada")))
	path := permalink(channel, s.post(channel, "ada", "Hello"))
	b := s.browser()
	p := b.open(path).says("Sign in to vote for this post.")
	if p.hasForm("Vote") {
		t.Error("a stranger is shown a form that would be refused")
	}
	b.send("POST", path, posted(url.Values{"action": {"vote"}})).want(401)
}

func TestAVoteForWhatIsGoneSaysSo(t *testing.T) {
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

// rated is a channel with posts of these ratings, the first the oldest.
func (s *site) rated(name string, ratings ...int) domain.Channel {
	s.Helper()
	channel := s.channel(name, string(s.author("owner")))
	for i, rating := range ratings {
		blog := s.post(channel, "owner", fmt.Sprintf("post %d", i))
		for voter := range rating {
			if err := s.store.Vote(s.Context(), channel.Ref(), blog.ID, domain.UserName(fmt.Sprintf("voter%d", voter))); err != nil {
				s.Fatal(err)
			}
		}
	}
	return channel
}

// texts are what the posts of a page say.
func (p page) texts() []string {
	var texts []string
	for _, n := range all(p.doc, tag("article")) {
		texts = append(texts, seen(one(n, func(n *html.Node) bool { return attr(n, "class") == "text" })))
	}
	return texts
}

func TestAChannelCanBeReadByItsRatings(t *testing.T) {
	s := newSite(t)
	s.rated("Engines", 0, 3, 1, 3, 0, 2)
	b := s.browser()
	top := b.open("/channels/Engines").follow("Top rated").want(200).heading("Engines")
	if got := top.texts(); !slices.Equal(got, []string{"post 3", "post 1", "post 5", "post 2", "post 4", "post 0"}) {
		t.Errorf("top rated: %q", got)
	}
	three := top.follow("3 votes").want(200)
	if got := three.texts(); !slices.Equal(got, []string{"post 3", "post 1"}) || three.path != "/channels/Engines?rating=3" {
		t.Errorf("%s: %q", three.path, got)
	}
	if got := b.open("/channels/Engines?rating=0").texts(); !slices.Equal(got, []string{"post 4", "post 0"}) {
		t.Errorf("without votes: %q", got)
	}
	b.open("/channels/Engines?rating=7").want(200).says("No post has 7 votes").follow("top rated").want(200)
	three.follow("Newest").want(200).says("post 5")
}

func TestRatedPostsAreReadPageByPageToTheLast(t *testing.T) {
	s := newSite(t)
	ratings := make([]int, 45)
	for i := range ratings {
		ratings[i] = 1 + i/30
	}
	s.rated("Engines", ratings...)
	for query, want := range map[string]int{"order=rating": 45, "rating=1": 30, "rating=2": 15} {
		p := s.browser().open("/channels/Engines?" + query).want(200)
		got := p.texts()
		for p.href("More posts →") != "" {
			p = p.follow("More posts →").want(200)
			got = append(got, p.texts()...)
		}
		slices.Sort(got)
		if n := len(slices.Compact(got)); n != want {
			t.Errorf("%s: %d posts, want %d", query, n, want)
		}
		if want > 20 && p.href("← Back to the start") != "/channels/Engines?"+query {
			t.Errorf("back to %q", p.href("← Back to the start"))
		}
	}
}

func TestAViewThatThereIsNotIsRefusedWithAWayBack(t *testing.T) {
	s := newSite(t)
	s.channel("Engines", string(s.author("ada")))
	for _, query := range []string{"rating=x", "rating=-1", "rating=", "rating=99999999999", "rating=1.5", "order=worst", "order=rating&after=made-up"} {
		s.browser().open("/channels/Engines?" + query).want(422).follow("Back to Engines").want(200)
	}
}

func TestAChannelLeadsFeedReadersToItsFeeds(t *testing.T) {
	s := newSite(t)
	s.channel("Straße", string(s.author("ada")))
	p := s.browser().open("/channels/strasse")
	if got := p.href("Atom feed"); got != "/channels/Stra%C3%9Fe/feed.atom" {
		t.Errorf("the Atom feed is at %q", got)
	}
	var found []string
	for _, n := range all(p.doc, tag("link")) {
		if attr(n, "rel") == "alternate" {
			found = append(found, attr(n, "type")+" "+attr(n, "href"))
		}
	}
	if want := []string{"application/atom+xml /channels/Stra%C3%9Fe/feed.atom", "application/feed+json /channels/Stra%C3%9Fe/feed.json"}; !slices.Equal(found, want) {
		t.Errorf("found %q", found)
	}
}
