package storage_test

import (
	"testing"

	"microblogging/domain"
	"microblogging/storage"
)

func TestPosted(t *testing.T) {
	t.Run("finds each earlier posting with the key, and no other", bubble(postedFindsTheKey))
}

func postedFindsTheKey(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	p := posting(channel, grace, "one")
	w.wantPosted(t, p, false)
	blog, _, err := w.store.Post(t.Context(), p)
	w.ok(err)
	w.wantPosted(t, p, true)
	other := p
	other.Draft.Text = "another body"
	w.wantPosted(t, other, true)
	w.ok(w.store.DeleteBlog(t.Context(), channel, blog.ID, grace, anyRevision))
	w.wantPosted(t, p, true)
	other.Key = "another key"
	w.wantPosted(t, other, false)
	again := p
	again.Channel.Incarnation = domain.NewIncarnation()
	w.wantPosted(t, again, false)
	p.Source = "feed"
	w.wantPosted(t, p, false)
}

func (w *world) wantPosted(t *testing.T, p storage.Posting, want bool) {
	t.Helper()
	if got, err := w.store.Posted(t.Context(), p); err != nil || got != want {
		t.Errorf("%+v was posted: %v, %v, want %v", p, got, err, want)
	}
}
