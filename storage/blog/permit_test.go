package blog_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestPermit(t *testing.T) {
	t.Run("takes its steps in this order, and none of them twice", stepsAreTakenInOrder)
}

// stepsAreTakenInOrder names the calls of each operation in their order: a change of the order breaks the
// deletion of accounts, and one more is paid by everybody who posts.
func stepsAreTakenInOrder(t *testing.T) {
	block := func(user domain.UserName) func(w *world, in domain.Channel) {
		return func(w *world, in domain.Channel) {
			w.OK(w.Store.Posts.Block(w.T.Context(), in, ada, domain.User{Name: user}))
		}
	}
	for _, c := range []struct {
		what string
		do   func(w *world, in domain.Channel, old domain.Blog) error
		// before is done before the first transaction in the channel.
		before func(w *world, in domain.Channel)
		fails  string // the step that does
		want   string
	}{
		{"a post", postAs(grace, 1), nil, "", "rule list account active write"},
		{"a post of the owner", postAs(ada, 1), nil, "", "list active write"},
		{"posts in two transactions", postAs(grace, storage.MaxNewPosts+1), nil, "", "rule list account active write write"},
		{"posts whose list cannot be written", postAs(grace, storage.MaxNewPosts+1), nil, "list", "rule list!"},
		{"posts whose rule cannot be read", postAs(grace, storage.MaxNewPosts+1), nil, "rule", "rule!"},
		{"a post of a user who is blocked", postAs(eve, 1), nil, "", "rule account key"},
		{"posts under a rule that changes", postAs(grace, storage.MaxNewPosts+1), block("other"), "", "rule list account active write rule account write write"},
		{"a post of a user who is blocked meanwhile", postAs(grace, 1), block(grace), "", "rule list account active write rule account key list"},
		{"an edit", editAs(grace), nil, "", "post rule write"},
		{"an edit under a rule that changes", editAs(grace), block("other"), "", "post rule write rule account write"},
		{"a vote", voteAs(grace), nil, "", "rule list account post write"},
		{"a vote on a post that is gone", func(w *world, in domain.Channel, _ domain.Blog) error {
			return w.Faulty.Posts.Vote(w.T.Context(), in.Ref(), "none", grace)
		}, nil, "", "rule list account post vote list"},
		{"a vote on a post that is not there, in a channel without a rule", func(w *world, _ domain.Channel, _ domain.Blog) error {
			return w.Faulty.Posts.Vote(w.T.Context(), w.Create("silent", ada).Ref(), "none", grace)
		}, nil, "", "rule post"},
		{"a post of a member", func(w *world, in domain.Channel, old domain.Blog) error {
			w.members(in, grace)
			return postAs(grace, 1)(w, in, old)
		}, nil, "", "rule account list account active write"},
		{"a post of a user who is no member", func(w *world, in domain.Channel, old domain.Blog) error {
			w.members(in, eve)
			return postAs(grace, 1)(w, in, old)
		}, nil, "", "rule key"},
		{"a vote under a rule that changes", voteAs(grace), block("other"), "", "rule list account post write rule account post write"},
		{"a vote that is taken back", func(w *world, in domain.Channel, old domain.Blog) error {
			return w.Faulty.Posts.Unvote(w.T.Context(), in.Ref(), old.ID, ada)
		}, nil, "", "post write"},
	} {
		t.Run(c.what, bubble(func(t *testing.T, w *world) {
			in := w.Create("garden", ada)
			old := w.Post(in, grace, "old")
			w.OK(w.Store.Posts.Vote(t.Context(), in.Ref(), old.ID, ada))
			block(eve)(w, in)
			var calls []string
			w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
				step := stepOf(call)
				if step == c.fails {
					calls = append(calls, step+"!")
					return drivertest.ErrInjected
				}
				if step == "write" && c.before != nil && !slices.Contains(calls, step) {
					c.before(w, in)
				}
				calls = append(calls, step)
				return send(ctx)
			})
			err := c.do(w, in, old)
			if got := strings.Join(calls, " "); got != c.want {
				t.Errorf("%v after the calls\n%s, want\n%s", err, got, c.want)
			}
		}))
	}
}

func postAs(by domain.UserName, n int) func(*world, domain.Channel, domain.Blog) error {
	return func(w *world, in domain.Channel, _ domain.Blog) (err error) {
		posts := storetest.NewPosts(in, n)
		for i := range posts {
			posts[i].By = by
		}
		for _, r := range w.Faulty.Posts.CreateAll(w.T.Context(), in, posts) {
			err = r.Err
		}
		return err
	}
}

func editAs(by domain.UserName) func(*world, domain.Channel, domain.Blog) error {
	return func(w *world, in domain.Channel, old domain.Blog) error {
		_, err := w.Faulty.Posts.Update(w.T.Context(), in, old.ID, by, storetest.AnyRevision, domain.Draft{Text: "new"})
		return err
	}
}

func voteAs(by domain.UserName) func(*world, domain.Channel, domain.Blog) error {
	return func(w *world, in domain.Channel, old domain.Blog) error {
		return w.Faulty.Posts.Vote(w.T.Context(), in.Ref(), old.ID, by)
	}
}

// stepOf is what a call does for a post, an edit or a vote.
func stepOf(call drivertest.Call) string {
	switch {
	case call.Target == "Activity":
		return "active"
	case call.Target == "Users" && call.Method == driver.CallTransact:
		return "list"
	case call.Target == "Users":
		return "account"
	case call.Method == driver.CallTransact:
		return "write"
	case strings.HasPrefix(call.From, "posting!"):
		return "rule"
	case strings.HasPrefix(call.Row, "once!"):
		return "key"
	case strings.HasPrefix(call.Row, "blog!"):
		return "post"
	case strings.HasPrefix(call.Row, "vote!"):
		return "vote"
	}
	return string(call.Method) + " " + call.Target + " " + call.Row
}
