package storage_test

import (
	"context"
	"errors"
	"slices"

	"microblogging/domain"
	"microblogging/storage"
)

// mustKeepLife is mustKeepTheNextLife, but for open gates of lives that nobody
// can ever hear of.
func (w *world) mustKeepLife(channel domain.Channel, another bool) {
	w.t.Helper()
	if another {
		w.mustKeepTheNextLife(channel, true)
		return
	}
	if next, err := w.store.Channel(w.t.Context(), channel.Key()); !errors.Is(err, domain.ErrNotFound) {
		w.t.Errorf("the deleted channel is read as %+v, %v", next, err)
	}
	w.mustBeSound()
}

// lives is how far a channel's deletion and what comes after it have got: the
// steps of the cascade, and then the name taken again and posted to.
const lives = 7

// live takes the first n steps of a channel's end and next life.
func (w *world) live(channel domain.Channel, n int) {
	w.t.Helper()
	for i, step := range cascade(w.store, channel.Ref()) {
		if i < n {
			w.ok(step(w.t.Context()))
		}
	}
	if n >= 6 {
		w.post(w.create(string(channel.Name), eve), eve, "of the next life")
	}
}

// die takes the rest of the steps, after the first n.
func (w *world) die(channel domain.Channel, n int) {
	w.t.Helper()
	for i, step := range cascade(w.store, channel.Ref()) {
		if i >= n {
			w.ok(step(w.t.Context()))
		}
	}
}

// mustKeepTheNextLife checks that the channel's name leads to its next life with
// its one post, or to nothing if there is none.
func (w *world) mustKeepTheNextLife(channel domain.Channel, another bool) {
	w.t.Helper()
	w.mustBeSound()
	next, err := w.store.Channel(w.t.Context(), channel.Key())
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
	if got := w.texts(next.Ref()); !slices.Equal(got, []string{"of the next life"}) {
		w.t.Errorf("the next life has the posts %q", got)
	}
	if next.Incarnation == channel.Incarnation {
		w.t.Error("the next life has the incarnation of the last")
	}
}

// cascade is the steps of package worker's list, one after the other, so that a
// test can stop between any two.
func cascade(s *storage.Store, ref domain.ChannelRef) []func(ctx context.Context) error {
	return []func(ctx context.Context) error{
		func(ctx context.Context) error { _, err := s.MarkDeleting(ctx, ref); return err },
		func(ctx context.Context) error { _, err := s.ShutGate(ctx, ref); return err },
		func(ctx context.Context) error { return sweepAll(ctx, s, ref) },
		func(ctx context.Context) error { return s.DisarmGate(ctx, ref) },
		func(ctx context.Context) error { return s.ReleaseName(ctx, ref) },
	}
}

func sweepAll(ctx context.Context, s *storage.Store, ref domain.ChannelRef) error {
	for {
		found, next := 0, ""
		for {
			page, err := s.Sweep(ctx, ref, next, func(int) {})
			if err != nil || page.Disarmed {
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

// delete runs the whole cascade on the sound side.
func (w *world) delete(channel domain.Channel) {
	w.t.Helper()
	for _, step := range cascade(w.store, channel.Ref()) {
		w.ok(step(w.t.Context()))
	}
}
