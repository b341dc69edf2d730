package storage_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

// leaseOfTests is longer than any test takes.
const leaseOfTests = time.Hour

func (w *world) rating(blog domain.Blog) int64 {
	w.t.Helper()
	now, err := w.store.Blog(w.t.Context(), blog.Channel, blog.ID)
	w.ok(err)
	return now.Rating
}

func TestAVoteCountsOnceWhateverCallFails(t *testing.T) {
	eachMishap(t, func(w *world) {
		blog := w.post(w.create("garden", ada), ada, "text")
		err := w.faulty.Vote(w.t.Context(), blog.Channel, blog.ID, grace)
		if got := w.rating(blog); err == nil && got != 1 {
			t.Errorf("rated %d after an acknowledged vote, want 1", got)
		}
		w.ok(w.store.Vote(w.t.Context(), blog.Channel, blog.ID, grace))
		if got := w.rating(blog); got != 1 {
			t.Errorf("rated %d after voting again, want 1", got)
		}
		w.mustBeSound()
	})
}

func TestAVoteTakenBackCountsNoMoreWhateverCallFails(t *testing.T) {
	eachMishap(t, func(w *world) {
		blog := w.post(w.create("garden", ada), ada, "text")
		w.ok(w.store.Vote(w.t.Context(), blog.Channel, blog.ID, grace))
		err := w.faulty.Unvote(w.t.Context(), blog.Channel, blog.ID, grace)
		if got := w.rating(blog); err == nil && got != 0 {
			t.Errorf("rated %d after the vote was taken back, want 0", got)
		}
		w.ok(w.store.Unvote(w.t.Context(), blog.Channel, blog.ID, grace))
		if got := w.rating(blog); got != 0 {
			t.Errorf("rated %d after taking it back again, want 0", got)
		}
		w.mustBeSound()
	})
}

func TestALateVoteDoesNotReturnAfterItWasTakenBack(t *testing.T) {
	eachStraggler(t, func(w *world, late *drivertest.Straggler) {
		blog := w.post(w.create("garden", ada), ada, "text")
		if err := w.faulty.Vote(w.t.Context(), blog.Channel, blog.ID, grace); err == nil {
			w.ok(w.store.Unvote(w.t.Context(), blog.Channel, blog.ID, grace))
			w.arrive(late)
			if got := w.rating(blog); got != 0 {
				t.Errorf("rated %d, want 0", got)
			}
		}
		w.mustBeSound()
	})
}

func TestAVoteKeepsTheIndexRightWhateverComesBetweenItsCalls(t *testing.T) {
	works := map[string]func(w *world, channel domain.Channel, blog domain.Blog){
		"another vote": func(w *world, _ domain.Channel, b domain.Blog) {
			w.ok(w.store.Vote(w.t.Context(), b.Channel, b.ID, eve))
		},
		"an edit": func(w *world, _ domain.Channel, b domain.Blog) {
			_, err := w.store.Edit(w.t.Context(), b.Channel, b.ID, ada, domain.Any[domain.Revision](), domain.Draft{Text: "edited"})
			w.ok(err)
		},
		"the post's deletion": func(w *world, c domain.Channel, b domain.Blog) {
			w.ok(w.store.DeleteBlog(w.t.Context(), c, b.ID, ada, domain.Any[domain.Revision]()))
		},
		"the channel's deletion": func(w *world, c domain.Channel, _ domain.Blog) { w.delete(c) },
		"the mark of its deletion": func(w *world, c domain.Channel, _ domain.Blog) {
			w.ok(cascade(w.store, c.Ref())[0](w.t.Context()))
		},
	}
	for name, work := range works {
		eachCall(t, "of a vote comes after "+name, func(w *world, n int) {
			channel := w.create("garden", ada)
			blog := w.post(channel, ada, "text")
			w.arm(before(n, func() { work(w, channel, blog) }))
			err := w.faulty.Vote(w.t.Context(), blog.Channel, blog.ID, grace)
			if err != nil && !errors.Is(err, domain.ErrNotFound) {
				t.Errorf("the vote is answered with %v", err)
			}
			if _, readErr := w.store.Channel(w.t.Context(), channel.Key()); errors.Is(readErr, domain.ErrGone) {
				w.delete(channel)
			}
			w.finishBlogs()
			w.mustBeSound()
		})
	}
}

// finishBlogs does what a worker does with the messages on the queue.
func (w *world) finishBlogs() {
	w.t.Helper()
	messages, err := w.store.Messages().Receive(w.t.Context(), 32, leaseOfTests)
	w.ok(err)
	for _, m := range messages {
		message, err := domain.DecodeMessage(m.Text)
		w.ok(err)
		w.ok(w.store.FinishBlog(w.t.Context(), message))
		w.ok(w.store.Messages().Delete(w.t.Context(), m))
	}
}

func TestAsManyVotersAsVoteAreCounted(t *testing.T) {
	w := newWorld(t)
	blog := w.post(w.create("garden", ada), ada, "text")
	const voters = 64
	atOnce(voters, func(i int) {
		if err := w.store.Vote(t.Context(), blog.Channel, blog.ID, domain.UserName(fmt.Sprintf("voter%d", i))); err != nil {
			t.Error(err)
		}
	})
	if got := w.rating(blog); got != voters {
		t.Errorf("rated %d, want %d", got, voters)
	}
	w.mustBeSound()
}

func TestADeletedPostTakesItsVotesAlongWhereverItsDeletionDies(t *testing.T) {
	eachMishap(t, func(w *world) {
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
		if err := w.faulty.FinishBlog(w.t.Context(), message); err != nil && !errors.Is(err, domain.ErrUnavailable) {
			t.Error(err)
		}
		w.finishBlogs()
		if got := w.rating(kept); got != 1 {
			t.Errorf("another post is rated %d, want 1", got)
		}
		w.mustBeSound()
	})
}

func TestPostsComeByRatingAndTheNewestFirstAmongEquals(t *testing.T) {
	w := newWorld(t)
	channel := w.create("garden", ada)
	var blogs []domain.Blog
	for i := range 7 {
		blogs = append(blogs, w.post(channel, ada, text(i)))
	}
	votes := []int{0, 2, 1, 2, 0, 5, 1}
	for i, n := range votes {
		for v := range n {
			w.ok(w.store.Vote(t.Context(), channel.Ref(), blogs[i].ID, domain.UserName(fmt.Sprintf("voter%d", v))))
		}
	}
	two := int64(2)
	for _, list := range []struct {
		rating *int64
		want   []string
	}{
		{nil, []string{"post 5", "post 3", "post 1", "post 6", "post 2", "post 4", "post 0"}},
		{&two, []string{"post 3", "post 1"}},
	} {
		var got []string
		q := storage.RatingQuery{Rating: list.rating, Limit: 2}
		for {
			page, err := w.store.BlogsByRating(t.Context(), channel.Ref(), q)
			w.ok(err)
			for _, blog := range page.Items {
				got = append(got, blog.Text)
			}
			if q.After = page.Next; page.Next == "" {
				break
			}
		}
		if !slices.Equal(got, list.want) {
			t.Errorf("by rating the posts come as %v, want %v", got, list.want)
		}
	}
}

func TestTheCheckFindsAndMendsWhatVotesAndSubscriptionsCanHaveWrong(t *testing.T) {
	plant := map[string]func(w *world, blog domain.Blog){
		"a rating without votes": func(w *world, b domain.Blog) {
			w.ok(w.table("Blogs").Transact(w.t.Context(), string(b.Channel.Key),
				driver.Merge("blog!"+string(b.ID), driver.Exists, driver.Int64("Rating", 3)),
				driver.Delete(rateRow(1, b.ID), driver.Exists),
				driver.Insert(rateRow(3, b.ID), driver.String("Incarnation", b.Channel.Incarnation))))
		},
		"a vote that is not counted": func(w *world, b domain.Blog) {
			w.ok(w.table("Blogs").Transact(w.t.Context(), string(b.Channel.Key),
				driver.Insert("vote!"+string(b.ID)+"!eve", driver.String("Incarnation", b.Channel.Incarnation))))
		},
		"a subscriber without a subscription": func(w *world, b domain.Blog) {
			w.ok(w.table("Blogs").Transact(w.t.Context(), string(b.Channel.Key),
				driver.Insert("sub!eve", driver.String("Incarnation", b.Channel.Incarnation))))
		},
	}
	for name, plantIt := range plant {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				blog := w.post(w.create("garden", ada), ada, "text")
				w.ok(w.store.Vote(t.Context(), blog.Channel, blog.ID, grace))
				plantIt(w, blog)
				if found := w.check(); len(found) == 0 || found[0].Invariant != "I8" {
					t.Fatalf("found %+v, want a breach of I8", found)
				}
				_, err := w.store.NewChecker(leaseOfTests, true, func(domain.Breach) {}).Run(t.Context())
				w.ok(err)
				w.mustBeSound()
			})
		})
	}
}

func TestAVoteWithoutItsPostIsNoBreachAndARepairRemovesIt(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		stray := w.insert("garden", "vote!"+string(domain.NewBlogID(domain.Now()))+"!eve", channel.Incarnation)
		w.mustBeSound()
		_, err := w.store.NewChecker(leaseOfTests, true, func(domain.Breach) {}).Run(t.Context())
		w.ok(err)
		if w.has("garden", stray) {
			t.Error("the repair left the vote")
		}
	})
}
