package storage_test

import (
	"errors"
	"fmt"
	"testing"

	"microblogging/domain"
	"microblogging/storage/drivertest"
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
	t.Run("stale revision is refused with the current post", staleDeleteShowsCurrentPost)
	t.Run("fault leaves the post whole or gone", deleteFaultLeavesPostWholeOrGone)
	t.Run("edit after a failed deletion keeps the post", editAfterFailedDeleteKeepsPost)
	t.Run("deletion and edit at once agree", deleteAndEditAgree)
	t.Run("late request spares the next incarnation", lateDeleteSparesNextIncarnation)
	t.Run("many at once delete it once", manyDeleteOnce)
	t.Run("votes go too wherever the worker dies", deletedPostTakesItsVotes)
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

func staleDeleteShowsCurrentPost(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
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
	})
}

// After a fault, either the message completes the deletion, or nothing has happened.
func deleteFaultLeavesPostWholeOrGone(t *testing.T) {
	eachFault(t, func(w *world) {
		channel := w.create("garden", ada)
		blog := w.post(channel, grace, "one")
		err := w.faulty.DeleteBlog(w.t.Context(), channel, blog.ID, grace, domain.OneOf(blog.Revision))
		if err != nil && !errors.Is(err, domain.ErrUnavailable) {
			w.t.Errorf("told %v", err)
		}
		messages := w.messages()
		if err == nil {
			w.mustBeGone(blog)
		} else if len(messages) == 0 && len(w.texts(channel.Ref())) != 1 {
			w.t.Error("the post is gone, and nothing was queued to delete its votes")
		}
		w.finish(messages)
		if len(messages) > 0 {
			w.mustBeGone(blog)
		}
		w.mustBeSound()
	})
}

// The message names a revision. So an author who edits the post after a deletion
// failed keeps the post, even if the message is handled late and twice.
func editAfterFailedDeleteKeepsPost(t *testing.T) {
	for _, fault := range callFaults[:2] {
		eachCall(t, fault.name, func(w *world, n int) {
			channel := w.create("garden", ada)
			blog := w.post(channel, grace, "one")
			w.arm(fault.at(n))
			err := w.faulty.DeleteBlog(w.t.Context(), channel, blog.ID, grace, anyRevision)
			_, editErr := w.editBy(w.store, blog, anyRevision, "two")
			switch {
			case err == nil && !errors.Is(editErr, domain.ErrNotFound):
				w.t.Errorf("deleted, and then edited with %v", editErr)
			case err != nil && editErr != nil && !errors.Is(editErr, domain.ErrNotFound):
				w.t.Error(editErr)
			}
			messages := w.messages()
			w.finish(messages)
			w.finish(messages)
			if got := w.texts(channel.Ref()); (editErr == nil) != (len(got) == 1) {
				w.t.Errorf("edited with %v, and the posts are %q", editErr, got)
			}
			w.mustBeSound()
		})
	}
}

// An edit comes between any two calls of a deletion.
func deleteAndEditAgree(t *testing.T) {
	for what, expected := range map[string]func(domain.Blog) domain.Precondition[domain.Revision]{
		"of any revision":      func(domain.Blog) domain.Precondition[domain.Revision] { return anyRevision },
		"of the revision read": func(b domain.Blog) domain.Precondition[domain.Revision] { return domain.OneOf(b.Revision) },
	} {
		eachCall(t, what, func(w *world, n int) {
			channel := w.create("garden", ada)
			blog := w.post(channel, grace, "one")
			editErr := domain.ErrNotFound // until it comes
			w.arm(before(n, func() { _, editErr = w.editBy(w.store, blog, anyRevision, "two") }))
			err := w.faulty.DeleteBlog(w.t.Context(), channel, blog.ID, grace, expected(blog))
			w.finish(w.messages())
			got := w.texts(channel.Ref())
			switch {
			case err == nil && len(got) != 0:
				w.t.Errorf("deleted, and the posts are %q", got)
			case err == nil && editErr == nil && !expected(blog).Holds(domain.NewRevision()):
				w.t.Error("the request deleted an edit that it had not seen")
			case err != nil && (!errors.Is(err, domain.ErrConflict) || editErr != nil || len(got) != 1):
				w.t.Errorf("told %v, edited with %v, and the posts are %q", err, editErr, got)
			}
			w.mustBeSound()
		})
	}
}

// A late copy of a deletion, or of its message, arrives in the channel's next
// incarnation.
func lateDeleteSparesNextIncarnation(t *testing.T) {
	for steps := range stages {
		t.Run(fmt.Sprintf("after %d steps", steps), func(t *testing.T) {
			eachLateDelivery(t, func(w *world, late *drivertest.Straggler) {
				channel := w.create("garden", ada)
				blog := w.post(channel, grace, "one")
				_ = w.faulty.DeleteBlog(w.t.Context(), channel, blog.ID, grace, anyRevision) // whatever it answers
				w.advance(channel, steps)
				w.arrive(late)
				w.finish(w.messages())
				w.finishDeletion(channel, steps)
				w.mustKeepTheNextIncarnation(channel, steps >= 6)
			})
		})
	}
}

func manyDeleteOnce(t *testing.T) {
	w := newWorld(t)
	channel := w.create("garden", ada)
	blog := w.post(channel, grace, "one")
	atOnce(16, func(int) {
		err := w.store.DeleteBlog(t.Context(), channel, blog.ID, grace, anyRevision)
		if err != nil && !errors.Is(err, domain.ErrNotFound) {
			t.Error(err)
		}
	})
	w.finish(w.messages())
	w.mustBeGone(blog)
}

func deletedPostTakesItsVotes(t *testing.T) {
	eachFault(t, func(w *world) {
		channel := w.create("garden", ada)
		blog, kept := w.post(channel, ada, "deleted"), w.post(channel, ada, "kept")
		for i := range 150 { // more than one transaction
			user := domain.UserName(fmt.Sprintf("voter%d", i))
			w.ok(w.store.Vote(w.t.Context(), blog.Channel, blog.ID, user))
		}
		w.ok(w.store.Vote(w.t.Context(), kept.Channel, kept.ID, grace))
		// A worker that dies, and one that does not.
		w.ok(w.store.DeleteBlog(w.t.Context(), channel, blog.ID, ada, domain.Any[domain.Revision]()))
		message := domain.Message{
			Kind: domain.MessageBlog, Channel: channel.Key(), Incarnation: channel.Incarnation,
			Blog: blog.ID, Revision: blog.Revision, AskedOn: domain.Now(),
		}
		if err := w.faulty.FinishBlog(w.t.Context(), message, func(int) {}); err != nil && !errors.Is(err, domain.ErrUnavailable) {
			t.Error(err)
		}
		w.finish(w.messages())
		if got := w.rating(kept); got != 1 {
			t.Errorf("another post is rated %d, want 1", got)
		}
		w.mustBeSound()
	})
}
