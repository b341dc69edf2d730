package check_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
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

func (w *world) remove(key domain.ChannelKey, row string) {
	w.T.Helper()
	w.OK(w.Table("Blogs").Transact(w.T.Context(), string(key), driver.Delete(row, driver.Exists)))
}

// ofDead plants one row of every kind, of an incarnation that no channel has.
func ofDead(key domain.ChannelKey) func(w *world) []string {
	return func(w *world) (found []string) {
		dead := domain.NewIncarnation()
		id := domain.NewBlogID(time.Now())
		for _, row := range []string{"blog!" + string(id), storetest.ShutGateRow(dead), "once!x", rateRow(0, id), "sub!eve", "vote!x!ada", "~of a later program"} {
			found = append(found, fmt.Sprintf("I1 Blogs %s %s", key, w.Insert(key, row, dead)))
		}
		return append(found, fmt.Sprintf("I1 Blogs %s %s", key, w.Insert(key, "once!of no post", "")))
	}
}

// marked creates a channel and marks it as being deleted. The deletion is recorded or
// not.
func (w *world) marked(name string, recorded bool) domain.Channel {
	w.T.Helper()
	channel := w.Create(name, ada)
	if recorded {
		w.Forget(channel)
	}
	_, err := w.Store.Operator.PassPivot(w.T.Context(), storetest.MessageAbout(channel.Ref()))
	w.OK(err)
	return channel
}

// done creates a channel whose deletion is recorded as done.
func (w *world) done(name string) domain.Channel {
	w.T.Helper()
	channel := w.Create(name, ada)
	m := storetest.MessageAbout(channel.Ref())
	m.RequestedBy, m.RequestedOn = ada, domain.Now()
	w.OK(w.Store.Operator.ListDeletion(w.T.Context(), m))
	w.OK(w.Store.Operator.RecordDeletion(w.T.Context(), m))
	w.SetDone(channel.Ref())
	return channel
}

// setUndone records that a deletion was undone.
func (w *world) setUndone(ref domain.ChannelRef) {
	w.T.Helper()
	w.OK(w.Table("Deletions").Transact(w.T.Context(), string(ref.Key), driver.Merge(string(ref.Incarnation), driver.Exists, driver.String("State", "undone"))))
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
		{name: "orphans next to a channel", found: ofDead("a")},
		{name: "a post that is not in the index", paged: true, found: func(w *world) []string {
			blog := w.Post(w.Create("plant", ada), grace, "one")
			w.remove("plant", rateRow(0, blog.ID))
			return found("I8", "Blogs", "plant", "blog!"+string(blog.ID))
		}},
		{name: "a post of another rating than in the index", paged: true, found: func(w *world) []string {
			blog := w.Post(w.Create("plant", ada), grace, "one")
			w.OK(w.Table("Blogs").Transact(w.T.Context(), "plant", driver.Merge("blog!"+string(blog.ID), driver.Exists, driver.Int64("Rating", 7))))
			for n := range 7 {
				voter := domain.UserName(fmt.Sprint("voter", n))
				w.OK(w.Store.Operator.ListVote(w.T.Context(), blog.Channel, blog.ID, voter))
				w.Insert("plant", schema.VoteRow(blog.ID, voter), blog.Channel.Incarnation)
			}
			return append(found("I8", "Blogs", "plant", "blog!"+string(blog.ID)), found("I8", "Blogs", "plant", rateRow(0, blog.ID))...)
		}},
		{name: "a vote on a post that is not there, whose deletion no message asks for", paged: true, found: func(w *world) []string {
			channel, gone := w.Create("plant", ada), domain.NewBlogID(domain.Now())
			w.OK(w.Store.Operator.ListVote(w.T.Context(), channel.Ref(), gone, eve))
			w.askForPost(channel.Ref(), domain.NewBlogID(domain.Now())) // of another
			w.Poison()
			return found("I8", "Blogs", "plant", w.Insert("plant", schema.VoteRow(gone, eve), channel.Incarnation))
		}},
		{name: "a post that is in the index twice", paged: true, found: func(w *world) []string {
			blog := w.Post(w.Create("plant", ada), grace, "one")
			return found("I8", "Blogs", "plant", w.Insert("plant", rateRow(-3, blog.ID), blog.Channel.Incarnation))
		}},
		{name: "a rating without its vote", paged: true, again: true, found: func(w *world) []string {
			blog := w.Post(w.Create("plant", ada), grace, "one")
			w.Vote(blog, 0, 1)
			w.remove("plant", "vote!"+string(blog.ID)+"!voter0")
			return found("I8", "Blogs", "plant", "blog!"+string(blog.ID))
		}},
		{name: "a subscriber without a subscription", paged: true, found: func(w *world) []string {
			return found("I8", "Blogs", "plant", w.Insert("plant", "sub!grace", w.Create("plant", ada).Incarnation))
		}},
		{name: "a post of a channel that is no more", paged: true, found: func(w *world) []string {
			blog := w.Post(w.Create("plant", ada), grace, "one")
			w.remove("plant", rateRow(0, blog.ID)) // so that each row is looked at twice
			orphan := w.Insert("plant", "blog!"+string(domain.NewBlogID(time.Now())), domain.NewIncarnation())
			return append(found("I1", "Blogs", "plant", orphan), found("I8", "Blogs", "plant", "blog!"+string(blog.ID))...)
		}},
		{name: "no post where the index has one", found: func(w *world) []string {
			channel := w.Create("plant", ada)
			w.Post(channel, grace, "one")
			return found("I8", "Blogs", "plant", w.Insert("plant", rateRow(0, domain.NewBlogID(time.Now())), channel.Incarnation))
		}},
		{name: "a second row that says who may post", found: func(w *world) []string {
			channel := w.Create("plant", ada)
			w.Post(channel, grace, "one") // which puts one up
			row := w.Insert("plant", "posting!ZZZZZZZZZZZZZZZZZZZZZZZZZZ", channel.Incarnation)
			w.OK(w.Table("Blogs").Transact(w.T.Context(), "plant", driver.Merge(row, driver.Exists,
				driver.String("Posting", "open"), driver.String("Blocked", ""))))
			return found("I11", "Blogs", "plant", row)
		}},
		{name: "a row of the index that cannot be read", found: func(w *world) []string {
			channel := w.Create("plant", ada)
			return found("I8", "Blogs", "plant", w.Insert("plant", "rate!x!y", channel.Incarnation))
		}},
	}
}

// votePlant is a rating that neither the votes nor the index have, and a vote on a post that is not there.
func votePlant() plant {
	return plant{name: "a rating of no votes, and a vote of no post", found: func(w *world) []string {
		channel := w.Create("plant", ada)
		blog, gone := w.Post(channel, grace, "one"), w.Post(channel, grace, "two")
		w.Vote(blog, 0, 2)
		w.Vote(gone, 0, 1)
		w.OK(w.Table("Blogs").Transact(w.T.Context(), "plant", driver.Merge("blog!"+string(blog.ID), driver.Exists, driver.Int64("Rating", 7))))
		w.remove("plant", "blog!"+string(gone.ID))
		w.remove("plant", rateRow(1, gone.ID))
		return append(found("I8", "Blogs", "plant", "blog!"+string(blog.ID)), found("I8", "Blogs", "plant", schema.VoteRow(gone.ID, "voter0"))...)
	}}
}

// listPlants are what is not on the list of its user.
func listPlants() []plant {
	return []plant{
		{name: "a channel that is not on its owner's list", found: func(w *world) []string {
			w.Create("plant", ada)
			w.disown("plant", ada)
			return found("I8", "Channels", "plant", "")
		}},
		{name: "a post that is not on its author's list", found: func(w *world) []string {
			blog := w.Post(w.Create("plant", ada), grace, "one")
			w.unlist(blog)
			return found("I8", "Blogs", "plant", "blog!"+string(blog.ID))
		}},
		{name: "a post that is on its author's list as one of another channel", found: func(w *world) []string {
			blog := w.Post(w.Create("plant", ada), grace, "one")
			other := blog
			other.Channel.Incarnation = domain.NewIncarnation()
			w.OK(w.Store.Operator.ListPosts(w.T.Context(), grace, other))
			return found("I8", "Blogs", "plant", "blog!"+string(blog.ID))
		}},
		{name: "a vote that is not on its voter's list", found: func(w *world) []string {
			blog := w.Post(w.Create("plant", ada), grace, "one")
			w.Vote(blog, 0, 1)
			w.OK(w.Store.Operator.Unlist(w.T.Context(), "voter0", []string{schema.VotedRow(blog.ID)}))
			return found("I8", "Blogs", "plant", schema.VoteRow(blog.ID, "voter0"))
		}},
		{name: "two deletions that are not on the list of who asked for them", found: func(w *world) (both []string) {
			for range 2 {
				ref := w.Ask(w.Create("plant", ada))
				d, err := w.Store.Deletions.Get(w.T.Context(), ref, domain.By(ada))
				w.OK(err)
				w.CarryOut(w.Messages())
				w.OK(w.Table("Users").Transact(w.T.Context(), string(ada), driver.Delete(schema.RequestedRow(d.RequestedOn, ref), driver.Exists)))
				both = append(both, found("I8", "Deletions", "plant", string(ref.Incarnation))...)
			}
			return both
		}},
	}
}

// nobodysPlants are what a user whose account is gone has: what they sent has landed late.
func nobodysPlants() (plants []plant) {
	for name, land := range map[string]func(w *world, late *storage.Parts, plant domain.Channel) []string{
		"post": func(w *world, late *storage.Parts, plant domain.Channel) []string {
			post, _, err := late.Posts.Create(w.T.Context(), storetest.NewPost(plant, lea, "late"))
			w.OK(err)
			return found("I12", "Blogs", "plant", "blog!"+string(post.ID))
		},
		"vote": func(w *world, late *storage.Parts, plant domain.Channel) []string {
			post := w.Post(plant, grace, "one")
			w.OK(late.Posts.Vote(w.T.Context(), plant.Ref(), post.ID, lea))
			return found("I12", "Blogs", "plant", schema.VoteRow(post.ID, lea))
		},
		"subscription": func(w *world, late *storage.Parts, plant domain.Channel) []string {
			w.OK(late.Subscriptions.Create(w.T.Context(), plant, lea))
			return found("I12", "Blogs", "plant", "sub!lea")
		},
		"channel on their list": func(w *world, late *storage.Parts, _ domain.Channel) []string {
			_, _, err := late.Channels.Create(w.T.Context(), w.NewChannel("ghost", lea), domain.PostersOpen, "", 0)
			w.OK(err)
			return append(found("I12", "Channels", "ghost", ""), found("I12", "Blogs", "ghost", "sub!lea")...)
		},
		"channel on no list": func(w *world, late *storage.Parts, _ domain.Channel) []string {
			ghost, _, err := late.Channels.Create(w.T.Context(), w.NewChannel("ghost", lea), domain.PostersOpen, "", 0)
			w.OK(err)
			w.OK(late.Subscriptions.Delete(w.T.Context(), ghost.Ref(), lea))
			w.disown("ghost", lea)
			return found("I12", "Channels", "ghost", "")
		},
	} {
		plants = append(plants, plant{name: "a " + name + " of a user whose account is gone", again: true, found: func(w *world) []string {
			w.account(lea)
			w.leave(lea)
			w.work()
			late := storage.New(w.DB, storage.Options{Around: []driver.Around{lookedBefore}})
			return land(w, late, w.Create("plant", ada))
		}})
	}
	return plants
}

// lookedBefore is of requests that found the account active before it was deleted.
func lookedBefore(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
	err := next(ctx)
	if c.Method == driver.CallGet && c.Target == schema.TableUsers && c.Row == "" && c.Entity.Found() {
		c.Entity.Properties = c.Entity.Properties.Merged(driver.Properties{driver.String("State", domain.AccountActive)})
	}
	return err
}

// gatePlants are violations of gates and of deletions.
func gatePlants() []plant {
	return []plant{
		{name: "an active channel without a gate, whose row landed after its deletion", found: func(w *world) []string {
			w.Ungate(w.done("plant"))
			return found("I9", "Channels", "plant", "")
		}},
		{name: "an active channel behind a shut gate", unrepaired: true, found: func(w *world) []string {
			_, err := w.Store.Operator.ShutGate(w.T.Context(), w.Create("plant", ada).Ref())
			w.OK(err)
			return found("I9", "Channels", "plant", "")
		}},
		{name: "an active channel with both its gates", unrepaired: true, found: func(w *world) []string {
			channel := w.Create("plant", ada)
			w.Insert("plant", storetest.ShutGateRow(channel.Incarnation), channel.Incarnation)
			return found("I9", "Channels", "plant", "")
		}},
		{name: "a deleting channel with both its gates", unrepaired: true, found: func(w *world) []string {
			channel := w.marked("plant", true)
			w.Insert("plant", storetest.ShutGateRow(channel.Incarnation), channel.Incarnation)
			return found("I9", "Channels", "plant", "")
		}},
		{name: "a gate whose key and incarnation differ", unrepaired: true, found: func(w *world) []string {
			channel := w.marked("plant", true)
			w.OK(w.Table("Blogs").Transact(w.T.Context(), "plant", driver.Delete(storetest.OpenGateRow(channel.Incarnation), driver.Exists)))
			return found("I1", "Blogs", "plant", w.Insert("plant", storetest.ShutGateRow(channel.Incarnation), dead))
		}},
		{name: "a deleting channel without a record", found: func(w *world) []string {
			w.marked("plant", false)
			return found("I5", "Channels", "plant", "")
		}},
		{name: "a deletion without progress", found: func(w *world) []string {
			channel := w.marked("plant", true)
			time.Sleep(storetest.Patience + time.Second)
			return found("I5", "Deletions", "plant", string(channel.Incarnation))
		}},
		{name: "a poisoned deletion, and the row of its message is gone", found: func(w *world) []string {
			ref := w.Ask(w.Create("plant", ada))
			message := w.Messages()[0]
			w.OK(w.Store.Operator.Messages().Send(w.T.Context(), message.Encode()))
			w.Poison()
			message.QueuedOn = time.Time{}
			w.OK(w.Table("Deletions").Transact(w.T.Context(), "poison!", driver.Delete(schema.PoisonRow(message.Encode()), driver.Exists)))
			return found("I5", "Deletions", "plant", string(ref.Incarnation))
		}},
		{name: "a deletion that is done, and its channel is open", unrepaired: true, found: func(w *world) []string {
			return found("I5", "Deletions", "plant", string(w.done("plant").Incarnation))
		}},
		{name: "a deletion that is done, and its channel is shut", unrepaired: true, found: func(w *world) []string {
			channel := w.done("plant")
			_, err := w.Store.Operator.ShutGate(w.T.Context(), channel.Ref())
			w.OK(err)
			return append(found("I9", "Channels", "plant", ""), found("I5", "Deletions", "plant", string(channel.Incarnation))...)
		}},
		{name: "a deletion that was undone, and its channel is gone", found: func(w *world) []string {
			ref := w.Ask(w.Create("plant", ada))
			w.CarryOut(w.Messages())
			w.setUndone(ref)
			return found("I5", "Deletions", "plant", string(ref.Incarnation))
		}},
		{name: "a deletion that was undone, and its channel is to be deleted", unrepaired: true, found: func(w *world) []string {
			ref := w.Forget(w.Create("plant", ada))
			w.setUndone(ref)
			w.OK(w.Table("Channels").Transact(w.T.Context(), "plant", driver.Merge("", driver.Exists, driver.String("State", "pending"))))
			return found("I5", "Deletions", "plant", string(ref.Incarnation))
		}},
		{name: "a deletion that was undone, and its channel is past the pivot", found: func(w *world) []string {
			ref := w.marked("plant", true).Ref()
			w.setUndone(ref)
			return found("I5", "Deletions", "plant", string(ref.Incarnation))
		}},
	}
}

func undoneDeletionsEnd(t *testing.T, w *world) {
	past := w.marked("plant", true).Ref()
	w.setUndone(past)
	channel := w.Create("gone", ada)
	gone := w.Forget(channel)
	w.Delete(channel)
	w.setUndone(gone)
	w.Check(true)
	w.CarryOut(w.Messages())
	if channel, err := w.Store.Operator.ReadChannel(t.Context(), past.Key); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("the channel past the pivot is %+v, %v", channel, err)
	}
	if d, err := w.Store.Deletions.Get(t.Context(), gone, domain.By(ada)); err != nil || d.FinishedOn.IsZero() {
		t.Errorf("the deletion that is recorded as done is %+v, %v", d, err)
	}
}

// neighbours makes what is no violation: channels with posts, a channel that is being deleted, a
// deletion that is done, a poisoned one, and a vote without its post, whose deletion is poisoned. A check must leave them alone. It returns what a repair removes: the gates and
// reservations of creations that died, or that come late.
func (w *world) neighbours() (litter [][2]string) {
	w.T.Helper()
	for _, name := range []string{"a", "m", "z"} {
		blog := w.Post(w.Create(name, ada), grace, "one")
		w.Vote(blog, 0, 3)
		w.Post(w.Create(name+".empty", ada), grace, "two")
	}
	underWay := w.marked("halfway", true)
	w.Post(w.Create("quarter", ada), grace, "one")
	w.Ask(w.Create("poisoned", ada))
	w.voteWithoutPost(w.ReadChannel("m").Ref())
	w.Poison()
	for _, step := range storetest.Cascade(w.Store, underWay.Ref())[:4] {
		w.OK(step(w.T.Context()))
	}
	done := w.Create("done", ada)
	w.Ask(done)
	w.CarryOut(w.Messages())
	stray, own := domain.NewIncarnation(), w.ReadChannel("m").Incarnation
	for _, gate := range []string{storetest.OpenGateRow(stray), storetest.ReservedGateRow(stray)} {
		litter = append(litter, [2]string{"a", w.Insert("a", gate, stray)}, [2]string{"norman", w.Insert("norman", gate, stray)})
	}
	return append(litter, [2]string{"m", w.Insert("m", storetest.ReservedGateRow(own), own)})
}

// voteWithoutPost inserts a vote, and queues the message that asks for the deletion of its post.
func (w *world) voteWithoutPost(in domain.ChannelRef) (row string) {
	w.T.Helper()
	gone := domain.NewBlogID(domain.Now())
	w.OK(w.Store.Operator.ListVote(w.T.Context(), in, gone, "eve"))
	w.askForPost(in, gone)
	return w.Insert(in.Key, schema.VoteRow(gone, "eve"), in.Incarnation)
}

// askForPost queues the message that asks for the deletion of a post.
func (w *world) askForPost(in domain.ChannelRef, id domain.BlogID) {
	w.T.Helper()
	w.OK(w.Store.Operator.Messages().Send(w.T.Context(), domain.Message{
		Kind: domain.MessageBlog, Channel: in.Key, Incarnation: in.Incarnation, RequestedBy: grace, RequestedOn: domain.Now(),
		Blog: id, Revision: domain.NewRevision(),
	}.Encode()))
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
	t.Run("every violation is found, by the oracle too, and repaired", everyViolationIsFoundAndRepaired)
	t.Run("what is changed or deleted while it is looked at is no violation", changingRowIsNotReported)
	t.Run("rows that are read are counted", bubble(checkCountsWhatItReads))
	t.Run("a repeated vote on a post whose deletion waits for an operator is no violation", bubble(refusedVoteIsNoViolation))
	t.Run("what happens between its reads of two tables is no violation", changesBetweenTablesAreNoViolation)
	t.Run("a vote without its post is none while a message asks for the deletion of the post, wherever the message is", bubble(askedVoteIsNoViolation))
	t.Run("a deletion whose record says undone is ended by a worker, or dated, after a repair", bubble(undoneDeletionsEnd))
	t.Run("users and workers between its calls are no violation", drivertest.Long(checkBesideLifeReportsNothing))
	t.Run("memory does not grow with the rows", drivertest.Long(checkStreams))
}

func everyViolationIsFoundAndRepaired(t *testing.T) {
	for _, plant := range plants() {
		t.Run(plant.name, bubble(func(t *testing.T, w *world) {
			litter := w.neighbours()
			want := plant.found(w)
			slices.Sort(want)
			w.OK(w.Store.Operator.UpdateRecord(t.Context(), storetest.MessageAbout(w.deletionUnderWay()), addRows(1))) // a worker makes progress
			before := w.Rows("Blogs")
			violations, _ := w.Check(false)
			if got := places(violations); !slices.Equal(got, want) {
				t.Errorf("found\n%q\nwant\n%q", got, want)
			}
			for _, b := range violations {
				if b.Detail == "" || b.Repaired != "" {
					t.Errorf("reported %+v", b)
				}
			}
			saw := places(w.oracle())
			for _, place := range want {
				ofPost := indexKey.ReplaceAllString(place, "blog!") // of a wrong row of the index it names the post
				if !slices.Contains(saw, place) && !slices.Contains(saw, ofPost) {
					t.Errorf("the oracle does not see %s, but %q", place, saw)
				}
			}
			if after := w.Rows("Blogs"); len(after) != len(before) {
				t.Error("a check without repair has changed rows")
			}
			gates := func() (versions string) {
				for _, row := range w.Rows("Blogs") {
					if row.Partition == "plant" && strings.HasPrefix(row.Row, "gate!open!") {
						versions += string(row.ETag)
					}
				}
				return versions
			}
			gate := gates()
			violations, _ = w.Check(true)
			if got := places(violations); !slices.Equal(got, want) {
				t.Errorf("repairing, found\n%q\nwant\n%q", got, want)
			}
			for _, b := range violations {
				if b.Repaired == "" || strings.HasPrefix(b.Repaired, "left: ") != plant.unrepaired {
					t.Errorf("repaired %+v", b)
				}
			}
			violations, _ = w.Check(true)
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
				if w.Has(domain.ChannelKey(row[0]), row[1]) {
					t.Errorf("the repair left %s of %s", row[1], row[0])
				}
			}
		}))
	}
}

// Another process writes to each row that a check reads again, or asks for the deletion of the channel.
func changingRowIsNotReported(t *testing.T) {
	for _, plant := range slices.Concat(rowPlants(), listPlants(), []plant{votePlant()}) {
		for _, asked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, deleted %t", plant.name, asked), bubble(func(t *testing.T, w *world) {
				plant.found(w)
				w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
					switch {
					case call.Method != driver.CallGet:
					case asked && call.Target == "Channels" && call.Partition == "plant":
						_, err := w.Store.Deletions.Request(ctx, "plant", domain.By(ada), storetest.AnyIncarnation)
						w.OK(err)
					case !asked && call.Target == "Blogs" && w.Has(domain.ChannelKey(call.Partition), call.Row):
						w.OK(w.Table("Blogs").Transact(ctx, call.Partition, driver.Merge(call.Row, driver.Exists)))
					}
					return send(ctx)
				})
				_, err := w.Faulty.Operator.NewChecker(storetest.Patience, false, func(b domain.Violation) {
					if !asked && b.Table == "Blogs" || asked && b.Invariant == "I8" && b.Table != "Deletions" {
						t.Errorf("reported %+v", b)
					}
				}).Run(t.Context())
				w.OK(err)
			}))
		}
	}
}

var indexKey = regexp.MustCompile(`rate!\d+!`)

// deletionUnderWay returns the incarnation whose deletion has begun.
func (w *world) deletionUnderWay() domain.ChannelRef {
	w.T.Helper()
	for _, row := range w.Rows("Deletions") {
		if row.Partition == "halfway" {
			return domain.ChannelRef{Key: "halfway", Incarnation: domain.Incarnation(row.Row)}
		}
	}
	w.T.Fatal("no deletion is under way")
	panic("unreachable")
}

func (w *world) mustHaveKeptTheNeighbours() {
	w.T.Helper()
	for _, key := range []domain.ChannelKey{"a", "m", "z", "quarter"} {
		channel, err := w.Store.Channels.Get(w.T.Context(), key.Address())
		w.OK(err)
		if got := w.Texts(channel.Ref()); !slices.Equal(got, []string{"one"}) {
			w.T.Errorf("%s has the posts %q", key, got)
		}
	}
	if !slices.ContainsFunc(w.Rows("Blogs"), func(row driver.Entity) bool {
		return row.Partition == "m" && strings.HasPrefix(row.Row, "vote!") && strings.HasSuffix(row.Row, "!eve")
	}) {
		w.T.Error("the vote is gone whose post a message asks to delete")
	}
	if _, err := w.Store.Operator.PassPivot(w.T.Context(), storetest.MessageAbout(w.deletionUnderWay())); err != nil {
		w.T.Error(err)
	}
}

func checkCountsWhatItReads(t *testing.T, w *world) {
	w.account(ada) // a user, a session and a known address
	for i := range 3 {
		w.Post(w.Create(fmt.Sprintf("c%d", i), ada), grace, "one")
	}
	channel := w.Create("gone", ada)
	w.Ask(channel)
	w.CarryOut(w.Messages())
	w.OK(w.Store.Operator.Messages().Send(t.Context(), "of another program"))
	w.Poison()
	if violations, counts := w.Check(false); len(violations) != 0 || counts != (storage.CheckCounts{Channels: 3, Blogs: 3, Poisoned: 1, Rows: 3 + 3*6 + 3 + 3 + 3 + 4 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1}) {
		t.Errorf("counted %+v, and found %+v", counts, violations)
	}
}

// A worker poisons the message right after the check has read what is poisoned, and an operator queues it again
// right before.
func askedVoteIsNoViolation(t *testing.T, w *world) {
	channel := w.Create("plant", ada)
	w.OK(w.Store.Posts.Vote(t.Context(), channel.Ref(), w.Post(channel, grace, "one").ID, "eve"))
	w.voteWithoutPost(channel.Ref())
	poisoned := func(call drivertest.Call) bool { return call.Partition == "poison!" && call.Method == driver.CallRange }
	w.Arm(drivertest.Only(poisoned, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		defer w.Poison()
		return send(ctx)
	}))
	w.none(w.Faulty, "poisoned meanwhile")
	w.Poison()
	w.none(w.Store, "in poison")
	requeued := 0
	w.Arm(drivertest.Only(poisoned, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		n, err := w.Store.Operator.Requeue(ctx, "")
		w.OK(err)
		requeued += n
		return send(ctx)
	}))
	if w.none(w.Faulty, "queued again meanwhile"); requeued != 1 {
		t.Errorf("requeued %d", requeued)
	}
}

// none fails the test if a check reports something.
func (w *world) none(s *storage.Parts, where string) {
	w.T.Helper()
	_, err := s.Operator.NewChecker(storetest.Patience, false, func(b domain.Violation) { w.T.Errorf("%s: reported %+v", where, b) }).Run(w.T.Context())
	w.OK(err)
}

func refusedVoteIsNoViolation(t *testing.T, w *world) {
	channel := w.Create("plant", ada)
	post := w.Post(channel, grace, "one")
	w.OK(w.Store.Posts.Vote(t.Context(), channel.Ref(), post.ID, eve))
	w.OK(w.Store.Posts.Delete(t.Context(), channel, post.ID, domain.By(grace), domain.Any[domain.Revision]()))
	w.Poison()
	if err := w.Store.Posts.Vote(t.Context(), channel.Ref(), post.ID, eve); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	w.none(w.Store, "after the vote")
}

// A check scans Channels and Blogs, and then Channels and Deletions. The changes are made after that many scans.
func changesBetweenTablesAreNoViolation(t *testing.T) {
	type changes map[int]func(w *world, plant domain.Channel)
	undo := func(w *world, plant domain.Channel) {
		_, err := w.undoable(w.DB).Deletions.Undo(w.T.Context(), plant.Ref(), domain.By(ada))
		w.OK(err)
	}
	request := func(w *world, plant domain.Channel) {
		_, err := w.undoable(w.DB).Deletions.Request(w.T.Context(), plant.Key(), domain.By(ada), storetest.AnyIncarnation)
		w.OK(err)
	}
	for what, changes := range map[string]changes{
		"a channel is created":                      {1: func(w *world, _ domain.Channel) { w.Post(w.Create("created", ada), grace, "one") }},
		"a gate is shut":                            {1: func(w *world, plant domain.Channel) { w.Ask(plant); w.Advance(plant, 2) }},
		"a deletion is undone":                      {2: request, 3: undo},
		"a deletion is undone, and asked for again": {2: request, 3: undo, 4: request},
		"a worker makes progress": {0: func(w *world, plant domain.Channel) {
			w.Forget(plant)
			time.Sleep(storetest.Patience + time.Second)
		}, 4: func(w *world, plant domain.Channel) {
			w.OK(w.Store.Operator.UpdateRecord(w.T.Context(), storetest.MessageAbout(plant.Ref()), addRows(1)))
		}},
		"what a deletion has left is removed": {0: func(w *world, plant domain.Channel) {
			w.Ask(plant)
			w.CarryOut(w.Messages())
		}, 4: func(w *world, _ domain.Channel) {
			n, err := w.Store.Operator.Prune(w.T.Context(), 0)
			if w.OK(err); n != 2 {
				w.T.Errorf("%d rows go", n)
			}
		}},
	} {
		t.Run(what, bubble(func(t *testing.T, w *world) {
			plant := w.Create("plant", ada)
			changeAfter := func(scans int) {
				if change := changes[scans]; change != nil {
					change(w, plant)
				}
			}
			changeAfter(0)
			scan := func(c drivertest.Call) bool { return c.Method == driver.CallScan }
			w.Arm(drivertest.Only(scan, func(ctx context.Context, c drivertest.Call, send drivertest.Send) error {
				defer changeAfter(c.Seq)
				return send(ctx)
			}))
			_, err := w.Faulty.Operator.NewChecker(storetest.Patience, true, func(b domain.Violation) { t.Errorf("reported %+v", b) }).Run(t.Context())
			w.OK(err)
			if violations := w.Violations(); len(violations) != 0 {
				t.Errorf("afterwards, found %+v", violations)
			}
		}))
	}
}

// disown takes a channel off its owner's list.
func (w *world) disown(key domain.ChannelKey, owner domain.UserName) {
	w.T.Helper()
	w.OK(w.Table("Users").Transact(w.T.Context(), string(owner), driver.Delete(schema.OwnedRow(key), driver.Exists)))
}

func addRows(n int64) func(*domain.Deletion) bool {
	return func(d *domain.Deletion) bool { d.RowsDeleted += n; d.State = domain.DeletionRunning; return true }
}

func rateRow(rating int64, id domain.BlogID) string {
	return fmt.Sprintf("rate!%010d!%s", 9_999_999_999-rating, id)
}
