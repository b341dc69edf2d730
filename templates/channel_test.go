package templates

import "testing"

func TestChannelPage(t *testing.T) {
	shows(t, "shows its posts newest first", ChannelPage(pageAt("/channels/aurora", ""), sampleChannel()),
		in("h1", says("aurora")),
		in("header", says("Sightings. One post each."), in("br")),
		times(2, "article"),
		in("article",
			in("h2", in("a[href=/channels/aurora/2026-07-29/green-arcs-2516789012345678901!abc]", says("Green arcs"))),
			in("a[class=by]", says("ingrid")),
			in("time[datetime=2026-07-29T11:57:00Z]", says("29 July 2026, 11:57 UTC")),
			in("div[class=text]", says("One line."), in("br"), in("a[href=https://example.org/mag]")),
			silent("edited"),
		),
		in("article",
			in("h2", says("Post by @jo, 29 July 2026, 11:00 UTC")), says("jo 29 July 2026, 11:00 UTC edited 29 July 2026, 11:59 UTC"),
			in("a[href=/channels/aurora/2026-07-29/script-alert-x-script-b-title-2516789012345678902!abc]", in("time"))),
		without("form[class=vote]"),
		in("nav[aria-label=Pages]", in("a[rel=next][href=/channels/aurora?after=older%26more]", says("Older posts"))),
		silent("Newest posts"),
	)
	t.Run("says how many subscribe and lets the reader", func(t *testing.T) {
		v := sampleChannel()
		for _, test := range []struct {
			n    int
			more bool
			want string
		}{
			{0, false, "0 subscribers"}, {1, false, "1 subscriber"}, {12, false, "12 subscribers"},
			{1000, false, "1,000 subscribers"}, {1000, true, "1,000+ subscribers"},
		} {
			v.Readership = Readership{Subscribers: test.n, More: test.more}
			expect(t, ChannelPage(pageAt("/channels/aurora", ""), v), in("header", says(test.want), in("a[href=/sign-in?next=%2Fchannels%2Faurora&then=aurora]", says("Subscribe")), without("button")))
		}
		expect(t, ChannelPage(pageAt("/channels/aurora", "jo"), v),
			in("form[method=post][action=/channels/aurora]", in("input[name=action][value=subscribe]"), in("button", says("Subscribe"))))
		v.Readership.Subscribed = true
		expect(t, ChannelPage(pageAt("/channels/aurora", "jo"), v),
			in("form[method=post][action=/channels/aurora]", in("input[name=action][value=unsubscribe]"), in("button", says("Subscribed (press to unsubscribe)"))))
	})
	t.Run("leads to its feeds", func(t *testing.T) {
		v := sampleChannel()
		v.Name = "Füchse"
		expect(t, ChannelPage(pageAt("/channels/F%C3%BCchse", ""), v),
			in("link[rel=alternate][type=application/atom+xml][href=/channels/F%C3%BCchse/feed.atom][title=Füchse]"),
			in("link[rel=alternate][type=application/feed+json][href=/channels/F%C3%BCchse/feed.json][title=Füchse]"),
			in("aside", in("a[href=/channels/F%C3%BCchse/feed]", says("Follow in a feed reader"))),
		)
		page := pageAt("/channels/F%C3%BCchse/feed", "")
		page.Origin = "https://blog.example"
		expect(t, ChannelFeedPage(page, ChannelFeed{Channel: "Füchse", Posts: 50}),
			in("code[data-copy]", says("https://blog.example/channels/F%C3%BCchse/feed.atom")), says("newest 50 posts"),
			in("a[href=/channels/F%C3%BCchse/feed.atom]"), in("a[href=/channels/F%C3%BCchse/feed.json]"),
			in("link[rel=alternate][type=application/atom+xml]"), in("script[src=/static/copy.js]"))
	})
	t.Run("has three views", func(t *testing.T) {
		v := sampleChannel()
		v.Posts[0].Rating = 3
		page := pageAt("/channels/aurora", "jo")
		expect(t, ChannelPage(page, v),
			in("nav[aria-label=Views]", in("a[aria-current=page][href=/channels/aurora]", says("Newest")), in("a[href=/channels/aurora?order=rating]", says("Top rated"))),
			in("article", in("button[value=vote]", says("3")), without("a[href=/channels/aurora?rating=3]")),
		)
		expect(t, ChannelPage(page, Channel{Channel: v.Channel}), in("nav[aria-label=Views]", in("a", says("Find")))) // a script adds the first post
		v.View.TopRated = true
		expect(t, ChannelPage(page, v), in("title", says("Top rated · aurora")), without("textarea"),
			in("a[aria-current=page]", says("Top rated")), in("a[rel=next][href=/channels/aurora?order=rating&after=older%26more]", says("More posts")),
		)
		rating := int64(3)
		v.View, v.After = View{Rating: &rating}, "x"
		expect(t, ChannelPage(page, v), in("title", says("Posts with 3 votes · aurora")), times(1, "main[id=main]"),
			in("a[aria-current=page][href=/channels/aurora?rating=3]"), in("nav[aria-label=Pages]", in("a[href=/channels/aurora?rating=3]", says("Back to the start"))),
			in("a[rel=next][href=/channels/aurora?rating=3&after=older%26more]"),
		)
		v.Posts, v.Next, v.After = nil, "", ""
		expect(t, ChannelPage(page, v), in("div[class=empty]", says("No post has 3 votes"), in("a[href=/channels/aurora?order=rating]")))
	})
}
