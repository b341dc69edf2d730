package storage_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
)

func TestBlogPost(t *testing.T) {
	t.Run("post is read as it was written", postIsReadAsWritten)
	t.Run("longest post fits in a row", longestPostFits)
	t.Run("same key and body make one post", sameKeyAndBodyMakeOnePost)
	t.Run("key reused for another body is refused", keyReusedForAnotherBodyIsRefused)
	t.Run("key belongs to one user and one incarnation", keyBelongsToUserAndIncarnation)
	t.Run("source owns its keys whoever imports", sourceOwnsItsKeys)
	t.Run("key of a deleted post makes no other", keyOfDeletedPostMakesNoOther)
	t.Run("any text can be a key", anyTextCanBeKey)
	t.Run("post to a missing channel says why", postToMissingChannelSaysWhy)
	t.Run("one key used at once makes one post", oneKeyAtOnceMakesOnePost)
	t.Run("fault never makes two posts or loses one", postFaultMakesOnePost)
	t.Run("fault of a second try makes no second post", secondTryFaultMakesNoSecondPost)
	t.Run("late request does not bring a deleted post back", latePostStaysDeleted)
	t.Run("date that no row can store is refused", unstorableDateIsRefused)
}

func postIsReadAsWritten(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("Café", ada)
		p := posting(channel, grace, "tab\tand\nnewline, 😀")
		p.Draft.Title = "Ünïcode"
		made, created, err := w.store.Post(t.Context(), p)
		if err != nil || !created {
			t.Fatalf("posted %v, %v", created, err)
		}
		read, err := w.store.Blog(t.Context(), channel.Ref(), made.ID)
		if err != nil || read != made {
			t.Errorf("read %+v (%v)\nwant %+v", read, err, made)
		}
		if read.Title != p.Draft.Title || read.Text != p.Draft.Text || read.UserID != grace || !read.EditedOn.IsZero() {
			t.Errorf("read %+v, posted %+v", read, p)
		}
	})
}

func longestPostFits(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		p := posting(channel, grace, "longest")
		var err error
		p.Draft, err = domain.NewDraft(strings.Repeat("😀", domain.MaxTitle), strings.Repeat("😀", domain.MaxText))
		w.ok(err)
		made, _, err := w.store.Post(t.Context(), p)
		w.ok(err)
		if read, err := w.store.Blog(t.Context(), channel.Ref(), made.ID); err != nil || read != made {
			t.Errorf("read %d bytes, %v", len(read.Text), err)
		}
	})
}

func sameKeyAndBodyMakeOnePost(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		first := w.post(channel, grace, "one")
		again, created, err := w.store.Post(t.Context(), posting(channel, grace, "one"))
		if err != nil || created || again != first {
			t.Errorf("posted again: %+v, created %v, %v; want the first post", again, created, err)
		}
		edited := w.edit(first, "corrected")
		again, created, err = w.store.Post(t.Context(), posting(channel, grace, "one"))
		if err != nil || created || again != edited {
			t.Errorf("posted again after an edit: %+v, created %v, %v; want it as it stands", again, created, err)
		}
		if got := w.texts(channel.Ref()); !slices.Equal(got, []string{"corrected"}) {
			t.Errorf("posts: %q", got)
		}
	})
}

func keyReusedForAnotherBodyIsRefused(t *testing.T) {
	for _, draft := range []domain.Draft{{Text: "other"}, {Title: "title", Text: "one"}, {Title: "on", Text: "e"}} {
		inBubble(t, func(t *testing.T, w *world) {
			channel := w.create("garden", ada)
			w.post(channel, grace, "one")
			p := posting(channel, grace, "one")
			p.Draft = draft
			if _, created, err := w.store.Post(t.Context(), p); !errors.Is(err, domain.ErrKeyReused) || created {
				t.Errorf("posting %+v under a used key: created %v, %v", draft, created, err)
			}
		})
	}
}

func keyBelongsToUserAndIncarnation(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel, other := w.create("garden", ada), w.create("harbour", ada)
		w.post(channel, grace, "one")
		w.post(channel, eve, "one")
		w.post(other, grace, "one")
		w.delete(channel)
		w.post(w.create("garden", ada), grace, "one")
		w.mustBeSound()
	})
}

// Two users who import one source share its keys. A user with the name of the source
// does not.
func sourceOwnsItsKeys(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		p := posting(channel, grace, "one")
		p.Source = "feed"
		first, created, err := w.store.Post(t.Context(), p)
		if err != nil || !created {
			t.Fatal(created, err)
		}
		p.By = eve
		again, created, err := w.store.Post(t.Context(), p)
		if err != nil || created || again.ID != first.ID {
			t.Errorf("imported by another: %+v, created %v, %v", again, created, err)
		}
		p.Source = ""
		p.By = "feed"
		if _, created, err = w.store.Post(t.Context(), p); err != nil || !created {
			t.Errorf("a user with the name of the source: created %v, %v", created, err)
		}
	})
}

func keyOfDeletedPostMakesNoOther(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		blog := w.post(channel, grace, "one")
		w.ok(w.store.DeleteBlog(t.Context(), channel, blog.ID, grace, domain.Any[domain.Revision]()))
		_, created, err := w.store.Post(t.Context(), posting(channel, grace, "one"))
		if !errors.Is(err, domain.ErrPostGone) || !errors.Is(err, domain.ErrGone) || created {
			t.Errorf("created %v, %v; want ErrPostGone", created, err)
		}
		if got := w.texts(channel.Ref()); len(got) != 0 {
			t.Errorf("posts: %q", got)
		}
	})
}

func anyTextCanBeKey(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		for _, key := range []string{"", "/\\#?'\x00\x7f", "\xff\xfe", "ключ 😀", string(make([]byte, 1<<16))} {
			p := posting(channel, grace, "text")
			p.Key = key
			if _, created, err := w.store.Post(t.Context(), p); err != nil || !created {
				t.Errorf("key %.20q: created %v, %v", key, created, err)
			}
		}
	})
}

func postToMissingChannelSaysWhy(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		steps := cascade(w.store, channel.Ref())
		for i, want := range []error{nil, domain.ErrGone, domain.ErrGone, domain.ErrGone, domain.ErrNotFound} {
			w.ok(steps[i](t.Context()))
			_, _, err := w.store.Post(t.Context(), posting(channel, grace, text(i)))
			if !errors.Is(err, want) {
				t.Errorf("posting after step %d: %v, want %v", i+1, err, want)
			}
		}
		never := channel.Ref()
		never.Key = "never"
		if _, _, err := w.store.Post(t.Context(), storage.Posting{Channel: never, By: grace, Draft: domain.Draft{Text: "x"}}); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("posting to a channel that never was: %v", err)
		}
	})
}

func oneKeyAtOnceMakesOnePost(t *testing.T) {
	w := newWorld(t)
	channel := w.create("garden", ada)
	var mu sync.Mutex
	var made int
	ids := map[domain.BlogID]bool{}
	atOnce(32, func(int) {
		blog, created, err := w.store.Post(t.Context(), posting(channel, grace, "one"))
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		ids[blog.ID] = true
		if created {
			made++
		}
	})
	if made != 1 || len(ids) != 1 || len(w.texts(channel.Ref())) != 1 {
		t.Errorf("%d calls made a post, %d ids were answered, %d posts are listed; want 1 of each",
			made, len(ids), len(w.texts(channel.Ref())))
	}
	w.mustBeSound()
}

// An author who is told of a failure tries again with the same key. Whatever fault a
// call has, there is one post in the end.
func postFaultMakesOnePost(t *testing.T) {
	eachFault(t, func(w *world) {
		channel := w.create("garden", ada)
		first, created, err := w.faulty.Post(w.t.Context(), posting(channel, grace, "one"))
		switch {
		case err == nil && !created:
			w.t.Error("the only try reports that an earlier one made the post")
		case err != nil && !errors.Is(err, domain.ErrUnavailable):
			w.t.Errorf("the only try reports %v", err)
		}
		again, _, againErr := w.store.Post(w.t.Context(), posting(channel, grace, "one"))
		w.ok(againErr)
		if err == nil && again != first {
			w.t.Errorf("acknowledged %+v, and there is %+v", first, again)
		}
		if got := w.texts(channel.Ref()); !slices.Equal(got, []string{"one"}) {
			w.t.Errorf("posts: %q", got)
		}
		w.mustBeSound()
	})
}

// The second try has the fault. It finds the post that the first try made.
func secondTryFaultMakesNoSecondPost(t *testing.T) {
	eachFault(t, func(w *world) {
		channel := w.create("garden", ada)
		first := w.post(channel, grace, "one")
		again, created, err := w.faulty.Post(w.t.Context(), posting(channel, grace, "one"))
		if err == nil && (created || again != first) || err != nil && !errors.Is(err, domain.ErrUnavailable) {
			w.t.Errorf("second try: %+v, created %v, %v", again, created, err)
		}
		if got := w.texts(channel.Ref()); !slices.Equal(got, []string{"one"}) {
			w.t.Errorf("posts: %q", got)
		}
	})
}

func latePostStaysDeleted(t *testing.T) {
	eachLateDelivery(t, func(w *world, late *drivertest.Straggler) {
		channel := w.create("garden", ada)
		blog, _, err := w.faulty.Post(w.t.Context(), posting(channel, grace, "one"))
		if err != nil { // its author tries again, with the same key
			blog, _, err = w.store.Post(w.t.Context(), posting(channel, grace, "one"))
			w.ok(err)
		}
		w.ok(w.store.DeleteBlog(w.t.Context(), channel, blog.ID, grace, domain.OneOf(blog.Revision)))
		w.arrive(late)
		if got := w.texts(channel.Ref()); len(got) != 0 {
			w.t.Errorf("posts: %q", got)
		}
		w.mustBeSound()
	})
}

// An import may bring any date, but a row holds only the years 1601 to 9999.
func unstorableDateIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		for _, year := range []int{-1, 1, 1600, 10000} {
			p := posting(channel, grace, "text")
			p.CreatedOn = time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC)
			if _, _, err := w.store.Post(t.Context(), p); !errors.Is(err, domain.ErrLimit) {
				t.Errorf("posting in the year %d: %v", year, err)
			}
		}
		oldest := w.dated(channel, time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC), "oldest")
		newest := w.dated(channel, time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), "newest")
		if got := w.listed(channel.Ref(), storage.BlogQuery{Limit: 9}, nothing); !slices.Equal(got, []domain.Blog{newest, oldest}) {
			t.Errorf("listed %+v", got)
		}
	})
}
