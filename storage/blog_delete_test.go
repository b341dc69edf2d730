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
	t.Run("author and owner may, others not", authorAndOwnerDelete)
	t.Run("stale revision is refused with the current post", bubble(staleDeleteShowsCurrentPost))
	t.Run("votes go too", bubble(deletedPostTakesItsVotes))
}

func authorAndOwnerDelete(t *testing.T) {
	for by, want := range map[domain.UserName]error{grace: nil, ada: nil, eve: domain.ErrForbidden, "": domain.ErrForbidden} {
		inBubble(t, func(t *testing.T, w *world) {
			channel := w.create("garden", ada)
			blog := w.post(channel, grace, "one")
			w.vote(blog, 0, 3)
			if err := w.store.DeleteBlog(t.Context(), channel, blog.ID, by, anyRevision); !errors.Is(err, want) {
				t.Errorf("deleted by %q: %v, want %v", by, err, want)
			}
			messages := w.messages()
			if want != nil {
				if len(messages) != 0 || len(w.texts(channel.Ref())) != 1 {
					t.Errorf("a refused deletion queued %v", messages)
				}
				return
			}
			if len(messages) != 1 || messages[0].Kind != domain.MessageBlog || messages[0].Blog != blog.ID || messages[0].By != by {
				t.Errorf("queued %+v", messages)
			}
			w.mustBeGone(blog)
			w.finish(messages)
			if err := w.store.DeleteBlog(t.Context(), channel, blog.ID, by, anyRevision); !errors.Is(err, domain.ErrNotFound) {
				t.Errorf("deleted again: %v", err)
			}
		})
	}
}

func staleDeleteShowsCurrentPost(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	blog := w.post(channel, grace, "one")
	edited := w.edit(blog, "two")
	err := w.store.DeleteBlog(t.Context(), channel, blog.ID, grace, domain.OneOf(blog.Revision))
	var stale *domain.StaleError
	if !errors.As(err, &stale) || stale.Current != edited {
		t.Errorf("deleted at a stale revision: %v", err)
	}
	w.finish(w.messages())
	if got := w.texts(channel.Ref()); len(got) != 1 {
		t.Errorf("the posts are %q", got)
	}
	w.vote(edited, 0, 1) // which changes the row, not the revision
	w.ok(w.store.DeleteBlog(t.Context(), channel, blog.ID, grace, domain.OneOf(edited.Revision)))
	w.mustBeGone(blog)
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
