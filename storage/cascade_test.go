package storage_test

import (
	"context"
	"errors"
	"slices"

	"microblogging/domain"
	"microblogging/storage"
)

// stages is the number of stages that advance can stop at: none, after each of the
// five steps of the cascade, and after the name was taken again.
const stages = 7

// advance takes the first n steps of a channel's deletion. With n = 6, it also
// creates the next incarnation and posts to it.
func (w *world) advance(channel domain.Channel, n int) {
	w.t.Helper()
	for i, step := range cascade(w.store, channel.Ref()) {
		if i < n {
			w.ok(step(w.t.Context()))
		}
	}
	if n >= 6 {
		w.post(w.create(string(channel.Name), eve), eve, "of the next incarnation")
	}
}

// finishDeletion takes the steps of a channel's deletion after the first n.
func (w *world) finishDeletion(channel domain.Channel, n int) {
	w.t.Helper()
	for i, step := range cascade(w.store, channel.Ref()) {
		if i >= n {
			w.ok(step(w.t.Context()))
		}
	}
}

// mustKeepTheNextIncarnation checks that the store is sound, and that the channel's
// name leads to its next incarnation with its one post. If there is no next
// incarnation, the name must lead to nothing, and no row may be left in Blogs.
func (w *world) mustKeepTheNextIncarnation(channel domain.Channel, another bool) {
	w.t.Helper()
	w.mustBeSound()
	next, err := w.store.Channels.Get(w.t.Context(), channel.Key().Address())
	if !another {
		if !errors.Is(err, domain.ErrNotFound) {
			w.t.Errorf("the deleted channel is read as %+v, %v", next, err)
		}
		if rows := w.rows("Blogs"); len(rows) != 0 {
			w.t.Errorf("rows are left: %v", rows)
		}
		return
	}
	w.ok(err)
	if got := w.texts(next.Ref()); !slices.Equal(got, []string{"of the next incarnation"}) {
		w.t.Errorf("the next incarnation has the posts %q", got)
	}
	if next.Incarnation == channel.Incarnation {
		w.t.Error("an incarnation has returned")
	}
}

// cascade returns the worker's steps that delete a channel, in their order, so that a
// test can stop between any two.
func cascade(s *storage.Parts, ref domain.ChannelRef) []func(ctx context.Context) error {
	return []func(ctx context.Context) error{
		func(ctx context.Context) error { _, err := s.Operator.PassPivot(ctx, messageAbout(ref)); return err },
		func(ctx context.Context) error { _, err := s.Operator.ShutGate(ctx, ref); return err },
		func(ctx context.Context) error { return sweepAll(ctx, s, ref) },
		func(ctx context.Context) error { return s.Operator.RemoveGate(ctx, ref) },
		func(ctx context.Context) error { return s.Operator.ReleaseName(ctx, ref) },
	}
}

// sweepAll sweeps until a whole pass finds no row, as the worker does.
func sweepAll(ctx context.Context, s *storage.Parts, ref domain.ChannelRef) error {
	for {
		found, next := 0, ""
		for {
			page, err := s.Operator.Sweep(ctx, ref, next, func(int) {})
			if err != nil || page.GateGone {
				return err
			}
			found += page.Found
			if next = page.Next; next == "" {
				break
			}
		}
		if found == 0 {
			return nil
		}
	}
}

// delete takes all steps of a channel's deletion, without faults.
func (w *world) delete(channel domain.Channel) {
	w.t.Helper()
	for _, step := range cascade(w.store, channel.Ref()) {
		w.ok(step(w.t.Context()))
	}
}

func messageAbout(ref domain.ChannelRef) domain.Message {
	return domain.Message{Kind: domain.MessageChannel, Channel: ref.Key, Incarnation: ref.Incarnation}
}
