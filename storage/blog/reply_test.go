package blog_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
	"microblogging/storage/schema"
)

func TestReply(t *testing.T) {
	t.Run("replies are listed oldest first, and each is deleted by who may", bubble(repliesAreListed))
	t.Run("a key makes one reply, and none with another text or to another post", bubble(keyMakesOneReply))
	t.Run("a reply to a post that is not there, or is of another channel, leaves nothing", bubble(replyNeedsItsPost))
	t.Run("who may not post there does not reply", bubble(ruleHoldsForReplies))
	t.Run("one more reply than a post can have is refused, and the key of an earlier one is answered", bubble(fullPostIsRefused))
	for _, fault := range storetest.CallFaults {
		eachCall(t, fault.Name+", and the reply lands once", func(w *world, n int) { w.replyLandsOnce(fault.At(n)) })
	}
}

func newReply(to domain.Channel, post domain.Blog, by domain.UserName, text string) storage.NewReply {
	return storage.NewReply{Channel: to, Post: post.ID, By: by, Key: text, Text: text}
}

func (w *world) reply(to domain.Channel, post domain.Blog, by domain.UserName, text string) domain.Reply {
	w.T.Helper()
	reply, made, err := w.Store.Posts.Reply(w.T.Context(), newReply(to, post, by, text))
	if w.OK(err); !made {
		w.T.Errorf("%q is not made", text)
	}
	return reply
}

// replies are the texts of all replies to a post.
func (w *world) replies(post domain.Blog) (texts []string) {
	w.T.Helper()
	for _, reply := range storetest.FullPages(w.World, 2, storetest.Nothing, func(after string) (storage.Page[domain.Reply], error) {
		return w.Store.Posts.Replies(w.T.Context(), post.Channel, post.ID, after, 2)
	}) {
		texts = append(texts, reply.Text)
	}
	return texts
}

// repliesLeft are the rows of replies, and those of their authors' lists.
func (w *world) repliesLeft() (rows []string) {
	for _, table := range []string{schema.TableBlogs, schema.TableUsers} {
		for _, row := range w.Rows(table) {
			if strings.HasPrefix(row.Row, schema.Reply.Prefix()) || strings.HasPrefix(row.Row, schema.Replied.Prefix()) {
				rows = append(rows, table+" "+row.Row)
			}
		}
	}
	return rows
}

func repliesAreListed(t *testing.T, w *world) {
	garden := w.Create("garden", ada)
	post := w.Post(garden, grace, "question")
	other := w.Post(garden, grace, "another question")
	var replies []domain.Reply
	for i, by := range []domain.UserName{eve, grace, ada, eve, eve} {
		replies = append(replies, w.reply(garden, post, by, storetest.Text(i)))
		time.Sleep(domain.Tick)
	}
	w.reply(garden, other, eve, "elsewhere")
	if got := w.replies(post); !slices.Equal(got, []string{storetest.Text(0), storetest.Text(1), storetest.Text(2), storetest.Text(3), storetest.Text(4)}) {
		t.Errorf("listed %q", got)
	}
	now, err := w.Store.Posts.Get(t.Context(), post.Channel, post.ID)
	if w.OK(err); !now.RepliedOn.Equal(replies[4].CreatedOn) || now.Revision != post.Revision {
		t.Errorf("the post was replied to on %s and has revision %s, want %s and %s", now.RepliedOn, now.Revision, replies[4].CreatedOn, post.Revision)
	}
	remove := func(reply domain.Reply, by domain.Actor) error {
		return w.Store.Posts.DeleteReply(t.Context(), garden, post.ID, reply.ID, by)
	}
	if err := remove(replies[0], domain.By(grace)); !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("the author of the post deletes the reply of another: %v", err)
	}
	w.OK(remove(replies[0], domain.By(eve)))
	w.OK(remove(replies[1], domain.By(ada)))
	w.OK(remove(replies[3], domain.Actor{User: "operator", Operator: true}))
	if err := remove(replies[3], domain.By(ada)); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("a reply is deleted twice: %v", err)
	}
	if got := w.replies(post); !slices.Equal(got, []string{storetest.Text(2), storetest.Text(4)}) {
		t.Errorf("after three deletions, listed %q", got)
	}
	if left := w.repliesLeft(); len(left) != 2*3 {
		t.Errorf("left: %q", left)
	}
	w.MustBeSound()
}

func keyMakesOneReply(t *testing.T, w *world) {
	garden := w.Create("garden", ada)
	post, other := w.Post(garden, grace, "question"), w.Post(garden, grace, "another")
	first := w.reply(garden, post, eve, "answer")
	again := newReply(garden, post, eve, "answer")
	if got, made, err := w.Store.Posts.Reply(t.Context(), again); err != nil || made || got != first {
		t.Errorf("sent again: %+v, made %v, %v", got, made, err)
	}
	reused := again
	reused.Text = "another answer"
	elsewhere := again
	elsewhere.Post = other.ID
	for _, n := range []storage.NewReply{reused, elsewhere} {
		if _, _, err := w.Store.Posts.Reply(t.Context(), n); !errors.Is(err, domain.ErrKeyReused) {
			t.Errorf("with the key of another reply: %v", err)
		}
	}
	asPost := storetest.NewPost(garden, eve, "answer")
	if _, _, err := w.Store.Posts.Create(t.Context(), asPost); !errors.Is(err, domain.ErrKeyReused) {
		t.Errorf("a post with the key of a reply: %v", err)
	}
	w.OK(w.Store.Posts.DeleteReply(t.Context(), garden, post.ID, first.ID, domain.By(eve)))
	if _, _, err := w.Store.Posts.Reply(t.Context(), again); !errors.Is(err, domain.ErrReplyGone) {
		t.Errorf("sent again after it was deleted: %v", err)
	}
	if left := w.repliesLeft(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
	w.MustBeSound()
}

func replyNeedsItsPost(t *testing.T, w *world) {
	garden, attic := w.Create("garden", ada), w.Create("attic", ada)
	post := w.Post(garden, grace, "question")
	if _, _, err := w.Store.Posts.Reply(t.Context(), newReply(attic, post, eve, "answer")); !errors.Is(err, domain.ErrPostGone) {
		t.Errorf("to a post of another channel: %v", err)
	}
	w.OK(w.Store.Posts.Delete(t.Context(), garden, post.ID, domain.By(grace), storetest.AnyRevision))
	for _, by := range []domain.UserName{ada, eve} {
		if _, _, err := w.Store.Posts.Reply(t.Context(), newReply(garden, post, by, "answer")); !errors.Is(err, domain.ErrPostGone) {
			t.Errorf("%s to a post that is gone: %v", by, err)
		}
	}
	if left := w.repliesLeft(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
	w.Ask(garden)
	w.Advance(garden, 2)
	if _, _, err := w.Store.Posts.Reply(t.Context(), newReply(garden, post, ada, "answer")); !errors.Is(err, domain.ErrGone) {
		t.Errorf("in a channel that is being deleted: %v", err)
	}
}

func ruleHoldsForReplies(t *testing.T, w *world) {
	garden := w.Create("garden", ada)
	post := w.Post(garden, ada, "question")
	first := w.reply(garden, post, eve, "answer")
	refused := func(why error) {
		t.Helper()
		if _, _, err := w.Store.Posts.Reply(t.Context(), newReply(garden, post, eve, "another")); !errors.Is(err, why) {
			t.Errorf("refused with %v, want %v", err, why)
		}
		if got, made, err := w.Store.Posts.Reply(t.Context(), newReply(garden, post, eve, "answer")); err != nil || made || got != first {
			t.Errorf("what was made before is answered with %+v, made %v, %v", got, made, err)
		}
	}
	w.OK(w.Store.Posts.SetRule(t.Context(), garden, ada, domain.PostersOwner))
	refused(domain.ErrOwnerPosts)
	w.reply(garden, post, ada, "of the owner")
	w.OK(w.Store.Posts.SetRule(t.Context(), garden, ada, domain.PostersMembers))
	refused(domain.ErrMembersPost)
	w.OK(w.Store.Posts.SetRule(t.Context(), garden, ada, domain.PostersOpen))
	w.OK(w.Store.Posts.Block(t.Context(), garden, ada, domain.User{Name: eve}))
	refused(domain.ErrBlocked)
	if left := w.repliesLeft(); len(left) != 2*2 {
		t.Errorf("left: %q", left)
	}
	w.MustBeSound()
}

func fullPostIsRefused(t *testing.T, w *world) {
	garden := w.Create("garden", ada)
	post := w.Post(garden, grace, "question")
	for i := range domain.MaxReplies {
		w.reply(garden, post, ada, fmt.Sprint("answer ", i))
	}
	var invalid *domain.InvalidError
	if _, _, err := w.Store.Posts.Reply(t.Context(), newReply(garden, post, eve, "one more")); !errors.As(err, &invalid) || invalid.Fields[0].Field != "text" {
		t.Errorf("one more: %v", err)
	}
	if _, made, err := w.Store.Posts.Reply(t.Context(), newReply(garden, post, ada, "answer 7")); made || err != nil {
		t.Errorf("the key of an earlier reply: made %v, %v", made, err)
	}
	w.MustBeSound()
}

// replyLandsOnce sends a reply until it is answered.
func (w *world) replyLandsOnce(fault drivertest.Hook) {
	garden := w.Create("garden", ada)
	post := w.Post(garden, grace, "question")
	w.Arm(fault)
	send := func() (domain.Reply, bool, error) {
		return w.Faulty.Posts.Reply(w.T.Context(), newReply(garden, post, eve, "answer"))
	}
	reply, made, err := send()
	if errors.Is(err, domain.ErrUnavailable) {
		reply, made, err = send()
	} else if !made {
		w.T.Error("this call made the reply, and does not say so")
	}
	if w.OK(err); reply.Text != "answer" {
		w.T.Errorf("answered with %+v", reply)
	}
	if got := w.replies(post); !slices.Equal(got, []string{"answer"}) {
		w.T.Errorf("listed %q", got)
	}
	w.MustBeSound()
}
