package storage_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"microblogging/storage"
)

// forWeb are the operations that web can call. An operation takes a context.
const forWeb = `
Concurrently

Accounts.AddText
Accounts.AddTextFrom
Accounts.ChangePassword
Accounts.CheckDigestAddress
Accounts.Close
Accounts.Create
Accounts.Delete
Accounts.EndSessions
Accounts.Erasure
Accounts.FindLeaving
Accounts.FollowSignInLink
Accounts.Get
Accounts.Invitation
Accounts.Invite
Accounts.List
Accounts.ListInvitations
Accounts.ListNewest
Accounts.PasswordLink
Accounts.PasswordLinkUser
Accounts.NewDigestAddress
Accounts.ResetPassword
Accounts.RevokeInvitation
Accounts.RevokeDigestAddress
Accounts.Session
Accounts.SignIn
Accounts.SignOut
Accounts.Undo

Channels.Create
Channels.Get
Channels.GetVersion
Channels.List
Channels.ListOwned
Channels.Rows
Channels.Update
channel.ReadCached
channel.ReadCachedAt

Deletions.Get
Deletions.List
Deletions.Poisoned
Deletions.Request
Deletions.Undo

Feeds.Active
Feeds.BlogsBy
Feeds.ByActivity
Feeds.Digest
Feeds.DigestSummaries
Feeds.Latest
Feeds.List
Feeds.RepliedTo
Feeds.RepliesBy
Feeds.Search
Feeds.VotesBy
Feeds.WrittenTo
Feeds.WroteTo

Health.Ready

Posts.Block
Posts.ChangeRule
Posts.Count
Posts.Create
Posts.CreateAll
Posts.Delete
Posts.DeleteReply
Posts.Find
Posts.Get
Posts.Members
Posts.PostingRule
Posts.List
Posts.ListByRating
Posts.PageBefore
Posts.Refuses
Posts.Replies
Posts.Reply
Posts.SetRule
Posts.Unblock
Posts.Unvote
Posts.Update
Posts.Vote
Posts.Voted
Posts.VotedAmong
Posts.VotedOn
Posts.WithAccounts

Subscriptions.Count
Subscriptions.Create
Subscriptions.Delete
Subscriptions.Has
Subscriptions.Joined
Subscriptions.List
Subscriptions.ListAll
`

// forWorker are the steps that worker gets.
const forWorker = `
BeginErasure
EraseAccount
EraseChannels
EraseFence
ErasePosts
EraseSubscriptions
EraseVotes
Expire
FinishBlog
Messages
PassPivot
Poison
Prune
Reconcile
RecordReceived
ReleaseName
RemoveGate
ShutGate
Sweep
UpdateRecord
`

func TestSurface(t *testing.T) {
	methods := reachable(t, "", reflect.TypeFor[*storage.Store]())
	web := append(methods, functions(t, "../web")...)
	for field := range reflect.TypeFor[storage.Store]().Fields() {
		if field.Anonymous {
			t.Errorf("a Store embeds %s: give it a name, so that a page says whose operation it calls", field.Name)
		}
	}
	var worker []string
	for method := range reflect.TypeFor[storage.Steps]().Methods() {
		worker = append(worker, method.Name)
	}
	t.Run("each operation that web can call is on its list", func(t *testing.T) {
		holds(t, web, forWeb, "web can call %s. If a page needs it, and none that is alike would do, add it to forWeb. If only other packages of storage, "+
			"a worker or an operator need it, move it to the Steps of its package, or give it a small letter")
	})
	t.Run("each step that worker gets is on its list, and web can call none", func(t *testing.T) {
		holds(t, worker, forWorker, "worker gets %s. If a step of a deletion needs it, add it to forWorker. Otherwise take it out of storage.Steps")
		for _, name := range web {
			if _, method, _ := strings.Cut(name, "."); slices.Contains(worker, method) {
				t.Errorf("web can call %s, which is a step of the protocol: move it to the Steps of its package", name)
			}
		}
	})
	t.Run("web calls each of its operations, and a test of storage does", func(t *testing.T) {
		calls, tests := source(t, "../web", false), source(t, ".", true)
		for _, name := range web {
			call := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
			if !call.MatchString(calls) {
				t.Errorf("web does not call %s: move it to the Steps of its package, or give it a small letter", name)
			}
			if slices.Contains(methods, name) && !call.MatchString(tests) { // the lab tries the functions
				t.Errorf("no test of storage calls %s: add one to its package", name)
			}
		}
	})
}

// source is the text of the tests below a folder, but for this one, or of all else there.
func source(t *testing.T, folder string, tests bool) string {
	t.Helper()
	var source strings.Builder
	ok(t, filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".go") && strings.HasSuffix(name, "_test.go") == tests && name != "surface_test.go" {
			text, readErr := os.ReadFile(name)
			source.Write(text)
			return readErr
		}
		return err
	}))
	return source.String()
}

// holds compares what can be reached with a list.
func holds(t *testing.T, reached []string, list, advice string) {
	t.Helper()
	listed := strings.Fields(list)
	for _, name := range reached {
		if !slices.Contains(listed, name) {
			t.Errorf(advice, name)
		}
	}
	for _, name := range listed {
		if !slices.Contains(reached, name) {
			t.Errorf("%s is on the list, and cannot be reached: take it off", name)
		}
	}
}

// reachable are the operations on a value of this type: its own, those of its fields, and those of
// what they return.
func reachable(t *testing.T, path string, of reflect.Type) (names []string) {
	t.Helper()
	for method := range of.Methods() {
		first := 1 // after the receiver
		if of.Kind() == reflect.Interface {
			first = 0
		}
		if method.Type.NumIn() <= first || method.Type.In(first).String() != "context.Context" {
			continue
		}
		names = append(names, path+method.Name)
		for i := range method.Type.NumOut() {
			for _, name := range reachable(t, "", method.Type.Out(i)) {
				t.Errorf("%s%s returns a value that has the operation %s, so web can call that, too: return what it reads", path, method.Name, name)
			}
		}
	}
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() == reflect.Struct && strings.HasPrefix(of.PkgPath(), "microblogging/storage") {
		for field := range of.Fields() {
			if field.IsExported() && !field.Anonymous { // what is embedded is promoted
				names = append(names, reachable(t, path+field.Name+".", field.Type)...)
			}
		}
	}
	return names
}

// functions are the operations among the functions of the packages of storage that a folder imports.
func functions(t *testing.T, folder string) (names []string) {
	imported := regexp.MustCompile(`"microblogging/(storage[\w/]*)"`).FindAllStringSubmatch(source(t, folder, false), -1)
	declared := regexp.MustCompile(`(?m)^func ([A-Z]\w*)(?:\[.+?\])?\(\w+ context\.Context`)
	for _, path := range imported {
		if path[1] == "storage/concurrent" { // it has no operations: it makes no call of the store
			continue
		}
		files, err := filepath.Glob("../" + path[1] + "/*.go")
		ok(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			ok(t, err)
			for _, function := range declared.FindAllSubmatch(text, -1) {
				names = append(names, filepath.Base(path[1])+"."+string(function[1]))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
