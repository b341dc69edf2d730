package storage_test

import (
	"errors"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/internal/storetest"
)

func TestGateVersion(t *testing.T) {
	t.Run("nothing changes behind a shut gate", nothingChangesBehindShutGate)
	t.Run("a change is not tried again without a gate, although its rows are there", nothingIsTriedAgainWithoutGate)
	t.Run("each change of a page changes the version", everyChangeChangesVersion)
	t.Run("what changes no page keeps the version", storetest.Bubble(idleChannelKeepsVersion))
}

// A change is an operation that changes what the pages of a channel show. The channel is
// ada's; the post is grace's, grace and eve vote for it, and eve subscribes.
type change struct {
	name string
	make func(w *storetest.World, channel domain.Channel, blog domain.Blog) error
}

func changes() []change {
	return []change{
		{"post", func(w *storetest.World, c domain.Channel, _ domain.Blog) error {
			_, _, err := w.Store.Posts.Create(w.T.Context(), storetest.NewPost(c, grace, "another"))
			return err
		}},
		{"edit", func(w *storetest.World, c domain.Channel, b domain.Blog) error {
			_, err := w.Store.Posts.Update(w.T.Context(), c, b.ID, grace, storetest.AnyRevision, domain.Draft{Text: "edited"})
			return err
		}},
		{"vote", func(w *storetest.World, c domain.Channel, b domain.Blog) error {
			return w.Store.Posts.Vote(w.T.Context(), c.Ref(), b.ID, ada)
		}},
		{"withdrawn vote", func(w *storetest.World, c domain.Channel, b domain.Blog) error {
			return w.Store.Posts.Unvote(w.T.Context(), c.Ref(), b.ID, grace)
		}},
		{"deletion of a post", func(w *storetest.World, c domain.Channel, b domain.Blog) error {
			return w.Store.Posts.Delete(w.T.Context(), c, b.ID, domain.By(grace), storetest.AnyRevision)
		}},
		{"deletion of a post by a worker", func(w *storetest.World, c domain.Channel, b domain.Blog) error {
			m := domain.Message{Kind: domain.MessageBlog, Channel: c.Key(), Incarnation: c.Incarnation, Blog: b.ID, Revision: b.Revision}
			return w.Store.Operator.FinishBlog(w.T.Context(), m, func(int) {})
		}},
		{"name taken from a post", func(w *storetest.World, c domain.Channel, b domain.Blog) error {
			return w.Store.Operator.EraseBlog(w.T.Context(), c.Ref(), b.ID, grace, true, func(int) {})
		}},
		{"subscription", func(w *storetest.World, c domain.Channel, _ domain.Blog) error {
			return w.Store.Subscriptions.Create(w.T.Context(), c, grace)
		}},
		{"end of a subscription", func(w *storetest.World, c domain.Channel, _ domain.Blog) error {
			return w.Store.Subscriptions.Delete(w.T.Context(), c.Ref(), eve)
		}},
		{"end of a subscription that a reader finishes", func(w *storetest.World, c domain.Channel, _ domain.Blog) error {
			err := w.Table("Subscriptions").Transact(w.T.Context(), string(eve),
				driver.Merge(string(c.Key())+"!"+string(c.Incarnation), driver.Exists, driver.String("State", "leaving")))
			if err != nil && !errors.Is(err, domain.ErrNotFound) {
				return err
			}
			_, err = w.Store.Subscriptions.ListAll(w.T.Context(), eve)
			return err
		}},
	}
}

// newStage makes the channel of a change.
func newStage(w *storetest.World) (domain.Channel, domain.Blog) {
	w.T.Helper()
	channel := w.Create("garden", ada)
	blog := w.Post(channel, grace, "text")
	for _, voter := range []domain.UserName{grace, eve} {
		w.OK(w.Store.Posts.Vote(w.T.Context(), channel.Ref(), blog.ID, voter))
	}
	w.OK(w.Store.Subscriptions.Create(w.T.Context(), channel, eve))
	return channel, blog
}

// The rows behind a shut gate are the sweep's. A user is told that the channel is gone;
// the worker that deletes a post, and a reader who finishes what a crash left, do nothing
// and are content.
func nothingChangesBehindShutGate(t *testing.T) {
	content := map[string]bool{
		"deletion of a post by a worker": true, "name taken from a post": true, "end of a subscription": true, "end of a subscription that a reader finishes": true,
	}
	for _, change := range changes() {
		for stage, want := range map[int]error{2: domain.ErrGone, 5: domain.ErrNotFound, 6: domain.ErrNotFound} {
			t.Run(change.name, storetest.Bubble(func(t *testing.T, w *storetest.World) {
				channel, blog := newStage(w)
				w.Advance(channel, stage)
				before := w.Rows("Blogs")
				err := change.make(w, channel, blog)
				ofPost := change.name != "post" && change.name != "subscription" // which is gone, and has not changed
				if content[change.name] && err != nil || !content[change.name] && !errors.Is(err, want) || ofPost && errors.Is(err, domain.ErrConflict) {
					t.Errorf("after %d steps of the deletion: %v, want %v", stage, err, want)
				}
				if after := w.Rows("Blogs"); len(after) != len(before) {
					t.Errorf("after %d steps of the deletion, %d rows became %d", stage, len(before), len(after))
				}
				w.Finish(w.Messages())
				w.FinishDeletion(channel, stage)
				w.MustBeSound()
			}))
		}
	}
}

// The store has lost the channel's row and its gate, and has the posts and subscriptions.
func nothingIsTriedAgainWithoutGate(t *testing.T) {
	for _, change := range changes() {
		t.Run(change.name, storetest.Bubble(func(t *testing.T, w *storetest.World) {
			channel, blog := newStage(w)
			w.OK(w.Table("Channels").Transact(t.Context(), string(channel.Key()), driver.Delete("", driver.Exists)))
			w.OK(w.Table("Blogs").Transact(t.Context(), string(channel.Key()), driver.Delete(storetest.OpenGateRow(channel.Incarnation), driver.Exists)))
			if err := change.make(w, channel, blog); err != nil && !errors.Is(err, domain.ErrNotFound) {
				t.Errorf("without a channel: %v", err)
			}
		}))
	}
}

// version is the version of a channel, read on the sound side.
func version(w *storetest.World, at domain.ChannelAddress, remembered domain.Incarnation) storage.Version {
	w.T.Helper()
	_, version, err := w.Store.Channels.GetVersion(w.T.Context(), at, remembered)
	w.OK(err)
	return version
}

func everyChangeChangesVersion(t *testing.T) {
	list := append(changes(), change{"description", func(w *storetest.World, c domain.Channel, _ domain.Blog) error {
		_, err := w.Store.Channels.Update(w.T.Context(), c.Ref(), ada, storetest.DescribedAs("another"))
		return err
	}}, change{"next incarnation", func(w *storetest.World, c domain.Channel, _ domain.Blog) error {
		w.Advance(c, 6)
		return nil
	}})
	for _, change := range list {
		t.Run(change.name, storetest.Bubble(func(t *testing.T, w *storetest.World) {
			channel, blog := newStage(w)
			at := domain.ChannelAddress{Key: channel.Key(), Expected: storetest.AnyIncarnation}
			before := version(w, at, channel.Incarnation)
			w.OK(change.make(w, channel, blog))
			if after := version(w, at, channel.Incarnation); after == before || after == "" {
				t.Errorf("version %q became %q", before, after)
			}
		}))
	}
}

func idleChannelKeepsVersion(t *testing.T, w *storetest.World) {
	channel, blog := newStage(w)
	other := w.Create("garden2", grace)
	before := version(w, channel.Ref().Address(), "")
	w.Post(other, grace, "elsewhere")
	w.OK(w.Store.Posts.Vote(t.Context(), channel.Ref(), blog.ID, eve)) // has voted before
	w.Texts(channel.Ref())
	w.Reconcile()
	w.MustBeSound()
	if after := version(w, channel.Ref().Address(), channel.Incarnation); after != before || len(after) != 24 {
		t.Errorf("version %q became %q", before, after)
	}
	if strings.ContainsAny(string(before), `"\ `) {
		t.Errorf("%q is not allowed in an HTTP ETag", before)
	}
}
