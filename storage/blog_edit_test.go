package storage_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
)

var anyRevision = domain.Any[domain.Revision]()

// edit replaces a post's text in its author's name.
func (w *world) edit(blog domain.Blog, text string) domain.Blog {
	w.t.Helper()
	edited, err := w.editBy(w.store, blog, domain.OneOf(blog.Revision), text)
	w.ok(err)
	return edited
}

func (w *world) editBy(s *storage.Parts, blog domain.Blog, expected domain.Precondition[domain.Revision], text string) (domain.Blog, error) {
	channel, err := w.store.Operator.ReadIncarnation(w.t.Context(), blog.Channel)
	w.ok(err)
	return s.Posts.Update(w.t.Context(), channel.Channel, blog.ID, blog.UserID, expected, domain.Draft{Text: text})
}

// vote gives a post the votes that take it from one rating to another.
func (w *world) vote(blog domain.Blog, from, to int64) {
	w.t.Helper()
	for n := from; n < to; n++ {
		w.ok(w.store.Posts.Vote(w.t.Context(), blog.Channel, blog.ID, domain.UserName(fmt.Sprintf("voter%d", n))))
	}
}

func TestBlogEdit(t *testing.T) {
	t.Run("self-conflict is recognised after others wrote", bubble(editSelfConflictIsRecognised))
	t.Run("of an edit and another edit or a deletion one has effect", oneOfTwoHasEffect)
}

func editSelfConflictIsRecognised(t *testing.T, w *world) {
	blog := w.post(w.create("garden", ada), grace, "one")
	w.arm(drivertest.Only(drivertest.Writes, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Seq > 1 {
			t.Error("the edit was written again")
		}
		_ = send(ctx) // the answer is lost, and then others write
		now, err := w.store.Posts.Get(ctx, blog.Channel, blog.ID)
		w.ok(err)
		for i := range 5 {
			now = w.edit(now, text(i))
		}
		return send(ctx)
	}))
	if _, err := w.editBy(w.faulty, blog, domain.OneOf(blog.Revision), "two"); err != nil {
		t.Errorf("an edit that was made reports %v", err)
	}
	if got := w.texts(blog.Channel); !slices.Equal(got, []string{text(4)}) {
		t.Errorf("the posts are %q", got)
	}
}

// Another edit comes before each call of an operation.
func oneOfTwoHasEffect(t *testing.T) {
	for what, do := range map[string]func(w *world, garden domain.Channel, blog domain.Blog) error{
		"an edit": func(w *world, _ domain.Channel, blog domain.Blog) error {
			_, err := w.editBy(w.faulty, blog, domain.OneOf(blog.Revision), "three")
			return err
		},
		"a deletion": func(w *world, garden domain.Channel, blog domain.Blog) error {
			return w.faulty.Posts.Delete(w.t.Context(), garden, blog.ID, grace, domain.OneOf(blog.Revision))
		},
	} {
		eachCall(t, "of "+what+" is overtaken", func(w *world, n int) {
			garden, overtaken, edited := w.create("garden", ada), false, false
			blog := w.post(garden, grace, "one")
			w.arm(before(n, func() {
				_, err := w.editBy(w.store, blog, domain.OneOf(blog.Revision), "two")
				overtaken, edited = true, err == nil
			}))
			err := do(w, garden, blog)
			calls := w.calls.Load()
			if overtaken {
				w.finish(w.messages())
				if edited == (err == nil) || err != nil && !errors.Is(err, domain.ErrConflict) || edited != slices.Equal(w.texts(garden.Ref()), []string{"two"}) {
					w.t.Errorf("told %v, edited %t, and the posts are %q", err, edited, w.texts(garden.Ref()))
				}
				w.mustBeSound()
			}
			w.calls.Store(calls)
		})
	}
}
