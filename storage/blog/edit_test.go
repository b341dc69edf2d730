package blog_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestBlogEdit(t *testing.T) {
	t.Run("self-conflict is recognised after others wrote", bubble(editSelfConflictIsRecognised))
	t.Run("of an edit and another edit or a deletion one has effect", oneOfTwoHasEffect)
}

func editSelfConflictIsRecognised(t *testing.T, w *world) {
	blog := w.Post(w.Create("garden", ada), grace, "one")
	w.Arm(drivertest.Only(drivertest.Writes, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Seq > 1 {
			t.Error("the edit was written again")
		}
		_ = send(ctx) // the answer is lost, and then others write
		now, err := w.Store.Posts.Get(ctx, blog.Channel, blog.ID)
		w.OK(err)
		for i := range 5 {
			now = w.edit(now, storetest.Text(i))
		}
		return send(ctx)
	}))
	if _, err := w.editBy(w.Faulty, blog, domain.OneOf(blog.Revision), "two"); err != nil {
		t.Errorf("an edit that was made reports %v", err)
	}
	if got := w.Texts(blog.Channel); !slices.Equal(got, []string{storetest.Text(4)}) {
		t.Errorf("the posts are %q", got)
	}
}

// Another edit comes before each call of an operation.
func oneOfTwoHasEffect(t *testing.T) {
	for what, do := range map[string]func(w *world, garden domain.Channel, blog domain.Blog) error{
		"an edit": func(w *world, _ domain.Channel, blog domain.Blog) error {
			_, err := w.editBy(w.Faulty, blog, domain.OneOf(blog.Revision), "three")
			return err
		},
		"a deletion": func(w *world, garden domain.Channel, blog domain.Blog) error {
			return w.Faulty.Posts.Delete(w.T.Context(), garden, blog.ID, domain.By(grace), domain.OneOf(blog.Revision))
		},
	} {
		eachCall(t, "of "+what+" is overtaken", func(w *world, n int) {
			garden, overtaken, edited := w.Create("garden", ada), false, false
			blog := w.Post(garden, grace, "one")
			w.Arm(storetest.Before(n, func() {
				_, err := w.editBy(w.Store, blog, domain.OneOf(blog.Revision), "two")
				overtaken, edited = true, err == nil
			}))
			err := do(w, garden, blog)
			calls := w.Calls.Load()
			if overtaken {
				w.Finish(w.Messages())
				var stale *domain.StaleError
				if edited == (err == nil) || err != nil && (!errors.As(err, &stale) || stale.Current.Text != "two") || edited != slices.Equal(w.Texts(garden.Ref()), []string{"two"}) {
					w.T.Errorf("told %v, edited %t, and the posts are %q", err, edited, w.Texts(garden.Ref()))
				}
				w.MustBeSound()
			}
			w.Calls.Store(calls)
		})
	}
}
