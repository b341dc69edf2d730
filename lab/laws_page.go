package lab

import (
	"context"
	"strings"

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
	voters := map[domain.BlogID]map[domain.UserName]bool{}
	for _, k := range before {
		if k.Channel != f.Channel {
			continue
		}
		switch post, there := p.post(k.Blog); {
		case k.Kind == Accepted:
			breach("I4", "a page shows a channel, and its deletion was accepted before (%s)", string(f.Channel.Incarnation))
		case k.Kind == Posted && !there && !v.askedBlog(k.Blog) && !asked(v, f.Channel):
			breach("I3", "a page does not show a post that was acknowledged before, and nobody asked for its deletion")
		case k.Kind == Removed && there:
			breach("I3", "a page shows a post, and its deletion was acknowledged before")
		case k.Kind == Handled && there && editors(v, k.Blog) == 0:
			breach("I3", "a page shows a post, and a worker has deleted it before")
		case k.Kind == Edited && there && post.text != k.Key && editors(v, k.Blog) == 1:
			breach("I3", "a page shows the text %q, and an edit to %q was acknowledged before", post.text, k.Key)
		case k.Kind == Voted && there && !undone(v, k.actor, k.at, k.Fact, Unvoting, Unvoted):
			if voters[k.Blog] == nil {
				voters[k.Blog] = map[domain.UserName]bool{}
			}
			voters[k.Blog][k.User] = true
		}
	}
	for id, users := range voters {
		if post, _ := p.post(id); post.rating < len(users) {
			breach("I8", "a page shows %s for a post, and %d were acknowledged before", count(post.rating, "vote"), len(users))
		}
	}
	if least, most := subscribersAt(v, f.Channel, before); (p.subscribers < least || p.subscribers > most) && !asked(v, f.Channel) {
		breach("I8", "a page shows %s, and by what was acknowledged before, there are %d at least and %d at most", count(p.subscribers, "subscriber"), least, most)
	}
}

// subscribersAt bounds how many subscribers a reader may have found who knew this when they
// began. It counts on what was acknowledged, and on the rows that there are now.
func subscribersAt(v View, ref domain.ChannelRef, before []known) (least, most int) {
	in, out := map[domain.UserName]bool{}, map[domain.UserName]bool{}
	for _, k := range before {
		switch {
		case k.Channel != ref:
		case k.Kind == Subscribed && !undone(v, k.actor, k.at, k.Fact, Leaving, Left):
			in[k.User] = true
		case k.Kind == Left && !undone(v, k.actor, k.at, k.Fact, Joining, Subscribed):
			out[k.User] = true
		}
	}
	counted := map[domain.UserName]bool{}
	for row := range v.DB.Rows(tableBlogs) {
		if user, ok := strings.CutPrefix(row.Row, "sub!"); ok && row.Partition == string(ref.Key) {
			counted[domain.UserName(user)] = true
		}
	}
	v.each(func(_, _ int, f Fact) {
		if f.Kind == Leaving && f.Channel == ref && !out[f.User] {
			counted[f.User] = true // until they left
		}
	})
	return len(in), len(counted)
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
