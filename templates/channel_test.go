package templates

import (
	"testing"
	"time"
)

func TestAChannelShowsItsPostsNewestFirst(t *testing.T) {
	expect(t, ChannelPage(pageAt("/channels/aurora", ""), sampleChannel()),
		in("h1", says("aurora")),
		in("header[class=head]", says("Sightings. One post each."), in("br")),
		times(2, "article"),
		in("article",
			in("h2", says("Green arcs")),
			in("b", says("ingrid")),
			in("a[href=/channels/aurora/blogs/2516789012345678901!abc]",
				in("time[datetime=2026-07-29T11:57:00Z][title=29 July 2026, 11:57:00 UTC]", says("3 minutes ago"))),
			in("div[class=text]", says("One line."), in("br"), in("a[href=https://example.org/mag]")),
			silent("edited"),
		),
		in("article", without("h2"), says("jo · 1 hour ago · edited 1 minute ago")),
		in("nav[aria-label=Pages]", in("a[rel=next][href=/channels/aurora?after=older%26more]", says("Older posts"))),
		silent("Newest posts"),
	)
}

func TestOnlySomeoneSignedInFindsTheFormForAPost(t *testing.T) {
	expect(t, ChannelPage(pageAt("/channels/aurora", ""), sampleChannel()),
		without("textarea"), in("main", in("a", says("Sign in"))),
	)
	expect(t, ChannelPage(pageAt("/channels/aurora", "jo"), sampleChannel()),
		in("form[method=post][action=/channels/aurora]",
			in("input[name=title]"), in("textarea[name=text][required]"), in("input[type=hidden][name=key][value=k-1]"), in("button", says("Post"))),
	)
}

func TestOnlyTheOwnerFindsTheWaysToManageAChannel(t *testing.T) {
	v := sampleChannel()
	expect(t, ChannelPage(pageAt("/channels/aurora", "jo"), v), without("a[href=/channels/aurora/delete]"), without("a[href=/channels/aurora/edit]"))
	v.CanManage = true
	expect(t, ChannelPage(pageAt("/channels/aurora", "ingrid"), v), in("a[href=/channels/aurora/delete]"), in("a[href=/channels/aurora/edit]"))
}

func TestAPagedChannelLeadsBackToTheNewestPosts(t *testing.T) {
	v := sampleChannel()
	v.After = "x"
	expect(t, ChannelPage(pageAt("/channels/aurora?after=x", "jo"), v),
		in("nav[aria-label=Pages]", in("a[href=/channels/aurora]", says("Newest posts"))), without("textarea"),
	)
}

func TestAnEmptyChannelSaysWhatToDoNext(t *testing.T) {
	v := sampleChannel()
	v.Posts, v.Next = nil, ""
	expect(t, ChannelPage(pageAt("/channels/aurora", "jo"), v), in("div[class=empty]", says("Write the first post")), without("nav[aria-label=Pages]"))
	expect(t, ChannelPage(pageAt("/channels/aurora", ""), v), in("div[class=empty]", in("a", says("sign in"))))
}

func TestTheDirectoryListsChannels(t *testing.T) {
	v := Directory{
		Prefix: "fü", Next: "n&m",
		Channels: []ChannelItem{{Name: "Füchse", Owner: "jo", Description: "Foxes.\nNot shown.", CreatedOn: ago(2 * time.Hour)}},
	}
	expect(t, DirectoryPage(pageAt("/channels?prefix=f", ""), v),
		in("form[method=get][action=/channels]", in("input[name=prefix][value=fü]")),
		in("li", in("a[href=/channels/F%C3%BCchse]", says("Füchse")), says("Foxes. by jo · created 2 hours ago"), silent("Not shown")),
		in("a[rel=next][href=/channels?prefix=f%C3%BC&after=n%26m]"),
		in("a[href=/channels][aria-current=page]"),
	)
}

func TestAnEmptyDirectorySaysWhy(t *testing.T) {
	expect(t, DirectoryPage(pageAt("/", ""), Directory{}), in("a[href=/channels/new]", says("Create the first channel")), without("input[name=prefix]"))
	expect(t, DirectoryPage(pageAt("/", ""), Directory{Prefix: "zz"}), says("No channel starts with “zz”"), in("a[href=/channels/new?name=zz]"), in("input[name=prefix]"))
	expect(t, DirectoryPage(pageAt("/", ""), Directory{After: "q"}), says("No more channels"), in("a[href=/channels]", says("Back to the start")))
}

func TestDeletingAChannelSaysWhatGoesAndForWhichLife(t *testing.T) {
	v := DeleteChannel{Name: "aurora", Incarnation: "inc1", CreatedOn: ago(time.Hour)}
	expect(t, DeleteChannelPage(pageAt("/channels/aurora/delete", "ingrid"), v),
		in("main", says("This cannot be undone."), says("every post in it")),
		in("form[method=post][action=/channels/aurora/delete]", in("input[type=hidden][name=incarnation][value=inc1]"), in("button"), in("a[href=/channels/aurora]")),
	)
}
