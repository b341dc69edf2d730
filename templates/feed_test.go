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
		in("article", says("ingrid in aurora · 29 July 2026, 11:57 UTC"), in("a[href=/channels/aurora]"), in("a[href=/channels/aurora/blogs/2516789012345678901!abc]")),
		in("article", says("jo in Füchse · 29 July 2026, 11:00 UTC · 2 votes")), without("a[href=/channels/F%C3%BCchse?rating=2]"),
		in("a[rel=next][href=/?after=n%26m]", says("Older posts")),
		in("nav[aria-label=Main]", in("a[aria-current=page]", says("Feed"))), times(1, "a[aria-current=page]"),
		in("a[href=/subscriptions]"),
	)
}
