package storage_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
)

func TestCursor(t *testing.T) {
	t.Run("cursor of posts belongs to one incarnation", bubble(postCursorBelongsToIncarnation))
	t.Run("cursor of no list is refused", bubble(cursorOfNoListIsRefused))
}

func postCursorBelongsToIncarnation(t *testing.T, w *world) {
	channel, other := w.create("garden", ada), w.create("harbour", ada)
	for i := range 3 {
		w.post(channel, grace, text(i))
		w.post(other, grace, text(i))
	}
	page, err := w.store.Blogs(t.Context(), channel.Ref(), storage.BlogQuery{Limit: 1})
	w.ok(err)
	w.delete(channel)
	again := w.create("garden", ada)
	channels, err := w.store.Channels(t.Context(), "", "", 1)
	w.ok(err)
	for what, test := range map[string]struct {
		ref   domain.ChannelRef
		after string
	}{
		"of another channel":        {other.Ref(), page.Next},
		"of the former incarnation": {again.Ref(), page.Next},
		"of channels":               {again.Ref(), channels.Next},
		"that is a post's id":       {other.Ref(), string(domain.NewBlogID(time.Now()))},
	} {
		_, err := w.store.Blogs(t.Context(), test.ref, storage.BlogQuery{Limit: 1, After: test.after})
		var invalid *domain.InvalidError
		if !errors.As(err, &invalid) || invalid.Fields[0].Field != "after" {
			t.Errorf("a cursor %s: %v, want an InvalidError on it", what, err)
		}
	}
}

func cursorOfNoListIsRefused(t *testing.T, w *world) {
	for i := range 4 {
		w.create(fmt.Sprintf("a%d", i), ada)
		w.create(fmt.Sprintf("b%d", i), ada)
	}
	page, err := w.store.Channels(t.Context(), "a", "", 2)
	w.ok(err)
	blogs := w.create("posts", ada)
	w.post(blogs, ada, "one")
	w.post(blogs, ada, "two")
	posts, err := w.store.Blogs(t.Context(), blogs.Ref(), storage.BlogQuery{Limit: 1})
	w.ok(err)
	for what, test := range map[string]struct{ text, after string }{
		"made up":         {"a", "x"},
		"of no alphabet":  {"a", "\x00/é"},
		"too short":       {"a", "AAAA"},
		"of zeroes":       {"a", "AAAAAAAAAAAAAAAA"},
		"cut":             {"a", page.Next[:len(page.Next)-1]},
		"longer":          {"a", page.Next + "A"},
		"padded":          {"a", page.Next + "="},
		"of another list": {"b", page.Next},
		"of a wider list": {"", page.Next},
		"of posts":        {"a", posts.Next},
	} {
		_, err := w.store.Channels(t.Context(), test.text, test.after, 2)
		var invalid *domain.InvalidError
		if !errors.As(err, &invalid) || invalid.Fields[0].Field != "after" {
			t.Errorf("a cursor %s: %v, want an InvalidError on it", what, err)
		}
	}
}
