package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage"
	"microblogging/storage/azure"
	"microblogging/storage/azuritetest"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

func TestStoreThere(t *testing.T) {
	t.Run("a command that is no role makes no store", commandMakesNoStore)
	t.Run("a role makes the store in an empty account, also while another role does", rolesMakeStore)
	t.Run("a role refuses a store with a part missing, by name", roleRefusesPartOfStore)
	t.Run("a role makes no table again that it loses", roleMakesNothingAgain)
	t.Run("a store that has lost the table Deletions says so, and is copied", lostVersionIsCopied)
}

func TestConfiguration(t *testing.T) {
	t.Run("a wrong key is an error with its reason from the start", wrongKeyAtStart)
	t.Run("a wrong key ends a command with 2", wrongKeyEndsCommand)
	t.Run("a role tries for 60 s with a wrong configuration, and then ends with 2", roleTriesForAMinute)
	t.Run("a role tries for 60 s again if the store did not answer meanwhile", roleTriesAgainForAMinute)
	t.Run("a role starts if the configuration is right after 59 s", roleStartsLate)
	t.Run("a role waits without end for a store that does not answer", roleWaitsForStore)
	t.Run("a role makes no call before its store is prepared", callsAreHeld)
}

// An account of Azurite that no other test uses.
type account struct {
	name   string // the connection string
	client *azure.Client
}

func newAccount(t *testing.T) account {
	t.Helper()
	name := azuritetest.Shared(t).Account()
	client, err := azure.Open(azure.Config{ConnectionString: name})
	ok(t, err)
	t.Cleanup(client.Close)
	return account{name, client}
}

// args are of a command on the account.
func (a account) args(command ...string) []string {
	return append(command, "--storage", "azure", "--azure-connection-string", a.name)
}

// missing names the tables and queues that are not there.
func (a account) missing(t *testing.T) (names []string) {
	t.Helper()
	for _, name := range schema.Tables() {
		if _, err := driver.NewTable(a.client, name).Scan(t.Context(), driver.Scan{Paging: driver.Paging{Limit: 1}}); err != nil {
			names = append(names, name)
		}
	}
	if _, err := driver.NewQueue(a.client, domain.QueueName).Length(t.Context()); err != nil {
		names = append(names, domain.QueueName)
	}
	return names
}

// start starts a web role, which is ready when start returns.
func (a account) start(t *testing.T) (r *role, address string) {
	t.Helper()
	r = startRole(t, a.args("web", "--listen", "127.0.0.1:0")...)
	address = r.await(t, `listening on (\S+)\n`)
	awaitReady(t, address)
	return r, address
}

// awaitReady waits until a role is ready, which takes a busy Azurite more than a probe waits.
func awaitReady(t *testing.T, address string) {
	t.Helper()
	for {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/readyz", nil)
		ok(t, err)
		if statusOf(t, request) == http.StatusOK {
			return
		}
	}
}

// signUp writes the first row.
func signUp(t *testing.T, address string) {
	t.Helper()
	response, err := http.Post(address+"/api/v1/users", "application/json", strings.NewReader(`{"name":"ada","password":"`+testPassword+`"}`))
	ok(t, err)
	ok(t, response.Body.Close())
	if response.StatusCode != http.StatusCreated {
		t.Fatalf("sign-up answers %d", response.StatusCode)
	}
}

func commandMakesNoStore(t *testing.T) {
	feed := writeFeed(t, "feed", "", 1)
	for name, args := range map[string][]string{
		"check": {"check"}, "check --repair": {"check", "--repair"}, "requeue": {"requeue"}, "user": {"user", "reset", "ada"},
		"import": {"import", "--channel", "news", "--owner", "ada", feed},
	} {
		t.Run(name+" on Azurite", func(t *testing.T) {
			a := newAccount(t)
			refused(t, exitCannotRun, "Channels", a.args(args...)...)
			if missing := a.missing(t); len(missing) != 9 {
				t.Errorf("only %q are missing", missing)
			}
		})
		t.Run(name+" on the embedded store", func(t *testing.T) {
			data := t.TempDir()
			refused(t, exitCannotRun, "no store", append(args, "--data", data)...)
			wantNames(t, data)
		})
	}
}

func rolesMakeStore(t *testing.T) {
	a := newAccount(t)
	var roles []*role
	for range 3 { // they race
		roles = append(roles, startRole(t, a.args("serve", "--listen", "127.0.0.1:0")...))
	}
	for _, r := range roles {
		awaitReady(t, r.await(t, `listening on (\S+)\n`))
	}
	signUp(t, roles[0].await(t, `listening on (\S+)\n`))
	for _, r := range roles {
		r.end(t)
		if wrote := r.wrote.String(); strings.Contains(wrote, "level=ERROR") || strings.Contains(wrote, "could not receive messages") {
			t.Errorf("it complains about a new account:\n%s", wrote)
		}
	}
	if missing := a.missing(t); len(missing) > 0 {
		t.Errorf("%q are missing", missing)
	}
}

// Package storage tries each part.
func roleRefusesPartOfStore(t *testing.T) {
	a := newAccount(t)
	r, address := a.start(t)
	signUp(t, address)
	r.end(t)
	ok(t, a.client.Drop(t.Context(), []string{"Channels", "Activity"}, []string{domain.QueueName}))
	lost := []string{"Channels", "Activity", domain.QueueName}
	for _, command := range []string{"serve", "web", "worker"} {
		code, _, errs := program(t, a.args(command)...)
		said := errs[strings.LastIndex(strings.TrimSpace(errs), "\n")+1:]
		for _, name := range append(schema.Tables(), domain.QueueName) {
			if code != exitCannotRun || strings.Contains(said, name) != slices.Contains(lost, name) {
				t.Errorf("%s exits with %d and says %q, want 2 and what is missing alone", command, code, said)
			}
		}
	}
	if missing := a.missing(t); len(missing) != len(lost) {
		t.Errorf("%q are missing", missing)
	}
}

func roleMakesNothingAgain(t *testing.T) {
	for lost, c := range map[string]struct{ tables, queues []string }{
		"a table that pages read": {[]string{"Channels"}, nil},
		"a table that few read":   {[]string{"Subscriptions"}, nil},
		"that with the version":   {[]string{"Deletions"}, nil},
		"the queue":               {nil, []string{domain.QueueName}},
	} {
		t.Run(lost, func(t *testing.T) {
			a := newAccount(t)
			r, address := a.start(t)
			signUp(t, address)
			ok(t, a.client.Drop(t.Context(), c.tables, c.queues))
			name := strings.Join(append(c.tables, c.queues...), "")
			logged := regexp.MustCompile(`level=ERROR .*` + name + `.*NotFound, request \w`)
			for there := false; !there; { // a probe of a busy Azurite may end before it comes to that part
				get(t, http.DefaultClient, address+"/readyz", http.StatusServiceUnavailable)
				r.mu.Lock()
				there = logged.MatchString(r.wrote.String())
				r.mu.Unlock()
			}
			if name == "Channels" {
				body := get(t, http.DefaultClient, address+"/channels?order=name", http.StatusServiceUnavailable)
				wantText(t, body)
			}
			// A call to each of them, as any page or worker makes it.
			if missing := a.missing(t); len(missing) != 1 || missing[0] != name {
				t.Errorf("%q are missing, want %s", missing, name)
			}
			refused(t, exitCannotRun, name, a.args("check")...)
			r.end(t)
		})
	}
}

// The version of the store was in that table.
func lostVersionIsCopied(t *testing.T) {
	a := newAccount(t)
	r, address := a.start(t)
	signUp(t, address)
	r.end(t)
	ok(t, a.client.Drop(t.Context(), []string{schema.TableDeletions}, nil))
	to := filepath.Join(t.TempDir(), "to")
	copied := []string{"copy", "--from", "azure:" + a.name, "--to", "bolt:" + to}
	says := func(sentence string, all ...[]string) {
		t.Helper()
		for _, args := range all {
			if code, _, errs := program(t, args...); code != exitCannotRun || !strings.Contains(errs, sentence) {
				t.Errorf("%s exits with %d and says %q, want 2 and %q", args[0], code, errs, sentence)
			}
		}
	}
	says("a part of the store is missing: Deletions; nothing was created. Create it empty by hand and run copy to an empty store",
		a.args("check"), a.args("worker"), copied)
	ok(t, driver.NewTable(a.client, schema.TableDeletions).Create(t.Context()))
	says("it has rows and no version: an earlier build wrote it, or its table Deletions was lost; microblogging copy --from OLD --to NEW",
		a.args("check"), a.args("worker"))
	mustRun(t, copied...)
	mustRun(t, "check", "--data", to)
	if _, err := openSite(t, to).store.Accounts.Get(t.Context(), "ada"); err != nil {
		t.Errorf("the account that was there: %v", err)
	}
}

// wantText fails the test unless a page says that waiting does not help.
func wantText(t *testing.T, body string) {
	t.Helper()
	if strings.Contains(body, "passes within a minute") || !strings.Contains(body, "operator") {
		t.Errorf("the page says %s", body)
	}
}

// withOtherKey is the account with a key that is not its own.
func (a account) withOtherKey() account {
	return account{name: strings.Replace(a.name, "AccountKey=", "AccountKey=b3Ro", 1)}
}

func wrongKeyAtStart(t *testing.T) {
	a := newAccount(t).withOtherKey()
	r := startRole(t, a.args("serve", "--listen", "127.0.0.1:0")...)
	address := r.await(t, `listening on (\S+)\n`)
	r.await(t, `level=(ERROR) .*403 Auth\w+, request \w`)
	wantText(t, get(t, http.DefaultClient, address+"/channels?order=name", http.StatusServiceUnavailable))
	get(t, http.DefaultClient, address+"/readyz", http.StatusServiceUnavailable)
	get(t, http.DefaultClient, address+"/healthz", http.StatusOK)
	r.end(t)
	for _, args := range [][]string{{"worker"}, {"web", "--sample"}} { // neither gives up immediately
		r := startRole(t, a.args(args...)...)
		r.await(t, `level=(ERROR) .*trying again.*403 Auth`)
		r.end(t)
	}
}

func wrongKeyEndsCommand(t *testing.T) {
	a := newAccount(t).withOtherKey()
	for _, args := range [][]string{a.args("check"), a.args("requeue"), {"copy", "--from", "azure:" + a.name, "--to", "bolt:" + t.TempDir()}} {
		if errs := refused(t, exitCannotRun, "403 Auth", args...); !strings.Contains(errs, "wrong configuration") || strings.Contains(errs, "unavailable") {
			t.Errorf("%s says %q", args[0], errs)
		}
	}
}

// A fakeStore is a store on a network that refuses all calls for a while.
type fakeStore struct {
	driver.Backend
	until time.Time
	why   func() error
}

func (f fakeStore) Do(ctx context.Context, c *driver.Call) error {
	if time.Now().Before(f.until) {
		return fmt.Errorf("%s: %w", c.Method, f.why())
	}
	return f.Backend.Do(ctx, c)
}

// starting starts the role of a store that refuses all calls for a while, for at most an hour: with an
// error that may change with the time. It returns how the start ended and how long that took.
func starting(t *testing.T, why func(after time.Duration) error, refuses time.Duration, look func(*backend)) (took time.Duration, wrote string, err error) {
	t.Helper()
	var log strings.Builder
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s := newStarter(slog.New(slog.NewTextHandler(&log, nil)))
		under := fakeStore{mem.Open(mem.Snapshot{}, "start."), began.Add(refuses), func() error { return why(time.Since(began)) }}
		b := &backend{Parts: newParts(under, nil, storage.Options{Around: []driver.Around{s.around}}), under: under}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		var looking sync.WaitGroup
		looking.Go(func() { look(b) })
		err = s.prepare(ctx, b)
		took = time.Since(began)
		looking.Wait()
	})
	return took, log.String(), err
}

func roleTriesForAMinute(t *testing.T) {
	for _, why := range []error{domain.ErrConfiguration, domain.ErrMissing} {
		took, log, err := starting(t, always(fmt.Errorf("%w (the whole reason)", why)), time.Hour, func(*backend) {})
		if exitCode(err, io.Discard) != exitCannotRun || took != configurationTime {
			t.Errorf("ends after %s with %v, want 2", took, err)
		}
		if strings.Count(log, "level=ERROR") != 1 || strings.Contains(log, "level=WARN") || !strings.Contains(log, "the whole reason") {
			t.Errorf("logs %s", log)
		}
	}
}

// always is an error that does not change.
func always(err error) func(time.Duration) error {
	return func(time.Duration) error { return err }
}

// A role assignment takes effect in one place of Azure before another.
func roleTriesAgainForAMinute(t *testing.T) {
	took, _, err := starting(t, func(after time.Duration) error {
		if after > 5*time.Second && after < 2*time.Minute {
			return domain.ErrUnavailable
		}
		return domain.ErrConfiguration
	}, 2*time.Minute+30*time.Second, func(*backend) {})
	if err != nil {
		t.Errorf("ends after %s with %v, half a minute after the last refusal began", took, err)
	}
}

func roleStartsLate(t *testing.T) {
	if took, _, err := starting(t, always(domain.ErrConfiguration), 59*time.Second, func(*backend) {}); err != nil || took != 59*time.Second {
		t.Errorf("ends after %s with %v", took, err)
	}
}

func roleWaitsForStore(t *testing.T) {
	took, log, err := starting(t, always(domain.ErrUnavailable), 50*time.Minute, func(*backend) {})
	if err != nil || took != 50*time.Minute || strings.Contains(log, "level=ERROR") {
		t.Errorf("ends after %s with %v, and logs %.200s", took, err, log)
	}
}

func callsAreHeld(t *testing.T) {
	var held, later error
	_, log, _ := starting(t, always(domain.ErrConfiguration), 10*time.Second, func(b *backend) {
		held = b.Health.Ready(context.Background())
		time.Sleep(11 * time.Second)
		later = b.Health.Ready(context.Background())
	})
	if !errors.Is(held, domain.ErrConfiguration) || later != nil || strings.Count(log, "level=ERROR") != 1 {
		t.Errorf("a call ends with %v before the store is prepared and with %v after it; logged %s", held, later, log)
	}
}
