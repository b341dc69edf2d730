package storage_test

import (
	"errors"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
)

func TestGateVersion(t *testing.T) {
	t.Run("nothing changes behind a shut gate", nothingChangesBehindShutGate)
	t.Run("each change of a page changes the version", everyChangeChangesVersion)
	t.Run("what changes no page keeps the version", bubble(idleChannelKeepsVersion))
}

// A change is an operation that changes what the pages of a channel show. The channel is
// ada's; the post is grace's, grace and eve vote for it, and eve subscribes.
type change struct {
	name string
	make func(w *world, channel domain.Channel, blog domain.Blog) error
}

func changes() []change {
	return []change{
		{"post", func(w *world, c domain.Channel, _ domain.Blog) error {
			_, _, err := w.store.Posts.Create(w.t.Context(), posting(c, grace, "another"))
			return err
		}},
		{"edit", func(w *world, c domain.Channel, b domain.Blog) error {
			_, err := w.store.Posts.Update(w.t.Context(), c, b.ID, grace, anyRevision, domain.Draft{Text: "edited"})
			return err
		}},
		{"vote", func(w *world, c domain.Channel, b domain.Blog) error {
			return w.store.Posts.Vote(w.t.Context(), c.Ref(), b.ID, ada)
		}},
		{"withdrawn vote", func(w *world, c domain.Channel, b domain.Blog) error {
			return w.store.Posts.Unvote(w.t.Context(), c.Ref(), b.ID, grace)
		}},
		{"deletion of a post", func(w *world, c domain.Channel, b domain.Blog) error {
			return w.store.Posts.Delete(w.t.Context(), c, b.ID, grace, anyRevision)
		}},
		{"deletion of a post by a worker", func(w *world, c domain.Channel, b domain.Blog) error {
			m := domain.Message{Kind: domain.MessageBlog, Channel: c.Key(), Incarnation: c.Incarnation, Blog: b.ID, Revision: b.Revision}
			return w.store.Operator.FinishBlog(w.t.Context(), m, func(int) {})
		}},
		{"name taken from a post", func(w *world, c domain.Channel, b domain.Blog) error {
			return w.store.Operator.EraseBlog(w.t.Context(), c.Ref(), b.ID, grace, true, func(int) {})
		}},
		{"subscription", func(w *world, c domain.Channel, _ domain.Blog) error {
			return w.store.Subscriptions.Create(w.t.Context(), c, grace)
		}},
		{"end of a subscription", func(w *world, c domain.Channel, _ domain.Blog) error {
			return w.store.Subscriptions.Delete(w.t.Context(), c.Ref(), eve)
		}},
		{"end of a subscription that a reader finishes", func(w *world, c domain.Channel, _ domain.Blog) error {
			err := w.table("Subscriptions").Transact(w.t.Context(), string(eve),
				driver.Merge(string(c.Key())+"!"+string(c.Incarnation), driver.Exists, driver.String("State", "leaving")))
			if err != nil && !errors.Is(err, domain.ErrNotFound) {
				return err
			}
			_, err = w.store.Subscriptions.ListAll(w.t.Context(), eve)
			return err
		}},
	}
}

// stage is the channel of a change.
func (w *world) stage() (domain.Channel, domain.Blog) {
	w.t.Helper()
	channel := w.create("garden", ada)
	blog := w.post(channel, grace, "text")
	for _, voter := range []domain.UserName{grace, eve} {
		w.ok(w.store.Posts.Vote(w.t.Context(), channel.Ref(), blog.ID, voter))
	}
	w.ok(w.store.Subscriptions.Create(w.t.Context(), channel, eve))
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
			t.Run(change.name, bubble(func(t *testing.T, w *world) {
				channel, blog := w.stage()
				w.advance(channel, stage)
				before := w.rows("Blogs")
				err := change.make(w, channel, blog)
				ofPost := change.name != "post" && change.name != "subscription" // which is gone, and has not changed
				if content[change.name] && err != nil || !content[change.name] && !errors.Is(err, want) || ofPost && errors.Is(err, domain.ErrConflict) {
					t.Errorf("after %d steps of the deletion: %v, want %v", stage, err, want)
				}
				if after := w.rows("Blogs"); len(after) != len(before) {
					t.Errorf("after %d steps of the deletion, %d rows became %d", stage, len(before), len(after))
				}
				w.finish(w.messages())
				w.finishDeletion(channel, stage)
				w.mustBeSound()
			}))
		}
	}
}

// version is the version of a channel, read on the sound side.
func (w *world) version(at domain.ChannelAddress, remembered domain.Incarnation) storage.Version {
	w.t.Helper()
	_, version, err := w.store.Channels.GetVersion(w.t.Context(), at, remembered)
	w.ok(err)
	return version
}

func everyChangeChangesVersion(t *testing.T) {
	list := append(changes(), change{"description", func(w *world, c domain.Channel, _ domain.Blog) error {
		_, err := w.store.Channels.Update(w.t.Context(), c.Ref(), ada, describedAs("another"))
		return err
	}}, change{"next incarnation", func(w *world, c domain.Channel, _ domain.Blog) error {
		w.advance(c, stages)
		return nil
	}})
	for _, change := range list {
		t.Run(change.name, bubble(func(t *testing.T, w *world) {
			channel, blog := w.stage()
			at := domain.ChannelAddress{Key: channel.Key(), Expected: anyIncarnation}
			before := w.version(at, channel.Incarnation)
			w.ok(change.make(w, channel, blog))
			if after := w.version(at, channel.Incarnation); after == before || after == "" {
				t.Errorf("version %q became %q", before, after)
			}
		}))
	}
}

func idleChannelKeepsVersion(t *testing.T, w *world) {
	channel, blog := w.stage()
	other := w.create("garden2", grace)
	before := w.version(channel.Ref().Address(), "")
	w.post(other, grace, "elsewhere")
	w.ok(w.store.Posts.Vote(t.Context(), channel.Ref(), blog.ID, eve)) // has voted before
	w.texts(channel.Ref())
	w.reconcile()
	w.mustBeSound()
	if after := w.version(channel.Ref().Address(), channel.Incarnation); after != before || len(after) != 24 {
		t.Errorf("version %q became %q", before, after)
	}
	if strings.ContainsAny(string(before), `"\ `) {
		t.Errorf("%q cannot stand in an HTTP ETag", before)
	}
}
