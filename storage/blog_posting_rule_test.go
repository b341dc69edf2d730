package storage_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/blog"
	"microblogging/storage/drivertest"
)

func TestGuests(t *testing.T) {
	t.Run("only the owner posts to a channel that is closed", bubble(closedToAllButTheOwner))
	t.Run("whoever is blocked posts nothing, and keeps what they posted", bubble(blockedPostsNothing))
	t.Run("a rule that changes under a post decides about it", bubble(ruleChangesUnderAPost))
	t.Run("an edit that had landed is answered as made", bubble(landedEditIsAnsweredAsMade))
	t.Run("the owner alone makes the rule, and is never blocked", bubble(ownerAloneRules))
	t.Run("one too many is not blocked", bubble(oneTooManyIsNotBlocked))
	t.Run("the owner pays nothing for it", bubble(ownerPaysNothing))
	t.Run("a rule ends with its channel", bubble(ruleEndsWithItsChannel))
}

// mustRefuse fails the test unless a post is refused for this reason and leaves nothing.
func (w *world) mustRefuse(to domain.Channel, by domain.UserName, key string, why error) {
	w.t.Helper()
	if _, _, err := w.store.Posts.Create(w.t.Context(), posting(to, by, key)); !errors.Is(err, why) || !errors.Is(err, domain.ErrForbidden) {
		w.t.Errorf("%s posts: %v, want %v", by, err, why)
	}
	if slices.Contains(w.texts(to.Ref()), key) {
		w.t.Errorf("%s was refused, and the post is there", by)
	}
}

func (w *world) postingRule(of domain.Channel) storage.PostingRule {
	w.t.Helper()
	g, err := w.store.Posts.PostingRule(w.t.Context(), of.Key())
	w.ok(err)
	return g.In(of.Ref())
}

func closedToAllButTheOwner(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	for range 2 { // a rule may be made again
		w.ok(w.store.Posts.SetPosting(t.Context(), channel, ada, true))
	}
	w.mustRefuse(channel, grace, "no", domain.ErrOwnerPosts)
	w.edit(w.post(channel, ada, "mine"), "edited")
	w.ok(w.store.Posts.SetPosting(t.Context(), channel, ada, false))
	w.post(channel, grace, "no") // with the key that was refused
	w.mustBeSound()
}

func blockedPostsNothing(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	blog := w.post(channel, grace, "before")
	w.ok(w.store.Posts.Block(t.Context(), channel, ada, domain.User{Name: grace}))
	w.mustRefuse(channel, grace, "after", domain.ErrBlocked)
	w.post(channel, eve, "another's")
	if _, err := w.editBy(w.store, blog, anyRevision, "edited"); !errors.Is(err, domain.ErrBlocked) {
		t.Errorf("whoever is blocked edits their post: %v", err)
	}
	w.ok(w.store.Posts.Vote(t.Context(), channel.Ref(), blog.ID, grace))
	w.ok(w.store.Subscriptions.Create(t.Context(), channel, grace))
	w.ok(w.store.Posts.Delete(t.Context(), channel, blog.ID, grace, anyRevision))
	w.ok(w.store.Posts.Unblock(t.Context(), channel, ada, grace))
	w.edit(w.post(channel, grace, "after"), "edited")
	w.mustBeSound()
}

// The reply to the edit is lost, its author is blocked, and the client sends it again.
func landedEditIsAnsweredAsMade(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	blog := w.post(channel, grace, "first")
	w.arm(drivertest.Only(transacts, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		w.ok(send(ctx))
		w.ok(w.store.Posts.Block(t.Context(), channel, ada, domain.User{Name: grace}))
		return send(ctx)
	}))
	if edited, err := w.editBy(w.faulty, blog, anyRevision, "edited"); err != nil || edited.Text != "edited" {
		t.Errorf("an edit that had landed: %+v, %v", edited, err)
	}
	w.mustBeSound()
}

func byName(a, b domain.User) int { return cmp.Compare(a.Name, b.Name) }

// The rule changes right before the transaction of the post: once to another that allows it, and
// then to one that does not.
func ruleChangesUnderAPost(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	w.post(channel, grace, "first")
	changes := []func() error{
		func() error { return w.store.Posts.Block(t.Context(), channel, ada, domain.User{Name: eve}) },
		func() error { return w.store.Posts.Block(t.Context(), channel, ada, domain.User{Name: grace}) },
	}
	for i, want := range []error{nil, domain.ErrBlocked} {
		changed := false
		w.arm(drivertest.Only(transacts, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
			if !changed {
				changed = true
				w.ok(changes[i]())
			}
			return send(ctx)
		}))
		if _, made, err := w.faulty.Posts.Create(t.Context(), posting(channel, grace, text(i))); !errors.Is(err, want) || made != (want == nil) {
			t.Errorf("under change %d: made %t, %v", i, made, err)
		}
	}
	if got := w.texts(channel.Ref()); !slices.Equal(got, []string{text(0), "first"}) {
		t.Errorf("posts: %q", got)
	}
	if rows, err := w.store.Feeds.BlogsBy(t.Context(), grace, "", 10); err != nil || len(rows.Items) != 2 {
		t.Errorf("the list of the author: %+v, %v", rows, err)
	}
	w.mustBeSound()
}

func ownerAloneRules(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	for _, err := range []error{
		w.store.Posts.SetPosting(t.Context(), channel, grace, true), w.store.Posts.Block(t.Context(), channel, grace, domain.User{Name: eve}),
		w.store.Posts.Unblock(t.Context(), channel, grace, eve),
	} {
		if !errors.Is(err, domain.ErrForbidden) {
			t.Errorf("somebody else rules: %v", err)
		}
	}
	var invalid *domain.InvalidError
	if err := w.store.Posts.Block(t.Context(), channel, ada, domain.User{Name: ada}); !errors.As(err, &invalid) {
		t.Errorf("the owner is blocked: %v", err)
	}
	w.post(channel, ada, "mine")
}

func oneTooManyIsNotBlocked(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	for i := range blog.MaxBlocked {
		w.ok(w.store.Posts.Block(t.Context(), channel, ada, domain.User{Name: domain.UserName(fmt.Sprintf("%032d", i)), CreatedOn: domain.Now()})) // of the greatest length
	}
	var invalid *domain.InvalidError
	if err := w.store.Posts.Block(t.Context(), channel, ada, domain.User{Name: eve}); !errors.As(err, &invalid) {
		t.Errorf("one more: %v", err)
	}
	w.ok(w.store.Posts.Block(t.Context(), channel, ada, domain.User{Name: domain.UserName(fmt.Sprintf("%032d", 7))})) // who is already
	if got := w.postingRule(channel); len(got.Blocked) != blog.MaxBlocked || !slices.IsSortedFunc(got.Blocked, byName) {
		t.Errorf("%d are blocked: %v", len(got.Blocked), got.Blocked)
	}
}

func ownerPaysNothing(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	w.post(channel, ada, "first") // which notes that the channel is active
	w.arm(drivertest.Pass)
	_, _, err := w.faulty.Posts.Create(t.Context(), posting(channel, ada, "second"))
	w.ok(err)
	if n := w.calls.Load(); n != 3 { // the index, the list of the author, and the post
		t.Errorf("%d calls, want 3", n)
	}
}

func ruleEndsWithItsChannel(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	w.ok(w.store.Posts.SetPosting(t.Context(), channel, ada, true))
	w.ask(channel)
	for _, step := range cascade(w.store, channel.Ref()) {
		w.ok(step(t.Context()))
	}
	if err := w.store.Posts.SetPosting(t.Context(), channel, ada, false); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("a rule of a channel that is gone: %v", err)
	}
	next := w.create("garden", eve)
	w.post(next, grace, "free")
}
