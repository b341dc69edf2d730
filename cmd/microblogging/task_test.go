package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
)

func TestAdminFlag(t *testing.T) {
	t.Run("each command that has it is done by a server, with the fields that the client was given", adminCommandsAreTasks)
	t.Run("a command prints and exits with what it does on a stopped store", adminIsAsStopped)
	t.Run("is named by each command that finds its store in use", adminIsNamed)
	t.Run("with a secret that is missing or of another server says where that of the server is", adminWithoutSecret)
	t.Run("sends nothing to another host, and to no listener but that of an operator", adminElsewhere)
	t.Run("that finds the secret removed with the store works at the next attempt", adminSecretIsWrittenAgain)
	t.Run("does not wait for a server that does not begin, and says if one ends before the command", adminEnds)
	t.Run("on a server whose store is in Azure says to leave it out", adminOfAzure)
	t.Run("of a client that goes away ends the command", adminClientLeaves)
	t.Run("of two clients at a time and one that is cut off after any call requeues each message", adminRequeuesAll)
}

func TestAdminSecret(t *testing.T) {
	t.Run("is another one after each start, which its owner alone can read", secretIsNew)
	t.Run("is asked of each request for a backup or a command, from the same machine at an address of it", secretIsAsked)
}

func adminCommandsAreTasks(t *testing.T) {
	var model commands
	parser, err := kong.New(&model, kong.DefaultEnvars("MICROBLOGGING"), kong.Exit(func(int) {}))
	ok(t, err)
	var have, want []string
	for _, leaf := range parser.Model.Leaves(true) {
		if slices.ContainsFunc(leaf.Flags, func(f *kong.Flag) bool { return f.Name == "admin" }) && leaf.Name != "backup" {
			want = append(want, strings.TrimPrefix(leaf.Path(), "microblogging "))
		}
	}
	for _, one := range tasks() {
		have = append(have, one.command())
	}
	slices.Sort(have)
	if slices.Sort(want); !slices.Equal(have, want) {
		t.Errorf("a server does %q, and the commands with --admin are %q", have, want)
	}
	for args, sent := range map[string]string{
		"check --json --repair --lease 7s --admin x":                                              `{"Repair":true,"JSON":true,"Lease":7000000000}`,
		"requeue --channel Garden --admin x":                                                      `{"Channel":"Garden","Drop":false}`,
		"user reset @Ada --base-url https://x.example --admin x --azure-connection-string secret": `{"BaseURL":"https://x.example","Name":"ada"}`,
	} {
		model = commands{}
		_, err := parser.Parse(strings.Fields(args))
		ok(t, err)
		made := map[string]task{"check": model.Check.checkTask, "requeue": model.Requeue.requeueTask, "user": model.User.Reset.resetTask}[strings.Fields(args)[0]]
		text, err := json.Marshal(made)
		if ok(t, err); string(text) != sent {
			t.Errorf("%s sends %s, want %s", args, text, sent)
		}
		body, err := json.Marshal(commandRequest{made.command(), text})
		ok(t, err)
		_, back, err := decodeCommand(bytes.NewReader(body))
		ok(t, err)
		if again, err := json.Marshal(back); err != nil || string(again) != sent {
			t.Errorf("the server reads %s (%v), want %s", again, err, sent)
		}
	}
}

// poison adds poisoned deletions to the queue of operators.
func (s *site) poison(n int) {
	for range n {
		message := domain.Message{
			Kind: domain.MessageBlog, Channel: "garden", Incarnation: domain.NewIncarnation(), Name: "Garden", RequestedBy: "ada", RequestedOn: domain.Now(),
			Blog: domain.NewBlogID(domain.Now()), Revision: domain.NewRevision(),
		}
		s.ok(s.store.Operator.Messages().Send(s.t.Context(), message.Encode()))
		received, err := s.store.Operator.Messages().Receive(s.t.Context(), 1, time.Minute)
		s.ok(err)
		s.ok(s.store.Operator.Poison(s.t.Context(), received[0]))
	}
}

// adminIsAsStopped runs the same commands on two copies of a store: one is open in a server.
func adminIsAsStopped(t *testing.T) {
	made := func() *site {
		s := openSite(t, t.TempDir())
		_, err := s.store.Operator.SignUp(t.Context(), "ada", testPassword)
		s.ok(err)
		s.create("Garden", 3)
		s.poison(3)
		return s
	}
	open, stopped := made(), made()
	open.store = storage.New(open.db, storage.Options{Undo: 30 * time.Second, UndoAccount: time.Hour}) // as a server has it
	stopped.close()
	there, here := open.admin(), []string{"--data", stopped.data}
	for _, args := range [][]string{
		{"check"}, {"check", "--json"}, {"requeue", "--channel", "none"}, {"requeue", "--channel", "garden"}, {"requeue"}, {"check"},
		{"user", "reset", "zoe"}, {"user", "reset", "a b"}, {"user", "reset", "ada", "--base-url", "https://blogs.example"}, {"user", "reset", "ada"},
		{"user", "create", "bob"}, {"user", "create", "bob"}, {"user", "invite"}, {"user", "close", "zoe"}, {"user", "close", "bob"}, {"user", "close", "bob"},
		{"user", "reset", "bob"}, {"channel", "close", "none"}, {"channel", "close", "Garden"}, {"channel", "close", "garden"},
	} {
		code, out, errs := program(t, append(slices.Clone(args), there...)...)
		wantCode, wantOut, wantErrs := program(t, append(slices.Clone(args), here...)...)
		mask := func(text string) string {
			before, _, _ := strings.Cut(text, "?token=")
			before, _, _ = strings.Cut(before, "?invitation=")
			before, _, _ = strings.Cut(before, " can undo it until ")
			if poisoned, rest, found := strings.Cut(before, "poisoned: the deletion of post "); found { // which is another one
				return poisoned + fmt.Sprint(strings.Count(rest, "poisoned: the deletion of post ")) + rest[strings.LastIndex(rest, "of channel"):]
			}
			return before
		}
		if code != wantCode || mask(out) != mask(wantOut) || mask(errs) != mask(wantErrs) {
			t.Errorf("%q with --admin: exit %d, %q and %q\nstopped: exit %d, %q and %q", args, code, out, errs, wantCode, wantOut, wantErrs)
		}
		if _, token, found := strings.Cut(strings.TrimSpace(out), "?token="); found && args[1] == "reset" {
			s := open
			s.ok(s.store.Accounts.ResetPassword(t.Context(), token, "a better password"))
			_, _, err := s.store.Accounts.SignIn(t.Context(), storage.Attempt{Name: "ada", Password: "a better password"})
			s.ok(err)
		}
	}
}

func adminIsNamed(t *testing.T) {
	data := emptyStore(t)
	openSite(t, data)
	for _, args := range [][]string{{"check"}, {"requeue"}, {"user", "reset", "ada"}, {"backup", filepath.Join(t.TempDir(), "backup")}} {
		refused(t, exitCannotRun, "give the address of its --admin-listen with --admin, or stop it", append(args, "--data", data)...)
	}
}

func adminWithoutSecret(t *testing.T) {
	s, other := openSite(t, t.TempDir()), openSite(t, t.TempDir())
	_, err := s.store.Operator.SignUp(t.Context(), "ada", testPassword)
	s.ok(err)
	address := s.admin()[1]
	other.admin()
	where := "the secret of this server is in " + filepath.Join(s.data, "admin-secret") + ": give the directory with --data"
	backup := filepath.Join(t.TempDir(), "backup")
	for what, data := range map[string]string{"missing": t.TempDir(), "of another server": other.data} {
		t.Run(what, func(t *testing.T) {
			for _, args := range [][]string{{"user", "reset", "ada"}, {"requeue"}, {"check"}, {"backup", backup}} {
				refused(t, exitCannotRun, where, append(args, "--admin", address, "--data", data)...)
			}
		})
	}
	if _, err := os.Stat(backup); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a backup (%v)", err)
	}
}

func adminElsewhere(t *testing.T) {
	s := openSite(t, t.TempDir())
	s.admin()
	asked := ""
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked = r.Header.Get("Authorization") }))
	defer program.Close()
	for _, url := range []string{"http://192.0.2.1:8082", "http://blogs.example:8082", "http://127.0.0.1.blogs.example:8082", "127.0.0.1:8082", "ftp://127.0.0.1:8082", "http://"} {
		refused(t, exitCannotRun, "--admin must be the URL of a listener on this machine, such as http://127.0.0.1:8082", "requeue", "--admin", url, "--data", s.data)
	}
	refused(t, exitCannotRun, "connection refused", "requeue", "--admin", "http://127.0.0.1:1", "--data", s.data)
	refused(t, exitCannotRun, "give the address of --admin-listen", "requeue", "--admin", program.URL, "--data", s.data)
	if asked == "" {
		t.Error("the other listener was not asked")
	}
	r, site := serving(t)
	refused(t, exitCannotRun, "give the address of --admin-listen", "requeue", "--admin", site, "--data", s.data)
	r.end(t)
}

// A process goes on if its whole directory was removed, and a backup can save what it has.
func adminSecretIsWrittenAgain(t *testing.T) {
	s := openSite(t, t.TempDir())
	s.create("Garden", 3)
	flags := s.admin()
	s.ok(os.Remove(filepath.Join(s.data, secretName)))
	refused(t, exitCannotRun, "give the directory with --data", append([]string{"requeue"}, flags...)...)
	mustRun(t, append([]string{"requeue"}, flags...)...)
}

func adminEnds(t *testing.T) {
	flags := func(answer http.HandlerFunc) operatorFlags {
		server := httptest.NewServer(answer)
		t.Cleanup(server.Close)
		return operatorFlags{Admin: server.URL}
	}
	slow := flags(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	if _, err := slow.request(t.Context(), "POST", commandPath, nil, commandType, 50*time.Millisecond); err == nil || !strings.Contains(err.Error(), "timeout") {
		t.Errorf("a server that does not begin: %v", err)
	}
	var out bytes.Buffer
	ends := flags(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", commandType)
		_, _ = w.Write([]byte(`{"Stdout":"Z29uZQ=="}`))
	})
	err := ends.ask(t.Context(), &console{stdout: &out, stderr: &out}, requeueTask{})
	if exitCode(err, &out) != exitFound || !strings.HasPrefix(out.String(), "gone") || !strings.Contains(out.String(), "closed the connection before the command ended") {
		t.Errorf("a server that ends: %v, %q", err, &out)
	}
}

func adminOfAzure(t *testing.T) {
	b := &backend{Parts: &storage.Parts{}}
	for path, says := range map[string]string{"GET " + backupPath: "microblogging copy", "POST " + commandPath: "without --admin"} {
		method, path, _ := strings.Cut(path, " ")
		w := httptest.NewRecorder()
		adminHandlers(t.Context(), b, slog.New(slog.DiscardHandler)).ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if w.Code != http.StatusNotImplemented || !strings.Contains(w.Body.String(), says) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

// The client is told what is found while the check goes on, and its end ends the check.
func adminClientLeaves(t *testing.T) {
	s := openSite(t, t.TempDir())
	ended := make(chan error, 1)
	began := make(chan struct{})
	handler := &commandHandler{backend: &backend{Parts: s.store, verify: func(ctx context.Context) error {
		close(began)
		<-ctx.Done()
		ended <- ctx.Err()
		return ctx.Err()
	}}, log: slog.New(slog.DiscardHandler)}
	server := httptest.NewServer(handler)
	defer server.Close()
	ctx, leave := context.WithCancel(t.Context())
	go func() { <-began; leave() }()
	var out bytes.Buffer
	err := operatorFlags{Admin: server.URL}.ask(ctx, &console{stdout: &out, stderr: &out}, checkTask{})
	if !errors.Is(err, context.Canceled) || !errors.Is(<-ended, context.Canceled) {
		t.Errorf("the client ends with %v", err)
	}
}

// The client that is cut off ends its task in the server after some calls of the store.
func adminRequeuesAll(t *testing.T) {
	const poisoned = 6
	for calls := int64(2); ; calls += 5 {
		s := openSite(t, t.TempDir())
		s.poison(poisoned)
		ctx, leave := context.WithCancel(t.Context())
		var made atomic.Int64
		s.store = storage.New(s.db, storage.Options{Around: []driver.Around{func(task context.Context, _ *driver.Call, next func(context.Context) error) error {
			if made.Add(1) == calls {
				leave()
				<-task.Done()
			}
			return next(task)
		}}})
		flags := operatorFlags{Admin: s.admin()[1], storageFlags: storageFlags{Data: s.data}}
		var said bytes.Buffer
		code := exitCode(flags.ask(ctx, &console{stdout: &said, stderr: &said}, requeueTask{}), io.Discard)
		cut := made.Swap(calls) >= calls // the calls of the other clients go on
		leave()
		if cut == (code == exitOK) {
			t.Errorf("cut off after %d calls: %t, exit %d, %q", calls, cut, code, &said)
		}
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if code, _, errs := program(t, "requeue", "--admin", flags.Admin, "--data", s.data); code != exitOK {
					t.Errorf("exit %d, %s", code, errs)
				}
			})
		}
		both.Wait()
		received, err := s.store.Operator.Messages().Receive(t.Context(), 10*poisoned, time.Minute)
		s.ok(err)
		posts := map[domain.BlogID]bool{}
		for _, m := range received {
			message, err := domain.DecodeMessage(m.Text)
			s.ok(err)
			posts[message.Blog] = true
		}
		if check, out, _ := program(t, "check", "--admin", flags.Admin, "--data", s.data); check != exitOK || len(posts) != poisoned {
			t.Errorf("cut off after %d calls: %d of %d messages are on the queue, and check says %s", calls, len(posts), poisoned, out)
		}
		s.close()
		if !cut {
			return
		}
	}
}

func secretIsNew(t *testing.T) {
	data, seen := t.TempDir(), map[string]bool{}
	for range 2 {
		r, _ := serving(t, "--data", data, "--admin-listen", "127.0.0.1:0")
		r.admin(t)
		text, err := os.ReadFile(filepath.Join(data, "admin-secret"))
		ok(t, err)
		info, err := os.Stat(filepath.Join(data, "admin-secret"))
		ok(t, err, os.Chmod(filepath.Join(data, "admin-secret"), 0o644))
		if len(text) < 26 || seen[string(text)] || info.Mode().Perm() != 0o600 {
			t.Errorf("the secret is %q with mode %v", text, info.Mode())
		}
		seen[string(text)] = true
		r.end(t)
	}
}

func secretIsAsked(t *testing.T) {
	s := openSite(t, t.TempDir())
	b := &backend{Parts: s.store, local: true, backup: s.db.Backup, data: s.data}
	for _, path := range []string{"GET " + backupPath, "POST " + backupPath, "POST " + commandPath} {
		method, path, _ := strings.Cut(path, " ")
		w, request := httptest.NewRecorder(), httptest.NewRequest(method, "http://127.0.0.1"+path, nil)
		request.RemoteAddr = "127.0.0.1:1"
		if adminHandlers(t.Context(), b, slog.New(slog.DiscardHandler)).ServeHTTP(w, request); w.Code != http.StatusUnauthorized {
			t.Errorf("%s %s without a secret is answered %d", method, path, w.Code)
		}
	}
	secret := newAdminSecret(t.Context(), s.data, slog.New(slog.DiscardHandler))
	right := "Bearer " + secret.text
	for _, c := range []struct {
		from, host, secret string
		code               int
	}{
		{"127.0.0.1:1", "127.0.0.1:8082", right, 200},
		{"[::1]:1", "[::1]:8082", right, 200},
		{"127.0.0.1:1", "localhost", right, 200},
		{"127.0.0.1:1", "localhost", "", 401},
		{"127.0.0.1:1", "localhost", "Bearer ", 401},
		{"127.0.0.1:1", "localhost", right + "x", 401},
		{"127.0.0.1:1", "localhost", secret.text, 401},
		{"192.0.2.7:1", "127.0.0.1:8082", right, 403},
		{"127.0.0.1:1", "192.0.2.1:8082", right, 403},
		{"127.0.0.1:1", "rebound.example:8082", right, 403},
	} {
		w, request := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "http://"+c.host+commandPath, nil)
		request.RemoteAddr = c.from
		request.Header.Set("Authorization", c.secret)
		secret.ask(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, request)
		if w.Code != c.code {
			t.Errorf("from %s at %s with %q: %d, want %d", c.from, c.host, c.secret, w.Code, c.code)
		}
	}
}
