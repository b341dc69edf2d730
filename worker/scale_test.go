package worker

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

// A scaleSize is what the formulas of docs/performance.md depend on.
type scaleSize struct {
	// key, user and text are lengths in bytes.
	key, user, text int
	// n is how many posts are made together, or deleted with their channel.
	n int
}

// A scaleCost is what an operation costs.
type scaleCost struct {
	// requests are calls of tables and queues. entities are the rows that its transactions
	// write or depend on, and bytes their keys and properties.
	requests, entities, bytes int
}

// A scaleCase is a row of the table in docs/performance.md.
type scaleCase struct {
	operation, requests, entities, bytes string
	// formula is what the columns say. Its bytes are 0 if the document gives none.
	formula func(scaleSize) scaleCost
	run     func(*scaleWorld) error
}

// TestScale takes the counts of docs/performance.md, with a call log.
func TestScale(t *testing.T) {
	text, err := os.ReadFile("../docs/performance.md")
	ok(t, err)
	_, table, _ := strings.Cut(string(text), "\n| operation | requests | entities | bytes |\n| --- | --- | --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var rows []string
	for _, c := range scaleCases() {
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s |", c.operation, c.requests, c.entities, c.bytes))
		t.Run(c.operation, drivertest.Long(func(t *testing.T) {
			for _, size := range []scaleSize{{3, 4, 10, 1}, {12, 7, 900, 33}, {5, 2, 5000, 400}} {
				if got, want := newScaleWorld(t, size).cost(c), c.formula(size); got != want {
					t.Errorf("%+v costs %+v, and %+v by the formula", size, got, want)
				}
			}
		}))
	}
	if want := strings.Join(rows, "\n"); table != want {
		t.Errorf("docs/performance.md has the table\n%s\nwant\n%s", table, want)
	}
}

// A scaleWorld has a channel of a size, with n posts and as many votes on each.
type scaleWorld struct {
	*world
	scaleSize
	channel, fresh domain.Channel
	author         domain.UserName
	blog           domain.Blog
	ctx            context.Context
}

func newScaleWorld(t *testing.T, size scaleSize) *scaleWorld {
	w := &scaleWorld{world: newWorld(t, 0), scaleSize: size, author: domain.UserName(strings.Repeat("u", size.user)), ctx: t.Context()}
	channel, err := domain.NewChannel(strings.Repeat("c", size.key), domain.About{}, w.author)
	if err == nil {
		w.channel, _, err = w.sound.Channels.Create(t.Context(), channel, domain.PostersOpen, "", 0)
	}
	if err == nil {
		err = w.post("before", size.n)
	}
	ok(t, err)
	fresh, err := domain.NewChannel(strings.Repeat("d", size.key), domain.About{}, owner)
	ok(t, err)
	w.fresh = fresh
	return w
}

// cost runs the case and counts.
func (w *scaleWorld) cost(c scaleCase) (cost scaleCost) {
	w.t.Helper()
	var callLog driver.CallLog
	callLog.List(1000)
	w.ctx = driver.WithCallLog(w.t.Context(), &callLog)
	if err := c.run(w); err != nil {
		w.t.Fatal(err)
	}
	counts := c.bytes != ""
	for _, call := range callLog.Calls() {
		cost.requests++
		cost.entities += len(call.Operations)
		if counts && call.Method == driver.CallTransact {
			cost.bytes += call.Bytes
		}
	}
	return cost
}

// post makes n posts of the owner, of which the last is blog.
func (w *scaleWorld) post(key string, n int) error { return w.postBy(w.author, key, n) }

func (w *scaleWorld) postBy(author domain.UserName, key string, n int) error {
	posts := make([]storage.NewPost, n)
	for i := range posts {
		posts[i] = storage.NewPost{By: author, Key: fmt.Sprint(key, i), Draft: w.draft()}
	}
	for _, made := range w.sound.Posts.CreateAll(w.ctx, w.channel, posts) {
		if w.blog = made.Blog; made.Err != nil {
			return made.Err
		}
	}
	return nil
}

func (w *scaleWorld) draft() domain.Draft { return domain.Draft{Text: strings.Repeat("x", w.text)} }

// times is how many of something it takes to hold n, if each has room for size.
func times(n, size int) int { return (n + size - 1) / size }

// fixed is the cost of what costs always the same.
func fixed(requests, entities int) func(scaleSize) scaleCost {
	return func(scaleSize) scaleCost { return scaleCost{requests: requests, entities: entities} }
}

func scaleCases() []scaleCase {
	everyone := domain.Any[domain.Revision]()
	return []scaleCase{
		{"post", "2", "5", "658 + 5k + 2u + t",
			func(s scaleSize) scaleCost { return scaleCost{2, 5, 658 + 5*s.key + 2*s.user + s.text} },
			func(w *scaleWorld) error { return w.post("a", 1) }},
		{"post to another user's channel", "4", "6", "692 + 6k + 2u + t",
			func(s scaleSize) scaleCost { return scaleCost{4, 6, 692 + 6*s.key + 2*s.user + s.text} },
			func(w *scaleWorld) error {
				other := domain.UserName(strings.Repeat("g", w.user))
				ctx := w.ctx
				w.ctx = w.t.Context()
				if err := w.postBy(other, "first", 1); err != nil {
					return err
				}
				w.ctx = ctx
				return w.postBy(other, "a", 1)
			}},
		{"n posts together", "⌈n / 32⌉ + ⌈n / 100⌉", "4n + ⌈n / 32⌉", "n × (622 + 4k + 2u + t) + ⌈n / 32⌉ × (36 + k)",
			func(s scaleSize) scaleCost {
				sent := times(s.n, 32)
				return scaleCost{sent + times(s.n, 100), 4*s.n + sent, s.n*(622+4*s.key+2*s.user+s.text) + sent*(36+s.key)}
			},
			func(w *scaleWorld) error { return w.post("a", w.n) }},
		{"edit a post", "2", "2", "", fixed(2, 2), func(w *scaleWorld) error {
			_, err := w.sound.Posts.Update(w.ctx, w.channel, w.blog.ID, w.author, everyone, domain.Draft{Text: "y"})
			return err
		}},
		{"delete a post, the request", "4", "4", "", fixed(4, 4), func(w *scaleWorld) error {
			return w.sound.Posts.Delete(w.ctx, w.channel, w.blog.ID, domain.By(w.author), everyone)
		}},
		{"vote", "5", "7", "", fixed(5, 7), func(w *scaleWorld) error {
			if err := w.sound.Posts.Vote(w.t.Context(), w.channel.Ref(), w.blog.ID, visitor); err != nil { // puts up who may act
				return err
			}
			return w.sound.Posts.Vote(w.ctx, w.channel.Ref(), w.blog.ID, w.author)
		}},
		{"withdraw a vote", "2", "5", "", fixed(2, 5), func(w *scaleWorld) error {
			if err := w.sound.Posts.Vote(w.t.Context(), w.channel.Ref(), w.blog.ID, w.author); err != nil {
				return err
			}
			return w.sound.Posts.Unvote(w.ctx, w.channel.Ref(), w.blog.ID, w.author)
		}},
		{"subscribe", "8", "7", "", fixed(8, 7), func(w *scaleWorld) error {
			return w.sound.Subscriptions.Create(w.ctx, w.channel, visitor)
		}},
		{"unsubscribe", "7", "4", "", fixed(7, 4), func(w *scaleWorld) error {
			if err := w.sound.Subscriptions.Create(w.t.Context(), w.channel, visitor); err != nil {
				return err
			}
			return w.sound.Subscriptions.Delete(w.ctx, w.channel.Ref(), visitor)
		}},
		{"create a channel", "14", "12", "", fixed(14, 12), func(w *scaleWorld) error {
			_, _, err := w.sound.Channels.Create(w.ctx, w.fresh, domain.PostersOpen, "", 0)
			return err
		}},
		{"the same, with an idempotency key", "16", "14", "", fixed(16, 14), func(w *scaleWorld) error {
			_, _, err := w.sound.Channels.Create(w.ctx, w.fresh, domain.PostersOpen, "once", 0)
			return err
		}},
		{"create a channel, where the channels of an owner are limited", "15", "12", "", fixed(15, 12), func(w *scaleWorld) error {
			_, _, err := w.sound.Channels.Create(w.ctx, w.fresh, domain.PostersOpen, "", 100)
			return err
		}},
		{"delete a channel, the request", "6", "4", "", fixed(6, 4), func(w *scaleWorld) error {
			_, err := w.sound.Deletions.Request(w.ctx, w.channel.Key(), domain.By(w.author), domain.Any[domain.Incarnation]())
			return err
		}},
		{"delete a channel of n posts, the worker", "15 + ⌈r / 990⌉ + ⌈r / 99⌉ + ⌈n / 99⌉, r = 3n + 1", "9 + r + n + ⌈r / 99⌉", "", func(s scaleSize) scaleCost {
			rows := 3*s.n + 1
			return scaleCost{requests: 15 + times(rows, 990) + times(rows, 99) + times(s.n, 99), entities: 9 + rows + s.n + times(rows, 99)}
		}, func(w *scaleWorld) error {
			row, err := w.sound.Operator.ReadChannel(w.t.Context(), w.channel.Key())
			if err == nil {
				err = w.sound.Operator.SetPending(w.t.Context(), row, domain.Now())
			}
			if err != nil {
				return err
			}
			m := domain.Deletion{Channel: w.channel.Ref(), Name: w.channel.Name, RequestedBy: w.author, RequestedOn: domain.Now()}.Message()
			if err := w.sound.Operator.RecordDeletion(w.t.Context(), m); err != nil {
				return err
			}
			return New(w.sound.Steps, testOptions).newJob(driver.Message{Text: m.Encode(), Deliveries: 1}, nil).do(w.ctx)
		}},
	}
}
