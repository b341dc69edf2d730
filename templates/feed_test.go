package templates

import (
	"testing"
	"time"

	"github.com/a-h/templ"

	"microblogging/domain"
)

func sampleFeed() Feed {
	other := Post{In: "Füchse", Blog: domain.Blog{ID: "2516789012345678902!abc", Draft: domain.Draft{Text: nasty}, UserID: "jo", Rating: 2, CreatedOn: ago(time.Hour)}}
	return Feed{Posts: []Post{samplePost(), other}, Part: Part{Next: "n&m"}}
}

func TestFeedPage(t *testing.T) {
	shows(t, "names the channel of each post", FeedPage(pageAt("/", "ingrid"), sampleFeed()),
		in("h1", says("Feed")), times(2, "article"),
		in("article", says("ingrid in aurora 29 July 2026, 11:57 UTC"), in("a[href=/channels/aurora]"), in("a[href=/channels/aurora/2026-07-29/green-arcs-2516789012345678901!abc]")),
		in("article", says("jo in Füchse 29 July 2026, 11:00 UTC"), in("button[aria-label=Vote for the post by @jo, 2 votes]", says("2"))), without("a[href=/channels/F%C3%BCchse?rating=2]"),
		in("a[rel=next][href=/?after=n%26m]", says("Older posts")),
		in("nav[aria-label=Main]", in("a[aria-current=page]", says("Feed"))), times(2, "a[aria-current=page]"),
		in("header", in("a[href=/subscriptions]")), in("nav[aria-label=Views]", in("a[href=/latest]"), in("a[href=/digest]")),
	)
}

func sampleLatest() Latest {
	return Latest{Posts: sampleFeed().Posts, Part: Part{Next: "n&m"}, Channels: []ListedChannel{{domain.Channel{Name: "Füchse"}, ago(2 * time.Hour), true}, {domain.Channel{Name: nasty, About: domain.About{Description: nasty}}, ago(3 * time.Hour), false}}}
}

func TestLatestPage(t *testing.T) {
	shows(t, "names the channel of each post, and when each channel was active", LatestPage(pageAt("/", ""), sampleLatest()),
		in("h1", says("Short posts, in channels.")), times(2, "article"), in("article", says("jo in Füchse")),
		in("aside", in("a[href=/channels/F%C3%BCchse]"), says("29 July 2026, 10:00"), in("a[href=/channels]", says("All channels"))),
		in("a[rel=next][href=/latest?after=n%26m]", says("Older posts")),
	)
	shows(t, "leads a reader on if there are no posts", LatestPage(pageAt("/latest", "ingrid"), Latest{}),
		in("h2", says("No posts")), says("There are no posts yet, or none of the last year."), in("a[href=/channels/new]"), in("a[href=/channels]"), in("nav", in("a[href=/]", says("Subscribed"))), without("aside"),
	)
	for _, empty := range []templ.Component{LatestPage(pageAt("/", ""), Latest{}), DirectoryPage(pageAt("/channels", ""), Directory{})} {
		shows(t, "leads an anonymous client to an account, and then to the form for a channel, if there are no posts", empty,
			in("main", in("a[href=/sign-up?next=%2Fchannels%2Fnew]")))
	}
	shows(t, "has a form for a post, with a choice of channel", FeedPage(pageAt("/", "ingrid"), Feed{Posts: sampleFeed().Posts, Composer: sampleComposer()}),
		in("form[class=compose][method=post][action=/write]", in("input[name=key][value=k]"), in("input[name=user][value=ingrid]"),
			in("select[name=channel]", in("optgroup[label=Your own]", in("option[selected][value=inc1 aurora]")),
				in("optgroup[label=Others]", in("option[value=inc2 Füchse]")), in("option[value=]", says("New channel")))),
		in("header[class=top]", in("a[href=#text]", says("Write"))),
	)
	shows(t, "begins with what to do", FeedPage(pageAt("/", "ingrid"), Feed{Starts: true, Newcomer: true, Channels: sampleLatest().Channels, Composer: sampleComposer()}),
		in("h1", says("Welcome, ingrid")), in("form[class=compose]"), in("main", in("a[href=/latest]"), in("a[href=/channels/new]")),
		in("li", says("Active 29 July 2026, 10:00 UTC"), in("form[action=/channels/F%C3%BCchse]", in("input[name=next][value=/]"))),
	)
	known := pageAt("/", "ingrid")
	known.Site = Site{Name: "Club", Description: "We row.", About: true, Rules: true}
	shows(t, "says to a new member what the site is", FeedPage(known, Feed{Starts: true, Newcomer: true, Posts: sampleFeed().Posts}),
		in("aside", says("Club We row."), in("a[href=/about#rules]"), in("a[href=/about]")), in("section", in("h2", says("Newest posts of all channels")), times(2, "h3")))
	shows(t, "has no heading without what is below it", FeedPage(pageAt("/", "ingrid"), Feed{Starts: true, Newcomer: true}), silent("Channels to begin with"), silent("Newest posts of all channels"))
	shows(t, "does not count one's own posts as new", FeedPage(pageAt("/", "ingrid"), Feed{Posts: sampleFeed().Posts, Seen: ago(time.Minute * 10)}),
		in("nav[aria-label=Views]", without("mark")))
	seen := sampleFeed()
	seen.Seen, seen.Posts[0].New = ago(time.Minute*10), true
	shows(t, "marks where the reader had read to, and the time of each new post", FeedPage(pageAt("/", "hal"), seen),
		in("nav[aria-label=Views]", says("1 new")), times(1, "mark[class=new]"), in("a[class=at]", in("mark[class=new]", says("11:57 UTC"))), in("p[class=seen]", says("Seen before 29 July 2026, 11:50 UTC")))
}

func sampleComposer() *Composer {
	return &Composer{Draft: Draft{Key: "k"}, Channels: []Choice{{Name: "aurora", Incarnation: "inc1", Own: true}, {Name: "Füchse", Incarnation: "inc2"}}}
}
