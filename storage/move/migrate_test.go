package move_test

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage"
	"microblogging/storage/azure"
	"microblogging/storage/azuritetest"
	"microblogging/storage/blog"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/move"
	"microblogging/storage/schema"
	"microblogging/storage/version"
)

// What users, workers and operators do with a store that was copied is tested in cmd/microblogging.
func TestMigrate(t *testing.T) {
	earlier := readFixture(t)
	for sentence, test := range map[string]func(*testing.T, mem.Snapshot){
		"every row and every message is there, and the poison is of this version": migratesAll,
		"goes on wherever it was killed, or lost a reply": func(t *testing.T, content mem.Snapshot) {
			drivertest.Long(func(t *testing.T) { goesOn(t, content, wholeCopy(t, content)) })(t)
		},
		"a source with a row that its version does not have is refused by the name of the row": refusesRows,
		"messages with one text have one row":                                                  oneRowOfOneText,
		"what sorts behind the last row of the source is there":                                sortsLast,
		"a source that changes while it is copied is found out":                                changedMeanwhile,
		"every pair of backends makes the same of it":                                          everyPair,
	} {
		t.Run(sentence, func(t *testing.T) { test(t, earlier) })
	}
}

// The fixtures are in testdata, and in that of from0064. The program of a commit wrote each, and packed it as its command
// backup does:
//
//   - 0064adec.gz: users signed up, posted, voted and so on, through the API of serve --undo 0s
//     --undo-account 0s; a channel and an account were deleted there. Then, without a worker, others were
//     deleted, and Steps.Poison, Requeue and DropUndecodable of that commit were called on the messages. Last,
//     web --undo 30s deleted what is pending. OTEL_EXPORTER_OTLP_ENDPOINT was set, so that there are traces.
//   - 0064adec.answers.gz: what its API answered then, the tokens of the sessions, and when it was.
//   - testdata/0.1.gz, of version 0.1: serve --undo 0s; channels without a rule, that are open, their owner's alone, or
//     block a user; one that is deleted; a vote, a subscription. Then serve --undo 30s --undo-account 30m, a
//     channel and an account that are pending, and kill -9.
//   - testdata/1.0.gz, of version 1.0: the same, and a channel with a member.
//   - 08acbd69.gz: a small store of an older program. 08acbd69.rows.gz: its rows and messages as JSON.

// openFixture opens a copy of a store that an earlier program wrote.
func openFixture(t *testing.T, name string) *bolt.DB {
	t.Helper()
	packed, err := os.Open(name)
	ok(t, err)
	defer packed.Close()
	text, err := gzip.NewReader(packed)
	ok(t, err)
	file, err := io.ReadAll(text)
	ok(t, err)
	dir := t.TempDir()
	ok(t, os.WriteFile(filepath.Join(dir, "microblogging.db"), file, 0o600))
	db, err := bolt.Open(dir, bolt.Options{NoSync: true})
	ok(t, err)
	t.Cleanup(func() { ok(t, db.Close()) })
	return db
}

// readFixture is the content of the store that the program of 0064adec wrote.
func readFixture(t *testing.T) mem.Snapshot {
	t.Helper()
	db := mem.Open(mem.Snapshot{}, "fixture")
	lay(t, openFixture(t, "from0064/testdata/0064adec.gz"), db)
	return db.Snapshot()
}

// lay makes a store with the rows and messages of another as they are.
func lay(t *testing.T, from, to driver.Backend) {
	t.Helper()
	ok(t, storage.New(to, storage.Options{}).Operator.CreateTables(t.Context()))
	for _, name := range schema.Tables() {
		for row, err := range driver.NewTable(from, name).All(t.Context(), driver.Scan{}) {
			ok(t, err)
			ok(t, driver.NewTable(to, name).Transact(t.Context(), row.Partition, driver.Insert(row.Row, row.Properties...)))
		}
	}
	messages, err := driver.NewQueue(from, domain.QueueName).Peek(t.Context(), driver.MaxReceive)
	ok(t, err)
	for _, m := range messages {
		ok(t, driver.NewQueue(to, domain.QueueName).Send(t.Context(), m.Text))
	}
}

// TestMigrateAdded copies a store of a version to which the present one only adds.
func TestMigrateAdded(t *testing.T) {
	for _, of := range []string{"0.1", "1.0"} {
		t.Run(of, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { migratesAdded(t, of) }) // in which the message that was received last becomes visible
		})
	}
}

func migratesAdded(t *testing.T, of string) {
	from, to := openFixture(t, "testdata/"+of+".gz"), mem.Open(mem.Snapshot{}, "to")
	if is, err := version.Read(t.Context(), from); is != of || err != nil {
		t.Fatalf("the fixture is of version %q (%v)", is, err)
	}
	was := mem.Open(mem.Snapshot{}, "was")
	lay(t, from, was)
	_, err := copyStore(t, side("from", from), side("to", to))
	ok(t, err)
	ok(t, version.Check(t.Context(), to))
	if want, got := kept(was), kept(to); !slices.Equal(want, got) || len(got) < 40 {
		t.Errorf("the target has the rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := texts(to, domain.QueueName); len(got) != 1 || !strings.Contains(got[0], `"channel":"pending"`) {
		t.Errorf("the target has the messages %q", got) // and not that of the account, which is due later
	}
	store := storage.New(to, storage.Options{HashPassword: drivertest.CheapHash})
	bare, err := store.Channels.Get(t.Context(), domain.ChannelKey("bare").Address())
	ok(t, err)
	if _, _, err := store.Posts.Create(t.Context(), blog.NewPost{Channel: bare, By: "cy", Draft: domain.Draft{Text: "the first post here"}, Key: "key"}); err != nil {
		t.Errorf("in a channel without a rule: %v", err)
	}
	blocked, err := store.Channels.Get(t.Context(), domain.ChannelKey("blocked").Address())
	ok(t, err)
	_, _, err = store.Posts.Create(t.Context(), blog.NewPost{Channel: blocked, By: "ben", Draft: domain.Draft{Text: "no"}, Key: "key"})
	if !errors.Is(err, domain.ErrBlocked) {
		t.Errorf("a user who was blocked: %v", err)
	}
}

// TestMigrateInPlace starts a role on a store of a version to which the present one only adds.
func TestMigrateInPlace(t *testing.T) {
	db, was := openFixture(t, "testdata/1.0.gz"), mem.Open(mem.Snapshot{}, "was")
	lay(t, db, was)
	store := storage.New(db, storage.Options{HashPassword: drivertest.CheapHash})
	ok(t, store.Operator.Prepare(t.Context()))
	ok(t, version.Check(t.Context(), db))
	now := mem.Open(mem.Snapshot{}, "now")
	lay(t, db, now)
	if want, got := kept(was), kept(now); !slices.Equal(want, got) || len(got) < 40 {
		t.Errorf("the store has the rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	open, err := store.Channels.Get(t.Context(), domain.ChannelKey("open").Address())
	ok(t, err)
	posts, err := store.Posts.List(t.Context(), open.Ref(), blog.Query{Limit: 1})
	ok(t, err)
	reply := blog.NewReply{Channel: open, Post: posts.Items[0].ID, By: "ben", Key: "key", Text: "a reply to an older post"}
	if _, made, err := store.Posts.Reply(t.Context(), reply); err != nil || !made {
		t.Errorf("made %t, %v", made, err)
	}
}

// isGone reports whether the present version has no row in the place of this one.
func isGone(table string, row driver.Entity) bool {
	return table == schema.TableDeletions &&
		(row.Partition == "undecodable!" || !strings.HasPrefix(row.Partition, "open!") && strings.Count(row.Row, "!") > 1)
}

// kept are the rows of a store that a migration does not make, in words.
func kept(db *mem.DB) (list []string) {
	for _, table := range schema.Tables() {
		for row := range db.Snapshot().Rows(table) {
			if row.Partition == schema.PoisonPartition || row.Partition == schema.VersionPartition || isGone(table, row) {
				continue
			}
			row.Properties = slices.DeleteFunc(slices.Clone(row.Properties), func(p driver.Property) bool { return p.Name == "TraceParent" })
			list = append(list, inWords(table, row))
		}
	}
	return list
}

func migratesAll(t *testing.T, content mem.Snapshot) {
	from, to := open(content)
	result, err := copyStore(t, side("from", from), side("to", to))
	ok(t, err)
	if want, got := kept(from), kept(to); !slices.Equal(want, got) || len(got) < 100 {
		t.Errorf("the target has the rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if want, got := texts(from, domain.QueueName), texts(to, domain.QueueName); !slices.Equal(want, got) || result.Messages != len(want) {
		t.Errorf("the target has the messages %q, want %q; the result is %+v", got, want, result)
	}
	ok(t, version.Check(t.Context(), to))
	var poison []string
	for m, err := range storage.New(to, storage.Options{}).Operator.PoisonMessages(t.Context()) {
		ok(t, err)
		if m.Undecodable != nil {
			poison = append(poison, "undecodable "+m.Text)
		} else {
			poison = append(poison, strings.TrimSpace(string(m.Kind)+" "+string(m.Channel)+" "+string(m.RequestedBy)+" "+string(m.Blog)))
		}
	}
	slices.Sort(poison)
	if want := []string{
		"account @finn finn", "blog garden ben " + stoppedPost(t, content), "channel swamp ben",
		"undecodable not a message \u2028 <&>", `undecodable {"kind":"reply","channel":"garden"}`,
	}; !slices.Equal(poison, want) {
		t.Errorf("poisoned are %q, want %q", poison, want)
	}
}

// stoppedPost is the post of the fixture whose deletion is poisoned.
func stoppedPost(t *testing.T, content mem.Snapshot) string {
	t.Helper()
	for row := range content.Rows(schema.TableDeletions) {
		if row.Partition == "garden" && row.Properties.String(schema.PropState) == string(domain.DeletionPoisoned) {
			return strings.Join(strings.Split(row.Row, "!")[1:3], "!")
		}
	}
	t.Fatal("the fixture has no such post")
	return ""
}

// refusesRows changes one row of each kind in each way that its kind does not allow.
func refusesRows(t *testing.T, content mem.Snapshot) {
	kinds := map[string]bool{}
	for _, table := range schema.Tables() {
		for row := range content.Rows(table) {
			kind, properties, words := "a row of an earlier kind "+row.Partition, schema.Deletion.Properties, schema.Deletion.Words
			if k := schema.Of(table, row.Partition, row.Row); k != nil {
				kind, properties, words = k.Name, k.Properties, k.Words
			} else if row.Partition == "undecodable!" {
				properties = []schema.Property{{Name: schema.PropState}, {Name: schema.PropUpdatedOn}}
			}
			if kinds[kind] {
				continue
			}
			kinds[kind] = true
			with := func(changed ...driver.Property) driver.Operation {
				p := slices.DeleteFunc(slices.Clone(row.Properties), func(p driver.Property) bool {
					return slices.ContainsFunc(changed, func(c driver.Property) bool { return c.Name == p.Name })
				})
				return driver.Replace(row.Row, driver.Exists, append(p, slices.DeleteFunc(changed, func(c driver.Property) bool { return c.Value.Kind() == 0 })...)...)
			}
			for _, p := range properties {
				if !p.Optional {
					refusesRow(t, content, table, row.Partition, with(driver.Property{Name: p.Name}), "it has no "+p.Name)
					refusesRow(t, content, table, row.Partition, with(driver.Property{Name: p.Name, Value: otherType(row, p.Name)}), p.Name)
				}
				if words[p.Name] != nil {
					refusesRow(t, content, table, row.Partition, with(driver.String(p.Name, "lost")), p.Name+` is "lost"`)
				}
			}
			refusesRow(t, content, table, row.Partition, with(driver.Int64("Undone", 1)), "Undone")
		}
	}
	for _, row := range []struct{ table, partition, row, says string }{
		{"Blogs", "garden", "nosuch!ZZZZZZZZZZZZZZZZZZZZZZZZZZ", schema.NoKind},
		{"Users", "ada", "nosuch!1!garden!ZZZZZZZZZZZZZZZZZZZZZZZZZZ", schema.NoKind},
		{"Deletions", schema.PoisonPartition, schema.PoisonRow("x"), schema.NoKind}, // of a later build, without a version
	} {
		refusesRow(t, content, row.table, row.partition, driver.Insert(row.row), row.says)
	}
	if len(kinds) < 24 {
		t.Errorf("the fixture has rows of %d kinds", len(kinds))
	}
}

// otherType is a value of another type than a property of a row has.
func otherType(row driver.Entity, name string) driver.Value {
	for _, p := range row.Properties {
		if p.Name == name && p.Value.Kind() != driver.KindString {
			return driver.String("", "").Value
		}
	}
	return driver.Int64("", 1).Value
}

// refusesRow requires that the copy of a store in which a row was changed is refused, names the row, and says why.
func refusesRow(t *testing.T, content mem.Snapshot, table, partition string, change driver.Operation, says string) {
	t.Helper()
	from, to := open(content)
	ok(t, driver.NewTable(from, table).Transact(t.Context(), partition, change))
	_, err := copyStore(t, side("from", from), side("to", to))
	refused := (*move.RefusedError)(nil)
	if !errors.As(err, &refused) {
		t.Errorf("%s %s %s with %v was not refused: %v", table, partition, change.Row, change.Properties, err)
		return
	}
	for _, word := range []string{"from", table, partition, change.Row, says} {
		if !strings.Contains(refused.Why, word) {
			t.Errorf("%s %s %s: the refusal does not say %q: %s", table, partition, change.Row, word, refused.Why)
		}
	}
	if made := to.Snapshot().Tables(); len(made) > 0 {
		t.Errorf("the target has the tables %q", made)
	}
}

// wholeCopy is a copy that was not interrupted.
func wholeCopy(t *testing.T, content mem.Snapshot) *mem.DB {
	t.Helper()
	from, to := open(content)
	_, err := copyStore(t, side("from", from), side("to", to))
	ok(t, err)
	return to
}

// recordText records a message as 0064adec does if it cannot be decoded.
func recordText(t *testing.T, db *mem.DB, id, text string, on time.Time) {
	t.Helper()
	ok(t, driver.NewTable(db, schema.TableDeletions).Transact(t.Context(), "undecodable!", driver.Insert(schema.Hash("unread", id, text),
		driver.String(schema.PropState, domain.DeletionPoisoned), driver.Time(schema.PropUpdatedOn, on), driver.String("Text0", strconv.Quote(text)))))
}

func oneRowOfOneText(t *testing.T, content mem.Snapshot) {
	from, to := open(content)
	before := len(rows(wholeCopy(t, content)))
	for i := range 3 { // delivered again, it had another row
		recordText(t, from, strconv.Itoa(i), "not a message either", time.Unix(int64(i), 0))
	}
	_, err := copyStore(t, side("from", from), side("to", to))
	ok(t, err)
	if n := len(rows(to)); n != before+1 {
		t.Errorf("the target has %d rows, want %d", n, before+1)
	}
}

// The only record sorts before its message.
func sortsLast(t *testing.T, content mem.Snapshot) {
	from, to := open(mem.Snapshot{})
	ok(t, storage.New(from, storage.Options{}).Operator.CreateTables(t.Context()))
	for row := range content.Rows(schema.TableDeletions) {
		if row.Partition == "@finn" {
			ok(t, driver.NewTable(from, schema.TableDeletions).Transact(t.Context(), row.Partition, driver.Insert(row.Row, row.Properties...)))
		}
	}
	_, err := copyStore(t, side("from", from), side("to", to))
	ok(t, err)
	if list := rows(to); len(list) != 3 || !strings.HasPrefix(list[1], "[Deletions poison! ") {
		t.Errorf("the target has %q", list)
	}
}

// A worker of the earlier program runs on, and records a message, which the present version has elsewhere.
func changedMeanwhile(t *testing.T, content mem.Snapshot) {
	for _, at := range []string{"copying", "comparing"} {
		from, to := open(content)
		_, err := move.Copy(t.Context(), side("from", from), side("to", to), move.Options{Progress: func(doing string, _ int) {
			if doing == at {
				at = ""
				recordText(t, from, "1", "not a message either", time.Now())
			}
		}})
		if !errors.Is(err, move.ErrChanged) || version.Check(t.Context(), to) == nil {
			t.Errorf("the source changed, and the copy ended with %v", err)
		}
	}
}

// everyPair copies the store that the earlier program wrote, once for each pair of backends.
func everyPair(t *testing.T, content mem.Snapshot) {
	want := wholeCopy(t, content)
	for sentence, pair := range map[string][2]func(*testing.T) driver.Backend{
		"from the embedded store to the embedded store": {earlierBolt, emptyBolt},
		"from the embedded store to Azurite":            {earlierBolt, emptyAzurite},
		"from Azurite to the embedded store":            {earlierAzurite, emptyBolt},
		"from Azurite to Azurite":                       {earlierAzurite, emptyAzurite},
	} {
		t.Run(sentence, func(t *testing.T) {
			to, back := pair[1](t), mem.Open(mem.Snapshot{}, "back")
			for _, step := range [][2]driver.Backend{{pair[0](t), to}, {to, back}} {
				_, err := copyStore(t, side("from", step[0]), side("to", step[1]))
				ok(t, err)
			}
			mustEqual(t, want, back)
		})
	}
}

func earlierBolt(t *testing.T) driver.Backend { return openFixture(t, "from0064/testdata/0064adec.gz") }

func earlierAzurite(t *testing.T) driver.Backend {
	account := emptyAzurite(t)
	lay(t, earlierBolt(t), account)
	return account
}

func emptyBolt(t *testing.T) driver.Backend {
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	ok(t, err)
	t.Cleanup(func() { ok(t, db.Close()) })
	return db
}

func emptyAzurite(t *testing.T) driver.Backend {
	account, err := azure.Open(azure.Config{ConnectionString: azuritetest.Shared(t).Account()})
	ok(t, err)
	t.Cleanup(account.Close)
	return account
}
