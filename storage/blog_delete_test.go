package storage_test

import (
	"context"
	"errors"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func (w *world) mustBeGone(blog domain.Blog) {
	w.t.Helper()
	if read, err := w.store.Posts.Get(w.t.Context(), blog.Channel, blog.ID); !errors.Is(err, domain.ErrNotFound) {
		w.t.Errorf("the deleted post is read as %+v, %v", read, err)
	}
	w.mustBeSound()
}

func TestBlogDelete(t *testing.T) {
	t.Run("votes go too", bubble(deletedPostTakesItsVotes))
	t.Run("a post that is edited meanwhile is not deleted unseen", bubble(editMeanwhileIsSeen))
	t.Run("a post that was edited after its request died stays", bubble(editedPostStays))
	t.Run("a request that the client library sends twice succeeds", bubble(selfConflictOfDeletedPost))
}

func editMeanwhileIsSeen(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	blog := w.post(channel, ada, "one")
	w.arm(drivertest.Only(func(call drivertest.Call) bool { return call.Target == "Blogs" && drivertest.Writes(call) },
		func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
			w.edit(blog, "another")
			return send(ctx)
		}))
	var stale *domain.StaleError
	if err := w.faulty.Posts.Delete(t.Context(), channel, blog.ID, ada, domain.OneOf(blog.Revision)); !errors.As(err, &stale) || stale.Current.Text != "another" {
		t.Errorf("deleting what was shown: %v", err)
	}
	w.finish(w.messages())
	if _, err := w.store.Posts.Get(t.Context(), channel.Ref(), blog.ID); err != nil {
		t.Errorf("the post is read with %v", err)
	}
}

func editedPostStays(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	blog := w.post(channel, ada, "one")
	w.arm(refuseBlogs)
	if err := w.faulty.Posts.Delete(t.Context(), channel, blog.ID, ada, anyRevision); err == nil {
		t.Error("the request did not die")
	}
	edited := w.edit(blog, "another")
	w.finish(w.messages())
	if now, err := w.store.Posts.Get(t.Context(), channel.Ref(), blog.ID); err != nil || now.Text != edited.Text {
		t.Errorf("the post is read as %+v, %v", now, err)
	}
}

func selfConflictOfDeletedPost(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	blog := w.post(channel, ada, "deleted")
	w.arm(drivertest.Only(func(call drivertest.Call) bool { return call.Target == "Blogs" && drivertest.Writes(call) },
		func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
			w.ok(send(ctx))
			return send(ctx)
		}))
	w.ok(w.faulty.Posts.Delete(t.Context(), channel, blog.ID, ada, anyRevision))
	w.finish(w.messages())
	w.mustBeGone(blog)
}

// There are more votes than one transaction removes.
func deletedPostTakesItsVotes(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	blog, kept := w.post(channel, ada, "deleted"), w.post(channel, ada, "kept")
	w.vote(blog, 0, driver.MaxOperations+1)
	w.vote(kept, 0, 1)
	w.ok(w.store.Posts.Delete(t.Context(), channel, blog.ID, ada, anyRevision))
	w.finish(w.messages())
	if got := w.rating(kept); got != 1 {
		t.Errorf("another post is rated %d, want 1", got)
	}
	w.mustBeGone(blog)
}

// refuseBlogs lets no transaction through to Blogs.
func refuseBlogs(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
	if call.Target == "Blogs" && len(call.Operations) > 0 {
		return domain.ErrUnavailable
	}
	return send(ctx)
}
