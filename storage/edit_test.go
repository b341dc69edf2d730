package storage_test

import (
	"microblogging/domain"
)

// edit overwrites a post's text by its author's hand.
func (w *world) edit(blog domain.Blog, text string) domain.Blog {
	w.t.Helper()
	edited, err := w.store.Edit(w.t.Context(), blog.Channel, blog.ID, blog.UserID,
		domain.OneOf(blog.Revision), domain.Draft{Text: text})
	w.ok(err)
	return edited
}
