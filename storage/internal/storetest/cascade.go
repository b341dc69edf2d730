package storetest

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage"
)

// Advance takes the first n steps of a channel's deletion. With n = 6, it also
// creates the next incarnation and posts to it.
func (w *World) Advance(channel domain.Channel, n int) {
	w.T.Helper()
	w.take(Cascade(w.Store, channel.Ref())[:min(n, 5)])
	if n >= 6 {
		w.Post(w.Create(string(channel.Name), Eve), Eve, "of the next incarnation")
	}
}

// FinishDeletion takes the steps of a channel's deletion after the first n.
func (w *World) FinishDeletion(channel domain.Channel, n int) {
	w.T.Helper()
	w.take(Cascade(w.Store, channel.Ref())[min(n, 5):])
}

func (w *World) take(steps []func(context.Context) error) {
	w.T.Helper()
	for _, step := range steps {
		w.OK(step(w.T.Context()))
	}
}

// MustBeGone checks that the store is sound, that the channel's name leads to nothing, and that no row is
// left in Blogs.
func (w *World) MustBeGone(channel domain.Channel) {
	w.T.Helper()
	w.MustBeSound()
	if next, err := w.Store.Channels.Get(w.T.Context(), channel.Key().Address()); !errors.Is(err, domain.ErrNotFound) {
		w.T.Errorf("the deleted channel is read as %+v, %v", next, err)
	}
	if rows := w.Rows("Blogs"); len(rows) != 0 {
		w.T.Errorf("rows are left: %v", rows)
	}
}

// Cascade returns the worker's steps that delete a channel, in their order, so that a
// test can stop between any two.
func Cascade(s *storage.Parts, ref domain.ChannelRef) []func(ctx context.Context) error {
	return []func(ctx context.Context) error{
		func(ctx context.Context) error { _, err := s.Operator.PassPivot(ctx, MessageAbout(ref)); return err },
		func(ctx context.Context) error { _, err := s.Operator.ShutGate(ctx, ref); return err },
		func(ctx context.Context) error { return sweepAll(ctx, s, ref) },
		func(ctx context.Context) error { return s.Operator.RemoveGate(ctx, ref) },
		func(ctx context.Context) error { return s.Operator.ReleaseName(ctx, ref) },
	}
}

// sweepAll sweeps until a whole pass finds no row, as the worker does.
func sweepAll(ctx context.Context, s *storage.Parts, ref domain.ChannelRef) error {
	for found, next := 0, ""; ; {
		page, err := s.Operator.Sweep(ctx, ref, next, func(int) {})
		found += page.Found
		if err != nil || page.GateGone || page.Next == "" && found == 0 {
			return err
		}
		if next = page.Next; next == "" {
			found = 0 // another pass
		}
	}
}

// Delete takes all steps of a channel's deletion, without faults.
func (w *World) Delete(channel domain.Channel) {
	w.T.Helper()
	w.take(Cascade(w.Store, channel.Ref()))
}

func MessageAbout(ref domain.ChannelRef) domain.Message {
	return domain.Message{Kind: domain.MessageChannel, Channel: ref.Key, Incarnation: ref.Incarnation}
}
