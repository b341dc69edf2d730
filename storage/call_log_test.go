package storage_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/schema"
)

func TestLedgerWords(t *testing.T) {
	t.Run("say of each operation which rows it asks for, and what for, and hold no secret", wordsOfEachOperation)
	t.Run("say how rows are found", wordsOfEachKind)
	t.Run("name the operation that was refused, and count those that they leave out", wordsOfARefusal)
}

// A story makes each kind of call that a request makes, and collects what must not be
// shown.
type story struct {
	*world
	ctx     context.Context
	callLog *storage.CallLog
	secrets []string
}

func newStory(t *testing.T) *story {
	t.Helper()
	s := &story{world: newWorld(t), callLog: &storage.CallLog{}}
	s.callLog.List(10_000)
	s.ctx = s.callLog.Context(t.Context())
	return s
}

const (
	storyPassword = "planted password of ada"
	storyKey      = "planted-idempotency-key"
	storyAddress  = "203.0.113.77"
)

// did ends the test if the last result of an operation is an error. It returns the first.
func (s *story) did(results ...any) any {
	s.t.Helper()
	if err, failed := results[len(results)-1].(error); failed {
		s.t.Fatal(err)
	}
	return results[0]
}

func (s *story) tell() {
	s.t.Helper()
	ctx, attempt := s.ctx, storage.Attempt{Name: "ada", Password: storyPassword, Address: storyAddress}
	s.did(s.store.Accounts.Create(ctx, storage.SignUpRequest{Attempt: attempt, Key: storyKey, PerHour: 5}))
	if _, _, err := s.store.Accounts.SignIn(ctx, storage.Attempt{Name: "plantedname", Password: "x", Address: storyAddress}); !errors.Is(err, domain.ErrNotSignedIn) {
		s.t.Fatal(err)
	}
	token := s.did(s.store.Accounts.SignIn(ctx, attempt)).(string)
	link := s.did(s.store.Operator.SignInLink(ctx, ada)).(string)
	second := s.did(s.store.Accounts.FollowSignInLink(ctx, link)).(string)
	s.did(s.store.Accounts.Session(ctx, token, ""))
	digest := s.did(s.store.Accounts.NewDigestAddress(ctx, ada)).(string)
	s.did(s.store.Accounts.CheckDigestAddress(ctx, ada, digest))
	s.did(s.store.Accounts.ChangePassword(ctx, token, attempt, "another password of hers"))
	s.secrets = append(s.secrets, storyPassword, storyKey, storyAddress, "plantedname", token, link, second, digest)
	s.tellOfChannels()
	s.did(s.store.Accounts.SignOut(ctx, second))
	s.did(s.store.Health.Ready(ctx))
	for _, table := range []string{"Sessions", "Throttle"} {
		for _, row := range s.rows(table) {
			s.secrets = append(s.secrets, row.Partition, row.Row)
		}
	}
}

func (s *story) tellOfChannels() {
	s.t.Helper()
	ctx := s.ctx
	channel := s.did(s.store.Channels.Create(ctx, s.channel("garden", ada), storyKey, 5)).(domain.Channel)
	ref, request := channel.Ref(), posting(channel, grace, "one")
	request.Key = storyKey
	blog := s.did(s.store.Posts.Create(ctx, request)).(domain.Blog)
	s.did(s.store.Posts.Create(ctx, request))
	s.ok(s.store.Posts.Block(ctx, channel, ada, domain.User{Name: eve}))
	s.did(s.store.Posts.Vote(ctx, ref, blog.ID, ada))
	s.did(s.store.Posts.Unvote(ctx, ref, blog.ID, ada))
	s.did(s.store.Posts.Vote(ctx, ref, blog.ID, ada))
	s.did(s.store.Posts.Update(ctx, channel, blog.ID, grace, domain.OneOf(blog.Revision), domain.Draft{Text: "two"}))
	s.did(s.store.Channels.Update(ctx, ref, ada, describedAs("All about gardens")))
	s.did(s.store.Subscriptions.Create(ctx, channel, grace))
	s.read(channel, blog)
	s.did(s.store.Subscriptions.Delete(ctx, ref, grace))
	s.did(s.store.Posts.Delete(ctx, channel, blog.ID, grace, anyRevision))
	s.did(s.store.Deletions.Request(ctx, channel.Key(), ada, anyIncarnation))
	s.did(s.store.Deletions.Get(ctx, ref, ada))
	s.did(s.store.Deletions.List(ctx, ada, "", 10))
}

func (s *story) read(channel domain.Channel, blog domain.Blog) {
	s.t.Helper()
	ctx, ref := s.ctx, channel.Ref()
	s.did(s.store.Channels.List(ctx, "gar", "", 10))
	s.did(s.store.Channels.ListOwned(ctx, ada, "", 10))
	page := s.did(s.store.Posts.List(ctx, ref, storage.BlogQuery{Limit: 10})).(storage.Page[domain.Blog])
	s.did(s.store.Posts.ListByRating(ctx, ref, storage.RatingQuery{Limit: 10}))
	s.did(s.store.Posts.VotedOn(ctx, ref, page.Items, ada))
	s.did(s.store.Posts.Voted(ctx, ref, blog.ID, ada))
	s.did(s.store.Subscriptions.Count(ctx, ref))
	s.did(s.store.Feeds.List(ctx, grace, "", 10))
	s.did(s.store.Subscriptions.List(ctx, grace, "", 10))
	for _, kind := range schema.RowPrefixes() {
		s.did(s.store.Channels.Rows(ctx, storage.RowsQuery{Key: channel.Key(), By: ada, Kind: kind, Limit: 10}))
	}
}

func wordsOfEachOperation(t *testing.T) {
	s := newStory(t)
	s.tell()
	calls := s.callLog.Calls()
	if totals := s.callLog.Totals(); totals.Calls != len(calls) || len(calls) < 100 {
		t.Errorf("%d calls are listed, %d were counted", len(calls), totals.Calls)
	}
	hash := regexp.MustCompile(`[0-9a-f]{16,}|\$argon2`)
	for i, call := range calls {
		words := fmt.Sprintf("%+v", call)
		if found := hash.FindString(words); found != "" {
			t.Errorf("call %d shows the hash %s: %s", i, found, words)
		}
		for _, secret := range s.secrets {
			if len(secret) > 8 && strings.Contains(words, secret) {
				t.Errorf("call %d shows %q: %s", i, secret, words)
			}
		}
		if call.Result == "" || call.Kind == "" || call.Target == "" {
			t.Errorf("call %d says too little: %+v", i, call)
		}
		if !call.Queue && (len(call.Kinds) == 0 || !strings.Contains(call.Condition, "PartitionKey") || strings.Contains(call.Condition, "(of no form)")) {
			t.Errorf("call %d does not say which rows: %+v", i, call)
		}
		for _, op := range call.Operations {
			if op.Words == "" || op.Kind == nil || op.Condition == "" {
				t.Errorf("call %d does not say what it writes: %+v", i, op)
			}
		}
	}
}

func wordsOfEachKind(t *testing.T) {
	s := newStory(t)
	channel := s.create("garden", ada)
	for i := range 3 {
		s.post(channel, grace, text(i))
	}
	s.did(s.store.Channels.Get(s.ctx, channel.Key().Address()))
	s.did(s.store.Posts.List(s.ctx, channel.Ref(), storage.BlogQuery{Limit: 2}))
	s.did(s.store.Channels.List(s.ctx, "", "", 1))
	s.did(s.store.Posts.Create(s.ctx, posting(channel, ada, "new")))
	s.did(s.store.Subscriptions.ListAll(s.ctx, ada))
	want := []storage.Call{
		{Kind: "point", Target: "Channels", Condition: "PartitionKey = garden and RowKey = (empty)", Read: 1, Returned: 1},
		{Kind: "range", Target: "Blogs", Condition: "PartitionKey = garden and RowKey like blog!<id>, the first 3", Read: 3, Returned: 3},
		{Kind: "scan", Target: "Channels", Condition: "every PartitionKey, the first 2", Read: 1, Returned: 1},
		{Kind: "point", Target: "Blogs", Condition: "PartitionKey = garden and RowKey = gate!open!<incarnation>", Read: 1, Returned: 1},
		{Kind: "transaction", Target: "Users", Condition: "PartitionKey = (not shown)", Written: 1},
		{Kind: "transaction", Target: "Blogs", Condition: "PartitionKey = garden", Written: 4},
		{Kind: "partition", Target: "Subscriptions", Condition: "PartitionKey = ada, the first 1000", Read: 1, Returned: 1},
	}
	got := s.callLog.Calls()
	for i, w := range want {
		if i >= len(got) {
			t.Fatalf("only %d calls", len(got))
		}
		g := got[i]
		if g.Kind != w.Kind || g.Target != w.Target || g.Condition != w.Condition || g.Result != "ok" ||
			g.Read != w.Read || g.Returned != w.Returned || g.Written != w.Written || g.Bytes <= 0 {
			t.Errorf("call %d is %+v, want %+v", i, g, w)
		}
	}
	operations := fmt.Sprint(got[5].Operations)
	for _, words := range []string{"merge gate!open!<incarnation>", "if it is there", "insert once!<hash>", "insert blog!<id>", "if it is not there", "insert rate!<inverted>!<id>"} {
		if !strings.Contains(operations, words) {
			t.Errorf("a post does not say %q: %s", words, operations)
		}
	}
}

func wordsOfARefusal(t *testing.T) {
	s := newStory(t)
	channel, gone := s.create("garden", ada), s.create("gone", ada)
	s.ungate(gone)
	for _, to := range []domain.Channel{channel, channel, gone} {
		s.ok(s.store.Operator.NoteActive(t.Context(), to.Ref(), time.Now()))
		list := postings(to, 5)
		for i := range list {
			list[i].By = ada // who needs no permit
		}
		s.store.Posts.CreateAll(s.ctx, to, list)
	}
	calls := s.callLog.Calls()
	if calls[1].Written != 16 || len(calls[1].Operations)+calls[1].MoreOperations != 16 {
		t.Errorf("the first transaction is %+v", calls[1])
	}
	if refused := calls[3].Operations[1]; refused.Kind != schema.Once || refused.Result != "exists" {
		t.Errorf("the second is %+v", calls[3])
	}
	at := slices.IndexFunc(calls, func(c storage.Call) bool { return c.Result == "not found" })
	want := storage.CallOperation{Words: "merge gate!open!<incarnation>", Kind: schema.OpenGate, Condition: "if it is there", Result: "not found"}
	if calls[at].Written != 0 || calls[at].Operations[0] != want || calls[at].Operations[1].Result != "" {
		t.Errorf("the third is %+v", calls[at])
	}
}
