package templates

import (
	"testing"
	"time"

	"microblogging/domain"
)

func sampleFeed() Feed {
	other := Post{In: "Füchse", Blog: domain.Blog{ID: "2516789012345678902!abc", Draft: domain.Draft{Text: nasty}, UserID: "jo", Rating: 2, CreatedOn: ago(time.Hour)}}
	return Feed{Posts: []Post{samplePost(), other}, Part: Part{Next: "n&m"}}
}

func TestFeedPage(t *testing.T) {
	shows(t, "names the channel of each post", FeedPage(pageAt("/", "ingrid"), sampleFeed()),
		in("h1", says("Feed")), times(2, "article"),
		in("article", says("ingrid in aurora · 29 July 2026, 11:57 UTC"), in("a[href=/channels/aurora]"), in("a[href=/channels/aurora/2026-07-29/green-arcs-2516789012345678901!abc]")),
		in("article", says("jo in Füchse · 29 July 2026, 11:00 UTC Vote for the post by @jo △ 2 2 votes")), without("a[href=/channels/F%C3%BCchse?rating=2]"),
		in("a[rel=next][href=/?after=n%26m]", says("Older posts")),
		in("nav[aria-label=Main]", in("a[aria-current=page]", says("Feed"))), times(1, "a[aria-current=page]"),
		in("a[href=/subscriptions]"),
	)
}

func sampleLatest() Latest {
	return Latest{Posts: sampleFeed().Posts, Part: Part{Next: "n&m"}, Channels: []ListedChannel{
		{Channel: domain.Channel{Name: "Füchse"}, On: ago(2 * time.Hour)}, {Channel: domain.Channel{Name: nasty}, On: ago(3 * time.Hour)}}}
}

func TestLatestPage(t *testing.T) {
	shows(t, "names the channel of each post, and when each channel was active", LatestPage(pageAt("/", ""), sampleLatest()),
		in("h1", says("Latest")), times(2, "article"), in("article", says("jo in Füchse")),
		in("aside", in("a[href=/channels/F%C3%BCchse]"), says("29 July 2026, 10:00"), in("a[href=/channels]", says("All channels"))),
		in("a[rel=next][href=/latest?after=n%26m]", says("Older posts")),
	)
	shows(t, "leads a reader on if there are no posts", LatestPage(pageAt("/latest", "ingrid"), Latest{}),
		in("h2", says("Nothing new")), in("a[href=/channels/new]"), in("a[href=/channels]"), in("p[class=up]", in("a[href=/]", says("Feed"))), without("aside"),
	)
	shows(t, "has a form with a choice of channel above the feed, which begins with the one that was used last",
		FeedPage(pageAt("/", "ingrid"), Feed{Composer: &Composer{Channels: []Choice{{Name: "aurora", Incarnation: "inc1"}}, Draft: Draft{Key: "k"}, Next: "/"}}),
		in("form[method=post][action=/write]", in("select[name=channel]", in(`option[value=inc1 aurora][selected]`, says("aurora")), in("option", says("New channel"))),
			in("input[name=name]"), in("input[name=key][value=k]"), in("input[name=next][value=/]")),
	)
}
