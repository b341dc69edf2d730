package storage_test

import (
	"errors"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func (w *world) mustBeGone(blog domain.Blog) {
	w.t.Helper()
	if read, err := w.store.Blog(w.t.Context(), blog.Channel, blog.ID); !errors.Is(err, domain.ErrNotFound) {
		w.t.Errorf("the deleted post is read as %+v, %v", read, err)
	}
	w.mustBeSound()
}

func TestBlogDelete(t *testing.T) {
	t.Run("votes go too", bubble(deletedPostTakesItsVotes))
}

// There are more votes than one transaction removes.
func deletedPostTakesItsVotes(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	blog, kept := w.post(channel, ada, "deleted"), w.post(channel, ada, "kept")
	w.vote(blog, 0, driver.MaxOperations+1)
	w.vote(kept, 0, 1)
	w.ok(w.store.DeleteBlog(t.Context(), channel, blog.ID, ada, anyRevision))
	w.finish(w.messages())
	if got := w.rating(kept); got != 1 {
		t.Errorf("another post is rated %d, want 1", got)
	}
	w.mustBeGone(blog)
}
