package storage_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/internal/storetest"
	"microblogging/storage/schema"
)

// wordWorld has a row of each kind with Words.
type wordWorld struct {
	*storetest.World
	garden, pond domain.Channel
	token        string
	posted       int
	attempt      storage.Attempt
	deletion     domain.Message
}

func newWordWorld(t *testing.T) *wordWorld {
	t.Helper()
	w := &wordWorld{World: storetest.New(t), attempt: storage.Attempt{Name: "eve", Password: "correct horse battery", Address: "192.0.2.1"}}
	ctx := t.Context()
	_, err := w.Store.Operator.SignUp(ctx, w.attempt.Name, w.attempt.Password)
	w.OK(err)
	w.token, _, err = w.Store.Accounts.SignIn(ctx, w.attempt)
	w.OK(err)
	w.garden, w.pond = w.Create("garden", ada), w.Create("pond", ada)
	w.Post(w.garden, eve, "by another user, for whom the rule is put up")
	w.OK(w.Store.Subscriptions.Create(ctx, w.garden, eve))
	_, err = w.Store.Deletions.Request(ctx, "pond", domain.By(ada), storetest.AnyIncarnation)
	w.OK(err)
	w.deletion = domain.Message{Kind: domain.MessageChannel, Channel: "pond", Incarnation: w.pond.Incarnation, Name: "pond", RequestedBy: ada, RequestedOn: domain.Now()}
	return w
}

// uses are what reads the row of each kind with Words, and acts on what it says.
func (w *wordWorld) uses() map[*schema.Kind]map[string]func() error {
	ctx, s := w.T.Context(), w.Store
	post := func() error {
		w.posted++
		_, _, err := s.Posts.Create(ctx, storetest.NewPost(w.garden, eve, fmt.Sprint(w.posted)))
		return err
	}
	return map[*schema.Kind]map[string]func() error{
		schema.Channel: {
			"read it": func() error { _, err := s.Channels.Get(ctx, w.garden.Ref().Address()); return err },
			"delete it": func() error {
				_, err := s.Deletions.Request(ctx, "garden", domain.By(ada), storetest.AnyIncarnation)
				return err
			},
			"pass pivot": func() error {
				m := w.deletion
				m.Channel, m.Incarnation = "garden", w.garden.Incarnation
				_, err := s.Steps.PassPivot(ctx, m)
				return err
			},
			"describe it": func() error {
				_, err := s.Channels.Update(ctx, w.garden.Ref(), ada, storetest.DescribedAs("x"))
				return err
			},
		},
		schema.OpenGate: {
			"set who may post": func() error { return s.Posts.SetRule(ctx, w.garden, ada, domain.PostersOwner) },
			"block there":      func() error { return s.Posts.Block(ctx, w.garden, ada, domain.User{Name: grace}) },
		},
		schema.PostingRule: {
			"read it":     func() error { _, err := s.Posts.PostingRule(ctx, w.garden); return err },
			"post":        post,
			"set it":      func() error { return s.Posts.SetRule(ctx, w.garden, ada, domain.PostersOwner) },
			"block there": func() error { return s.Posts.Block(ctx, w.garden, ada, domain.User{Name: grace}) },
		},
		schema.Deletion: {
			"show it": func() error { _, err := s.Deletions.Get(ctx, w.pond.Ref(), domain.By(ada)); return err },
			"list it": func() error { _, err := s.Deletions.List(ctx, ada, "", 10); return err },
			"handle it": func() error {
				return s.Steps.UpdateRecord(ctx, w.deletion, func(d *domain.Deletion) bool { d.State = domain.DeletionRunning; return true })
			},
			"repeat it": func() error { _, err := s.Operator.DeletionRecords(ctx); return err },
		},
		schema.Account: {
			"read it": func() error { _, err := s.Accounts.Get(ctx, eve); return err },
			"sign in": func() error { _, _, err := s.Accounts.SignIn(ctx, w.attempt); return err },
			"session": func() error { _, err := s.Accounts.Session(ctx, w.token, ""); return err },
			"post":    post,
			"sign up": func() error { _, err := s.Operator.SignUp(ctx, w.attempt.Name, w.attempt.Password); return err },
		},
		schema.Subscription: {
			"read it": func() error { _, err := s.Subscriptions.Has(ctx, w.garden.Ref(), eve); return err },
			"list it": func() error { _, err := s.Subscriptions.List(ctx, eve, "", 10); return err },
			"feed":    func() error { _, err := s.Feeds.List(ctx, eve, "", 10); return err },
		},
	}
}

// TestWords holds each operation to what refuseUnknownWords says. A new kind with Words, or a new
// property with them, is tried as the others are.
func TestWords(t *testing.T) {
	for _, kind := range schema.Kinds() {
		for _, property := range slices.Sorted(maps.Keys(kind.Words)) {
			for name, wrong := range map[string]driver.Properties{
				"is one of a later version": {driver.String(property, "later")},
				"is of another type":        {driver.Int64(property, 1)},
				"is missing":                nil,
			} {
				if p := kind.Properties[slices.IndexFunc(kind.Properties, func(p schema.Property) bool { return p.Name == property })]; wrong == nil && p.Optional {
					continue
				}
				t.Run(fmt.Sprintf("the %s of a row of kind %s %s, and no operation takes it for another", property, kind.Name, name), func(t *testing.T) {
					uses := slices.Sorted(maps.Keys(newWordWorld(t).uses()[kind]))
					if len(uses) == 0 {
						t.Fatal("let uses have the operations that read this kind")
					}
					for _, what := range uses {
						w := newWordWorld(t)
						row := w.spoil(kind, property, wrong)
						err := w.uses()[kind][what]()
						if !errors.Is(err, schema.ErrUnknownWord) || errors.Is(err, domain.ErrUnavailable) {
							t.Errorf("%s: %v", what, err)
						}
						if now, err := w.Table(kind.Table).Get(t.Context(), row.Partition, row.Row); err != nil || now.ETag != row.ETag {
							t.Errorf("%s: the row was changed (%v)", what, err)
						}
					}
				})
			}
		}
	}
}

func TestWordsInLists(t *testing.T) {
	t.Run("leave out a row with an unknown word, and show the others", func(t *testing.T) {
		w := newWordWorld(t)
		w.Create("meadow", ada)
		_, err := w.Store.Operator.SignUp(t.Context(), "grace", w.attempt.Password)
		w.OK(err)
		later := driver.Properties{driver.String(schema.PropState, "later")}
		w.spoil(schema.Channel, schema.PropState, later)
		w.spoil(schema.Account, schema.PropState, later)
		channels, err := w.Store.Channels.List(t.Context(), "", "", 10)
		w.OK(err)
		users, err := w.Store.Accounts.List(t.Context(), "", "", 10)
		w.OK(err)
		if len(channels.Items) != 1 || channels.Items[0].Name != "meadow" || !slices.Equal(users.Items, []domain.UserName{grace}) {
			t.Errorf("the lists have %+v and %q", channels.Items, users.Items)
		}
	})
}

func TestBlockedWords(t *testing.T) {
	t.Run("whose time cannot be read let no user post, and are not written again", func(t *testing.T) {
		w := newWordWorld(t)
		row := w.spoil(schema.PostingRule, schema.PropBlocked, driver.Properties{driver.String(schema.PropBlocked, "eve@once")})
		for what, use := range w.uses()[schema.PostingRule] {
			if err := use(); !errors.Is(err, schema.ErrUnknownWord) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if now, err := w.Table(schema.TableBlogs).Get(t.Context(), row.Partition, row.Row); err != nil || now.ETag != row.ETag {
			t.Errorf("the row was changed (%v)", err)
		}
	})
}

// spoil gives the first row of a kind that is about what uses read another property, and returns the row.
func (w *wordWorld) spoil(kind *schema.Kind, property string, wrong driver.Properties) driver.Entity {
	w.T.Helper()
	ctx, table := w.T.Context(), w.Table(kind.Table)
	for _, row := range w.AllRows(kind.Table) {
		if schema.Of(kind.Table, row.Partition, row.Row) != kind || kind == schema.Subscription && row.Partition != string(eve) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(row.Properties), func(p driver.Property) bool { return p.Name == property })
		w.OK(table.Transact(ctx, row.Partition, driver.Replace(row.Row, driver.Exists, append(rest, wrong...)...)))
		spoiled, err := table.Get(ctx, row.Partition, row.Row)
		w.OK(err)
		return spoiled
	}
	w.T.Fatalf("no row of kind %s", kind.Name)
	return driver.Entity{}
}
