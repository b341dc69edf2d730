package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
	"microblogging/web"
	"microblogging/worker"
)

// earlierStores are the fixtures: what earlier programs wrote and answered.
const earlierStores = "../../storage/move/from0064/testdata/"

func TestUpgrade(t *testing.T) {
	t.Run("users see what the earlier program showed them", usersSeeWhatWasThere)
	t.Run("passwords, keys, blocks and rules hold as before", whatUsersHadHolds)
	t.Run("pending deletions end, and what is poisoned can be queued again", deletionsEnd)
	t.Run("a deletion that came after it is repeated on an earlier backup", laterDeletionIsRepeated)
	t.Run("an embedded store that is older is refused by every command and role, which write nothing", olderFileIsRefused)
	t.Run("the same store on Azurite is refused too", olderAccountIsRefused)
}

// An earlierSite is what the program of 0064adec answered before its store was backed up.
type earlierSite struct {
	// Now is when it answered, in seconds since 1970.
	Now    float64
	Tokens map[string]string
	// Posts are channel, id and author by the title.
	Posts map[string][3]string
	// Deletions are the addresses of deletions by the name of the channel.
	Deletions map[string]string
	Answers   []struct {
		As, Token, Path string
		Status          int
		Body            any
	}
}

func readEarlierSite(t *testing.T) (e earlierSite) {
	t.Helper()
	ok(t, json.Unmarshal(unpacked(t, "0064adec.answers.gz"), &e))
	return e
}

// unpackStore makes a directory with the store of a fixture.
func unpackStore(t *testing.T, name string) (data string) {
	t.Helper()
	data = t.TempDir()
	ok(t, os.WriteFile(filepath.Join(data, "microblogging.db"), unpacked(t, name), 0o600))
	return data
}

// unpacked is a file of the fixtures.
func unpacked(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.Open(earlierStores + name)
	ok(t, err)
	defer file.Close()
	text, err := gzip.NewReader(file)
	ok(t, err)
	content, err := io.ReadAll(text)
	ok(t, err)
	return content
}

// An upgraded is a site on the store that copy made of the fixture. It lives in a bubble of fake time.
type upgraded struct {
	t       *testing.T
	was     earlierSite
	data    string
	db      *bolt.DB
	store   *storage.Parts
	handler http.Handler
}

// upgrade copies the fixture, and serves the copy at the time at which the earlier program answered.
func upgrade(test func(*upgraded)) func(*testing.T) {
	return func(t *testing.T) {
		u := &upgraded{was: readEarlierSite(t), data: filepath.Join(t.TempDir(), "data")}
		code, _, errs := program(t, "copy", "--from", "bolt:"+unpackStore(t, "0064adec.gz"), "--to", "bolt:"+u.data)
		if code != exitOK {
			t.Fatalf("copy exits with %d and says %s", code, errs)
		}
		synctest.Test(t, func(t *testing.T) {
			u.t = t
			time.Sleep(time.Until(time.UnixMilli(int64(1000 * u.was.Now))))
			u.open()
			defer func() { ok(t, u.db.Close()) }()
			test(u)
		})
	}
}

func (u *upgraded) open() {
	u.t.Helper()
	var err error
	u.db, err = bolt.Open(u.data, bolt.Options{NoSync: true})
	ok(u.t, err)
	u.store = storage.New(u.db, storage.Options{Undo: 30 * time.Second, UndoAccount: domain.MaxUndoAccount})
	ok(u.t, u.store.Health.Ready(u.t.Context()), u.store.Accounts.FindLeaving(u.t.Context()))
	u.handler, err = web.New(u.store.Store, web.Options{Undo: 30 * time.Second, UndoAccount: domain.MaxUndoAccount})
	ok(u.t, err)
}

// sleepClosed lets time pass while no process has the store open: an open store looks at its file every ten seconds.
func (u *upgraded) sleepClosed(d time.Duration) {
	u.t.Helper()
	ok(u.t, u.db.Close())
	time.Sleep(d)
	u.open()
}

// ask sends a request to the API and returns the status and the body.
func (u *upgraded) ask(token, method, path, key, body string) (status int, answer any) {
	u.t.Helper()
	r := httptest.NewRequestWithContext(u.t.Context(), method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:24100" // that of the earlier program
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	w := httptest.NewRecorder()
	u.handler.ServeHTTP(w, r)
	if json.Unmarshal(w.Body.Bytes(), &answer) != nil {
		answer = w.Body.String()
	}
	return w.Code, answer
}

// want fails the test unless the API answers a request of a user with this status, and returns the answer.
func (u *upgraded) want(status int, user, method, path, key, body string) any {
	u.t.Helper()
	got, answer := u.ask(u.was.Tokens[user], method, "/api/v1"+path, key, body)
	if got != status {
		u.t.Errorf("%s %s by %q: %d and %v, want %d", method, path, user, got, answer, status)
	}
	return answer
}

func usersSeeWhatWasThere(t *testing.T) {
	upgrade(func(u *upgraded) {
		for _, was := range u.was.Answers {
			status, answer := u.ask(was.Token, http.MethodGet, was.Path, "", "")
			leaveOutAdded(answer)
			if status != was.Status || status == http.StatusOK && !reflect.DeepEqual(answer, was.Body) {
				u.t.Errorf("GET %s by %q: %d and\n%v\nwant %d and\n%v", was.Path, was.As, status, answer, was.Status, was.Body)
			}
		}
		if len(u.was.Answers) < 100 {
			u.t.Errorf("the fixture has %d answers", len(u.was.Answers))
		}
	})(t)
}

// leaveOutAdded takes from an answer what no answer of the earlier program had: when a post was replied to, which none was.
func leaveOutAdded(answer any) {
	switch a := answer.(type) {
	case []any:
		for _, item := range a {
			leaveOutAdded(item)
		}
	case map[string]any:
		if on, there := a["repliedOn"]; there && on == nil {
			delete(a, "repliedOn")
		}
		for _, value := range a {
			leaveOutAdded(value)
		}
	}
}

func whatUsersHadHolds(t *testing.T) {
	upgrade(func(u *upgraded) {
		for _, user := range []string{"ada", "ben", "cleo", "dan"} {
			u.want(201, "", "POST", "/sessions", "", fmt.Sprintf(`{"name":%q,"password":"correct horse battery %s"}`, user, user))
			u.want(401, "", "POST", "/sessions", "", fmt.Sprintf(`{"name":%q,"password":"correct horse battery"}`, user))
		}
		post := `{"title":"Roses","text":"text **0** of ada\n\nhttps://example.com/0 äöü"}`
		first, _ := u.want(200, "ada", "POST", "/channels/Garden/blogs", "post 0", post).(map[string]any)
		if first["id"] != u.was.Posts["Roses"][1] {
			u.t.Errorf("the key of a post made %v", first)
		}
		u.want(422, "ada", "POST", "/channels/Garden/blogs", "post 0", `{"title":"","text":"another"}`)
		u.want(200, "ada", "POST", "/channels", "make Garden", `{"name":"Garden","description":"What *grows*\nhere"}`)
		u.want(200, "", "POST", "/users", "sign-up ada", `{"name":"ada","password":"correct horse battery ada"}`)
		u.want(409, "", "POST", "/users", "another", `{"name":"ada","password":"correct horse battery ada"}`)

		u.want(403, "dan", "POST", "/channels/Garden/blogs", "", `{"title":"","text":"blocked"}`)
		u.want(403, "ada", "POST", "/channels/Pond/blogs", "", `{"title":"","text":"not the owner"}`)
		u.want(201, "ben", "POST", "/channels/Pond/blogs", "", `{"title":"","text":"the owner"}`)
		u.want(403, "ben", "PATCH", "/channels/Garden", "", `{"description":"not the owner"}`)
		u.want(200, "ada", "PATCH", "/channels/Garden", "", `{"description":"the owner"}`)

		roses := "/channels/Garden/blogs/" + u.was.Posts["Roses"][1]
		before, _ := u.want(200, "", "GET", roses, "", "").(map[string]any)
		u.want(204, "ben", "PUT", roses+"/vote", "", "") // who has voted before
		after, _ := u.want(200, "", "GET", roses, "", "").(map[string]any)
		if before["rating"] != after["rating"] || before["rating"] == 0.0 {
			u.t.Errorf("a post rated %v is rated %v after one of its voters voted again", before["rating"], after["rating"])
		}

		u.want(200, "ada", "POST", strings.TrimPrefix(u.was.Deletions["Lake"], "/api/v1")+"/undo", "", "")
		lake, _ := u.want(200, "", "GET", "/channels/Lake/blogs", "", "").(map[string]any)
		if posts, _ := lake["items"].([]any); len(posts) != 2 {
			u.t.Errorf("after an undo, Lake has the posts %v", lake)
		}
	})(t)
}

// work lets a worker run for a while.
func (u *upgraded) work(d time.Duration) {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(u.t.Context(), d)
	defer cancel()
	worker.New(u.store.Steps, worker.Options{
		Lease: 30 * time.Second, Reconcile: time.Minute, Concurrency: 4, MaxAttempts: 5, Log: slog.New(slog.DiscardHandler),
	}).Run(ctx)
}

// wantPoisoned requires a check without violations, and so many messages that wait for an operator, of which
// so many cannot be decoded.
func (u *upgraded) wantPoisoned(poisoned, undecodable int) {
	u.t.Helper()
	checker := u.store.Operator.NewChecker(worker.Patience(30*time.Second), false, func(v domain.Violation) { u.t.Errorf("violation: %+v", v) })
	texts := 0
	checker.Poisoned = func(m storage.PoisonMessage) {
		if m.Undecodable != nil {
			texts++
		}
	}
	counts, err := checker.Run(u.t.Context())
	ok(u.t, err)
	if counts.Poisoned != poisoned || texts != undecodable {
		u.t.Errorf("%d messages are poisoned, and %d of them cannot be decoded; want %d and %d", counts.Poisoned, texts, poisoned, undecodable)
	}
}

func deletionsEnd(t *testing.T) {
	upgrade(func(u *upgraded) {
		ctx := u.t.Context()
		u.wantPoisoned(5, 2)
		u.work(time.Hour)
		u.sleepClosed(domain.MaxUndoAccount)
		u.work(time.Hour)
		u.wantPoisoned(6, 3) // one more was on the queue
		u.wantGone("lake", "erin")
		n, err := u.store.Operator.Requeue(ctx, "")
		ok(u.t, err)
		if n != 6 {
			u.t.Errorf("%d messages were requeued", n)
		}
		u.work(time.Hour)
		u.wantPoisoned(3, 3)
		u.wantGone("swamp", "finn")
		_, err = u.store.Operator.DropUndecodable(ctx)
		ok(u.t, err)
		u.wantPoisoned(0, 0)
		backlog, err := u.store.Operator.Backlog(ctx)
		ok(u.t, err)
		if backlog.Open != 0 || backlog.Messages != 0 {
			u.t.Errorf("the backlog is %+v", backlog)
		}
	})(t)
}

// wantGone requires that a channel and an account were deleted.
func (u *upgraded) wantGone(channel, user string) {
	u.t.Helper()
	u.want(404, "", "GET", "/channels/"+channel, "", "")
	u.want(404, "", "GET", "/users/"+user, "", "")
}

// The program that made the backup has restored it to OLD.
func laterDeletionIsRepeated(t *testing.T) {
	dir := t.TempDir()
	old, live, again, backup, restored := unpackStore(t, "0064adec.gz"), filepath.Join(dir, "live"), filepath.Join(dir, "again"), filepath.Join(dir, "backup"), filepath.Join(dir, "restored")
	mustRun(t, "copy", "--from", "bolt:"+old, "--to", "bolt:"+live)
	s := openSite(t, live)
	garden := s.channel("garden")
	_, err := s.store.Deletions.Request(t.Context(), garden.Key(), domain.By(garden.Owner), domain.Any[domain.Incarnation]())
	ok(t, err)
	s.close()
	refused(t, exitCannotRun, "first restore it with the program that wrote it", "restore", earlierStores+"0064adec.gz", "--data", restored, "--deletions", live)
	mustRun(t, "copy", "--from", "bolt:"+old, "--to", "bolt:"+again)
	mustRun(t, "backup", backup, "--data", again)
	mustRun(t, "restore", backup, "--data", restored, "--deletions", live)
	if err := openSite(t, restored).state("garden"); !errors.Is(err, domain.ErrGone) {
		t.Errorf("the channel that was deleted: %v", err)
	}
}

// An older store was written by the program of 08acbd69. Its file has the first layout.
func olderFileIsRefused(t *testing.T) {
	data, feed := unpackStore(t, "08acbd69.gz"), writeFeed(t, "feed", "", 1)
	before, to := fileIn(t, data), filepath.Join(t.TempDir(), "to")
	for _, args := range append(everyUse(feed), []string{"compact"}, []string{"backup", to}, []string{"restore", "--deletions", data, feed},
		[]string{"copy", "--to", "bolt:" + to}) {
		line := refused(t, exitCannotRun, "written by an earlier build, and this program has no way to read it", append(args, "--data", data)...)
		if !strings.Contains(line, data) {
			t.Errorf("%q says %q", args, line)
		}
	}
	refused(t, exitCannotRun, "written by an earlier build", "restore", earlierStores+"08acbd69.gz", "--data", to)
	if _, err := os.Stat(to); !os.IsNotExist(err) || !bytes.Equal(before, fileIn(t, data)) {
		t.Errorf("something was written: %v", err)
	}
}

func olderAccountIsRefused(t *testing.T) {
	a, feed, to := newAccount(t), writeFeed(t, "feed", "", 1), filepath.Join(t.TempDir(), "to")
	retired := layOlder(t, a.client)
	before := content(t, a.client)
	uses := map[string][][]string{
		"microblogging copy --from OLD --to NEW": everyUse(feed),
		retired + ": " + schema.NoKind:           {{"copy", "--to", "bolt:" + to}},
	}
	for says, all := range uses {
		for _, args := range all {
			if code, _, errs := program(t, a.args(args...)...); code != exitCannotRun || !strings.Contains(errs, says) {
				t.Errorf("%q exits with %d and says %q, want 2 and %q", args, code, errs, says)
			}
		}
	}
	if after := content(t, a.client); !slices.Equal(before, after) || len(before) < 30 {
		t.Errorf("the account had %q and has %q", before, after)
	}
	refused(t, exitCannotRun, "the store was not created", "check", "--data", to)
}

// layOlder lays the rows and the messages of the older store into another. It returns the place of the first row
// of a kind that later programs do not have: it says who may post.
func layOlder(t *testing.T, db driver.Backend) (retired string) {
	t.Helper()
	var older struct {
		Rows []struct {
			Table, Partition, Row string
			Properties            []struct {
				Name   string
				Kind   driver.Kind
				Text   string
				Number int64
			}
		}
		Messages []string
	}
	ok(t, json.Unmarshal(unpacked(t, "08acbd69.rows.gz"), &older), storage.New(db, storage.Options{}).Operator.CreateTables(t.Context()))
	for _, row := range older.Rows {
		var properties driver.Properties
		for _, p := range row.Properties {
			value, err := driver.RawValue(p.Kind, p.Text, p.Number)
			ok(t, err)
			properties = append(properties, driver.Property{Name: p.Name, Value: value})
		}
		ok(t, driver.NewTable(db, row.Table).Transact(t.Context(), row.Partition, driver.Insert(row.Row, properties...)))
		if retired == "" && schema.Of(row.Table, row.Partition, row.Row) == nil {
			retired = fmt.Sprintf("table %s, partition %q, row %q", row.Table, row.Partition, row.Row)
		}
	}
	for _, text := range older.Messages {
		ok(t, driver.NewQueue(db, domain.QueueName).Send(t.Context(), text))
	}
	return retired
}

// content are the keys and versions of the rows of a store, and how many messages it has.
func content(t *testing.T, db driver.Backend) (words []string) {
	t.Helper()
	for _, table := range schema.Tables() {
		for row, err := range driver.NewTable(db, table).All(t.Context(), driver.Scan{}) {
			ok(t, err)
			words = append(words, fmt.Sprint(table, row.Partition, row.Row, row.ETag))
		}
	}
	n, err := driver.NewQueue(db, domain.QueueName).Length(t.Context())
	ok(t, err)
	return append(words, fmt.Sprint(n))
}
