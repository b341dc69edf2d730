package check_test

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
	"microblogging/storage/oracle"
	"microblogging/storage/schema"
	"microblogging/worker"
)

// TestCorruption changes one row of a sound store in every way: it deletes the row, adds one of each
// kind, and changes each property. Kinds and properties are those of package schema. The oracle
// (package oracle) reads the rows independently, and judges the check.
func TestCorruption(t *testing.T) {
	t.Run("that the oracle sees is seen by a check, also after each of two repairs", drivertest.Long(bubble(oracleSeesNoMore)))
}

// A corruption changes one row.
type corruption struct {
	rowKey
	name  string
	write driver.Operation
	// misfit reports whether a property is missing that no row of the kind lacks, or is of another type.
	misfit bool
}

func oracleSeesNoMore(t *testing.T, w *world) {
	meadow := w.fillSound()
	sound := w.snapshot()
	all := w.corruptions(meadow)
	failures := 0
	for i, c := range all {
		if i%10 != 0 && !thorough() {
			continue
		}
		w.OK(w.Table(c.table).Transact(t.Context(), c.partition, c.write))
		repaired := false
		for _, repair := range []bool{false, true, false, true, false} {
			saw := w.oracle()
			reported, _ := w.Check(repair)
			if len(saw) == 0 && len(reported) == 0 && !repair && repaired {
				break
			}
			repaired = repaired || repair
			for _, b := range saw {
				if !slices.ContainsFunc(reported, func(r domain.Violation) bool {
					withChannel := repair && r.Table == schema.TableChannels && r.PartitionKey == b.PartitionKey // which is deleted
					return at(r) == at(b) || at(r) == c.rowKey || withChannel
				}) {
					t.Errorf("%s: the oracle sees %s %v: %s, and the check (repair: %t) only %q", c.name, b.Invariant, at(b), b.Detail, repair, places(reported))
					failures++
				}
			}
			if repair {
				w.rest()
			}
		}
		w.restore(sound)
		if failures > 60 {
			t.Fatal("and more")
		}
	}
	t.Logf("%d corruptions of %d rows", len(all), len(sound))
}

func at(b domain.Violation) rowKey { return rowKey{b.Table, b.PartitionKey, b.RowKey} }

func (w *world) oracle() []domain.Violation {
	w.T.Helper()
	violations, err := oracle.Violations(w.T.Context(), w.DB)
	w.OK(err)
	return violations
}

// work does what a worker does with each message that is visible.
func (w *world) work() {
	w.T.Helper()
	w.workOn(w.Store)
}

func (w *world) workOn(s *storage.Parts) {
	w.T.Helper()
	crew := worker.New(s.Steps, worker.Options{Lease: time.Minute, MaxAttempts: 5, Log: slog.New(slog.DiscardHandler)})
	for {
		received, err := s.Operator.Messages().Receive(w.T.Context(), 1, time.Minute)
		w.OK(err)
		if len(received) == 0 {
			return
		}
		_ = crew.Handle(w.T.Context(), received[0]) // what it cannot do comes back, or is poisoned
	}
}

// rest lets workers end what is under way.
func (w *world) rest() {
	w.T.Helper()
	w.work()
	_, err := w.Store.Operator.Reconcile(w.T.Context(), storetest.Patience, time.Now())
	if !errors.Is(err, schema.ErrUnknownWord) { // of a record, which the check reports
		w.OK(err)
	}
	w.work()
}

// leave asks for the deletion of an account.
func (w *world) leave(user domain.UserName) {
	w.T.Helper()
	_, err := w.Store.Accounts.Delete(w.T.Context(), storage.Attempt{Name: string(user), Password: password}, false)
	w.OK(err)
}

// The users of fillSound: lea is gone, and the deletion of pat's account is poisoned.
const (
	lea domain.UserName = "lea"
	pat domain.UserName = "pat"
)

// fillSound makes an idle store that has a row of each kind, in which neither a check nor the
// oracle finds anything. It returns the channel in which most of it is.
func (w *world) fillSound() (meadow domain.Channel) {
	w.T.Helper()
	ctx := w.T.Context()
	w.account(ada)
	if _, _, err := w.Store.Accounts.SignIn(ctx, storage.Attempt{Name: string(ada), Password: "wrong", Address: "203.0.113.77"}); !errors.Is(err, domain.ErrNotSignedIn) {
		w.T.Fatal(err)
	}
	meadow, _, err := w.Store.Channels.Create(ctx, w.NewChannel("meadow", ada), domain.PostersOpen, "key", 9)
	w.OK(err)
	harbour := w.Create("harbour", eve)
	for _, text := range []string{"one", "two"} {
		post := w.Post(meadow, grace, text)
		w.Vote(post, 0, 2)
		_, err := w.Store.Posts.Update(ctx, meadow, post.ID, grace, storetest.AnyRevision, domain.Draft{Text: text + " edited"})
		w.OK(err)
		w.Reply(meadow, post.ID, eve, "reply to "+text)
	}
	for _, user := range []domain.UserName{lea, pat} {
		w.account(user)
		own := w.Create(string(user), user)
		w.Post(own, grace, "one")
		post := w.Post(meadow, user, "of "+string(user))
		w.OK(w.Store.Posts.Vote(ctx, meadow.Ref(), post.ID, user))
		w.Reply(meadow, post.ID, user, "reply of "+string(user))
		w.OK(w.Store.Subscriptions.Create(ctx, meadow, user))
	}
	w.OK(w.Store.Subscriptions.Create(ctx, harbour, grace))
	w.Insert("meadow", "join!eve", meadow.Incarnation)
	w.Insert("meadow", storetest.ReservedGateRow(meadow.Incarnation), meadow.Incarnation)
	w.Ask(w.Create("done", ada))
	undone := w.Create("undone", ada)
	_, err = w.undoable(w.DB).Deletions.Request(ctx, undone.Key(), domain.By(ada), storetest.AnyIncarnation)
	w.OK(err)
	_, err = w.Store.Deletions.Undo(ctx, undone.Ref(), domain.By(ada))
	w.OK(err)
	invited := storage.SignUpRequest{Attempt: storage.Attempt{Name: "ivy", Password: "correct horse"}}
	invited.Invitation, _, err = w.Store.Accounts.Invite(ctx, ada)
	w.OK(err)
	_, _, err = w.Store.Accounts.Create(ctx, invited)
	w.OK(err)
	w.leave(lea)
	w.work()
	w.OK(w.Store.Operator.Messages().Send(ctx, `{"kind":"of later"}`))
	stuck := w.Create("stuck", ada)
	w.Post(stuck, grace, "one")
	w.Ask(stuck)
	for _, step := range storetest.Cascade(w.Store, stuck.Ref())[:2] {
		w.OK(step(ctx))
	}
	w.Ask(w.Create("pending", ada))
	w.OK(w.Store.Posts.Delete(ctx, harbour, w.Post(harbour, grace, "one").ID, domain.By(grace), storetest.AnyRevision))
	w.leave(pat)
	entry, err := w.Store.Operator.Entry(ctx, pat)
	w.OK(err)
	_, err = w.Store.Operator.BeginErasure(ctx, entry.Message())
	w.OK(err)
	w.Poison()
	time.Sleep(domain.MaxUndo + time.Hour)
	w.rest()
	w.OK(w.Store.Operator.RenewOpen(ctx, domain.ChannelRef{Key: "stuck", Incarnation: domain.NewIncarnation()}, domain.Now()))
	w.OK(w.Store.Operator.RenewOpenBlog(ctx, meadow.Ref(), domain.NewBlogID(domain.Now())))
	time.Sleep(storetest.Patience + time.Second)
	violations, _ := w.Check(false)
	if violations = append(violations, w.oracle()...); len(violations) > 0 {
		w.T.Fatalf("the store is not sound to begin with: %+v", violations)
	}
	return meadow
}

// empty deletes the messages of a queue.
func (w *world) empty(name string) {
	w.T.Helper()
	queue := driver.NewQueue(w.DB, name)
	for {
		messages, err := queue.Receive(w.T.Context(), 32, time.Minute)
		w.OK(err)
		if len(messages) == 0 {
			return
		}
		for _, m := range messages {
			w.OK(queue.Delete(w.T.Context(), m))
		}
	}
}

// A rowKey names a row of the store.
type rowKey struct{ table, partition, row string }

func (w *world) snapshot() map[rowKey]driver.Properties {
	w.T.Helper()
	all := map[rowKey]driver.Properties{}
	for _, table := range schema.Tables() {
		for _, row := range w.AllRows(table) {
			all[rowKey{table, row.Partition, row.Row}] = row.Properties
		}
	}
	return all
}

// restore makes the rows what they were, and empties the queue.
func (w *world) restore(all map[rowKey]driver.Properties) {
	w.T.Helper()
	ctx, now := w.T.Context(), w.snapshot()
	for key := range now {
		if _, was := all[key]; !was {
			w.OK(w.Table(key.table).Transact(ctx, key.partition, driver.Delete(key.row, driver.Exists)))
		}
	}
	for key, properties := range all {
		if is, there := now[key]; !there || !reflect.DeepEqual(is, properties) {
			w.OK(w.Table(key.table).Transact(ctx, key.partition, driver.Replace(key.row, driver.Upsert, properties...)))
		}
	}
	w.empty(domain.QueueName)
}

// corruptions are all changes of one row of the store, in the order of their names.
func (w *world) corruptions(meadow domain.Channel) (all []corruption) {
	w.T.Helper()
	sound := w.snapshot()
	add := func(key rowKey, what string, write driver.Operation, misfit bool) {
		all = append(all, corruption{key, fmt.Sprintf("%s %s %s: %s", key.table, key.partition, key.row, what), write, misfit})
	}
	seen := map[*schema.Kind][]rowKey{}
	for key := range sound {
		kind := schema.Of(key.table, key.partition, key.row)
		seen[kind] = append(seen[kind], key)
	}
	for _, kind := range schema.Kinds() {
		if len(seen[kind]) == 0 {
			w.T.Errorf("fillSound makes no row of the kind %q of %s: let it make one", kind.Name, kind.Table)
			continue
		}
		for _, key := range seen[kind] {
			add(key, "deleted", driver.Delete(key.row, driver.Exists), false)
			for _, property := range kind.Properties {
				for what, changed := range w.changes(kind, property, sound, seen[kind], sound[key]) {
					at := slices.IndexFunc(changed, func(p driver.Property) bool { return p.Name == property.Name })
					misfit := at < 0 && !property.Optional || at >= 0 && changed[at].Value.Kind() != property.Type
					add(key, property.Name+" "+what, driver.Replace(key.row, driver.Exists, changed...), misfit)
				}
			}
		}
		for _, key := range w.strays(kind, meadow) {
			if _, there := sound[key]; there {
				continue
			}
			for _, of := range []domain.Incarnation{meadow.Incarnation, dead} {
				properties := with(sound[seen[kind][0]], driver.String(schema.PropIncarnation, of))
				if !kind.HasProperty(schema.PropIncarnation) {
					properties = sound[seen[kind][0]]
				}
				add(key, "added, of "+string(of), driver.Insert(key.row, properties...), false)
			}
		}
	}
	slices.SortFunc(all, func(a, b corruption) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(all, func(a, b corruption) bool { return a.name == b.name })
}

// dead is an incarnation that no channel has.
const dead domain.Incarnation = "DEADINCARNATIONAAAAAAAAAAA"

// with is a row with another value of a property.
func with(row driver.Properties, changed driver.Property) driver.Properties {
	return append(without(row, changed.Name), changed)
}

func without(row driver.Properties, name string) driver.Properties {
	return slices.DeleteFunc(slices.Clone(row), func(p driver.Property) bool { return p.Name == name })
}

// changes are the ways in which one property of a row can be wrong: it is not there, it is of another
// type, and it has another value, above all one that another row has.
func (w *world) changes(kind *schema.Kind, property schema.Property, sound map[rowKey]driver.Properties, others []rowKey, row driver.Properties) map[string]driver.Properties {
	changes := map[string]driver.Properties{"missing": without(row, property.Name)}
	to := func(value driver.Property) { changes[fmt.Sprintf("is %v", value.Value)] = with(row, value) }
	switch property.Type {
	case driver.KindInt64:
		to(driver.String(property.Name, "seven"))
		to(driver.Int64(property.Name, row.Int64(property.Name)+1))
		to(driver.Int64(property.Name, -1))
	case driver.KindBoolean:
		to(driver.Int64(property.Name, 7))
		to(driver.Bool(property.Name, !row.Bool(property.Name)))
	case driver.KindDateTime:
		to(driver.Int64(property.Name, 7))
		to(driver.Time(property.Name, time.Unix(0, 0)))
		to(driver.Time(property.Name, domain.Now().Add(100*24*time.Hour)))
	case driver.KindString:
		to(driver.Int64(property.Name, 7))
		to(driver.String(property.Name, ""))
		to(driver.String(property.Name, "a' /b"))
		for _, other := range others {
			if value := sound[other].String(property.Name); value != "" && value != row.String(property.Name) && len(changes) < 9 {
				to(driver.String(property.Name, value))
			}
		}
	default:
		w.T.Fatalf("the property %s of %q has a type that this test does not change: let it", property.Name, kind.Name)
	}
	return changes
}

// strays are keys of rows that could be added to the store, of a kind.
func (w *world) strays(kind *schema.Kind, meadow domain.Channel) (keys []rowKey) {
	w.T.Helper()
	blogs, err := w.Store.Posts.List(w.T.Context(), meadow.Ref(), storage.BlogQuery{Limit: 1})
	w.OK(err)
	parts := map[string][]string{
		"key":         {"meadow", "stuck", "free"},
		"incarnation": {string(meadow.Incarnation), string(dead)},
		"user":        {string(grace), string(lea), string(pat), "norman"},
		"id":          {string(blogs.Items[0].ID), string(domain.NewBlogID(domain.Now()))},
		"hash":        {strings.Repeat("ab", 32)},
		"digit":       {"7"},
		"back":        {domain.RecentFirst(domain.Now())},
		"inverted":    {"9999999998", "9999999990"},
		"token":       {string(domain.NewRevision())},
		"revision":    {string(domain.NewRevision())},
		"what":        {"address"},
		"reply":       {string(domain.NewReplyID(domain.Now()))},
	}
	keys = []rowKey{{kind.Table, kind.Partition, kind.Form}}
	varies := regexp.MustCompile(`<(\w+)>`)
	for {
		var filled []rowKey
		for _, key := range keys {
			part := varies.FindStringSubmatch(key.partition + key.row)
			if part == nil {
				return keys
			}
			if parts[part[1]] == nil {
				w.T.Fatalf("the key of the kind %q has a part %s: say in this test what it may be", kind.Name, part[0])
			}
			for _, text := range parts[part[1]] {
				filled = append(filled, rowKey{key.table, strings.Replace(key.partition, part[0], text, 1), key.row})
				if key.partition == filled[len(filled)-1].partition {
					filled[len(filled)-1].row = strings.Replace(key.row, part[0], text, 1)
				}
			}
		}
		keys = filled
	}
}
