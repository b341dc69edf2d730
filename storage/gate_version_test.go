package storage_test

import (
	"errors"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func TestGateVersion(t *testing.T) {
	t.Run("repair that changes a page changes the gate", everyRepairMergesGate)
	t.Run("nothing changes behind a shut gate", nothingChangesBehindShutGate)
}

// gate is the version of a channel's open gate.
func (w *world) gate(channel domain.Channel) driver.ETag {
	w.t.Helper()
	row, err := w.table("Blogs").Get(w.t.Context(), string(channel.Key()), openGateRow(channel.Incarnation))
	w.ok(err)
	return row.ETag
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
			_, _, err := w.store.Post(w.t.Context(), posting(c, grace, "another"))
			return err
		}},
		{"edit", func(w *world, c domain.Channel, b domain.Blog) error {
			_, err := w.store.Edit(w.t.Context(), c.Ref(), b.ID, grace, anyRevision, domain.Draft{Text: "edited"})
			return err
		}},
		{"vote", func(w *world, c domain.Channel, b domain.Blog) error {
			return w.store.Vote(w.t.Context(), c.Ref(), b.ID, ada)
		}},
		{"withdrawn vote", func(w *world, c domain.Channel, b domain.Blog) error {
			return w.store.Unvote(w.t.Context(), c.Ref(), b.ID, grace)
		}},
		{"deletion of a post", func(w *world, c domain.Channel, b domain.Blog) error {
			return w.store.DeleteBlog(w.t.Context(), c, b.ID, grace, anyRevision)
		}},
		{"deletion of a post by a worker", func(w *world, c domain.Channel, b domain.Blog) error {
			m := domain.Message{Kind: domain.MessageBlog, Channel: c.Key(), Incarnation: c.Incarnation, Blog: b.ID, Revision: b.Revision}
			return w.store.FinishBlog(w.t.Context(), m, func(int) {})
		}},
		{"subscription", func(w *world, c domain.Channel, _ domain.Blog) error {
			return w.store.Subscribe(w.t.Context(), c, grace)
		}},
		{"end of a subscription", func(w *world, c domain.Channel, _ domain.Blog) error {
			return w.store.Unsubscribe(w.t.Context(), c.Ref(), eve)
		}},
		{"end of a subscription that a reader finishes", func(w *world, c domain.Channel, _ domain.Blog) error {
			err := w.table("Subscriptions").Transact(w.t.Context(), string(eve),
				driver.Merge(string(c.Key())+"!"+string(c.Incarnation), driver.Exists, driver.String("State", "leaving")))
			if err != nil && !errors.Is(err, domain.ErrNotFound) {
				return err
			}
			_, err = w.store.Subscriptions(w.t.Context(), eve)
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
		w.ok(w.store.Vote(w.t.Context(), channel.Ref(), blog.ID, voter))
	}
	w.ok(w.store.Subscribe(w.t.Context(), channel, eve))
	return channel, blog
}

// Rows that no operation leaves are repaired with the gate: the index by rating, the
// rating of a post, and the subscribers are on pages too.
func everyRepairMergesGate(t *testing.T) {
	breaks := map[string]func(w *world, channel domain.Channel, blog domain.Blog){
		"a post that is not in the index": func(w *world, c domain.Channel, b domain.Blog) { w.remove(c.Key(), rateRow(2, b.ID)) },
		"a post that is in the index twice": func(w *world, c domain.Channel, b domain.Blog) {
			w.insert(c.Key(), rateRow(1, b.ID), c.Incarnation)
		},
		"a rating without its vote": func(w *world, c domain.Channel, b domain.Blog) { w.remove(c.Key(), "vote!"+string(b.ID)+"!grace") },
		"a vote that is not counted": func(w *world, c domain.Channel, b domain.Blog) {
			w.insert(c.Key(), "vote!"+string(b.ID)+"!ada", c.Incarnation)
		},
		"a subscriber without subscription": func(w *world, c domain.Channel, _ domain.Blog) { w.insert(c.Key(), "sub!grace", c.Incarnation) },
		"a subscriber of nobody's channel": func(w *world, c domain.Channel, _ domain.Blog) {
			w.insert(c.Key(), "sub!grace", domain.NewIncarnation())
		},
		"a post of a channel that is no more": func(w *world, c domain.Channel, _ domain.Blog) {
			w.insert(c.Key(), "blog!"+string(domain.NewBlogID(time.Now())), domain.NewIncarnation())
		},
	}
	for name, damage := range breaks {
		t.Run(name, bubble(func(t *testing.T, w *world) {
			channel, blog := w.stage()
			damage(w, channel, blog)
			before := w.gate(channel)
			repaired := 0
			checker := w.store.NewChecker(time.Hour, true, func(b domain.Breach) { repaired++ })
			_, err := checker.Run(t.Context())
			w.ok(err)
			if repaired == 0 || w.gate(channel) == before {
				t.Errorf("%d repairs, and the gate has version %s after %s", repaired, w.gate(channel), before)
			}
			w.mustBeSound()
		}))
	}
}

// The rows behind a shut gate are the sweep's. A user is told that the channel is gone;
// the worker that deletes a post, and a reader who finishes what a crash left, do nothing
// and are content.
func nothingChangesBehindShutGate(t *testing.T) {
	content := map[string]bool{
		"deletion of a post by a worker": true, "end of a subscription": true, "end of a subscription that a reader finishes": true,
	}
	for _, change := range changes() {
		for stage, want := range map[int]error{2: domain.ErrGone, 5: domain.ErrNotFound, 6: domain.ErrNotFound} {
			t.Run(change.name, bubble(func(t *testing.T, w *world) {
				channel, blog := w.stage()
				w.advance(channel, stage)
				before := w.rows("Blogs")
				err := change.make(w, channel, blog)
				if content[change.name] && err != nil || !content[change.name] && !errors.Is(err, want) {
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
