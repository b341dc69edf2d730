package oracle_test

import (
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/oracle"
)

// A world is a sound store with one channel, news, in which grace has a post
// with one vote and a subscription.
type world struct {
	t       *testing.T
	db      *bolt.DB
	channel domain.Channel
	post    domain.BlogID
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, db: db}
	t.Cleanup(func() { w.ok(db.Close()) })
	store := storage.New(db, storage.Options{})
	w.ok(store.Operator.Prepare(t.Context()))
	w.channel, err = domain.NewChannel("News", domain.About{}, "ada")
	w.ok(err)
	w.channel, _, err = store.Channels.Create(t.Context(), w.channel, "", 0)
	w.ok(err)
	blog, _, err := store.Posts.Create(t.Context(), storage.Posting{
		Channel: w.channel, By: "grace", Key: "one", Draft: domain.Draft{Text: "one"},
	})
	w.ok(err)
	w.post = blog.ID
	w.ok(store.Posts.Vote(t.Context(), w.channel.Ref(), blog.ID, "eve"))
	w.ok(store.Subscriptions.Create(t.Context(), w.channel, "grace"))
	return w
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// write applies operations to the news partition of a table, past all rules.
func (w *world) write(table string, ops ...driver.Operation) {
	w.t.Helper()
	w.ok(driver.NewTable(w.db, table).Transact(w.t.Context(), "news", ops...))
}

// listVote puts a post on the list of what ada votes on.
func (w *world) listVote(id domain.BlogID) {
	w.t.Helper()
	w.ok(driver.NewTable(w.db, "Users").Transact(w.t.Context(), "ada",
		driver.Insert("voted!"+string(id), w.own(), driver.String("Channel", "news"))))
}

// record records a deletion that eve has asked for, and puts it on her list.
func (w *world) record(incarnation, state string) {
	w.t.Helper()
	on := domain.Now()
	w.write("Deletions", driver.Insert(incarnation, driver.String("State", state), driver.String("RequestedBy", "eve"), driver.Time("RequestedOn", on)))
	w.ok(driver.NewTable(w.db, "Users").Transact(w.t.Context(), "eve",
		driver.Insert("requested!"+domain.RecentFirst(on)+"!news!"+incarnation)))
}

func (w *world) own() driver.Property { return driver.String("Incarnation", w.channel.Incarnation) }

func (w *world) openGate() string { return "gate!open!" + string(w.channel.Incarnation) }

func (w *world) shutGate() string { return "gate!shut!" + string(w.channel.Incarnation) }

// mustBreak compares the violations with those wanted, each written as the
// invariant, the table and the row.
func (w *world) mustBreak(want ...string) {
	w.t.Helper()
	violations, err := oracle.Violations(w.t.Context(), w.db)
	w.ok(err)
	var got []string
	for _, b := range violations {
		got = append(got, strings.TrimSpace(b.Invariant+" "+b.Table+" "+b.RowKey))
		if b.PartitionKey != "news" || b.Detail == "" {
			w.t.Errorf("violation %+v does not say where it is, or what", b)
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		w.t.Errorf("found %q, want %q: %v", got, want, violations)
	}
}

// other is an incarnation that no channel has.
const other = "OTHERINCARNATIONAAAAAAAAAA"

func TestViolations(t *testing.T) {
	for _, spoilers := range []map[string]spoiler{spoiltChannels(), spoiltPosts()} {
		for name, spoil := range spoilers {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t)
				w.mustBreak()
				want := spoil(w)
				w.mustBreak(want)
			})
		}
	}
	for name, change := range harmless() {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			change(w)
			w.mustBreak()
		})
	}
	t.Run("a channel that is gone leaves orphans and no other violation", goneChannelLeavesOrphans)
	t.Run("a store without tables is an error", noTablesIsAnError)
}

// A spoiler breaks one invariant by hand and returns the violation that it is.
type spoiler = func(w *world) (want string)

// spoiltChannels break I1, I5 and I9.
func spoiltChannels() map[string]spoiler {
	return map[string]spoiler{
		"a row of another incarnation is an orphan": func(w *world) string {
			w.write("Blogs", driver.Insert("once!key", driver.String("Incarnation", other)))
			return "I1 Blogs once!key"
		},
		"a row without an incarnation is an orphan": func(w *world) string {
			w.write("Blogs", driver.Insert("once!key"))
			return "I1 Blogs once!key"
		},
		"a channel that is being deleted and has no record does not end": func(w *world) string {
			w.write("Channels", driver.Merge("", driver.Exists, driver.String("State", "deleting")))
			return "I5 Channels"
		},
		"a deletion that no worker handles does not end": func(w *world) string {
			w.record(other, "running")
			return "I5 Deletions " + other
		},
		"a deletion is on the list of who asked for it": func(w *world) string {
			w.write("Deletions", driver.Insert(other, driver.String("State", "done"), driver.String("RequestedBy", "eve")))
			return "I8 Deletions " + other
		},
		"a deletion that is done has left no channel": func(w *world) string {
			w.record(string(w.channel.Incarnation), "done")
			return "I5 Deletions " + string(w.channel.Incarnation)
		},
		"a channel is on the list of its owner": func(w *world) string {
			w.ok(driver.NewTable(w.db, "Users").Transact(w.t.Context(), "ada", driver.Delete("owned!news", driver.Exists)))
			return "I8 Channels"
		},
		"one row says who may post": func(w *world) string {
			w.write("Blogs", driver.Insert("posting!ZZZZ", w.own())) // grace has posted: there is one
			return "I11 Blogs posting!ZZZZ"
		},
		"an active channel has its open gate": func(w *world) string {
			w.write("Blogs", driver.Delete(w.openGate(), driver.Exists))
			return "I9 Channels"
		},
		"an active channel has no shut gate": func(w *world) string {
			w.write("Blogs", driver.Delete(w.openGate(), driver.Exists), driver.Insert(w.shutGate(), w.own()))
			return "I9 Channels"
		},
		"no channel has both gates": func(w *world) string {
			w.write("Blogs", driver.Insert(w.shutGate(), w.own()))
			return "I9 Channels"
		},
	}
}

// spoiltPosts break I8.
func spoiltPosts() map[string]spoiler {
	post := func(w *world) string { return "blog!" + string(w.post) }
	return map[string]spoiler{
		"a post is not on the list of its author": func(w *world) string {
			w.ok(driver.NewTable(w.db, "Users").Transact(w.t.Context(), "grace", driver.Delete("wrote!"+string(w.post), driver.Exists)))
			return "I8 Blogs blog!" + string(w.post)
		},
		"a post is listed in another incarnation": func(w *world) string {
			w.ok(driver.NewTable(w.db, "Users").Transact(w.t.Context(), "grace",
				driver.Merge("wrote!"+string(w.post), driver.Exists, driver.String("Incarnation", other))))
			return "I8 Blogs blog!" + string(w.post)
		},
		"a vote is not on the list of its voter": func(w *world) string {
			w.write("Blogs", driver.Delete("rate!9999999998!"+string(w.post), driver.Exists),
				driver.Merge("blog!"+string(w.post), driver.Exists, driver.Int64("Rating", 2)),
				driver.Insert("rate!9999999997!"+string(w.post), w.own()), driver.Insert("vote!"+string(w.post)+"!ada", w.own()))
			return "I8 Blogs vote!" + string(w.post) + "!ada"
		},
		"a rating that its votes do not give is wrong": func(w *world) string {
			w.listVote(w.post)
			w.write("Blogs", driver.Insert("vote!"+string(w.post)+"!ada", w.own()))
			return "I8 Blogs " + post(w)
		},
		"a post without its row in the index is lost to it": func(w *world) string {
			w.write("Blogs", driver.Delete("rate!9999999998!"+string(w.post), driver.Exists))
			return "I8 Blogs " + post(w)
		},
		"a post at another rating in the index is misplaced": func(w *world) string {
			w.write("Blogs", driver.Delete("rate!9999999998!"+string(w.post), driver.Exists),
				driver.Insert("rate!9999999997!"+string(w.post), w.own()))
			return "I8 Blogs " + post(w)
		},
		"a post twice in the index is listed twice": func(w *world) string {
			w.write("Blogs", driver.Insert("rate!9999999997!"+string(w.post), w.own()))
			return "I8 Blogs " + post(w)
		},
		"a row of the index without a post points nowhere": func(w *world) string {
			w.write("Blogs", driver.Insert("rate!9999999999!gone", w.own()))
			return "I8 Blogs rate!9999999999!gone"
		},
		"a vote without a post counts for nothing": func(w *world) string {
			w.listVote("gone")
			w.write("Blogs", driver.Insert("vote!gone!ada", w.own()))
			return "I8 Blogs vote!gone!ada"
		},
		"a subscriber without a subscription cannot know": func(w *world) string {
			w.write("Blogs", driver.Insert("sub!eve", w.own()))
			return "I8 Blogs sub!eve"
		},
	}
}

// harmless are rows that look wrong and are no violation.
func harmless() map[string]func(w *world) {
	return map[string]func(w *world){
		"a creation that died leaves a gate that is harmless": func(w *world) {
			for _, kind := range []string{"open", "reserved"} {
				w.write("Blogs", driver.Insert("gate!"+kind+"!"+other, driver.String("Incarnation", other)))
			}
		},
		"a deletion in poison is visible, and half done": func(w *world) {
			w.write("Channels", driver.Merge("", driver.Exists, driver.String("State", "deleting")))
			w.record(string(w.channel.Incarnation), "poisoned")
			w.write("Blogs", driver.Delete(w.openGate(), driver.Exists), driver.Insert(w.shutGate(), w.own()),
				driver.Delete("blog!"+string(w.post), driver.Exists), driver.Insert("sub!eve", w.own()))
		},
		"a subscription that its channel does not count goes when it is read": func(w *world) {
			w.write("Blogs", driver.Delete("sub!grace", driver.Exists))
		},
	}
}

func goneChannelLeavesOrphans(t *testing.T) {
	w := newWorld(t)
	w.write("Channels", driver.Delete("", driver.Exists))
	violations, err := oracle.Violations(t.Context(), w.db)
	w.ok(err)
	for _, b := range violations {
		if b.Invariant != "I1" {
			t.Errorf("violation %v, want orphans alone", b)
		}
	}
	if len(violations) < 4 { // the post, its key, its row in the index, the subscribers
		t.Errorf("found %d orphans: %v", len(violations), violations)
	}
}

func noTablesIsAnError(t *testing.T) {
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := oracle.Violations(t.Context(), db); err == nil {
		t.Error("a store without tables was read")
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
