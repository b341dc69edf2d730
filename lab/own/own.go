// Package own is for a protocol of your own, under the same checker as ours. README.md says how.
// Each file here but this one and its test holds one protocol: a method of [Protocols]. To add one,
// nothing else is edited.
package own

import (
	"context"
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
)

// Protocols has the protocols as its methods, each a func(Guards) Protocol.
type Protocols struct{}

// A Protocol is what actors do with a store, and what must hold.
type Protocol struct {
	// About is one sentence: what happens here.
	About string
	// Setup fills the store. It may be nil.
	Setup func(Client)
	// Actors run concurrently. Each call of the store is a step, and anybody may come between two steps.
	Actors []Actor
	// Recover is run by a new process when nobody else can go on, as often as it takes. It may be nil.
	Recover func(Client) error
	// Deaths is how many actors may die in one run, at any step. Late adds one fault of any kind: a
	// reply is lost, a request is sent twice, or it lands late, of a caller who has given up or as a
	// second copy.
	Deaths int
	Late   bool
	Laws   []Law
	// Guards are what can be taken out, each with one sentence that says why it is there. The code
	// asks for each with Guards.On, in one place.
	Guards map[string]string
}

// An Actor is one process, or one request.
type Actor struct {
	Name string
	Run  func(Client)
}

// A Law says in one sentence what must hold, and what is wrong in a state, or nothing.
type Law struct {
	Name, Means string
	// Always is judged in each state, and AtRest when nobody can go on and Recover is done.
	Always, AtRest func(State) string
}

// Guards are those that are not taken out.
type Guards struct{ without string }

// On reports whether a guard is there.
func (g Guards) On(name string) bool { return g.without != name }

// A Client is what an actor has: a store, and a context for its calls. Its tables and its queue are
// those of the driver that ships. A line that begins with //lab: above a call is its sentence.
type Client struct {
	context.Context
	backend driver.Backend
	actor   *lab.Client
}

// Table is a table. It need not be made first.
func (c Client) Table(name string) *driver.Table { return driver.NewTable(c.backend, name) }

// Queue is the queue, which delivers each message at least once.
func (c Client) Queue() *driver.Queue { return driver.NewQueue(c.backend, domain.QueueName) }

// Tell records what the actor was told, such as "saved". Laws hold the store to it.
func (c Client) Tell(what string) {
	if c.actor != nil { // whoever recovers is told nothing
		c.actor.Tell(lab.Fact{Kind: lab.Kind(what)})
	}
}

// A State is what a law looks at.
type State struct {
	db   mem.Snapshot
	told []string
}

// Row is a row of a table. It has no properties if it is not there.
func (s State) Row(table, partition, row string) driver.Properties {
	found, _ := s.db.Get(table, partition, row)
	return found.Properties
}

// There reports whether a row is there.
func (s State) There(table, partition, row string) bool {
	_, err := s.db.Get(table, partition, row)
	return err == nil
}

// Told is how often somebody was told this.
func (s State) Told(what string) (n int) {
	for _, told := range s.told {
		if told == what {
			n++
		}
	}
	return n
}

// Messages are the texts on the queue.
func (s State) Messages() (texts []string) {
	for _, m := range s.db.Messages(domain.QueueName) {
		texts = append(texts, m.Text)
	}
	return texts
}

// Prefix begins the name of each scenario here.
const Prefix = "own/"

// Scenarios are the protocols, and after each itself without each of its guards.
func Scenarios() (all []lab.Scenario) {
	protocols := reflect.ValueOf(Protocols{})
	for i := range protocols.NumMethod() {
		method := protocols.Type().Method(i).Name
		make, is := protocols.Method(i).Interface().(func(Guards) Protocol)
		if !is {
			continue
		}
		name, whole := Prefix+nameOf(method), make(Guards{})
		all = append(all, whole.scenario(name))
		guards := make(Guards{}).Guards
		for _, guard := range sortedKeys(guards) {
			without := make(Guards{without: guard}).scenario(name + "-without-" + guard)
			without.Guard = &lab.Guard{Of: name, Label: guard, Why: guards[guard],
				Code: "(Protocols)." + method, Part: `On("` + guard + `")`}
			all = append(all, without)
		}
	}
	return all
}

var capital = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// nameOf is a method's name as an address has it: LeaseLock is lease-lock.
func nameOf(method string) string {
	return strings.ToLower(capital.ReplaceAllString(method, "$1-$2"))
}

func sortedKeys(guards map[string]string) (names []string) {
	for name := range guards {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (p Protocol) scenario(name string) lab.Scenario {
	s := lab.Scenario{Name: name, About: p.About, Faults: p.Deaths, Deaths: !p.Late, Laws: laws{p}}
	if p.Late {
		s.Faults++
		s.Straggles = func(*lab.Call) bool { return true }
	}
	if p.Setup != nil {
		s.Setup = func(ctx context.Context, c *lab.Client) { p.Setup(Client{ctx, c.Backend, c}) }
	}
	for _, actor := range p.Actors {
		s.Actors = append(s.Actors, lab.Actor{Name: actor.Name, Run: func(ctx context.Context, c *lab.Client) {
			actor.Run(Client{ctx, c.Backend, c})
		}})
	}
	return s
}

// laws judge a protocol.
type laws struct{ Protocol }

// List implements lab.Laws.
func (l laws) List() (list []lab.Law) {
	for _, law := range l.Laws {
		entry := lab.Law{Name: law.Name, Title: law.Name, Means: law.Means}
		if law.Always == nil {
			entry.When = lab.AtRest
		}
		list = append(list, entry)
	}
	return list
}

// Recalls implements lab.Laws: nobody keeps pages here.
func (laws) Recalls(lab.Kind) bool { return false }

// Step finds nothing: these laws are about states.
func (laws) Step([]lab.Fact, *lab.Call, []mem.Change) []domain.Breach { return nil }

// State implements lab.Laws.
func (l laws) State(v lab.View) []domain.Breach {
	return l.broken(v, func(law Law) func(State) string { return law.Always })
}

func (l laws) broken(v lab.View, judge func(Law) func(State) string) (breaches []domain.Breach) {
	state := State{db: v.DB}
	for k := range v.Facts() {
		state.told = append(state.told, string(k.Kind))
	}
	for _, law := range l.Laws {
		if wrong := judge(law); wrong != nil && wrong(state) != "" {
			breaches = append(breaches, domain.Breach{Invariant: law.Name, Detail: wrong(state)})
		}
	}
	return breaches
}

// mostRecoveries is how often Recover is run before it counts as one that comes to no end.
const mostRecoveries = 16

// Rest lets a new process recover, until it changes nothing more.
func (l laws) Rest(v lab.View) lab.Outcome {
	left := mem.Open(v.DB, "rest.")
	outcome := lab.Outcome{DB: left.Snapshot()}
	for n := 0; l.Recover != nil; n++ {
		err := l.Recover(Client{context.Background(), left, nil})
		before := outcome.DB.Sum()
		if outcome.DB = left.Snapshot(); err == nil && outcome.DB.Sum() == before {
			break
		}
		if n == mostRecoveries {
			outcome.Unfinished = true
			outcome.Breaches = []domain.Breach{{Invariant: l.Laws[0].Name, Detail: errors.Join(errors.New("whoever recovers comes to no end"), err).Error()}}
			return outcome
		}
	}
	v.DB = outcome.DB
	outcome.Breaches = append(l.State(v), l.broken(v, func(law Law) func(State) string { return law.AtRest })...)
	return outcome
}
