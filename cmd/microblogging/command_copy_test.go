package main

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
)

func TestCopyCommand(t *testing.T) {
	t.Run("copies a store, checks both and freezes the source", copyCopies)
	t.Run("is refused with one sentence, and changes nothing", copyRefuses)
	t.Run("thaws a store", copyThaws)
	t.Run("of a server that runs is refused", copyInUse)
	t.Run("that has not ended is not served", copyUnfinished)
	t.Run("leaves a source that says how it takes writes again, also restored", copyLeavesFrozen)
	t.Run("exits with 1 if the source has a breach", copyOfBreach)
}

// inBolt opens the embedded store in a directory for a moment.
func inBolt(t *testing.T, data string, do func(*storage.Store, *bolt.DB)) {
	t.Helper()
	db, err := bolt.Open(data, bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	store := storage.New(db, db)
	if err := store.Prepare(t.Context()); err != nil {
		t.Error(err)
	}
	do(store, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// stocked makes a store with a channel of some posts, and returns its directory.
func stocked(t *testing.T, posts int) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	inBolt(t, data, func(store *storage.Store, _ *bolt.DB) {
		channel, err := domain.NewChannel("News", "", "ada")
		if err == nil {
			channel, err = store.CreateChannel(t.Context(), channel)
		}
		for i := range posts {
			_, _, postErr := store.Post(t.Context(), storage.Posting{
				Channel: channel.Ref(), By: "ada", Key: fmt.Sprint(i), Draft: domain.Draft{Text: fmt.Sprint(i)}, CreatedOn: domain.Now()})
			err = errors.Join(err, postErr)
		}
		if err != nil {
			t.Error(err)
		}
	})
	return data
}

func posts(t *testing.T, data string) (n int) {
	t.Helper()
	inBolt(t, data, func(store *storage.Store, _ *bolt.DB) {
		channel, err := store.Channel(t.Context(), "news")
		if errors.Is(err, domain.ErrNotFound) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		page, err := store.Blogs(t.Context(), channel.Ref(), storage.BlogQuery{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		n = len(page.Items)
	})
	return n
}

func copyCopies(t *testing.T) {
	from, to := stocked(t, 50), filepath.Join(t.TempDir(), "to")
	code, stdout, stderr := program(t, "copy", "--from", "bolt:"+from, "--to", "bolt:"+to)
	if code != exitOK || !strings.Contains(stdout, "Blogs                152 rows in both") || strings.Count(stdout, ": 0 breaches in 1 channels, 50 blogs") != 2 {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
	if n := posts(t, to); n != 50 {
		t.Errorf("%d posts in the target", n)
	}
	if code, stdout, _ := program(t, "copy", "--from", "bolt:"+from, "--to", "bolt:"+to); code != exitOK || !strings.Contains(stdout, "already") {
		t.Errorf("again: exit %d, %q", code, stdout)
	}
	printed, stop := serving(t, 1, "--data", from)
	address := strings.TrimPrefix(printed[0], "listening on ")
	response, err := http.Get(address + "/channels/News")
	if err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("reading the source: %v, %v", response, err)
	}
	_ = response.Body.Close()
	response, err = http.Post(address+"/api/v1/users", "application/json", strings.NewReader(`{"name":"bob","password":"correct horse battery"}`))
	if err != nil || response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("signing up at the source: %v, %v", response, err)
	}
	_ = response.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	stop()
	if code, _, stderr := program(t, "requeue", "--data", from); code != exitOK && !strings.Contains(stderr, "frozen") {
		t.Errorf("requeue: exit %d, %q", code, stderr)
	}
}

func copyRefuses(t *testing.T) {
	from, full, empty := stocked(t, 3), stocked(t, 2), t.TempDir()
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"a target that is not empty": {[]string{"--from", "bolt:" + from, "--to", "bolt:" + full}, "is not empty"},
		"no source":                  {[]string{"--from", "bolt:" + empty, "--to", "bolt:" + filepath.Join(empty, "to")}, "there is no store in"},
		"the same store":             {[]string{"--from", "bolt:" + from, "--to", "bolt:" + from}, "the same store"},
		"an unknown kind of store":   {[]string{"--from", "paper:x", "--to", "bolt:" + empty}, "--from must be"},
		"no directory":               {[]string{"--from", "bolt:" + from, "--to", "bolt:"}, "--to must be"},
		"no target":                  {[]string{"--from", "bolt:" + from}, "--to"},
		"a target to thaw":           {[]string{"--thaw", "--to", "bolt:" + full}, "--thaw"},
		"nothing at once":            {[]string{"--from", "bolt:" + from, "--to", "bolt:" + empty, "--flight", "0"}, "--flight"},
		"an account that is none":    {[]string{"--from", "bolt:" + from, "--to", "azure:nonsense"}, "--to"},
		"nothing that listens": {[]string{"--from", "bolt:" + from, "--to", "azure:DefaultEndpointsProtocol=http;AccountName=a;AccountKey=Zm9v;" +
			"TableEndpoint=http://127.0.0.1:1/a;QueueEndpoint=http://127.0.0.1:1/a;", "--retries", "0"}, "storage unavailable"},
	} {
		code, stdout, stderr := program(t, append([]string{"copy"}, c.args...)...)
		if code != exitCannotRun || stdout != "" || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit %d, %q, %q", name, code, stdout, stderr)
		}
	}
	inBolt(t, from, func(store *storage.Store, _ *bolt.DB) {
		if moving, err := store.Moving(t.Context()); err != nil || moving.Freeze.Frozen {
			t.Errorf("the source says %+v, %v", moving, err)
		}
	})
	if n := posts(t, full); n != 2 {
		t.Errorf("%d posts in the target that is in use", n)
	}
}

func copyThaws(t *testing.T) {
	from, to := stocked(t, 3), filepath.Join(t.TempDir(), "to")
	if code, stdout, _ := program(t, "copy", "--thaw", "--from", "bolt:"+from); code != exitOK || !strings.Contains(stdout, "was not frozen") {
		t.Errorf("exit %d, %q", code, stdout)
	}
	if code, _, stderr := program(t, "copy", "--from", "bolt:"+from, "--to", "bolt:"+to); code != exitOK {
		t.Fatal(stderr)
	}
	if code, stdout, _ := program(t, "copy", "--thaw", "--data", from); code != exitOK || !strings.Contains(stdout, "takes writes again") {
		t.Errorf("exit %d, %q", code, stdout)
	}
	if code, _, stderr := program(t, "copy", "--from", "bolt:"+from, "--to", "bolt:"+to); code != exitCannotRun || !strings.Contains(stderr, "in use since") {
		t.Errorf("a copy to a target that is in use: exit %d, %q", code, stderr)
	}
}

func copyInUse(t *testing.T) {
	data := stocked(t, 1)
	_, stop := serving(t, 1, "--data", data)
	code, _, stderr := program(t, "copy", "--from", "bolt:"+data, "--to", "bolt:"+filepath.Join(t.TempDir(), "to"))
	if code != exitCannotRun || !strings.Contains(stderr, "in use by another process") {
		t.Errorf("exit %d, %q", code, stderr)
	}
	stop()
}

func copyUnfinished(t *testing.T) {
	data := filepath.Join(t.TempDir(), "to")
	inBolt(t, data, func(store *storage.Store, _ *bolt.DB) {
		target, err := store.BeginCopy(t.Context(), storage.Freeze{Store: "s", ID: "f", Frozen: true, Since: domain.Now()})
		if err == nil {
			err = store.NoteEmpty(t.Context(), target.Run)
		}
		if err != nil {
			t.Error(err)
		}
	})
	for _, role := range []string{"serve", "web", "worker"} {
		args := []string{role, "--data", data}
		if role != "worker" {
			args = append(args, "--listen", "127.0.0.1:0")
		}
		if code, stdout, stderr := program(t, args...); code != exitCannotRun || stdout != "" || !strings.Contains(stderr, "has not ended") {
			t.Errorf("%s: exit %d, %q, %q", role, code, stdout, stderr)
		}
	}
	if code, _, stderr := program(t, "copy", "--thaw", "--from", "bolt:"+data); code != exitCannotRun || !strings.Contains(stderr, "has not ended") {
		t.Errorf("thaw: exit %d, %q", code, stderr)
	}
}

func copyLeavesFrozen(t *testing.T) {
	from, dir := stocked(t, 2), t.TempDir()
	file, data := filepath.Join(dir, "backup"), filepath.Join(dir, "data")
	mustRun(t, "copy", "--from", "bolt:"+from, "--to", "bolt:"+filepath.Join(dir, "to"))
	mustRun(t, "backup", file, "--data", from)
	code, _, stderr := program(t, "restore", file, "--data", data)
	if code != exitOK || !strings.Contains(stderr, "microblogging copy --thaw --data "+data) {
		t.Errorf("restore: exit %d, %q", code, stderr)
	}
	inBolt(t, data, func(_ *storage.Store, db *bolt.DB) {
		tables, _ := storage.GuardForGood(db, db)
		err := tables.Transact(t.Context(), "Blogs", "p", []driver.Operation{driver.Insert("r")})
		if err == nil || !strings.Contains(err.Error(), "copy --thaw") {
			t.Errorf("a write: %v", err)
		}
	})
	r := startRole(t, "serve", "--data", data, "--listen", "127.0.0.1:0")
	r.await(t, `(takes no writes).*copy --thaw`)
	r.stop()
	if code := <-r.ended; code != exitOK {
		t.Errorf("serve: exit %d", code)
	}
	mustRun(t, "copy", "--thaw", "--data", data)
	file = filepath.Join(dir, "thawed")
	mustRun(t, "backup", file, "--data", data)
	if code, _, stderr := program(t, "restore", file, "--data", filepath.Join(dir, "again")); code != exitOK || stderr != "" {
		t.Errorf("restore of a store that takes writes: exit %d, %q", code, stderr)
	}
}

func copyOfBreach(t *testing.T) {
	from, to := stocked(t, 2), filepath.Join(t.TempDir(), "to")
	inBolt(t, from, func(_ *storage.Store, db *bolt.DB) {
		orphan := driver.Insert("once!"+strings.Repeat("0", 64), driver.String("Incarnation", "NOBODY"))
		if err := db.Transact(t.Context(), "Blogs", "nobody", []driver.Operation{orphan}); err != nil {
			t.Error(err)
		}
	})
	code, stdout, stderr := program(t, "copy", "--from", "bolt:"+from, "--to", "bolt:"+to)
	if code != exitFound || strings.Count(stdout, "1 breaches") != 2 || !strings.Contains(stdout, "is whole") {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
}
