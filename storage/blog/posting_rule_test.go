package blog_test

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
	"microblogging/storage/internal/storetest"
)

func TestGuests(t *testing.T) {
	t.Run("only the owner posts to a channel that is closed", bubble(closedToAllButTheOwner))
	t.Run("a blocked user posts nothing, and keeps what they posted", bubble(blockedPostsNothing))
	t.Run("a rule that changes under a post, and still allows it, does not keep it out", bubble(ruleChangesUnderAPost))
	t.Run("an edit that had landed is answered as made", bubble(landedEditIsAnsweredAsMade))
	t.Run("the owner alone makes the rule, and is never blocked", bubble(ownerAloneRules))
	t.Run("one too many is not blocked", bubble(oneTooManyIsNotBlocked))
	t.Run("a change that meets another is made", bubble(changesMeet))
	t.Run("who blocks a name again blocks the account that has it now", bubble(laterAccountIsBlocked))
	t.Run("who is taken off the list of members posts nothing, and the list stays while another choice is made", bubble(listStays))
	t.Run("a member under whose name is another account is none, and is not shown", bubble(laterAccountIsNoMember))
	t.Run("the 201st member is refused, and an account that is gone does not count", bubble(oneTooManyIsNoMember))
	t.Run("nothing lands in a new channel that its rule forbids", bubble(newChannelIsClosed))
	t.Run("the owner pays nothing for it", bubble(ownerPaysNothing))
	t.Run("a rule names whom it refuses, and refuses none in the next channel of the name", bubble(ruleNamesWhomItRefuses))
	t.Run("a rule ends with its channel", bubble(ruleEndsWithItsChannel))
}

// mustRefuse fails the test unless a post is refused for this reason and leaves nothing.
func (w *world) mustRefuse(to domain.Channel, by domain.UserName, key string, why error) {
	w.T.Helper()
	if _, _, err := w.Store.Posts.Create(w.T.Context(), storetest.NewPost(to, by, key)); !errors.Is(err, why) || !errors.Is(err, domain.ErrForbidden) {
		w.T.Errorf("%s posts: %v, want %v", by, err, why)
	}
	if slices.Contains(w.Texts(to.Ref()), key) {
		w.T.Errorf("%s was refused, and the post is there", by)
	}
}

func (w *world) postingRule(of domain.Channel) storage.PostingRule {
	w.T.Helper()
	g, err := w.Store.Posts.PostingRule(w.T.Context(), of)
	w.OK(err)
	return g
}

func closedToAllButTheOwner(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	var before storage.PostingRule
	for range 2 { // a rule may be made again
		w.OK(w.Store.Posts.SetRule(t.Context(), channel, ada, domain.PostersOwner))
		if now := w.postingRule(channel); now.Same(before) || !now.Same(w.postingRule(channel)) {
			t.Error("a rule is the same after a change, or another although nothing changed")
		}
		before = w.postingRule(channel)
	}
	w.mustRefuse(channel, grace, "no", domain.ErrOwnerPosts)
	w.edit(w.Post(channel, ada, "mine"), "edited")
	w.OK(w.Store.Posts.SetRule(t.Context(), channel, ada, domain.PostersOpen))
	w.Post(channel, grace, "no") // with the key that was refused
	w.MustBeSound()
}

func blockedPostsNothing(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	blog := w.Post(channel, grace, "before")
	w.OK(w.Store.Posts.Block(t.Context(), channel, ada, domain.User{Name: grace}))
	w.mustRefuse(channel, grace, "after", domain.ErrBlocked)
	w.Post(channel, eve, "another's")
	if _, err := w.editBy(w.Store, blog, storetest.AnyRevision, "edited"); !errors.Is(err, domain.ErrBlocked) {
		t.Errorf("a blocked user edits their post: %v", err)
	}
	w.OK(w.Store.Posts.Vote(t.Context(), channel.Ref(), blog.ID, grace))
	w.OK(w.Store.Subscriptions.Create(t.Context(), channel, grace))
	w.OK(w.Store.Posts.Delete(t.Context(), channel, blog.ID, domain.By(grace), storetest.AnyRevision))
	w.OK(w.Store.Posts.Unblock(t.Context(), channel, ada, grace))
	w.edit(w.Post(channel, grace, "after"), "edited")
	w.MustBeSound()
}

// The reply to the edit is lost, its author is blocked, and the client sends it again.
func landedEditIsAnsweredAsMade(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	blog := w.Post(channel, grace, "first")
	w.Arm(drivertest.Only(transacts, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		w.OK(send(ctx))
		w.OK(w.Store.Posts.Block(t.Context(), channel, ada, domain.User{Name: grace}))
		return send(ctx)
	}))
	if edited, err := w.editBy(w.Faulty, blog, storetest.AnyRevision, "edited"); err != nil || edited.Text != "edited" {
		t.Errorf("an edit that had landed: %+v, %v", edited, err)
	}
	w.MustBeSound()
}

func ruleChangesUnderAPost(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.Post(channel, grace, "first")
	w.Arm(drivertest.Only(transacts, storetest.Before(1, func() {
		w.OK(w.Store.Posts.Block(t.Context(), channel, ada, domain.User{Name: eve}))
	})))
	if _, made, err := w.Faulty.Posts.Create(t.Context(), storetest.NewPost(channel, grace, "second")); err != nil || !made {
		t.Errorf("made %t, %v", made, err)
	}
}

func byName(a, b domain.User) int { return cmp.Compare(a.Name, b.Name) }

func ownerAloneRules(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	for _, err := range []error{
		w.Store.Posts.SetRule(t.Context(), channel, grace, domain.PostersOwner), w.Store.Posts.Block(t.Context(), channel, grace, domain.User{Name: eve}),
		w.Store.Posts.Unblock(t.Context(), channel, grace, eve),
	} {
		if !errors.Is(err, domain.ErrForbidden) {
			t.Errorf("another user sets the rule: %v", err)
		}
	}
	var invalid *domain.InvalidError
	if err := w.Store.Posts.Block(t.Context(), channel, ada, domain.User{Name: ada}); !errors.As(err, &invalid) {
		t.Errorf("the owner is blocked: %v", err)
	}
	w.Post(channel, ada, "mine")
}

func oneTooManyIsNotBlocked(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	for i := range blog.MaxBlocked {
		w.OK(w.Store.Posts.Block(t.Context(), channel, ada, domain.User{Name: domain.UserName(fmt.Sprintf("%032d", i)), CreatedOn: domain.Now()})) // of the greatest length
	}
	var invalid *domain.InvalidError
	if err := w.Store.Posts.Block(t.Context(), channel, ada, domain.User{Name: eve}); !errors.As(err, &invalid) {
		t.Errorf("one more: %v", err)
	}
	w.OK(w.Store.Posts.Block(t.Context(), channel, ada, domain.User{Name: domain.UserName(fmt.Sprintf("%032d", 7))})) // who is already
	if got := w.postingRule(channel); len(got.Blocked) != blog.MaxBlocked || !slices.IsSortedFunc(got.Blocked, byName) {
		t.Errorf("%d are blocked: %v", len(got.Blocked), got.Blocked)
	}
}

// The owner changes the rule on two devices: in a channel without a rule, and in one with a rule.
func changesMeet(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	for _, user := range []domain.UserName{grace, eve} {
		w.Arm(drivertest.Only(transacts, storetest.Before(1, func() {
			w.OK(w.Store.Posts.SetRule(t.Context(), channel, ada, domain.PostersOpen))
		})))
		w.OK(w.Faulty.Posts.Block(t.Context(), channel, ada, domain.User{Name: user}))
		w.mustRefuse(channel, user, "no", domain.ErrBlocked)
	}
	w.MustBeSound()
}

func laterAccountIsBlocked(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	now, err := w.Store.Operator.SignUp(t.Context(), string(eve), "correct horse battery")
	w.OK(err)
	former := domain.User{Name: eve, CreatedOn: now.CreatedOn.Add(-2 * domain.NameKept)}
	w.OK(w.Store.Posts.Block(t.Context(), channel, ada, former))
	w.Post(channel, eve, "free")
	w.OK(w.Store.Posts.Block(t.Context(), channel, ada, now))
	w.mustRefuse(channel, eve, "no", domain.ErrBlocked)
}

func ownerPaysNothing(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.Post(channel, ada, "first") // which notes that the channel is active
	w.Arm(drivertest.Pass)
	_, _, err := w.Faulty.Posts.Create(t.Context(), storetest.NewPost(channel, ada, "second"))
	w.OK(err)
	if n := w.Calls.Load(); n != 3 { // the index, the list of the author, and the post
		t.Errorf("%d calls, want 3", n)
	}
}

func ruleNamesWhomItRefuses(t *testing.T, w *world) {
	former := w.Create("garden", ada)
	w.OK(w.Store.Posts.Block(t.Context(), former, ada, domain.User{Name: eve}))
	rule := w.postingRule(former)
	w.Delete(former)
	next := w.Create("garden", ada)
	for user, want := range map[domain.UserName]error{ada: nil, grace: nil, eve: domain.ErrBlocked} {
		why, whyNext := w.Store.Posts.Refuses(t.Context(), rule, former, user), w.Store.Posts.Refuses(t.Context(), rule, next, user)
		if !errors.Is(why, want) || whyNext != nil {
			t.Errorf("%s is refused: %v, want %v; and in the next channel: %v", user, why, want, whyNext)
		}
	}
}

func ruleEndsWithItsChannel(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.OK(w.Store.Posts.SetRule(t.Context(), channel, ada, domain.PostersOwner))
	w.Ask(channel)
	for _, step := range storetest.Cascade(w.Store, channel.Ref()) {
		w.OK(step(t.Context()))
	}
	if err := w.Store.Posts.SetRule(t.Context(), channel, ada, domain.PostersOpen); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("a rule of a channel that is gone: %v", err)
	}
	next := w.Create("garden", eve)
	w.Post(next, grace, "free")
}

// members lets only the owner and these post to a channel.
func (w *world) members(in domain.Channel, users ...domain.UserName) {
	w.T.Helper()
	w.OK(w.Store.Posts.ChangeRule(w.T.Context(), in, in.Owner, func(now *domain.Posting) error {
		now.Posters, now.Members = domain.PostersMembers, nil
		for _, user := range users {
			now.Members = domain.WithAccount(now.Members, domain.User{Name: user})
		}
		return nil
	}))
}

func listStays(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.members(channel, eve, grace)
	blog := w.Post(channel, grace, "member")
	w.OK(w.Store.Posts.SetRule(t.Context(), channel, ada, domain.PostersOwner))
	w.mustRefuse(channel, grace, "no", domain.ErrOwnerPosts)
	w.OK(w.Store.Posts.SetRule(t.Context(), channel, ada, domain.PostersMembers))
	w.Post(channel, grace, "member again")
	w.Arm(drivertest.Only(transacts, storetest.Before(1, func() { w.members(channel, eve) })))
	if _, _, err := w.Faulty.Posts.Create(t.Context(), storetest.NewPost(channel, grace, "no")); !errors.Is(err, domain.ErrMembersPost) {
		t.Errorf("a member who is taken off the list meanwhile: %v", err)
	}
	w.mustRefuse(channel, grace, "no", domain.ErrMembersPost)
	if _, err := w.editBy(w.Store, blog, storetest.AnyRevision, "edited"); !errors.Is(err, domain.ErrMembersPost) {
		t.Errorf("who is no member any more edits their post: %v", err)
	}
	w.OK(w.Store.Posts.Block(t.Context(), channel, ada, domain.User{Name: eve}))
	w.mustRefuse(channel, eve, "no", domain.ErrBlocked)
	w.Post(channel, ada, "the owner's")
	w.MustBeSound()
}

func laterAccountIsNoMember(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	now, err := w.Store.Operator.SignUp(t.Context(), string(eve), "correct horse battery")
	w.OK(err)
	for _, member := range []domain.User{{Name: eve, CreatedOn: now.CreatedOn.Add(-2 * domain.NameKept)}, now} {
		w.OK(w.Store.Posts.ChangeRule(t.Context(), channel, ada, func(rule *domain.Posting) error {
			*rule = domain.Posting{Posters: domain.PostersMembers, Members: []domain.User{member}}
			return nil
		}))
		shown, err := w.Store.Posts.Members(t.Context(), channel, "", 10)
		w.OK(err)
		there, err := w.Store.Posts.WithAccounts(t.Context(), w.postingRule(channel).Members)
		w.OK(err)
		if is := member == now; is != (len(shown.Items) == 1) || is != (len(there) == 1) {
			t.Errorf("shown are %v, and there are %v", shown, there)
		}
		if member != now {
			w.mustRefuse(channel, eve, "as another", domain.ErrMembersPost)
		}
	}
	w.Post(channel, eve, "herself")
}

func oneTooManyIsNoMember(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	account := func(i int) domain.User { // of the greatest length
		user, err := w.Store.Operator.SignUp(t.Context(), fmt.Sprintf("%032d", i), "correct horse battery")
		w.OK(err)
		return user
	}
	add := func(member domain.User) error {
		return w.Store.Posts.ChangeRule(t.Context(), channel, ada, func(now *domain.Posting) error {
			now.Members = domain.WithAccount(now.Members, member)
			return nil
		})
	}
	w.OK(add(domain.User{Name: "gone", CreatedOn: domain.Now()}))
	for i := range blog.MaxMembers {
		w.OK(add(account(i)))
	}
	var invalid *domain.InvalidError
	if err := add(account(blog.MaxMembers)); !errors.As(err, &invalid) || invalid.Fields[0].Field != "members" {
		t.Errorf("one more: %v", err)
	}
	var paged []domain.User
	for after, more := "", true; more; more = after != "" {
		page, err := w.Store.Posts.Members(t.Context(), channel, after, 7)
		w.OK(err)
		paged, after = append(paged, page.Items...), page.Next
	}
	if got := w.postingRule(channel).Members; !slices.Equal(got, paged) || len(got) != blog.MaxMembers || !slices.IsSortedFunc(got, byName) {
		t.Errorf("%d are members: %v", len(got), got)
	}
}

// Anybody else posts as soon as the channel can be seen.
func newChannelIsClosed(t *testing.T, w *world) {
	channel, _, err := w.Store.Channels.Create(t.Context(), w.NewChannel("garden", ada), domain.PostersOwner, "", 0)
	w.OK(err)
	w.mustRefuse(channel, grace, "no", domain.ErrOwnerPosts)
	is := func(want domain.Posters) {
		if got := w.postingRule(channel); got.Posters != want {
			t.Errorf("the rule is %q, want %q", got.Posters, want)
		}
	}
	is(domain.PostersOwner)
	w.OK(w.Store.Posts.SetRule(t.Context(), channel, ada, domain.PostersOpen))
	is(domain.PostersOpen)
	w.Post(channel, ada, "mine")
	w.MustBeSound()
}
