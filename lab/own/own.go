// Package own is for a protocol of your own, under the same model checker as MicroBlogging's. README.md says how.
// A protocol is a method of [Protocols] in a file of its own. To add one, nothing else is edited.
package own

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
)

// Protocols has the protocols as its methods, each a func(Safeguards) Protocol.
type Protocols struct{}

// A Protocol is what actors do with a store, and what must hold.
type Protocol struct {
	// About is one sentence: what happens here.
	About string
	// Setup fills the store. It may be nil.
	Setup func(Client)
	// Actors run concurrently. Each call of the store is a step, and any other actor may act between two steps.
	Actors []Actor
	// Recover is run by a new process when no actor can go on, as often as it takes. It may be nil.
	Recover func(Client) error
	// Deaths is how many actors may die in one run, at any step. Late adds one other fault: a request
	// or a response is lost, a request is sent twice, or a request takes effect late, because its caller
	// has given up or as a delayed duplicate. Without Deaths, an actor may also die instead.
	Deaths     int
	Late       bool
	Invariants []Invariant
	// Safeguards are what can be taken out, each with one sentence that says why it is there. The code
	// asks for each with Safeguards.On, in one place.
	Safeguards map[string]string

	watch *watch
}

// An Actor is one process, or one request.
type Actor struct {
	Name string
	Run  func(Client)
}

// An Invariant says in one sentence what must hold, and what is wrong in a state, or nothing.
type Invariant struct {
	Name, Means string
	// Always is judged in each state, and Quiescent when no actor can go on and Recover is done.
	Always, Quiescent func(State) string
}

// Safeguards are those that are not taken out.
type Safeguards struct{ without string }

// On reports whether a safeguard is there.
func (g Safeguards) On(name string) bool { return g.without != name }

// A Client is what an actor has: a store, and a context for its calls. Its tables and its queue are
// those of the production driver. A line that begins with //lab: above a call is its sentence.
type Client struct {
	context.Context
	backend driver.Backend
	actor   *lab.Client
	// name is the actor's, for the watch.
	name  string
	watch *watch
}

// Table is a table. It need not be made first.
func (c Client) Table(name string) Table {
	c.watch.acts(c.name)
	return Table{driver.NewTable(c.backend, name), name, c.watch}
}

// Queue is the queue, which delivers each message at least once.
func (c Client) Queue() Queue {
	c.watch.acts(c.name)
	return Queue{driver.NewQueue(c.backend, domain.QueueName)}
}

// Tell records what the actor was told, such as "saved". Invariants hold the store to it.
func (c Client) Tell(what string) {
	if c.actor != nil { // Recover has no actor
		c.actor.Tell(lab.Fact{Kind: lab.Kind(what)})
	}
}

// A State is what an invariant looks at.
type State struct {
	view  lab.View
	watch *watch
	// asks is told each question, and whether the state has something of that kind.
	asks func(question string, found bool)
}

// Row is a row of a table. It has no properties if it is not there.
func (s State) Row(table, partition, row string) driver.Properties {
	s.asksFor(table, partition, row)
	found, _ := s.view.DB.Get(table, partition, row)
	return found.Properties
}

// There reports whether a row is there.
func (s State) There(table, partition, row string) bool {
	s.asksFor(table, partition, row)
	_, err := s.view.DB.Get(table, partition, row)
	return err == nil
}

// asksFor notes that a row of a table is asked for.
func (s State) asksFor(table, partition, row string) {
	there := slices.Contains(s.view.DB.Tables(), table)
	s.asks("rows of the table “"+table+"”, which has none in any state", there)
	if there {
		s.asks("the row “"+strings.TrimSpace(partition+" "+row)+"” of the table “"+table+"”, which no call writes", s.watch.wrote(table, partition, row))
	}
}

// Told is how often an actor was told this.
func (s State) Told(what string) int {
	told := s.view.Count(lab.Kind(what), nil)
	s.asks("“"+what+"”, which no actor is told in any state", told > 0)
	return told
}

// Messages are the texts on the queue.
func (s State) Messages() (texts []string) {
	s.asks("the messages", true)
	for _, m := range s.view.DB.Messages(domain.QueueName) {
		texts = append(texts, m.Text)
	}
	return texts
}

// Scenarios are the protocols, and after each itself without each of its safeguards.
func Scenarios() (all []lab.Scenario) {
	protocols, methods := reflect.ValueOf(Protocols{}), map[string][]string{}
	for i := range protocols.NumMethod() {
		method := protocols.Type().Method(i).Name
		make, is := protocols.Method(i).Interface().(func(Safeguards) Protocol)
		if !is {
			continue
		}
		first, watched := len(all), newWatch()
		name, whole := lab.OwnPrefix+strings.ToLower(capital.ReplaceAllString(method, "$1-$2")), make(Safeguards{})
		whole.watch = watched
		all = append(all, whole.Scenario(name))
		source := func() (file, text string) { // which takes long, so it is done when it is needed
			file, _, _ = lab.Find("(Protocols)." + method)
			text, _ = lab.Source(file)
			return file, text
		}
		for _, safeguard := range slices.Sorted(maps.Keys(whole.Safeguards)) {
			left := make(Safeguards{without: safeguard})
			left.watch = watched
			without := left.Scenario(name + "-without-" + safeguard)
			without.Safeguard = &lab.Safeguard{Of: name, Label: safeguard, Why: whole.Safeguards[safeguard],
				Code: "(Protocols)." + method, Part: `On("` + safeguard + `")`}
			all = append(all, without)
		}
		for i := range all[first:] {
			all[first+i].Wrong = func() error {
				file, text := source()
				return cmp.Or(whole.wrong(at(method)), chance(file, text), shared(file, text, method))
			}
			methods[all[first+i].Name] = append(methods[all[first+i].Name], method)
			all[first+i].Warnings = func() []string {
				file, text := source()
				mine := only(text, method)
				return slices.Concat(watched.warnings(whole, at(method)), watched.unwritten(file, mine), whole.unasked(file, text, mine))
			}
		}
	}
	for i, s := range all {
		if names := methods[s.Name]; len(names) > 1 {
			all[i].Wrong = func() error { return sameName(s.Name, names) }
		}
	}
	return all
}

// only is the text of a file with the lines of a method alone. The others are empty.
func only(text, method string) string {
	_, first, last := lab.Find("(Protocols)." + method)
	lines := strings.Split(text, "\n")
	for i := range lines {
		if i+1 < first || i+1 > last {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// at is where a method is declared: lab/own/mine.go:7.
func at(method string) string {
	file, line, _ := lab.Find("(Protocols)." + method)
	return fmt.Sprintf("%s:%d", file, line)
}

// sameName is the error of methods that become one address.
func sameName(name string, methods []string) error {
	var places []string
	for _, method := range methods {
		places = append(places, method+" in "+at(method))
	}
	return fmt.Errorf("%s are both %s: give one of them another name", strings.Join(places, " and "), name)
}

// actorName is what an address needs not escape and a schedule can name.
var actorName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// wrong is an error if the protocol, which is declared at a line, cannot be run.
func (p Protocol) wrong(line string) error {
	known := map[string]bool{"network": true, "setup": true}
	for _, actor := range p.Actors {
		switch {
		case !actorName.MatchString(actor.Name):
			return fmt.Errorf("%s: the name of an actor is %q: use letters, digits and hyphens", line, actor.Name)
		case known[actor.Name]:
			return fmt.Errorf("%s: two actors are named %q, or the lab uses that name: give one another name", line, actor.Name)
		case actor.Run == nil:
			return fmt.Errorf("%s: the actor %q has no Run: give it a func(Client)", line, actor.Name)
		}
		known[actor.Name] = true
	}
	return nil
}

// capital is where an address has a hyphen in the name of a method: LeaseLock is lease-lock.
var capital = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// Scenario is the protocol, for the model checker.
func (p Protocol) Scenario(name string) lab.Scenario {
	s := lab.Scenario{Name: name, About: p.About, Faults: p.Deaths, Deaths: p.Deaths, Untrusted: true, Invariants: p.expectations()}
	if p.Late {
		s.Faults++
		s.DelayedCalls = func(*driver.Call) bool { return true }
	}
	if p.Setup != nil {
		s.Setup = func(ctx context.Context, c *lab.Client) { p.Setup(Client{ctx, c.Backend, c, "", p.watch}) }
	}
	for _, actor := range p.Actors {
		s.Actors = append(s.Actors, lab.Actor{Name: actor.Name, Run: func(ctx context.Context, c *lab.Client) {
			actor.Run(Client{ctx, c.Backend, c, actor.Name, p.watch})
		}})
	}
	return s
}

// expectations are the invariants, and that Recover comes to an end.
func (p Protocol) expectations() lab.Expectations {
	var e lab.Expectations
	if p.Recover != nil {
		e.Recover = p.recover
	}
	for _, invariant := range p.Invariants {
		expected := lab.Expectation{Always: p.judging(invariant.Name, invariant.Always), Quiescent: p.judging(invariant.Name, invariant.Quiescent)}
		expected.Name, expected.Title, expected.Means = invariant.Name, invariant.Name, invariant.Means
		if invariant.Always == nil {
			expected.When = lab.Quiescent
		}
		e.Expected = append(e.Expected, expected)
	}
	if p.Recover != nil {
		ends := lab.Invariant{Name: "Recover ends", Title: "Recover ends", Means: "Recover returns nil and changes nothing, in the end.", When: lab.Quiescent}
		e.Expected = append(e.Expected, lab.Expectation{Invariant: ends, Ends: true})
	}
	return e
}

func (p Protocol) judging(name string, judge func(State) string) func(lab.View) string {
	if judge == nil {
		return nil
	}
	asks := func(question string, found bool) { p.watch.asks(name, question, found) }
	return func(v lab.View) string {
		return run("invariant “"+name+"”", func() string { return judge(State{v, p.watch, asks}) })
	}
}

// mostCalls is how many calls one run of Recover may make.
const mostCalls = 10_000

// recover runs Recover once.
func (p Protocol) recover(left *mem.DB) lab.Deed {
	calls, failed := 0, ""
	var stack []uintptr
	counted := driver.Wrap(left, func(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
		if calls++; calls > mostCalls {
			panic(fmt.Sprintf("it makes more than %d calls", mostCalls))
		}
		err := next(ctx)
		if err != nil {
			failed, stack = string(c.Method)+" of "+c.Target, lab.Caller()
		}
		return err
	})
	deed := lab.Deed{Recover: true, Err: run("Recover", func() error { return p.Recover(Client{context.Background(), counted, nil, "", p.watch}) })}
	if deed.Err != nil && failed != "" {
		deed.Err = fmt.Errorf("%w (the last call that failed: %s%s)", deed.Err, failed, lab.LineIn(stack))
	}
	return deed
}

// run runs code in a goroutine of its own, because nothing can end code that loops. It panics with what is wrong.
func run[T any](name string, code func() T) (result T) {
	var failure error
	at, done := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if cause := recover(); cause != nil {
				failure = fmt.Errorf("%s: panic%s: %v", name, lab.Where(lab.Goroutine()), cause)
			}
		}()
		at <- lab.Goroutine()
		result = code()
	}()
	select {
	case <-done:
		if failure != nil {
			panic(failure)
		}
		return result
	case <-time.After(lab.Patience):
		panic(fmt.Errorf("%s comes to no end within %s%s", name, lab.Patience, lab.Where(<-at)))
	}
}
