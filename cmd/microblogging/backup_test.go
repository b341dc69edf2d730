package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/cmd/microblogging/telemetry"
	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
)

func TestBackupCommand(t *testing.T) {
	t.Run("of a stopped store is what gzip makes of its file; restored, it is the same", backupOfStopped)
	t.Run("is given by the admin listener of a role", backupOfRole)
	t.Run("is in the metrics with its age once its file is whole, also after a restart and a restore", backupHasAge)
	t.Run("is given to one program at a time", backupIsGuarded)
	t.Run("replaces a backup, and no other file", backupReplaces)
	t.Run("is written where a link leads, which stays a link", backupFollowsLink)
	t.Run("has its name once it is whole and not before, or the name stays with the one before", backupHasNameOnceWhole)
	t.Run("that cannot begin exits with 2 and leaves nothing", backupCannotBegin)
	t.Run("that its server gives up leaves nothing", backupGivenUp)
	t.Run("does not wait for ever for a server that hangs, before its answer or within", backupHangs)
	t.Run("from a server to a file that cannot be written does not blame the server", backupCannotBeWritten)
}

func TestRestoreCommand(t *testing.T) {
	t.Run("deletes again what was deleted after the backup", restoreDeletesAgain)
	t.Run("unpacks a later backup next to the store alone, where the next restore removes what is left", restoreUnpacksBeside)
	t.Run("says if the later store is that of another site", restoreSaysOtherSite)
	t.Run("ends all sessions if it is told to", restoreEndsSessions)
	t.Run("of a bad file exits with 2 and changes nothing", restoreRefuses)
	t.Run("that is interrupted says so and leaves nothing, and so do backup and compact", othersInterrupted)
}

// A site is a store with channels and posts, in a directory.
type site struct {
	t     *testing.T
	data  string
	db    *bolt.DB
	store *storage.Parts
}

func openSite(t *testing.T, data string) *site {
	t.Helper()
	db, err := bolt.Open(data, bolt.Options{NoSync: true})
	ok(t, err)
	s := &site{t: t, data: data, db: db, store: storage.New(db, storage.Options{})}
	t.Cleanup(func() { _ = db.Close() })
	s.ok(s.store.Operator.Prepare(t.Context()))
	return s
}

func (s *site) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) close() { s.t.Helper(); s.ok(s.db.Close()) }

// create makes a channel with some posts.
func (s *site) create(name string, posts int) domain.Channel {
	s.t.Helper()
	channel, err := domain.NewChannel(name, domain.About{}, "ada")
	s.ok(err)
	channel, _, err = s.store.Channels.Create(s.t.Context(), channel, domain.PostersOpen, "", 0)
	s.ok(err)
	for i := range posts {
		s.post(channel, fmt.Sprint("post ", i, " ", rand.Uint64()))
	}
	return channel
}

func (s *site) post(channel domain.Channel, text string) {
	s.t.Helper()
	_, _, err := s.store.Posts.Create(s.t.Context(), storage.NewPost{Channel: channel, By: "ada", Key: text, Draft: domain.Draft{Text: text}})
	s.ok(err)
}

func (s *site) state(name string) error {
	_, err := s.store.Channels.Get(s.t.Context(), domain.ChannelName(name).Key().Address())
	return err
}

func (s *site) channel(name string) domain.Channel {
	s.t.Helper()
	channel, err := s.store.Channels.Get(s.t.Context(), domain.ChannelName(name).Key().Address())
	s.ok(err)
	return channel
}

// mustRun runs the program, which must succeed, and returns what it printed.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := program(t, args...)
	if code != exitOK {
		t.Fatalf("%v exits with %d and says %q", args, code, stderr)
	}
	return stdout
}

// wantClean requires that a check finds nothing, and as much as in another store.
func wantClean(t *testing.T, data, other string) {
	t.Helper()
	got, want := mustRun(t, "check", "--json", "--data", data), mustRun(t, "check", "--json", "--data", other)
	if got != want {
		t.Errorf("restored %s\nwant %s", got, want)
	}
}

// wantNames requires that a directory holds these files alone.
func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s holds %v, want %v (%v)", dir, got, want, err)
	}
}

func backupOfStopped(t *testing.T) {
	s, dir := openSite(t, t.TempDir()), t.TempDir()
	s.create("Garden", 50)
	s.create("News", 3)
	s.close()
	file, data := filepath.Join(dir, "backup"), filepath.Join(dir, "data")
	if said := mustRun(t, "backup", file, "--data", s.data); !strings.HasPrefix(said, file+": ") || !strings.HasSuffix(said, " kB\n") {
		t.Errorf("says %q", said)
	}
	if said := mustRun(t, "restore", file, "--data", data); !strings.HasPrefix(said, "restored ") {
		t.Errorf("says %q", said)
	}
	wantClean(t, data, s.data)
	wantNames(t, dir, "backup", "data")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the file: %v (%v)", info, err)
	}
	opened, err := os.Open(file)
	s.ok(err)
	defer opened.Close()
	content, err := gzip.NewReader(opened)
	s.ok(err)
	unpacked, err := io.ReadAll(content)
	s.ok(err)
	data = t.TempDir()
	s.ok(os.WriteFile(filepath.Join(data, "microblogging.db"), unpacked, 0o600))
	wantClean(t, data, s.data)
}

// admin serves a site as the admin listener does, and returns the flags by which a command reaches it.
func (s *site) admin() (flags []string) {
	b := &backend{Parts: s.store, under: s.db, local: true, embedded: s.db, backup: s.db.Backup, verify: s.db.Verify, data: s.data}
	b.told = telemetry.New(telemetry.Options{Log: slog.New(slog.DiscardHandler)})
	server := httptest.NewServer(adminRoutes(s.t.Context(), b, slog.New(slog.DiscardHandler)))
	s.t.Cleanup(server.Close)
	return []string{"--admin", server.URL, "--data", s.data}
}

// withSecret gets a page of the admin listener as a client that has the secret.
func withSecret(t *testing.T, url, data string) string {
	t.Helper()
	secret, err := os.ReadFile(filepath.Join(data, secretName))
	ok(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	ok(t, err)
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(secret)))
	response, err := http.DefaultClient.Do(request)
	ok(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	ok(t, err)
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %s: %s", url, response.Status, text)
	}
	return string(text)
}

func backupOfRole(t *testing.T) {
	s, dir := openSite(t, t.TempDir()), t.TempDir()
	s.create("Garden", 5)
	s.close()
	r, site := serving(t, "--data", s.data, "--admin-listen", "127.0.0.1:0")
	address, file, data := r.admin(t), filepath.Join(dir, "backup"), filepath.Join(dir, "data")
	mustRun(t, "backup", file, "--admin", address, "--data", s.data)
	get(t, http.DefaultClient, site+backupPath, http.StatusNotFound)
	if says := refused(t, exitCannotRun, "404 Not Found; give the address of --admin-listen", "backup", file, "--admin", site); strings.Contains(says, "<") {
		t.Errorf("says %q", says)
	}
	refused(t, exitCannotRun, "--admin", "backup", file, "--data", s.data)
	r.end(t)
	mustRun(t, "restore", file, "--data", data)
	wantClean(t, data, s.data)
}

func backupHasAge(t *testing.T) {
	s, dir := openSite(t, t.TempDir()), t.TempDir()
	s.create("Garden", 3)
	s.close()
	file := filepath.Join(dir, "backup")
	age := func(data string, meanwhile func(address string)) (seconds float64) {
		t.Helper()
		r, _ := serving(t, "--data", data, "--admin-listen", "127.0.0.1:0")
		defer r.end(t)
		address := r.admin(t)
		meanwhile(address)
		_, after, there := strings.Cut(get(t, http.DefaultClient, address+"/metrics", http.StatusOK), "\nmicroblogging_bolt_backup_age_seconds ")
		if !there {
			return -1
		}
		_, err := fmt.Sscan(after, &seconds)
		ok(t, err)
		return seconds
	}
	nothing := func(string) {}
	onlySent := func(address string) { withSecret(t, address+backupPath, s.data) }
	for what, meanwhile := range map[string]func(string){"no backup": nothing, "one that was only sent": onlySent} {
		if got := age(s.data, meanwhile); got >= 0 {
			t.Errorf("%s has the age %f", what, got)
		}
	}
	const day = 24 * time.Hour
	ok(t, bolt.NoteBackup(s.data, time.Now().Add(-3*day)))
	if got := age(s.data, onlySent); got < (3 * day).Seconds() {
		t.Errorf("a backup of three days ago has the age %f", got)
	}
	young := func(what string, got float64) {
		t.Helper()
		if got < 0 || got > time.Hour.Seconds() {
			t.Errorf("%s: the age is %f", what, got)
		}
	}
	young("of a server", age(s.data, func(address string) { mustRun(t, "backup", file, "--admin", address, "--data", s.data) }))
	young("after a restart", age(s.data, nothing))
	ok(t, bolt.NoteBackup(s.data, time.Now().Add(-3*day)))
	mustRun(t, "backup", file, "--data", s.data)
	young("of a stopped store", age(s.data, nothing))
	data := filepath.Join(dir, "data")
	mustRun(t, "restore", file, "--data", data)
	young("after a restore", age(data, nothing))
	ok(t, bolt.NoteBackup(data, time.Now().Add(-3*day)))
	copied := filepath.Join(dir, "copied")
	mustRun(t, "copy", "--from", "bolt:"+data, "--to", "bolt:"+copied)
	young("after a copy", age(copied, nothing))
	ok(t, os.WriteFile(filepath.Join(copied, "last-backup"), nil, 0o600))
	if got := age(copied, nothing); got < (3 * day).Seconds() {
		t.Errorf("with a note that is empty, the age is %f", got)
	}
}

func backupIsGuarded(t *testing.T) {
	s := openSite(t, t.TempDir())
	s.create("Garden", 3)
	handler := &backupHandler{backend: &backend{Parts: s.store, backup: s.db.Backup}, log: slog.New(slog.DiscardHandler)}
	handler.turn.Lock() // another has its turn
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, backupPath, nil))
	if recorder.Code != http.StatusServiceUnavailable || recorder.Header().Get("Retry-After") == "" {
		t.Errorf("while another runs: %d %s", recorder.Code, recorder.Body)
	}
}

func backupReplaces(t *testing.T) {
	s, dir := openSite(t, t.TempDir()), t.TempDir()
	s.create("Garden", 3)
	s.close()
	file := filepath.Join(dir, "backup")
	for range 2 {
		mustRun(t, "backup", file, "--data", s.data)
	}
	store := filepath.Join(s.data, "microblogging.db")
	refused(t, exitCannotRun, "not a backup", "backup", store, "--data", s.data)
	wantNames(t, dir, "backup")
	wantNames(t, s.data, "last-backup", "microblogging.db")
	if said := mustRun(t, "check", "--data", s.data); !strings.Contains(said, "0 violations in 1 channels, 3 blogs") {
		t.Error(said)
	}
}

// The link leads over another in a directory that is a link, to a file that is there from the second backup on.
func backupFollowsLink(t *testing.T) {
	s, dir, far := openSite(t, t.TempDir()), t.TempDir(), t.TempDir()
	s.create("Garden", 3)
	s.close()
	link := func(to, name string) { ok(t, os.Symlink(filepath.FromSlash(to), name)) }
	ok(t, os.Mkdir(filepath.Join(far, "inner"), 0o700))
	link(filepath.Join(far, "inner"), filepath.Join(dir, "mount"))
	link("../kept", filepath.Join(far, "inner", "latest"))
	file := filepath.Join(dir, "backup")
	link("mount/latest", file)
	for range 2 {
		mustRun(t, "backup", file, "--data", s.data)
		wantNames(t, dir, "backup", "mount")
		wantNames(t, far, "inner", "kept")
		ok(t, verifyFile(filepath.Join(far, "kept")))
	}
	for _, name := range []string{file, filepath.Join(far, "inner", "latest")} {
		if _, err := os.Readlink(name); err != nil {
			t.Error(err)
		}
	}
	loop := filepath.Join(dir, "loop")
	link("loop", loop)
	refused(t, exitCannotRun, "loop", "backup", loop, "--data", s.data)
}

func verifyFile(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(verify(file), file.Close())
}

func backupHasNameOnceWhole(t *testing.T) {
	dir := t.TempDir()
	file, content := filepath.Join(dir, "backup"), packed(t, "content")
	var before []byte // of that name
	for _, fails := range []error{errors.New("fails"), nil, errors.New("fails")} {
		_, err := writeBackup(file, func(w io.Writer) error {
			_, err := w.Write(content[:len(content)/2])
			if now, _ := os.ReadFile(file); !bytes.Equal(now, before) { // as a process that is killed here leaves it
				t.Errorf("halfway there is %q, want %q", now, before)
			}
			_, err2 := w.Write(content[len(content)/2:])
			return errors.Join(err, err2, fails)
		})
		if !errors.Is(err, fails) {
			t.Error(err)
		}
		if fails == nil {
			before = content
		}
		if now, _ := os.ReadFile(file); !bytes.Equal(now, before) {
			t.Errorf("in the end there is %q, want %q", now, before)
		}
	}
	wantNames(t, dir, "backup")
}

func backupCannotBegin(t *testing.T) {
	s, dir := openSite(t, t.TempDir()), t.TempDir()
	file := filepath.Join(dir, "backup")
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	closed := openSite(t, t.TempDir())
	withoutStore := closed.admin()
	closed.close()
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"a store in use":              {[]string{file, "--data", s.data}, "--admin"},
		"no store":                    {[]string{file, "--data", filepath.Join(dir, "slip")}, "slip"},
		"Azure":                       {[]string{file, "--storage", "azure"}, "microblogging copy"},
		"a folder that is not there":  {[]string{filepath.Join(dir, "slip", "backup"), "--data", s.data}, "slip"},
		"a server that is not there":  {[]string{file, "--admin", "http://127.0.0.1:1"}, "127.0.0.1:1"},
		"a server without it":         {[]string{file, "--admin", server.URL}, "404"},
		"an address that is no URL":   {[]string{file, "--admin", "localhost:9090"}, "--admin must be the URL"},
		"a store that cannot be read": {append([]string{file}, withoutStore...), "EOF"},
		"a folder of that name":       {[]string{dir, "--data", s.data}, "exists and was not replaced"},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, exitCannotRun, c.says, append([]string{"backup"}, c.args...)...)
			wantNames(t, dir)
		})
	}
}

// packed is the file of a backup with some content.
func packed(t *testing.T, content string) []byte {
	t.Helper()
	var file bytes.Buffer
	err := pack(&file, func(w io.Writer) error { _, err := io.WriteString(w, content); return err })
	ok(t, err)
	return file.Bytes()
}

func backupGivenUp(t *testing.T) {
	dir := t.TempDir()
	whole := packed(t, "content")
	for says, body := range map[string][]byte{
		"unexpected EOF":    whole[:len(whole)-1],
		"invalid header":    append(bytes.Clone(whole), "and something else"...),
		"not a backup file": []byte("<html>"),
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", backupType)
			_, _ = w.Write(body)
		}))
		refused(t, exitFound, says, "backup", filepath.Join(dir, "backup"), "--admin", server.URL)
		server.Close()
		wantNames(t, dir)
	}
}

func backupHangs(t *testing.T) {
	whole := packed(t, "content")
	for begun := range 2 {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if begun == 1 {
				w.Header().Set("Content-Type", backupType)
				_, _ = w.Write(whole[:20])
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
		}))
		var got bytes.Buffer
		err := operatorFlags{Admin: server.URL}.download(t.Context(), &got, 50*time.Millisecond)
		if err == nil || !strings.Contains(err.Error(), "within 50ms") || got.Len() != 20*begun {
			t.Errorf("%d bytes, and the error is %v", got.Len(), err)
		}
		server.Close()
	}
}

func backupCannotBeWritten(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", backupType)
		_, _ = w.Write(packed(t, "content"))
	}))
	defer server.Close()
	to, err := os.Create(filepath.Join(t.TempDir(), "backup"))
	if err == nil {
		err = to.Close() // a write to it fails as one on a full disk does
	}
	ok(t, err)
	if err := (operatorFlags{Admin: server.URL}).download(t.Context(), to, time.Minute); err == nil || strings.Contains(err.Error(), "the server closed") {
		t.Errorf("the error is %v", err)
	}
}

// TestDamagedStore asks each command for a store whose file it cannot use. A command that fails changes neither that
// file nor the backup of yesterday.
func TestDamagedStore(t *testing.T) {
	alter := func(change func(tx *bbolt.Tx) error) (data string) {
		s := openSite(t, t.TempDir())
		s.create("Garden", 3)
		s.close()
		db, err := bbolt.Open(filepath.Join(s.data, "microblogging.db"), 0o600, &bbolt.Options{Timeout: time.Second, NoFreelistSync: true})
		s.ok(err)
		s.ok(errors.Join(db.Update(change), db.Close()))
		return s.data
	}
	earlier := alter(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("microblogging")).Put([]byte("schema"), []byte{0, 0, 0, 1})
	})
	row := alter(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("table Blogs")).Put([]byte("garden\x00blog!1"), []byte("spoiled"))
	})
	header := alter(func(*bbolt.Tx) error { return nil })
	file, err := os.OpenFile(filepath.Join(header, "microblogging.db"), os.O_WRONLY, 0)
	ok(t, err)
	_, err = file.WriteAt([]byte{0xff}, 20)
	ok(t, err, file.Close())
	const undecodable = `table Blogs: row ("garden", "blog!1")`
	backup, yesterday := filepath.Join(t.TempDir(), "backup"), packed(t, "of yesterday")
	ok(t, os.WriteFile(backup, yesterday, 0o600))
	for _, c := range []struct {
		command, data, says string
		code                int
	}{
		{"serve", earlier, "written by an earlier build, and this program has no way to read it", exitCannotRun},
		{"check", earlier, "export", exitCannotRun},
		{"compact", earlier, "export", exitCannotRun},
		{"backup", earlier, "export", exitCannotRun},
		{"check", row, undecodable, exitFound},
		{"backup", row, undecodable, exitFound},
		{"backup --admin", row, undecodable, exitFound},
		{"check --admin", row, undecodable, exitFound},
		{"compact", row, undecodable, exitFound},
		{"serve", header, "one of the two headers of the file is invalid", exitCannotRun},
		{"check", header, "one of the two headers of the file is invalid", exitFound},
		{"backup", header, "one of the two headers of the file is invalid", exitFound},
		{"compact", header, "the last write may be missing", exitOK},
		{"check", header, "", exitOK},
	} {
		t.Run(c.command+" "+c.says, func(t *testing.T) {
			args := []string{c.command, "--data", c.data}
			store := filepath.Join(c.data, "microblogging.db")
			switch c.command {
			case "serve":
				args = append(args, "--listen", "127.0.0.1:0")
			case "backup":
				args = append(args, backup)
			case "backup --admin":
				args = append([]string{"backup", backup}, openSite(t, c.data).admin()...)
			case "check --admin":
				args = append([]string{"check"}, openSite(t, c.data).admin()...)
			}
			before, err := os.ReadFile(store)
			ok(t, err)
			code, _, stderr := program(t, args...)
			if code != c.code || !strings.Contains(stderr, c.says) || strings.Count(stderr, "\n") > 1 {
				t.Errorf("exit %d, %q, want %d and %q", code, stderr, c.code, c.says)
			}
			after, err := os.ReadFile(store)
			if kept, _ := os.ReadFile(backup); err != nil || code != exitOK && !bytes.Equal(before, after) || !bytes.Equal(kept, yesterday) {
				t.Errorf("the store or the backup has changed (%v)", err)
			}
			wantNames(t, filepath.Dir(backup), "backup")
		})
	}
}

func othersInterrupted(t *testing.T) {
	s, dir := openSite(t, t.TempDir()), t.TempDir()
	s.create("Garden", 3)
	s.close()
	file, data := filepath.Join(dir, "backup"), filepath.Join(dir, "data")
	mustRun(t, "backup", file, "--data", s.data)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for says, args := range map[string][]string{
		"nothing was restored":     {"restore", file, "--data", data},
		"the store is as it was":   {"compact", "--data", s.data},
		file + "2 was not written": {"backup", file + "2", "--data", s.data},
	} {
		var stdout, stderr bytes.Buffer
		code := run(ctx, args, &console{stdout: &stdout, stderr: &stderr})
		if code == exitOK || stdout.Len() > 0 || !strings.Contains(stderr.String(), "interrupted, and "+says) {
			t.Errorf("%v: exit %d, %q and %q", args, code, &stdout, &stderr)
		}
	}
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a store now (%v)", err)
	}
	wantNames(t, s.data, "last-backup", "microblogging.db")
	wantNames(t, dir, "backup")
}

func restoreDeletesAgain(t *testing.T) {
	s, dir := openSite(t, t.TempDir()), t.TempDir()
	garden := s.create("Garden", 5)
	s.create("News", 1)
	admin := s.admin()
	file, later := filepath.Join(dir, "backup"), filepath.Join(dir, "later")
	mustRun(t, append([]string{"backup", file}, admin...)...)
	_, err := s.store.Deletions.Request(t.Context(), garden.Key(), domain.By("ada"), domain.Any[domain.Incarnation]())
	s.ok(err)
	mustRun(t, append([]string{"backup", later}, admin...)...)
	s.close()
	for _, c := range []struct {
		args   []string
		garden error
	}{
		{nil, nil},
		{[]string{"--deletions", later}, domain.ErrGone},
		{[]string{"--deletions", s.data}, domain.ErrGone},
	} {
		data := t.TempDir()
		said := mustRun(t, append([]string{"restore", file, "--data", data}, c.args...)...)
		if deleted := strings.Contains(said, "asked for again: 1;"); deleted != (c.garden != nil) {
			t.Errorf("%v: says %q", c.args, said)
		}
		if said := mustRun(t, "check", "--data", data); !strings.Contains(said, "0 violations") {
			t.Error(said)
		}
		restored := openSite(t, data)
		if err := restored.state("garden"); !errors.Is(err, c.garden) {
			t.Errorf("%v: the channel is %v, want %v", c.args, err, c.garden)
		}
		if err := restored.state("news"); err != nil {
			t.Errorf("%v: the other channel is %v", c.args, err)
		}
		restored.close()
		if said := mustRun(t, "check", "--data", data); !strings.Contains(said, "0 violations") {
			t.Error(said)
		}
	}
}

// A backup holds password hashes, and a restore may be killed at any time.
func restoreUnpacksBeside(t *testing.T) {
	s, dir := openSite(t, t.TempDir()), t.TempDir()
	s.create("Garden", 3)
	s.close()
	file, data := filepath.Join(dir, "backup"), filepath.Join(dir, "data")
	mustRun(t, "backup", file, "--data", s.data)
	t.Setenv("TMPDIR", filepath.Join(dir, "slip"))
	looked := false
	ok(t, readUnpacked(t.Context(), file, data, func(*bolt.DB) error {
		looked = true
		left, err := os.ReadDir(data)
		if err != nil || len(left) != 1 || !strings.HasPrefix(left[0].Name(), "microblogging.db.restore-") {
			t.Errorf("it is unpacked in %v (%v)", left, err)
		}
		return nil
	}))
	if !looked {
		t.Error("it was not read")
	}
	wantNames(t, dir, "backup")
	mustRun(t, "restore", file, "--data", data, "--deletions", file)
	wantNames(t, data, "last-backup", "microblogging.db")
}

// The sites have users of the same names. A site that has none yet may be any.
func restoreSaysOtherSite(t *testing.T) {
	dir := t.TempDir()
	made := func(name string, users ...string) (data, file string) {
		s := openSite(t, filepath.Join(dir, name))
		for _, user := range users {
			_, err := s.store.Operator.SignUp(t.Context(), user, "correct horse battery")
			s.ok(err)
		}
		s.close()
		file = filepath.Join(dir, name+".gz")
		mustRun(t, "backup", file, "--data", s.data)
		return s.data, file
	}
	own, backup := made("own", "ada", "ben")
	theirs, ofTheirs := made("theirs", "ada", "ben", "cleo")
	none, ofNone := made("none")
	damaged, _ := made("damaged", "ada", "ben")
	file, err := bbolt.Open(filepath.Join(damaged, "microblogging.db"), 0o600, &bbolt.Options{Timeout: time.Second, NoFreelistSync: true})
	ok(t, err)
	ok(t, errors.Join(file.Update(func(tx *bbolt.Tx) error {
		users := tx.Bucket([]byte("table Users"))
		first, _ := users.Cursor().First()
		return users.Put(bytes.Clone(first), []byte("damaged"))
	}), file.Close()))
	for _, c := range []struct {
		backup, newer string
		warns         bool
	}{
		{backup, own, false}, {backup, theirs, true}, {backup, ofTheirs, true}, {ofNone, theirs, false}, {backup, none, true}, {backup, ofNone, true}, {backup, damaged, false},
	} {
		code, _, says := program(t, "restore", c.backup, "--data", t.TempDir(), "--deletions", c.newer)
		if warned := strings.Contains(says, c.newer+" has none of the accounts of the backup"); code != exitOK || warned != c.warns {
			t.Errorf("restoring %s with %s exits with %d and says %q, want a warning: %t", c.backup, c.newer, code, says, c.warns)
		}
	}
}

func restoreEndsSessions(t *testing.T) {
	s, file := openSite(t, t.TempDir()), filepath.Join(t.TempDir(), "backup")
	_, err := s.store.Operator.SignUp(t.Context(), "ada", "correct horse")
	s.ok(err)
	token, _, err := s.store.Accounts.SignIn(t.Context(), storage.Attempt{Name: "ada", Password: "correct horse", Address: "here"})
	s.ok(err)
	s.close()
	mustRun(t, "backup", file, "--data", s.data)
	for _, ends := range []bool{false, true} {
		data := t.TempDir()
		said := mustRun(t, "restore", file, "--data", data, fmt.Sprintf("--end-sessions=%t", ends))
		restored := openSite(t, data)
		if _, err := restored.store.Accounts.Session(t.Context(), token, ""); (err != nil) != ends || strings.Contains(said, "ended of users: 1") != ends {
			t.Errorf("--end-sessions=%t: %v, and says %q", ends, err, said)
		}
		restored.close()
	}
}

func restoreRefuses(t *testing.T) {
	s, dir := openSite(t, t.TempDir()), t.TempDir()
	s.create("Garden", 5)
	s.close()
	good, made := filepath.Join(dir, "backup"), filepath.Join(dir, "made")
	data := filepath.Join(made, "of", "data")
	mustRun(t, "backup", good, "--data", s.data)
	whole, err := os.ReadFile(good)
	s.ok(err)
	file := func(name string, content []byte) string {
		name = filepath.Join(dir, name)
		s.ok(os.WriteFile(name, content, 0o600))
		return name
	}
	altered := bytes.Clone(whole)
	altered[len(altered)-8] ^= 1 // the checksum: what is packed may read the same with another bit
	var other bytes.Buffer
	zip := gzip.NewWriter(&other)
	_, err = io.WriteString(zip, "text")
	s.ok(errors.Join(err, zip.Close()))
	foreign := file("foreign", packed(t, "text"))
	cut := file("cut", whole[:len(whole)-1])
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"cut short":            {[]string{cut}, "cut short or altered"},
		"altered":              {[]string{file("altered", altered)}, "cut short or altered"},
		"another gzip file":    {[]string{file("other", other.Bytes())}, "not a backup"},
		"no backup":            {[]string{file("text", []byte("text"))}, "not a backup"},
		"of no store":          {[]string{foreign}, "damaged"},
		"missing":              {[]string{filepath.Join(dir, "slip")}, "slip"},
		"deletions of none":    {[]string{good, "--deletions", foreign}, "damaged"},
		"deletions cut short":  {[]string{good, "--deletions", cut}, "cut short"},
		"deletions missing":    {[]string{good, "--deletions", filepath.Join(dir, "slip")}, "slip"},
		"Azure":                {[]string{good, "--storage", "azure"}, "microblogging copy"},
		"a store with content": {[]string{good, "--data", s.data}, "not empty"},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, exitCannotRun, c.says, append([]string{"restore", "--data", data}, c.args...)...)
			if _, err := os.Stat(made); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("there is a directory now (%v)", err)
			}
		})
	}
	wantNames(t, s.data, "last-backup", "microblogging.db")
}
