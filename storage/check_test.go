package storage_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/schema"
)

// A plant is a violation that the test writes by hand, since no operation does.
type plant struct {
	name string
	// found plants the violation. It returns the violations that a check must find, each as
	// invariant, table, partition key and row key.
	found func(w *world) []string
	// unrepaired reports that no repair of it is safe.
	unrepaired bool
	// paged reports that pages of the channel plant show it, so that a repair must end what
	// processes keep of them.
	paged bool
	// again reports that a repair goes by an operation which reads again what has changed.
	again bool
}

// insert writes a row of an incarnation and returns its row key.
func (w *world) insert(key domain.ChannelKey, row string, of domain.Incarnation, p ...driver.Property) string {
	w.t.Helper()
	p = append(p, driver.String("Incarnation", of))
	w.ok(w.table("Blogs").Transact(w.t.Context(), string(key), driver.Insert(row, whole("Blogs", string(key), row, p)...)))
	return row
}

// whole adds the properties that a row of this kind must have.
func whole(table, partition, row string, p driver.Properties) driver.Properties {
	kind := schema.Of(table, partition, row)
	if kind == nil {
		return p
	}
	for _, want := range kind.Properties {
		has := slices.ContainsFunc(p, func(p driver.Property) bool { return p.Name == want.Name })
		if has || want.Optional {
			continue
		}
		number := int64(0)
		if want.Type == driver.KindDateTime {
			number = domain.TicksOf(domain.Now())
		}
		value, err := driver.RawValue(want.Type, "", number)
		if err != nil {
			panic(err)
		}
		p = append(p, driver.Property{Name: want.Name, Value: value})
	}
	return p
}

func (w *world) remove(key domain.ChannelKey, row string) {
	w.t.Helper()
	w.ok(w.table("Blogs").Transact(w.t.Context(), string(key), driver.Delete(row, driver.Exists)))
}

// ofDead plants one row of every kind, of an incarnation that no channel has.
func ofDead(key domain.ChannelKey) func(w *world) []string {
	return func(w *world) (found []string) {
		dead := domain.NewIncarnation()
		id := domain.NewBlogID(time.Now())
		for _, row := range []string{"blog!" + string(id), shutGateRow(dead), "once!x", rateRow(0, id), "sub!eve", "vote!x!ada", "~of a later program"} {
			found = append(found, fmt.Sprintf("I1 Blogs %s %s", key, w.insert(key, row, dead)))
		}
		return append(found, fmt.Sprintf("I1 Blogs %s %s", key, w.insert(key, "once!of nobody", "")))
	}
}

// marked creates a channel and marks it as being deleted. The deletion is recorded or
// not.
func (w *world) marked(name string, recorded bool) domain.Channel {
	w.t.Helper()
	channel := w.create(name, ada)
	if recorded {
		w.forget(channel)
	}
	_, err := w.store.Operator.PassPivot(w.t.Context(), messageAbout(channel.Ref()))
	w.ok(err)
	return channel
}

// plants are all violations that a check can find in one row or one channel.
func plants() []plant {
	return slices.Concat(rowPlants(), listPlants(), gatePlants(), nobodysPlants())
}

// found returns one violation as a check must find it.
func found(invariant, table string, key domain.ChannelKey, row string) []string {
	return []string{fmt.Sprintf("%s %s %s %s", invariant, table, key, row)}
}

// rowPlants are violations of single rows: orphans, and rows that disagree with the
// index.
func rowPlants() []plant {
	return []plant{
		{name: "orphans under a name before all", found: ofDead("0")},
		{name: "orphans under a free name", found: ofDead("free")},
		{name: "orphans under a name after all", found: ofDead("zz")},
		{name: "orphans beside a channel", found: ofDead("a")},
		{name: "a post that is not in the index", paged: true, found: func(w *world) []string {
			blog := w.post(w.create("plant", ada), grace, "one")
			w.remove("plant", rateRow(0, blog.ID))
			return found("I8", "Blogs", "plant", "blog!"+string(blog.ID))
		}},
		{name: "a post of another rating than in the index", paged: true, found: func(w *world) []string {
			blog := w.post(w.create("plant", ada), grace, "one")
			w.ok(w.table("Blogs").Transact(w.t.Context(), "plant", driver.Merge("blog!"+string(blog.ID), driver.Exists, driver.Int64("Rating", 7))))
			for n := range 7 {
				voter := domain.UserName(fmt.Sprint("voter", n))
				w.ok(w.store.Operator.ListVote(w.t.Context(), blog.Channel, blog.ID, voter))
				w.insert("plant", schema.VoteRow(blog.ID, voter), blog.Channel.Incarnation)
			}
			return append(found("I8", "Blogs", "plant", "blog!"+string(blog.ID)), found("I8", "Blogs", "plant", rateRow(0, blog.ID))...)
		}},
		{name: "a post that is in the index twice", paged: true, found: func(w *world) []string {
			blog := w.post(w.create("plant", ada), grace, "one")
			return found("I8", "Blogs", "plant", w.insert("plant", rateRow(-3, blog.ID), blog.Channel.Incarnation))
		}},
		{name: "a rating without its vote", paged: true, again: true, found: func(w *world) []string {
			blog := w.post(w.create("plant", ada), grace, "one")
			w.vote(blog, 0, 1)
			w.remove("plant", "vote!"+string(blog.ID)+"!voter0")
			return found("I8", "Blogs", "plant", "blog!"+string(blog.ID))
		}},
		{name: "a subscriber without a subscription", paged: true, found: func(w *world) []string {
			return found("I8", "Blogs", "plant", w.insert("plant", "sub!grace", w.create("plant", ada).Incarnation))
		}},
		{name: "a post of a channel that is no more", paged: true, found: func(w *world) []string {
			w.create("plant", ada)
			return found("I1", "Blogs", "plant", w.insert("plant", "blog!"+string(domain.NewBlogID(time.Now())), domain.NewIncarnation()))
		}},
		{name: "no post where the index has one", found: func(w *world) []string {
			channel := w.create("plant", ada)
			w.post(channel, grace, "one")
			return found("I8", "Blogs", "plant", w.insert("plant", rateRow(0, domain.NewBlogID(time.Now())), channel.Incarnation))
		}},
		{name: "a second row that says who may post", found: func(w *world) []string {
			channel := w.create("plant", ada)
			w.post(channel, grace, "one") // which puts one up
			row := w.insert("plant", "posting!ZZZZZZZZZZZZZZZZZZZZZZZZZZ", channel.Incarnation)
			w.ok(w.table("Blogs").Transact(w.t.Context(), "plant", driver.Merge(row, driver.Exists,
				driver.String("Posting", "open"), driver.String("Blocked", ""))))
			return found("I11", "Blogs", "plant", row)
		}},
		{name: "a row of the index that cannot be read", found: func(w *world) []string {
			channel := w.create("plant", ada)
			return found("I8", "Blogs", "plant", w.insert("plant", "rate!x!y", channel.Incarnation))
		}},
	}
}

// listPlants are what is not on the list of its user.
func listPlants() []plant {
	return []plant{
		{name: "a channel that is not on its owner's list", found: func(w *world) []string {
			w.create("plant", ada)
			w.disown("plant", ada)
			return found("I8", "Channels", "plant", "")
		}},
		{name: "a post that is not on its author's list", found: func(w *world) []string {
			blog := w.post(w.create("plant", ada), grace, "one")
			w.unlist(blog)
			return found("I8", "Blogs", "plant", "blog!"+string(blog.ID))
		}},
		{name: "a post that is on its author's list as one of another channel", found: func(w *world) []string {
			blog := w.post(w.create("plant", ada), grace, "one")
			other := blog
			other.Channel.Incarnation = domain.NewIncarnation()
			w.ok(w.store.Operator.ListPosts(w.t.Context(), grace, other))
			return found("I8", "Blogs", "plant", "blog!"+string(blog.ID))
		}},
		{name: "a vote that is not on its voter's list", found: func(w *world) []string {
			blog := w.post(w.create("plant", ada), grace, "one")
			w.vote(blog, 0, 1)
			w.ok(w.store.Operator.Unlist(w.t.Context(), "voter0", []string{schema.VotedRow(blog.ID)}))
			return found("I8", "Blogs", "plant", schema.VoteRow(blog.ID, "voter0"))
		}},
		{name: "a deletion that is not on the list of who asked for it", found: func(w *world) []string {
			channel := w.create("plant", ada)
			ref := w.ask(channel)
			d, err := w.store.Deletions.Get(w.t.Context(), ref, ada)
			w.ok(err)
			w.carryOut(w.messages())
			w.ok(w.table("Users").Transact(w.t.Context(), string(ada), driver.Delete(schema.RequestedRow(d.RequestedOn, ref), driver.Exists)))
			return found("I8", "Deletions", "plant", string(ref.Incarnation))
		}},
	}
}

// nobodysPlants are what a user whose account is gone has: what they sent has landed late.
func nobodysPlants() (plants []plant) {
	for name, land := range map[string]func(w *world, late *storage.Parts, plant domain.Channel) []string{
		"post": func(w *world, late *storage.Parts, plant domain.Channel) []string {
			post, _, err := late.Posts.Create(w.t.Context(), posting(plant, lea, "late"))
			w.ok(err)
			return found("I12", "Blogs", "plant", "blog!"+string(post.ID))
		},
		"vote": func(w *world, late *storage.Parts, plant domain.Channel) []string {
			post := w.post(plant, grace, "one")
			w.ok(late.Posts.Vote(w.t.Context(), plant.Ref(), post.ID, lea))
			return found("I12", "Blogs", "plant", schema.VoteRow(post.ID, lea))
		},
		"subscription": func(w *world, late *storage.Parts, plant domain.Channel) []string {
			w.ok(late.Subscriptions.Create(w.t.Context(), plant, lea))
			return found("I12", "Blogs", "plant", "sub!lea")
		},
		"channel on their list": func(w *world, late *storage.Parts, _ domain.Channel) []string {
			ghost, _, err := late.Channels.Create(w.t.Context(), w.channel("ghost", lea), "", 0)
			w.ok(err)
			w.ok(late.Operator.ListChannel(w.t.Context(), ghost))
			return append(found("I12", "Channels", "ghost", ""), found("I12", "Blogs", "ghost", "sub!lea")...)
		},
		"channel on no list": func(w *world, late *storage.Parts, _ domain.Channel) []string {
			ghost, _, err := late.Channels.Create(w.t.Context(), w.channel("ghost", lea), "", 0)
			w.ok(err)
			w.ok(late.Subscriptions.Delete(w.t.Context(), ghost.Ref(), lea))
			return found("I12", "Channels", "ghost", "")
		},
	} {
		plants = append(plants, plant{name: "a " + name + " of a user whose account is gone", again: true, found: func(w *world) []string {
			w.account(lea)
			w.leave(lea)
			w.work()
			late := storage.New(w.db, storage.Options{NoErasure: true})
			return land(w, late, w.create("plant", ada))
		}})
	}
	return plants
}

// gatePlants are violations of gates and of deletions.
func gatePlants() []plant {
	return []plant{
		{name: "an active channel without a gate", found: func(w *world) []string {
			w.ungate(w.create("plant", ada))
			return found("I9", "Channels", "plant", "")
		}},
		{name: "an active channel behind a shut gate", unrepaired: true, found: func(w *world) []string {
			_, err := w.store.Operator.ShutGate(w.t.Context(), w.create("plant", ada).Ref())
			w.ok(err)
			return found("I9", "Channels", "plant", "")
		}},
		{name: "an active channel with both its gates", unrepaired: true, found: func(w *world) []string {
			channel := w.create("plant", ada)
			w.insert("plant", shutGateRow(channel.Incarnation), channel.Incarnation)
			return found("I9", "Channels", "plant", "")
		}},
		{name: "a deleting channel with both its gates", unrepaired: true, found: func(w *world) []string {
			channel := w.marked("plant", true)
			w.insert("plant", shutGateRow(channel.Incarnation), channel.Incarnation)
			return found("I9", "Channels", "plant", "")
		}},
		{name: "a deleting channel that nobody recorded", found: func(w *world) []string {
			w.marked("plant", false)
			return found("I5", "Channels", "plant", "")
		}},
		{name: "a deletion without progress", found: func(w *world) []string {
			channel := w.marked("plant", true)
			time.Sleep(patience + time.Second)
			return found("I5", "Deletions", "plant", string(channel.Incarnation))
		}},
	}
}

// neighbours makes what is no violation: channels with posts, a channel that is being deleted, a
// deletion that is done, a poisoned one, and a vote without its post, which a message that waits may
// be about. A check must leave them alone. It returns what a repair removes: the gates and
// reservations of creations that died, or that come late.
func (w *world) neighbours() (litter [][2]string) {
	w.t.Helper()
	for _, name := range []string{"a", "m", "z"} {
		blog := w.post(w.create(name, ada), grace, "one")
		w.vote(blog, 0, 3)
		w.post(w.create(name+".empty", ada), grace, "two")
	}
	underWay := w.marked("halfway", true)
	w.post(w.create("quarter", ada), grace, "one")
	w.ask(w.create("poisoned", ada))
	w.poison()
	for _, step := range cascade(w.store, underWay.Ref())[:4] {
		w.ok(step(w.t.Context()))
	}
	done := w.create("done", ada)
	w.ask(done)
	w.carryOut(w.messages())
	stray, own := domain.NewIncarnation(), w.readChannel("m").Incarnation
	for _, gate := range []string{openGateRow(stray), reservedGateRow(stray)} {
		litter = append(litter, [2]string{"a", w.insert("a", gate, stray)}, [2]string{"nobody", w.insert("nobody", gate, stray)})
	}
	gone := domain.NewBlogID(domain.Now())
	w.ok(w.store.Operator.ListVote(w.t.Context(), domain.ChannelRef{Key: "m", Incarnation: own}, gone, "eve"))
	w.insert("m", schema.VoteRow(gone, "eve"), own)
	return append(litter, [2]string{"m", w.insert("m", reservedGateRow(own), own)})
}

func (w *world) run(repair bool) (violations []domain.Violation, counts storage.CheckCounts) {
	w.t.Helper()
	checker := w.store.Operator.NewChecker(patience, repair, func(b domain.Violation) { violations = append(violations, b) })
	counts, err := checker.Run(w.t.Context())
	w.ok(err)
	return violations, counts
}

func places(violations []domain.Violation) []string {
	var places []string
	for _, b := range violations {
		places = append(places, fmt.Sprintf("%s %s %s %s", b.Invariant, b.Table, b.PartitionKey, b.RowKey))
	}
	slices.Sort(places)
	return places
}

func TestCheck(t *testing.T) {
	t.Run("every violation is found and repaired", everyViolationIsFoundAndRepaired)
	t.Run("rows that are read are counted", bubble(checkCountsWhatItReads))
	t.Run("short and empty pages of the store hide nothing", bubble(orphanBehindShortPages))
	t.Run("users and workers between its calls are no violation", drivertest.Long(checkBesideLifeReportsNothing))
	t.Run("memory does not grow with the rows", checkStreams)
}

func everyViolationIsFoundAndRepaired(t *testing.T) {
	for _, plant := range plants() {
		t.Run(plant.name, bubble(func(t *testing.T, w *world) {
			litter := w.neighbours()
			want := plant.found(w)
			slices.Sort(want)
			w.ok(w.store.Operator.UpdateRecord(t.Context(), messageAbout(w.deletionUnderWay()), addRows(1))) // a worker makes progress
			before := w.rows("Blogs")
			violations, _ := w.run(false)
			if got := places(violations); !slices.Equal(got, want) {
				t.Errorf("found\n%q\nwant\n%q", got, want)
			}
			for _, b := range violations {
				if b.Detail == "" || b.Repaired != "" {
					t.Errorf("reported %+v", b)
				}
			}
			if after := w.rows("Blogs"); len(after) != len(before) {
				t.Error("a check without repair has changed rows")
			}
			gates := func() (versions string) {
				for _, row := range w.rows("Blogs") {
					if row.Partition == "plant" && strings.HasPrefix(row.Row, "gate!open!") {
						versions += string(row.ETag)
					}
				}
				return versions
			}
			gate := gates()
			violations, _ = w.run(true)
			if got := places(violations); !slices.Equal(got, want) {
				t.Errorf("repairing, found\n%q\nwant\n%q", got, want)
			}
			for _, b := range violations {
				if b.Repaired == "" || strings.HasPrefix(b.Repaired, "left: ") != plant.unrepaired {
					t.Errorf("repaired %+v", b)
				}
			}
			violations, _ = w.run(true)
			for _, b := range violations {
				if why, left := strings.CutPrefix(b.Repaired, "left: "); !plant.unrepaired || !left || why == "" {
					t.Errorf("a second repair did %+v", b)
				}
			}
			if plant.unrepaired && len(violations) == 0 {
				t.Error("what cannot be repaired is gone")
			}
			if open := gates(); plant.paged && open == gate {
				t.Error("the repair has changed what pages show, and they would be kept")
			}
			w.mustHaveKeptTheNeighbours()
			for _, row := range litter {
				if w.has(domain.ChannelKey(row[0]), row[1]) {
					t.Errorf("the repair left %s of %s", row[1], row[0])
				}
			}
		}))
	}
}

// deletionUnderWay returns the incarnation whose deletion has begun.
func (w *world) deletionUnderWay() domain.ChannelRef {
	w.t.Helper()
	for _, row := range w.rows("Deletions") {
		if row.Partition == "halfway" {
			return domain.ChannelRef{Key: "halfway", Incarnation: domain.Incarnation(row.Row)}
		}
	}
	w.t.Fatal("no deletion is under way")
	panic("unreachable")
}

func (w *world) mustHaveKeptTheNeighbours() {
	w.t.Helper()
	for _, key := range []domain.ChannelKey{"a", "m", "z", "quarter"} {
		channel, err := w.store.Channels.Get(w.t.Context(), key.Address())
		w.ok(err)
		if got := w.texts(channel.Ref()); !slices.Equal(got, []string{"one"}) {
			w.t.Errorf("%s has the posts %q", key, got)
		}
	}
	if !slices.ContainsFunc(w.rows("Blogs"), func(row driver.Entity) bool {
		return row.Partition == "m" && strings.HasPrefix(row.Row, "vote!") && strings.HasSuffix(row.Row, "!eve")
	}) {
		w.t.Error("the vote is gone that a message may be about")
	}
	if _, err := w.store.Operator.PassPivot(w.t.Context(), messageAbout(w.deletionUnderWay())); err != nil {
		w.t.Error(err)
	}
}

func checkCountsWhatItReads(t *testing.T, w *world) {
	w.account(ada) // a user, a session and a known address
	for i := range 3 {
		w.post(w.create(fmt.Sprintf("c%d", i), ada), grace, "one")
	}
	channel := w.create("gone", ada)
	w.ask(channel)
	w.carryOut(w.messages())
	if violations, counts := w.run(false); len(violations) != 0 || counts != (storage.CheckCounts{Channels: 3, Blogs: 3, Rows: 3 + 3*6 + 3 + 3 + 3 + 4 + 1 + 1 + 1 + 1 + 1 + 1}) {
		t.Errorf("counted %+v, and found %+v", counts, violations)
	}
}

// disown takes a channel off its owner's list.
func (w *world) disown(key domain.ChannelKey, owner domain.UserName) {
	w.t.Helper()
	w.ok(w.table("Users").Transact(w.t.Context(), string(owner), driver.Delete(schema.OwnedRow(key), driver.Exists)))
}

func addRows(n int64) func(*domain.Deletion) bool {
	return func(d *domain.Deletion) bool { d.RowsDeleted += n; d.State = domain.DeletionRunning; return true }
}

func orphanBehindShortPages(t *testing.T, w *world) {
	w.store = storage.New(w.db, storage.Options{Around: []driver.Around{haltingPages}})
	for i := range 5 {
		w.create(fmt.Sprintf("c%d", i), ada)
	}
	w.post(w.create("garden", ada), grace, "one")
	w.mustBeSound()
	w.insert("c3", "once!x", domain.NewIncarnation())
	if violations, _ := w.run(true); len(violations) != 1 {
		t.Errorf("found %+v", violations)
	}
}
