package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage"
)

// furnish makes ada, who owns Engines and Going, and bob, who owns Wheels. Going is
// being deleted, which can be undone. Each list has more than one item.
func furnish(g *stage) {
	g.Helper()
	g.enter()
	link, err := g.store.Operator.SignInLink(g.Context(), "ada")
	ok(g, err)
	engines, wheels, going := g.channel("Engines", "ada"), g.channel("Wheels", "bob"), g.channel("Going", "ada")
	g.subscribe(engines, wheels, going)
	theirs, first := g.post(engines, "bob", "Of bob"), g.post(engines, "ada", "First")
	post := g.post(engines, "ada", "Hello\nhttps://example.com")
	g.newest = post.ID
	g.vote(first, 1)
	g.keyed(engines, "used", "used")
	g.keyed(engines, "key-of-a-post", "Kept")
	gone := g.keyed(engines, "gone", "gone")
	ok(g, g.store.Posts.Delete(g.Context(), engines, gone.ID, domain.By("ada"), domain.Any[domain.Revision]()))
	reply, theirReply := g.reply(engines, post, "ada", "Of ada"), g.keyedReply(engines, post, "bob", "reply", "Of bob")
	secret, err := g.store.Accounts.NewDigestAddress(g.Context(), "bob")
	ok(g, err)
	invitation, made, err := g.store.Accounts.Invite(g.Context(), "ada")
	ok(g, err)
	undoable := storage.New(g.db, storage.Options{Undo: time.Minute})
	if _, err := undoable.Deletions.Request(g.Context(), going.Key(), domain.By("ada"), domain.OneOf(going.Incarnation)); err != nil {
		g.Fatalf("asking for a deletion: %v", err)
	}
	g.names = strings.NewReplacer(
		"{post}", string(post.ID), "{etag}", g.do("GET", "/api/v1/channels/Engines/blogs/"+string(post.ID)).want(200).header.Get("ETag"),
		"{reply}", string(reply.ID), "{their-reply}", string(theirReply.ID),
		"{replies}", g.next("/channels/Engines/blogs/"+string(post.ID)+"/replies?limit=1"), "{first}", string(first.ID), "{theirs}", string(theirs.ID),
		"{engines}", string(engines.Incarnation), "{wheels}", string(wheels.Incarnation), "{going}", string(going.Incarnation),
		"{link}", link, "{invitation}", invitation, "{invitationID}", url.PathEscape(made.ID), "{secret}", secret, "{ada}", g.tokens[1], "{password}", password,
		"{channels}", g.next("/channels?limit=1"), "{posts}", g.next("/channels/Engines/blogs?limit=1"),
		"{rated}", g.next("/channels/Engines/blogs?limit=1&order=rating"),
		"{feed}", g.next("/feed?limit=1"), "{subscriptions}", g.next("/subscriptions?limit=1"),
	)
}

// enter makes the accounts of ada and bob, with a session each.
func (g *stage) enter() { g.tokens = [4]string{"", g.signUp("ada"), g.signUp("bob"), "unknown"} }

// subscribe subscribes ada and bob to channels.
func (g *stage) subscribe(channels ...domain.Channel) {
	g.Helper()
	g.site.subscribe("ada", channels...)
	g.site.subscribe("bob", channels...)
}

// keyed makes a post with this idempotency key. It is dated yesterday, so
// that a digest holds it.
func (g *stage) keyed(channel domain.Channel, key, text string) domain.Blog {
	g.Helper()
	blog, _, err := g.store.Posts.Create(g.Context(), storage.NewPost{Channel: channel, By: "ada", Key: key,
		Draft: domain.Draft{Text: text}, CreatedOn: domain.Now().Add(-24 * time.Hour)})
	ok(g, err)
	return blog
}

// next returns the continuation token of ada's first page of a list.
func (g *stage) next(list string) string {
	g.Helper()
	return g.do("GET", "/api/v1"+list, bearer(g.tokens[1])).want(200).text("next")
}

// crowd is the content for which costs are counted: ada owns everything, and bob subscribes to
// it. Her deletions have ended.
func crowd(g *stage) {
	g.Helper()
	g.enter()
	engines := g.channel("Engines", "ada")
	var post domain.Blog
	for i := range 30 {
		time.Sleep(time.Second)
		post = g.post(engines, "ada", fmt.Sprint("Post ", i))
	}
	g.vote(post, 3)
	for i := range 16 {
		channel := g.channel(fmt.Sprintf("Channel%02d", i), "ada")
		ok(g, g.store.Operator.ListChannel(g.Context(), channel))
		g.post(channel, "ada", "Hello")
		g.site.subscribe("bob", channel)
	}
	var gone domain.Channel
	for _, name := range []string{"Gone", "Away", "Going"} {
		gone = g.channel(name, "ada")
		g.requestDeletion(gone)
		g.cascade(gone.Ref())
		g.advance(gone.Ref(), domain.DeletionDone, "", 3)
	}
	secret, err := g.store.Accounts.NewDigestAddress(g.Context(), "bob")
	ok(g, err)
	link, err := g.store.Operator.SignInLink(g.Context(), "ada")
	ok(g, err)
	g.newest = post.ID
	g.names = strings.NewReplacer("{link}", link, "{post}", string(post.ID), "{going}", string(gone.Incarnation), "{secret}", secret,
		"{engines}", string(engines.Incarnation))
}
