package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"microblogging/e2e/program"
	"microblogging/storage/azuritetest"
)

const (
	// lease is short, so that a process often misses one.
	lease = 2 * time.Second
	// reconcile is the time between two reconciling passes.
	reconcile = time.Second

	// How many there are of each on a site.
	userCount    = 10
	channelCount = 3
	webCount     = 2
	workerCount  = 2

	// dataRace is in every report of the race detector. Its exit code is no sign: a
	// program that fails for another reason keeps its own.
	dataRace = "DATA RACE"

	// undoShort and undoLong are how long a deletion can be undone. One process in undoRarely has
	// the long time. It is a tenth of the run if that is shorter.
	undoShort, undoLong = time.Second, time.Minute
	undoRarely          = 4
	// undoAccount is how long the deletion of an account can be undone, if time passes.
	undoAccount = 2 * time.Minute

	// The latency of a store in another region. It makes a deletion long enough to
	// be hurt.
	webLatency    = 8 * time.Millisecond
	workerLatency = 12 * time.Millisecond
)

// A site is the processes that serve one store, and its users.
type site struct {
	name string
	// setup leads a command straight to the store, past the wires.
	setup    program.Setup
	dir      string
	channels []string
	// relay is what is before the table service, and azurite what both services are; nil on
	// the embedded store.
	relay   *relay
	azurite *azuritetest.Server
	// away is locked while azurite is away.
	away sync.RWMutex
	// hung is the file that makes the disk hang.
	hung string
	// undoLong and undoAccount are as the constants, for this run.
	undoLong, undoAccount time.Duration
	// started counts processes, and passed is how much time has passed by leaps.
	started atomic.Int64
	passed  atomic.Int64
	roles   []*role
	users   []*user
	history *history
	tally   *tally
}

// unlimited are the flags of a web role without limits and quotas: the users are faster than people, and at
// one address.
func unlimited() []string {
	return []string{
		"--listen", "127.0.0.1:0", "--write-rate", "0", "--sign-ups", "0",
		"--account-day-quota", "0", "--address-day-quota", "0", "--account-quota", "0",
	}
}

// boltSite is one process on the embedded store.
func boltSite(o *run) *site {
	s := newSite("bolt", o)
	s.hung = filepath.Join(o.dir, "hung")
	s.setup.Flags, s.setup.Environment = []string{"--data", filepath.Join(o.dir, "bolt")}, []string{diskVariable + "=" + s.hung}
	s.addRole("serve", "serve", append(unlimited(), "--lease", lease.String(), "--reconcile", reconcile.String())...)
	return s
}

// azuriteSite is web and worker processes on an account of Azurite. Each reaches
// it by wires of its own. The wires to the tables meet in a relay.
func azuriteSite(o *run, azurite *azuritetest.Server) (*site, error) {
	s, account := newSite("azurite", o), azurite.Account()
	s.azurite = azurite
	s.setup.Flags, s.setup.Environment = []string{"--storage", "azure"}, []string{connection(account)}
	to := endpoints.FindStringSubmatch(account)
	if to == nil {
		return nil, fmt.Errorf("no endpoints in %q", account)
	}
	var err error
	if s.relay, err = newRelay(to[1]); err != nil {
		return nil, err
	}
	for n := range webCount + workerCount {
		name, latency := fmt.Sprintf("web%d", n+1), webLatency
		args := append([]string{"web"}, unlimited()...)
		if n >= webCount {
			name, latency = fmt.Sprintf("worker%d", n+1-webCount), workerLatency
			args = []string{"worker", "--lease", lease.String(), "--reconcile", reconcile.String()}
		}
		tables, err := newWire(s.relay.address, latency)
		if err != nil {
			return nil, err
		}
		queue, err := newWire(to[2], latency)
		if err != nil {
			return nil, err
		}
		r := s.addRole(name, args[0], args[1:]...)
		r.tables, r.queue = tables, queue
		through := strings.NewReplacer(to[1], tables.address(), to[2], queue.address())
		r.setup.Environment = []string{connection(through.Replace(account))}
	}
	return s, nil
}

// endpoints matches the hosts that a connection string leads to.
var endpoints = regexp.MustCompile(`TableEndpoint=http://([^/]+)/.*QueueEndpoint=http://([^/]+)/`)

func connection(account string) string { return "AZURE_STORAGE_CONNECTION_STRING=" + account }

func newSite(name string, o *run) *site {
	s := &site{name: name, setup: program.Setup{Binary: o.binary}, dir: o.dir, history: newHistory(name), tally: o.tally,
		undoLong: max(undoShort, min(undoLong, o.Time/10))}
	if slices.Contains(o.Faults, "clock") {
		s.undoAccount = undoAccount
	}
	for n := range channelCount {
		s.channels = append(s.channels, fmt.Sprintf("channel%d", n+1))
	}
	for n := range userCount {
		s.users = append(s.users, newUser(s, n, o.Seed, stream(name, "user", n)))
	}
	return s
}

func (s *site) addRole(name, command string, args ...string) *role {
	name = s.name + "-" + name
	r := &role{
		name: name, site: s, setup: s.setup, command: command, args: append(args, "--log-format", "json"),
		log: filepath.Join(s.dir, name+".log"),
	}
	s.roles = append(s.roles, r)
	return r
}

// shared reports whether other processes may use the store at the same time.
func (s *site) shared() bool { return s.azurite != nil }

// undoTime is how long a deletion can be undone that the next process accepts.
func (s *site) undoTime() time.Duration {
	if s.started.Add(1)%undoRarely == 0 {
		return s.undoLong
	}
	return undoShort
}

// clockOf are the variables of a process whose clock is so far ahead of the site's time, which is the store's.
func (s *site) clockOf(ahead time.Duration) []string {
	passed := time.Duration(s.passed.Load())
	return []string{clockVariable + "=" + (passed + ahead).String(), passedVariable + "=" + passed.String()}
}

// leap lets time pass for all processes of the site. All are stopped meanwhile, so at no time do
// two of their clocks differ by that much.
func (s *site) leap(ctx context.Context) {
	for _, r := range s.roles {
		r.replacing.Lock()
		defer r.replacing.Unlock()
		r.terminate()
	}
	s.passed.Add(int64(leap))
	s.tally.add("leaps", 1)
	for _, r := range s.roles {
		if err := r.start(ctx); err != nil && ctx.Err() == nil {
			s.history.accuse("start after a leap: %v", err)
		}
	}
}

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

// close ends what still runs after a run that did not finish.
func (s *site) close() {
	for _, r := range s.roles {
		r.kill()
		if r.wired() {
			r.tables.close()
			r.queue.close()
		}
	}
	if s.relay != nil {
		s.relay.close()
	}
}

// url is where a user is served. Each user keeps to one process as long as it is
// up, so that a process that sleeps does not delay all users. While all are down,
// url waits.
func (s *site) url(ctx context.Context, user int) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, program.Patience)
	defer cancel()
	for ctx.Err() == nil {
		serving := which(s.roles, (*role).serves)
		for n := range serving {
			if p := serving[(user+n)%len(serving)].current(); p != nil {
				return p.url, nil
			}
		}
		pause(ctx, 10*time.Millisecond)
	}
	return "", ctx.Err()
}
