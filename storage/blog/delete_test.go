package blog_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
	"microblogging/storage/schema"
)

func (w *world) mustBeGone(blog domain.Blog) {
	w.T.Helper()
	if read, err := w.Store.Posts.Get(w.T.Context(), blog.Channel, blog.ID); !errors.Is(err, domain.ErrNotFound) {
		w.T.Errorf("the deleted post is read as %+v, %v", read, err)
	}
	w.MustBeSound()
}

func TestBlogDelete(t *testing.T) {
	t.Run("votes go too", bubble(deletedPostTakesItsVotes))
	t.Run("a post that was edited after its request died stays", bubble(editedPostStays))
	t.Run("a post that is edited while a worker removes it keeps its votes", bubble(editMeetsWorker))
	t.Run("an erasure leaves the posts of others alone", bubble(erasureLeavesPostsOfOthers))
	t.Run("an erasure leaves neither a post that it would keep nor a vote, if the owner removes the post meanwhile", bubble(keptPostMeetsOwner))
	t.Run("an operator removes a post of another, and no other user does", bubble(operatorRemovesPost))
	t.Run("two workers may remove the votes", bubble(workersMeetAtVotes))
	t.Run("a vote stays on its user's list until it is gone", bubble(votesGoBeforeTheirEntries))
	t.Run("a request that the client library sends twice succeeds", bubble(selfConflictOfDeletedPost))
}

func operatorRemovesPost(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	blog := w.Post(channel, ada, "one")
	if err := w.Store.Posts.Delete(t.Context(), channel, blog.ID, domain.By(grace), storetest.AnyRevision); !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("another user removes it with %v", err)
	}
	w.OK(w.Store.Posts.Delete(t.Context(), channel, blog.ID, domain.Actor{User: grace, Operator: true}, storetest.AnyRevision))
	w.Finish(w.Messages())
	w.mustBeGone(blog)
}

func editedPostStays(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	blog := w.Post(channel, ada, "one")
	w.Arm(drivertest.Only(transacts, drivertest.FailBefore(1)))
	if err := w.Faulty.Posts.Delete(t.Context(), channel, blog.ID, domain.By(ada), storetest.AnyRevision); err == nil {
		t.Error("the request did not die")
	}
	edited := w.edit(blog, "another")
	w.Finish(w.Messages())
	if now, err := w.Store.Posts.Get(t.Context(), channel.Ref(), blog.ID); err != nil || now.Text != edited.Text {
		t.Errorf("the post is read as %+v, %v", now, err)
	}
}

// The request died before it removed the post.
func editMeetsWorker(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	blog := w.Post(channel, ada, "one")
	w.Vote(blog, 0, 1)
	w.Arm(drivertest.Only(transacts, drivertest.FailBefore(1)))
	if err := w.Faulty.Posts.Delete(t.Context(), channel, blog.ID, domain.By(ada), storetest.AnyRevision); err == nil {
		t.Error("the request did not die")
	}
	removes := func(call drivertest.Call) bool {
		return slices.ContainsFunc(call.Operations, func(op driver.Operation) bool { return op.Row == schema.BlogRow(blog.ID) })
	}
	w.Arm(drivertest.Only(removes, storetest.Before(1, func() { w.edit(blog, "another") })))
	w.OK(w.Faulty.Operator.FinishBlog(t.Context(), w.Messages()[0], func(int) {}))
	if got := w.rating(blog); got != 1 {
		t.Errorf("the post is rated %d", got)
	}
	w.MustBeSound()
}

func erasureLeavesPostsOfOthers(t *testing.T, w *world) {
	blog := w.Post(w.Create("garden", ada), ada, "one")
	w.Vote(blog, 0, 1)
	blog.Rating = 1
	for _, keep := range []bool{false, true} {
		w.OK(w.Store.Operator.EraseBlog(t.Context(), blog.Channel, blog.ID, grace, keep, func(int) {}))
	}
	if now, err := w.Store.Posts.Get(t.Context(), blog.Channel, blog.ID); err != nil || now != blog {
		t.Errorf("the post is read as %+v, %v", now, err)
	}
	w.MustBeSound()
}

func keptPostMeetsOwner(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	blog := w.Post(channel, grace, "one")
	w.Vote(blog, 0, 1)
	w.Arm(drivertest.Only(transacts, storetest.Before(1, func() {
		w.OK(w.Store.Posts.Delete(t.Context(), channel, blog.ID, domain.By(ada), storetest.AnyRevision))
	})))
	w.OK(w.Faulty.Operator.EraseBlog(t.Context(), blog.Channel, blog.ID, grace, true, func(int) {}))
	for _, row := range w.Rows(schema.TableBlogs) {
		if schema.Blog.Has(row.Row) || schema.Vote.Has(row.Row) {
			t.Errorf("left: %v", row)
		}
	}
}

func workersMeetAtVotes(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	blog := w.Post(channel, ada, "one")
	w.Vote(blog, 0, 2)
	w.OK(w.Store.Posts.Delete(t.Context(), channel, blog.ID, domain.By(ada), storetest.AnyRevision))
	m := w.Messages()[0]
	removed := 0
	count := func(rows int) { removed += rows }
	w.Arm(drivertest.Only(transacts, storetest.Before(1, func() { w.OK(w.Store.Operator.FinishBlog(t.Context(), m, count)) })))
	w.OK(w.Faulty.Operator.FinishBlog(t.Context(), m, count))
	if removed != 2 {
		t.Errorf("%d rows are reported as removed, want those of the votes", removed)
	}
	w.mustBeGone(blog)
}

// The worker dies before it has removed the votes, and the queue loses its message.
func votesGoBeforeTheirEntries(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	blog := w.Post(channel, ada, "one")
	w.Vote(blog, 0, 1)
	w.OK(w.Store.Posts.Delete(t.Context(), channel, blog.ID, domain.By(ada), storetest.AnyRevision))
	w.Arm(drivertest.Only(transacts, drivertest.FailBefore(1)))
	if err := w.Faulty.Operator.FinishBlog(t.Context(), w.Messages()[0], func(int) {}); err == nil {
		t.Error("the worker did not die")
	}
	for _, row := range w.Rows(schema.TableUsers) {
		if row.Row == schema.VotedRow(blog.ID) {
			return
		}
	}
	t.Error("the vote is on no list, so the deletion of its user's account does not find it")
}

func selfConflictOfDeletedPost(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	blog := w.Post(channel, ada, "deleted")
	w.Arm(drivertest.Only(transacts, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		w.OK(send(ctx))
		return send(ctx)
	}))
	w.OK(w.Faulty.Posts.Delete(t.Context(), channel, blog.ID, domain.By(ada), storetest.AnyRevision))
	w.Finish(w.Messages())
	w.mustBeGone(blog)
}

// There are more votes than one transaction removes.
func deletedPostTakesItsVotes(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	blog, kept := w.Post(channel, ada, "deleted"), w.Post(channel, ada, "kept")
	w.Vote(blog, 0, driver.MaxOperations+1)
	w.Vote(kept, 0, 1)
	w.OK(w.Store.Posts.Delete(t.Context(), channel, blog.ID, domain.By(ada), storetest.AnyRevision))
	removed := 0
	w.OK(w.Store.Operator.FinishBlog(t.Context(), w.Messages()[0], func(rows int) { removed += rows }))
	for _, row := range w.Rows("Users") {
		if row.Row == "voted!"+string(blog.ID) {
			t.Fatalf("the vote of %s is on their list although the post is gone", row.Partition)
		}
	}
	if removed != driver.MaxOperations+1 {
		t.Errorf("%d rows are reported as removed, want those of the votes", removed)
	}
	if got := w.rating(kept); got != 1 {
		t.Errorf("another post is rated %d, want 1", got)
	}
	w.mustBeGone(blog)
}
