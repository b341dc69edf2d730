package storage_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/internal/storetest"
	"microblogging/storage/schema"
)

func TestLedgerWords(t *testing.T) {
	t.Run("say of each operation which rows it asks for, and what for, and hold no secret", wordsOfEachOperation)
	t.Run("say how rows are found", wordsOfEachKind)
	t.Run("name the operation that was refused, and count those that they leave out", wordsOfARefusal)
}

func wordsOfEachOperation(t *testing.T) {
	s := newStory(t)
	s.Tell()
	calls := s.CallLog.Calls()
	if totals := s.CallLog.Totals(); totals.Calls != len(calls) || len(calls) < 100 {
		t.Errorf("%d calls are listed, %d were counted", len(calls), totals.Calls)
	}
	hash := regexp.MustCompile(`[0-9a-f]{16,}|\$argon2`)
	for i, call := range calls {
		words := fmt.Sprintf("%+v", call)
		if found := hash.FindString(words); found != "" {
			t.Errorf("call %d shows the hash %s: %s", i, found, words)
		}
		for _, secret := range s.Secrets {
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
	channel := s.Create("garden", ada)
	for i := range 3 {
		s.Post(channel, grace, storetest.Text(i))
	}
	s.Did(s.Store.Channels.Get(s.Ctx, channel.Key().Address()))
	s.Did(s.Store.Posts.List(s.Ctx, channel.Ref(), storage.BlogQuery{Limit: 2}))
	s.Did(s.Store.Channels.List(s.Ctx, "", "", 1))
	s.Did(s.Store.Posts.Create(s.Ctx, storetest.NewPost(channel, ada, "new")))
	s.Create("kitchen", ada)
	channels := s.Did(s.Store.Channels.List(t.Context(), "", "", 1)).(storage.Page[domain.Channel])
	s.Did(s.Store.Channels.List(s.Ctx, "", channels.Next, 1))
	s.Did(s.Store.Subscriptions.Joined(s.Ctx, ada))
	subscriptions := s.Did(s.Store.Subscriptions.List(t.Context(), ada, "", 1)).(storage.Page[domain.Subscription])
	s.Did(s.Store.Subscriptions.List(s.Ctx, ada, subscriptions.Next, 1))
	want := []storage.Call{
		{Kind: "point", Target: "Channels", Condition: "PartitionKey = garden and RowKey = (empty)", Read: 1, Returned: 1},
		{Kind: "range", Target: "Blogs", Condition: "PartitionKey = garden and RowKey like blog!<id>, the first 3", Read: 3, Returned: 3},
		{Kind: "scan", Target: "Channels", Condition: "every PartitionKey, the first 2", Read: 1, Returned: 1},
		{Kind: "point", Target: "Blogs", Condition: "PartitionKey = garden and RowKey = gate!open!<incarnation>", Read: 1, Returned: 1},
		{Kind: "transaction", Target: "Users", Condition: "PartitionKey = (not shown)", Written: 1},
		{Kind: "transaction", Target: "Blogs", Condition: "PartitionKey = garden", Written: 4},
		{Kind: "scan", Target: "Channels", Condition: "PartitionKey between two, the first 2", Read: 1, Returned: 1},
		{Kind: "point", Target: "Blogs", Condition: "PartitionKey = kitchen and RowKey = gate!open!<incarnation>", Read: 1, Returned: 1},
		{Kind: "partition", Target: "Subscriptions", Condition: "PartitionKey = ada, the first 1000", Read: 2, Returned: 2},
		{Kind: "range", Target: "Subscriptions", Condition: "PartitionKey = ada and RowKey like <key>!<incarnation>, between two of them, the first 2", Read: 1, Returned: 1},
	}
	got := s.CallLog.Calls()
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
	channel, gone := s.Create("garden", ada), s.Create("gone", ada)
	s.Ungate(gone)
	for _, to := range []domain.Channel{channel, channel, gone} {
		s.OK(s.Store.Operator.NoteActive(t.Context(), to.Ref(), time.Now()))
		list := storetest.NewPosts(to, 5)
		for i := range list {
			list[i].By = ada // who needs no permit
		}
		s.Store.Posts.CreateAll(s.Ctx, to, list)
	}
	calls := s.CallLog.Calls()
	if calls[1].Written != 16 || len(calls[1].Operations) != 12 || calls[1].MoreOperations != 4 || len(calls[1].Kinds) != 4 {
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
