package lab

import (
	"context"

	"microblogging/domain"
	"microblogging/storage"
)

// shown compares what a page has shown with what was acknowledged before its reader asked
// for it. Each such page is read through the cache of the reader's process (client_page.go).
func shown(v View, actor, at int, f Fact, breach func(law, format string, args ...any)) {
	before, ok := v.lookedAt(actor, at)
	if !ok {
		return
	}
	p := parsePage(f.Page)
	voters, subscribers := map[domain.BlogID]map[domain.UserName]bool{}, map[domain.UserName]bool{}
	for _, known := range before {
		if known.Channel != f.Channel {
			continue
		}
		post, there := p.post(known.Blog)
		switch known.Kind {
		case Accepted:
			breach("I4", "a page shows a channel, and its deletion was accepted before (%s)", string(f.Channel.Incarnation))
		case Posted:
			if !there && !v.askedBlog(known.Blog) && !asked(v, f.Channel) {
				breach("I3", "a page does not show a post that was acknowledged before, and nobody asked for its deletion")
			}
		case Removed:
			if there {
				breach("I3", "a page shows a post, and its deletion was acknowledged before")
			}
		case Edited:
			if there && post.text != known.Key && editors(v, known.Blog) == 1 {
				breach("I3", "a page shows the text %q, and an edit to %q was acknowledged before", post.text, known.Key)
			}
		case Voted:
			if there && !mayBeUndone(v, known, Unvoting) {
				if voters[known.Blog] == nil {
					voters[known.Blog] = map[domain.UserName]bool{}
				}
				voters[known.Blog][known.User] = true
			}
		case Subscribed:
			if !asked(v, f.Channel) && !mayBeUndone(v, known, Leaving) {
				subscribers[known.User] = true
			}
		}
	}
	for id, users := range voters {
		if post, _ := p.post(id); post.rating < len(users) {
			breach("I8", "a page shows %s for a post, and %d were acknowledged before", count(post.rating, "vote"), len(users))
		}
	}
	if p.subscribers < len(subscribers) {
		breach("I8", "a page shows %s, and %d were acknowledged before", count(p.subscribers, "subscriber"), len(subscribers))
	}
}

// mayBeUndone tells whether any request of the user may have undone what f tells.
func mayBeUndone(v View, f Fact, by Kind) bool {
	return v.has(by, func(g Fact) bool { return g.User == f.User && g.Blog == f.Blog })
}

// outdated is I3 and I8 of what processes keep. A page that was shown is shown again for as
// long as the channel has the version that it was read for. So while the channel has that
// version, the store must still have that page.
func outdated(ctx context.Context, s *storage.Store, v View) (breaches []domain.Breach) {
	now, page := storage.Version(""), ""
	v.each(func(_, _ int, f Fact) {
		if f.Kind != Shown || f.Version == "" || breaches != nil {
			return
		}
		if now == "" {
			channel, version, err := s.ChannelVersion(ctx, anyNews(), "")
			if err != nil || version == "" {
				return // nobody is shown what is kept
			}
			if page, err = readPage(ctx, s, channel, ""); err != nil {
				breaches = append(breaches, breachOf("I5", "reading the page: %v", err))
				return
			}
			now = version
		}
		if string(now) == f.Version && page != f.Page {
			law, kept, there := "I8", parsePage(f.Page), parsePage(page)
			if !sameTexts(kept, there) {
				law = "I3"
			}
			breaches = append(breaches, breachOf(law, "a page that is kept shows %s, and the store has %s under the same version", kept.words(), there.words()))
		}
	})
	return breaches
}

// sameTexts tells whether two pages show the same posts with the same texts.
func sameTexts(a, b page) bool {
	if len(a.posts) != len(b.posts) {
		return false
	}
	for i, post := range a.posts {
		if post.id != b.posts[i].id || post.text != b.posts[i].text {
			return false
		}
	}
	return true
}
