package storage_test

import (
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
)

func TestPosted(t *testing.T) {
	t.Run("finds each earlier posting with the key, and no other", postedFindsTheKey)
	t.Run("finds none of an earlier incarnation", postedIsOfTheIncarnation)
	t.Run("alike is one with the same body, or the same date and title", postedAlike)
}

func postedFindsTheKey(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		p := posting(channel, grace, "one")
		w.wantPosted(t, p, false)
		blog, _, err := w.store.Post(t.Context(), p)
		w.ok(err)
		w.wantPosted(t, p, true)
		other := p
		other.Draft.Text = "another body"
		w.wantPosted(t, other, true)
		w.ok(w.store.DeleteBlog(t.Context(), channel, blog.ID, grace, domain.Any[domain.Revision]()))
		w.wantPosted(t, p, true)
		other.Key = "another key"
		w.wantPosted(t, other, false)
		p.Source = "feed"
		w.wantPosted(t, p, false)
	})
}

func postedIsOfTheIncarnation(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		p := posting(w.create("garden", ada), grace, "one")
		_, _, err := w.store.Post(t.Context(), p)
		w.ok(err)
		p.Channel.Incarnation = domain.NewIncarnation()
		w.wantPosted(t, p, false)
	})
}

func postedAlike(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		p := posting(w.create("garden", ada), grace, "one")
		p.Draft.Title, p.CreatedOn = "Title", time.Date(2025, 1, 2, 3, 4, 5, 678, time.UTC)
		_, _, err := w.store.Post(t.Context(), p)
		w.ok(err)
		for name, c := range map[string]struct {
			change func(*storage.Posting)
			want   bool
		}{
			"the same":              {func(*storage.Posting) {}, true},
			"the same body":         {func(p *storage.Posting) { p.CreatedOn = time.Time{} }, true},
			"date and title":        {func(p *storage.Posting) { p.Draft.Text = "another" }, true},
			"the date alone":        {func(p *storage.Posting) { p.Draft.Text, p.Draft.Title = "another", "another" }, false},
			"the title alone":       {func(p *storage.Posting) { p.Draft.Text, p.CreatedOn = "another", time.Now() }, false},
			"the title and no date": {func(p *storage.Posting) { p.Draft.Text, p.CreatedOn = "another", time.Time{} }, false},
			"title and words": {func(p *storage.Posting) {
				p.Draft.Text, p.CreatedOn = "- **o**\n- [ne](https://example.org/)", time.Time{}
			}, true},
			"title and some words": {func(p *storage.Posting) { p.Draft.Text, p.CreatedOn = "o", time.Time{} }, false},
			"another key":          {func(p *storage.Posting) { p.Key = "another" }, false},
		} {
			other := p
			c.change(&other)
			if got, err := w.store.PostedAlike(t.Context(), other); err != nil || got != c.want {
				t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
			}
		}
	})
}

func (w *world) wantPosted(t *testing.T, p storage.Posting, want bool) {
	t.Helper()
	if got, err := w.store.Posted(t.Context(), p); err != nil || got != want {
		t.Errorf("%+v was posted: %v, %v, want %v", p, got, err, want)
	}
}
