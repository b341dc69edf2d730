package web_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
)

// furnish makes ada, who owns Engines and Going, and bob, who owns Wheels. Going is
// being deleted, by a worker that waits before its first step. Each list has more than one item.
func (g *stage) furnish() {
	g.Helper()
	g.tokens = [4]string{"", g.account("ada"), g.account("bob"), "of-nobody"}
	link, err := g.store.SignInLink(g.Context(), "ada")
	if err != nil {
		g.Fatalf("making a link: %v", err)
	}
	engines, wheels, going := g.channel("Engines", "ada"), g.channel("Wheels", "bob"), g.channel("Going", "ada")
	g.subscribe(engines, wheels, going)
	theirs, first := g.post(engines, "bob", "Of bob"), g.post(engines, "ada", "First")
	post := g.post(engines, "ada", "Hello\nhttps://example.com")
	g.vote(first, 1)
	g.keyed(engines, "used")
	gone := g.keyed(engines, "gone")
	if err := g.store.DeleteBlog(g.Context(), engines, gone.ID, "ada", domain.Any[domain.Revision]()); err != nil {
		g.Fatalf("deleting a post: %v", err)
	}
	secret, err := g.store.NewDigestAddress(g.Context(), "ada")
	if err != nil {
		g.Fatalf("making an address: %v", err)
	}
	if _, err := g.store.AskLesson(g.Context(), going.Key(), "ada", domain.OneOf(going.Incarnation)); err != nil {
		g.Fatalf("asking for a deletion: %v", err)
	}
	g.pupil(going.Ref(), 1, domain.StepMark)
	g.names = strings.NewReplacer(
		"{post}", string(post.ID), "{etag}", `"`+string(post.Revision)+`-0"`, "{first}", string(first.ID), "{theirs}", string(theirs.ID),
		"{engines}", string(engines.Incarnation), "{wheels}", string(wheels.Incarnation), "{going}", string(going.Incarnation),
		"{link}", link, "{secret}", secret, "{ada}", g.tokens[1], "{password}", password,
		"{channels}", g.next("/channels?limit=1"), "{posts}", g.next("/channels/Engines/blogs?limit=1"),
		"{rated}", g.next("/channels/Engines/blogs?limit=1&order=rating"),
		"{feed}", g.next("/feed?limit=1"), "{subscriptions}", g.next("/subscriptions?limit=1"),
	)
}

// subscribe subscribes ada and bob to channels.
func (g *stage) subscribe(channels ...domain.Channel) {
	g.Helper()
	for _, channel := range channels {
		for _, user := range []domain.UserName{"ada", "bob"} {
			if err := g.store.Subscribe(g.Context(), channel, user); err != nil {
				g.Fatalf("subscribing: %v", err)
			}
		}
	}
}

// keyed makes a post whose idempotency key is also its text. It is dated yesterday, so
// that a digest holds it.
func (g *stage) keyed(channel domain.Channel, key string) domain.Blog {
	g.Helper()
	blog, _, err := g.store.Post(g.Context(), storage.Posting{Channel: channel.Ref(), By: "ada", Key: key,
		Draft: domain.Draft{Text: key}, CreatedOn: domain.Now().Add(-24 * time.Hour)})
	if err != nil {
		g.Fatalf("posting: %v", err)
	}
	return blog
}

// account makes an account whose password is cheap to check, and returns the token of a
// session.
func (g *stage) account(name string) string {
	g.Helper()
	const salt = "salt of 16 bytes"
	b64 := base64.RawStdEncoding.EncodeToString
	hash := fmt.Sprintf("$argon2id$v=%d$m=8,t=1,p=1$%s$%s", argon2.Version,
		b64([]byte(salt)), b64(argon2.IDKey([]byte(password), []byte(salt), 1, 8, 1, 32)))
	row := driver.Insert("", driver.String("Password", hash), driver.Time("CreatedOn", domain.Now()), driver.Int64("Epoch", 0),
		driver.String("Revision", "r"), driver.String("Revisions", "r"))
	if err := driver.NewTable(g.db, "Users").Transact(g.Context(), name, row); err != nil {
		g.Fatalf("making the account of %s: %v", name, err)
	}
	return g.session(name)
}

// next returns the continuation token of ada's first page of a list.
func (g *stage) next(list string) string {
	g.Helper()
	return g.do("GET", "/api/v1"+list, bearer(g.tokens[1])).want(200).text("next")
}
