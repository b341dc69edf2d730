package storage_test

import (
	"errors"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
)

func TestCursor(t *testing.T) {
	t.Run("a cursor of posts is refused elsewhere", bubble(postCursorIsRefusedElsewhere))
}

func postCursorIsRefusedElsewhere(t *testing.T, w *world) {
	channel, other := w.create("garden", ada), w.create("harbour", ada)
	for i := range 3 {
		w.post(channel, grace, text(i))
		w.post(other, grace, text(i))
	}
	page, err := w.store.Blogs(t.Context(), channel.Ref(), storage.BlogQuery{Limit: 1})
	w.ok(err)
	channels, err := w.store.Channels(t.Context(), "", "", 1)
	w.ok(err)
	for what, test := range map[string]struct {
		ref   domain.ChannelRef
		after string
	}{
		"of another channel":  {other.Ref(), page.Next},
		"of channels":         {other.Ref(), channels.Next},
		"that is a post's id": {other.Ref(), string(domain.NewBlogID(time.Now()))},
	} {
		_, err := w.store.Blogs(t.Context(), test.ref, storage.BlogQuery{Limit: 1, After: test.after})
		var invalid *domain.InvalidError
		if !errors.As(err, &invalid) || invalid.Fields[0].Field != "after" {
			t.Errorf("a cursor %s: %v, want an InvalidError on it", what, err)
		}
	}
}
