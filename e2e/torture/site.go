package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"microblogging/e2e/program"
)

// Times of the program under test. The lease is short, so that many can be
// missed.
const (
	lease      = 2 * time.Second
	slowSweep  = time.Second
	usersEach  = 10
	namesEach  = 3
	webRoles   = 2
	workerRole = 2

	// unlimited is the rate of writes: the users write faster than people, and from one
	// address.
	unlimited = "0"

	// A region away from its store, a role waits as long for each answer, and a
	// deletion takes long enough to be hurt.
	webLatency    = 8 * time.Millisecond
	workerLatency = 12 * time.Millisecond
)

// A site is the processes that serve one store, and its users.
type site struct {
	name     string
	binary   string
	channels []string
	roles    []*role
	users    []*user
	ledger   *ledger
	checks   atomic.Int64
	// judged counts what was held in the end against what its users were told.
	judged struct{ ratings, subscriptions atomic.Int64 }
	// flags and environment lead a command straight to the store.
	flags       []string
	environment []string
}

// boltSite is one process on the embedded store.
func boltSite(o *Options) *site {
	s := newSite("bolt", o)
	s.flags = []string{"--data", filepath.Join(o.Dir, "bolt")}
	s.addRole("serve", "serve", "--listen", "127.0.0.1:0", "--write-rate", unlimited, "--lease", lease.String(), "--sweep", slowSweep.String())
	return s
}

// azuriteSite is web and worker processes that reach an account by wires of
// their own.
func azuriteSite(o *Options, account string) (*site, error) {
	s := newSite("azurite", o)
	s.flags, s.environment = []string{"--storage", "azure"}, []string{connection(account)}
	for n := range webRoles {
		if err := s.addWired(fmt.Sprintf("web%d", n+1), account, webLatency, "web", "--listen", "127.0.0.1:0", "--write-rate", unlimited); err != nil {
			return nil, err
		}
	}
	for n := range workerRole {
		if err := s.addWired(fmt.Sprintf("worker%d", n+1), account, workerLatency,
			"worker", "--lease", lease.String(), "--sweep", slowSweep.String()); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func connection(account string) string { return "AZURE_STORAGE_CONNECTION_STRING=" + account }

func newSite(name string, o *Options) *site {
	s := &site{name: name, binary: o.Binary, ledger: newLedger(name)}
	for n := range namesEach {
		s.channels = append(s.channels, fmt.Sprintf("channel%d", n+1))
	}
	for n := range usersEach {
		s.users = append(s.users, newUser(s, n, o.Seed, stream(name, "user", n)))
	}
	return s
}

func (s *site) addRole(name string, args ...string) *role {
	name = s.name + "-" + name
	program := append(append([]string{s.binary, args[0]}, s.flags...), args[1:]...)
	r := &role{
		name: name, moments: s.ledger.moments, accuse: s.ledger.accuse,
		program: append(program, "--log-format", "json"),
		log:     filepath.Join(filepath.Dir(s.binary), name+".log"),
	}
	s.roles = append(s.roles, r)
	return r
}

// endpoints are where a connection string leads.
var endpoints = regexp.MustCompile(`TableEndpoint=http://([^/]+)/.*QueueEndpoint=http://([^/]+)/`)

// addWired adds a role that reaches the account by wires of its own.
func (s *site) addWired(name, account string, latency time.Duration, args ...string) error {
	to := endpoints.FindStringSubmatch(account)
	if to == nil {
		return fmt.Errorf("no endpoints in %q", account)
	}
	tables, err := newWire(to[1], latency)
	if err != nil {
		return err
	}
	queue, err := newWire(to[2], latency)
	if err != nil {
		return err
	}
	through := strings.NewReplacer(to[1], tables.address(), to[2], queue.address()).Replace(account)
	r := s.addRole(name, args...)
	r.tables, r.queue, r.environment = tables, queue, []string{connection(through)}
	return nil
}

// shared tells whether other processes may use the store at the same time.
func (s *site) shared() bool { return len(s.environment) > 0 }

// start starts all roles, and makes the users' accounts.
func (s *site) start(ctx context.Context) error {
	for _, r := range s.roles {
		if err := r.start(ctx); err != nil {
			return err
		}
	}
	for _, u := range s.users {
		if err := u.signUp(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// close ends what still runs, if the run itself did not come to that.
func (s *site) close() {
	for _, r := range s.roles {
		r.kill()
		if r.wired() {
			r.tables.close()
			r.queue.close()
		}
	}
}

// url is where a user is served: by the same process as long as it is up, so that
// one which sleeps does not catch all users. If all are down, it waits.
func (s *site) url(ctx context.Context, user int) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for ctx.Err() == nil {
		serving := only(s.roles, (*role).serves)
		for n := range serving {
			if p := serving[(user+n)%len(serving)].current(); p != nil {
				return p.url, nil
			}
		}
		pause(ctx, 10*time.Millisecond)
	}
	return "", ctx.Err()
}

// run runs a command of the program to its end.
func (s *site) run(ctx context.Context, command string, args ...string) (output []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.binary, append(append([]string{command}, s.flags...), args...)...)
	cmd.Env = append(program.Environ(), s.environment...)
	output, err = cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s: %w\n%s", command, err, exit.Stderr)
	}
	return output, err
}
