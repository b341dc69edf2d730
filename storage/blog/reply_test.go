package blog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
	"microblogging/storage/schema"
)

func TestReply(t *testing.T) {
	t.Run("replies are listed oldest first, and each is deleted by who may", bubble(repliesAreListed))
	t.Run("a key makes one reply, and none with another text or to another post", bubble(keyMakesOneReply))
	t.Run("a reply to a post that is not there, or is of another channel, leaves nothing", bubble(replyNeedsItsPost))
	t.Run("who may not post there does not reply", bubble(ruleHoldsForReplies))
	t.Run("a duplicate that comes late makes no reply, whether the reply or its post was deleted", bubble(lateReplyChangesNothing))
	t.Run("one more reply than a post can have is refused, and the key of an earlier one is answered", bubble(fullPostIsRefused))
	for _, fault := range storetest.CallFaults {
		eachCall(t, fault.Name+", and the reply lands once", func(w *world, n int) { w.replyLandsOnce(fault.At(n)) })
	}
}

func newReply(to domain.Channel, post domain.Blog, by domain.UserName, text string) storage.NewReply {
	return storetest.NewReply(to, post.ID, by, text)
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
		replies = append(replies, w.Reply(garden, post.ID, by, storetest.Text(i)))
		time.Sleep(domain.Tick)
	}
	w.Reply(garden, other.ID, eve, "elsewhere")
	if got := w.replies(post); !slices.Equal(got, []string{storetest.Text(0), storetest.Text(1), storetest.Text(2), storetest.Text(3), storetest.Text(4)}) {
		t.Errorf("listed %q", got)
	}
	now, err := w.Store.Posts.Get(t.Context(), post.Channel, post.ID)
	if w.OK(err); !now.RepliedOn.Equal(replies[4].CreatedOn) || now.Revision != post.Revision {
		t.Errorf("the post was replied to on %s and has revision %s, want %s and %s", now.RepliedOn, now.Revision, replies[4].CreatedOn, post.Revision)
	}
	remove := func(reply domain.Reply, by domain.Actor) error {
		removed, err := w.Store.Posts.DeleteReply(t.Context(), garden, post.ID, reply.ID, by)
		if err == nil && removed != reply {
			t.Errorf("the deletion of %+v returns %+v", reply, removed)
		}
		return err
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
	first := w.Reply(garden, post.ID, eve, "answer")
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
	_, err := w.Store.Posts.DeleteReply(t.Context(), garden, post.ID, first.ID, domain.By(eve))
	w.OK(err)
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
	first := w.Reply(garden, post.ID, eve, "answer")
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
	w.Reply(garden, post.ID, ada, "of the owner")
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

func lateReplyChangesNothing(t *testing.T, w *world) {
	garden := w.Create("garden", ada)
	post := w.Post(garden, grace, "question")
	var sent driver.Call
	w.Arm(drivertest.Only(transacts, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		sent = *call
		return send(ctx)
	}))
	reply, _, err := w.Faulty.Posts.Reply(t.Context(), newReply(garden, post, eve, "answer"))
	w.OK(err)
	late := func(when string) {
		t.Helper()
		if err := w.Table(schema.TableBlogs).Transact(t.Context(), sent.Partition, sent.Operations...); err == nil {
			t.Errorf("%s, the duplicate takes effect", when)
		}
		if left := w.repliesLeft(); len(left) != 0 {
			t.Errorf("%s, left are %q", when, left)
		}
	}
	_, err = w.Store.Posts.DeleteReply(t.Context(), garden, post.ID, reply.ID, domain.By(eve))
	w.OK(err)
	late("once the reply is deleted")
	w.OK(w.Store.Posts.Delete(t.Context(), garden, post.ID, domain.By(grace), storetest.AnyRevision))
	w.Finish(w.Messages())
	late("once the post is gone")
	w.Delete(garden)
	w.Create("garden", ada)
	late("once the name is of another channel")
	w.MustBeSound()
}

func fullPostIsRefused(t *testing.T, w *world) {
	garden := w.Create("garden", ada)
	post := w.Post(garden, grace, "question")
	for i := range domain.MaxReplies {
		w.Reply(garden, post.ID, ada, fmt.Sprint("answer ", i))
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
		reply, _, err = send()
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

func TestReplyDeletion(t *testing.T) {
	t.Run("the replies go with their post, and so do the entries on lists", bubble(repliesGoWithPost))
	t.Run("of thirty-two replies that meet with an edit, a vote and the deletion of the post, none is lost or left", bubble(repliesMeet))
	t.Run("while the open deletion has its row, a reply without its post is no violation, and then it is", bubble(leftReplyIsReported))
	for _, fault := range storetest.CallFaults {
		eachCall(t, "of a deletion "+fault.Name+", and with its message lost no reply is left", func(w *world, n int) {
			garden, post := w.answered()
			w.Arm(fault.At(n))
			err := w.Faulty.Posts.Delete(w.T.Context(), garden, post.ID, domain.By(grace), storetest.AnyRevision)
			w.Hook = drivertest.Pass
			w.mustBeOver(post, err)
		})
		eachCall(t, "of the pass "+fault.Name+", and the next one leaves no reply", func(w *world, n int) {
			garden, post := w.answered()
			err := w.Store.Posts.Delete(w.T.Context(), garden, post.ID, domain.By(grace), storetest.AnyRevision)
			w.Arm(fault.At(n))
			_, _ = w.Faulty.Operator.Reconcile(w.T.Context(), time.Hour, time.Now())
			w.mustBeOver(post, err)
		})
	}
	eachCall(t, "of a deletion is overtaken by a pass, and with its message lost no reply is left", func(w *world, n int) {
		garden, post := w.answered()
		w.Arm(storetest.Before(n, w.Reconcile))
		err := w.Faulty.Posts.Delete(w.T.Context(), garden, post.ID, domain.By(grace), storetest.AnyRevision)
		w.OK(err)
		w.mustBeOver(post, err)
	})
	eachCall(t, "of a pass is overtaken by a deletion, and with its message lost no reply is left", func(w *world, n int) {
		garden, post := w.answered()
		w.OK(w.Store.Operator.RenewOpenBlog(w.T.Context(), post.Channel, post.ID)) // of a request that died
		var deleted error = domain.ErrNotFound
		w.Arm(storetest.Before(n, func() {
			deleted = w.Store.Posts.Delete(w.T.Context(), garden, post.ID, domain.By(grace), storetest.AnyRevision)
			w.OK(deleted)
		}))
		_, err := w.Faulty.Operator.Reconcile(w.T.Context(), time.Hour, time.Now())
		w.OK(err)
		w.mustBeOver(post, deleted)
	})
	eachCall(t, "of a reply is overtaken by the deletion of its post, and the reply is refused or goes with it", func(w *world, n int) {
		garden, post := w.answered()
		deleted := false
		w.Arm(storetest.Before(n, func() {
			w.OK(w.Store.Posts.Delete(w.T.Context(), garden, post.ID, domain.By(grace), storetest.AnyRevision))
			w.Finish(w.Messages())
			deleted = true
		}))
		_, _, err := w.Faulty.Posts.Reply(w.T.Context(), newReply(garden, post, eve, "late"))
		if deleted != errors.Is(err, domain.ErrPostGone) && err != nil {
			w.T.Errorf("deleted %t, and the reply is answered with %v", deleted, err)
		}
		if deleted {
			w.mustBeOver(post, nil)
		}
	})
}

// answered makes a post with votes and replies.
func (w *world) answered() (domain.Channel, domain.Blog) {
	w.T.Helper()
	garden := w.Create("garden", ada)
	post := w.Post(garden, grace, "question")
	w.Vote(post, 0, 2)
	for i, by := range []domain.UserName{eve, grace, ada} {
		w.Reply(garden, post.ID, by, storetest.Text(i))
	}
	return garden, post
}

// mustBeOver loses all messages, makes a pass, and fails the test unless the post is there with its replies, or neither
// is. A deletion that succeeded has removed it. The open deletion has no row then.
func (w *world) mustBeOver(post domain.Blog, deleted error) {
	w.T.Helper()
	w.Messages()
	w.Reconcile()
	_, err := w.Store.Posts.Get(w.T.Context(), post.Channel, post.ID)
	left := slices.DeleteFunc(w.repliesLeft(), func(row string) bool { return strings.HasPrefix(row, schema.TableUsers) }) // these do no harm
	if len(left) != map[bool]int{true: 3}[err == nil] || err == nil && deleted == nil {
		w.T.Errorf("deleting is answered with %v, the post is read with %v, and left are %q", deleted, err, left)
	}
	for _, row := range w.openBlogs() {
		w.T.Errorf("on the index: %s", row.Row)
	}
	w.MustBeSound()
}

// openBlogs are the rows of deletions of posts on the index.
func (w *world) openBlogs() []driver.Entity {
	return slices.DeleteFunc(w.AllRows(schema.TableDeletions), func(row driver.Entity) bool {
		return schema.Of(schema.TableDeletions, row.Partition, row.Row) != schema.OpenBlog
	})
}

func repliesGoWithPost(t *testing.T, w *world) {
	garden, post := w.answered()
	w.OK(w.Store.Posts.Delete(t.Context(), garden, post.ID, domain.By(ada), storetest.AnyRevision))
	if _, _, err := w.Store.Posts.Reply(t.Context(), newReply(garden, post, eve, "late")); !errors.Is(err, domain.ErrPostGone) {
		t.Errorf("after the deletion: %v", err)
	}
	removed := 0
	for _, m := range w.Messages() {
		w.OK(w.Store.Operator.FinishBlog(t.Context(), m, func(rows int) { removed += rows }))
	}
	if left := w.repliesLeft(); len(left) != 0 || len(w.openBlogs()) != 1 || removed != 2+3 {
		t.Errorf("%d rows are removed, and left are %q", removed, left)
	}
	w.mustBeOver(post, nil)
}

func repliesMeet(t *testing.T, w *world) {
	garden := w.Create("garden", ada)
	post := w.Post(garden, grace, "question")
	w.Arm(func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		time.Sleep(voteLatency)
		return send(ctx)
	})
	ctx, cancel := context.WithTimeout(t.Context(), votePatience)
	defer cancel()
	const people = 32
	meet := func(round string, every time.Duration, may error, others ...func() error) (made int) {
		var landed atomic.Int64
		drivertest.Together(people+len(others), func(i int) {
			if i >= people {
				time.Sleep(people / 2 * every)
				if err := others[i-people](); err != nil {
					t.Errorf("%s, other %d: %v", round, i-people, err)
				}
				return
			}
			time.Sleep(time.Duration(i) * every)
			switch _, _, err := w.Faulty.Posts.Reply(ctx, newReply(garden, post, voter(i), round)); {
			case err == nil:
				landed.Add(1)
			case may == nil || !errors.Is(err, may):
				t.Errorf("%s, reply %d: %v", round, i, err)
			}
		})
		return int(landed.Load())
	}
	edit := func() error {
		_, err := w.Faulty.Posts.Update(ctx, garden, post.ID, grace, domain.OneOf(post.Revision), domain.Draft{Text: "edited"})
		return err
	}
	vote := func() error { return w.Faulty.Posts.Vote(ctx, post.Channel, post.ID, eve) }
	meet("first", 0, nil, edit, vote)
	if n := len(w.replies(post)); n != people || w.rating(post) != 1 {
		t.Errorf("%d replies and %d votes landed", n, w.rating(post))
	}
	w.MustBeSound()
	made := meet("second", 3*voteLatency, domain.ErrPostGone, func() error {
		return w.Faulty.Posts.Delete(ctx, garden, post.ID, domain.By(grace), storetest.AnyRevision)
	})
	if made == 0 || made == people {
		t.Errorf("%d of %d replies landed before the post was gone: they did not meet", made, people)
	}
	w.Finish(w.Messages())
	w.mustBeOver(post, nil)
}

func leftReplyIsReported(t *testing.T, w *world) {
	garden := w.Create("garden", ada)
	post := w.Post(garden, grace, "question")
	for i := range 3 {
		w.Reply(garden, post.ID, eve, storetest.Text(i))
	}
	w.OK(w.Store.Posts.Delete(t.Context(), garden, post.ID, domain.By(grace), storetest.AnyRevision))
	w.Messages()
	w.MustBeSound()
	for _, row := range w.openBlogs() {
		w.OK(w.Table(schema.TableDeletions).Transact(t.Context(), row.Partition, driver.Delete(row.Row, driver.Exists)))
	}
	violations, _ := w.Check(true)
	if len(violations) != 3 || violations[0].Invariant != "I1" || violations[0].Repaired != "deleted" {
		t.Errorf("found %+v", violations)
	}
	for _, row := range w.repliesLeft() {
		if strings.HasPrefix(row, schema.TableBlogs) {
			t.Errorf("left: %s", row)
		}
	}
}
