package lab_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/lab/protocol"
	"microblogging/storage/driver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestExplorer(t *testing.T) {
	t.Run("no schedule breaks an invariant, each missing safeguard of a small scenario is noticed, and what is found is what is known", noScheduleViolatesAnInvariant)
	t.Run("code that does not make the same call twice panics", codeThatDiffersPanics)
	t.Run("no fault has to happen: a run may end with a message that the queue could still lose", noFaultHasToHappen)
	t.Run("an actor may die after another one that was not answered", deathsAreOtherFaults)
	t.Run("two requests under way are told apart, also if their actor has stopped", lateRequestsAreToldApart)
	t.Run("a search that has no time says that it was not whole", searchWithoutTime)
}

func noFaultHasToHappen(t *testing.T) {
	s := lab.Scenario{
		Faults: 1, Forgets: true,
		Setup: func(ctx context.Context, c *lab.Client) {
			ok(t, driver.NewQueue(c.Backend, domain.QueueName).Send(ctx, "mail"))
		},
		Invariants: lab.Expectations{Expected: []lab.Expectation{{Invariant: lab.Invariant{Name: "no mail"}, Quiescent: func(v lab.View) string {
			if len(v.DB.Messages(domain.QueueName)) > 0 {
				return "there is mail"
			}
			return ""
		}}}},
	}
	if found := explorer(t, s).Explore(); found == nil || len(found.Schedule) > 0 {
		t.Errorf("%+v, want a violation in the start", found)
	}
	if found := explorer(t, s).Walk(1, 1); found == nil || len(found.Schedule) > 0 {
		t.Errorf("a walk finds %+v, want a violation in the start", found)
	}
	reach := explorer(t, s).Reach(t.Context(), "no mail", 10)
	moments, err := explorer(t, s).Follow(nil, true)
	ok(t, err)
	if len(moments) != 1 || !moments[0].Quiescent() || moments[0].Violated() == nil {
		t.Errorf("the run goes on, or holds: %+v", moments)
	}
	if !reach.From(moments[0]) || !reach.Must(moments[0]) {
		t.Errorf("it can be violated: %v, by every way: %v, and it is", reach.From(moments[0]), reach.Must(moments[0]))
	}
}

// A writer that has died, and one that was not answered, leave the same rows, and neither has told anything.
func deathsAreOtherFaults(t *testing.T) {
	const answered lab.Kind = "answered"
	s := lab.Scenario{
		Faults: 2, Deaths: 1,
		Actors: []lab.Actor{
			{Name: "ann", Run: func(ctx context.Context, c *lab.Client) {
				err := driver.NewTable(c.Backend, "Rows").Transact(ctx, "p", driver.Insert("first"))
				if err == nil || errors.Is(err, domain.ErrExists) { // it was sent twice
					c.Tell(lab.Fact{Kind: answered})
				}
			}},
			{Name: "bob", Run: func(ctx context.Context, c *lab.Client) {
				rows := driver.NewTable(c.Backend, "Rows")
				if _, err := rows.Get(ctx, "p", "first"); err == nil {
					_ = rows.Transact(ctx, "p", driver.Insert("second"))
				}
				c.Tell(lab.Fact{Kind: answered})
			}},
		},
		Invariants: lab.Expectations{Expected: []lab.Expectation{{Invariant: lab.Invariant{Name: "one is answered"}, Quiescent: func(v lab.View) string {
			if _, err := v.DB.Get("Rows", "p", "second"); err == nil && v.Count(answered, nil) == 0 {
				return "none is"
			}
			return ""
		}}}},
	}
	if explorer(t, s).Explore() == nil {
		t.Error("nothing was found, and bob may die when ann was not answered")
	}
}

// The late write copies what ann has read: what was there before bob's write, or that.
func lateRequestsAreToldApart(t *testing.T) {
	for _, copied := range []string{"", "bob's"} {
		s := lab.Scenario{
			Faults: 1, Only: lab.GivenUp, DelayedCalls: func(*driver.Call) bool { return true },
			Actors: []lab.Actor{
				{Name: "ann", Run: func(ctx context.Context, c *lab.Client) {
					rows := driver.NewTable(c.Backend, "Rows")
					read, _ := rows.Get(ctx, "p", "row") // or it is not there yet
					_ = rows.Transact(ctx, "p", driver.Insert("copy", driver.String("Text", read.Properties.String("Text"))))
				}},
				{Name: "bob", Run: func(ctx context.Context, c *lab.Client) {
					_ = driver.NewTable(c.Backend, "Rows").Transact(ctx, "p", driver.Insert("row", driver.String("Text", "bob's")))
				}},
			},
			Invariants: lab.Expectations{Expected: []lab.Expectation{{Invariant: lab.Invariant{Name: "no such copy"}, Always: func(v lab.View) string {
				row, err := v.DB.Get("Rows", "p", "copy")
				if _, was := v.DB.Get("Rows", "p", "row"); err == nil && was == nil && strings.HasPrefix(string(row.ETag), "1.1+") && row.Properties.String("Text") == copied {
					return "late"
				}
				return ""
			}}}},
		}
		if explorer(t, s).Explore() == nil {
			t.Errorf("no delayed write of %q is found", copied)
		}
	}
}

func searchWithoutTime(t *testing.T) {
	c, err := modelcheck.Find("link")
	ok(t, err)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for ctx, want := range map[context.Context]bool{over: false, t.Context(): true} {
		if found, whole := explorer(t, c.Scenario).ExploreFor(ctx); found != nil || whole != want {
			t.Errorf("found %v, whole %v", found, whole)
		}
	}
}

func TestWalk(t *testing.T) {
	t.Run("what a walk finds is shrunk", findingOfAWalkIsShrunk)
	t.Run("the same seed takes the same walks", sameSeedTakesTheSameWalks)
}

// quickCases are the cases that have few states by the records, and random walks through those that ship and have
// many. An ablation of many states is for make modelcheck; TestKnown replays the schedule that breaks it.
func quickCases(known []modelcheck.Record) (cases []modelcheck.Case) {
	walks, states := 100, 20_000 // 100 find 56 of the 70 safeguards missing; 300 find 63
	if testing.Short() {
		walks, states = 30, 3_000
	}
	for _, c := range modelcheck.Cases() {
		record, _ := modelcheck.About(known, c.Name)
		few := record.States <= states
		if c.Part == modelcheck.Real && !few {
			c.Walks = walks
		}
		if few || c.Walks > 0 {
			cases = append(cases, c)
		}
	}
	return cases
}

func noScheduleViolatesAnInvariant(t *testing.T) {
	known, err := modelcheck.Known()
	ok(t, err)
	var explored []modelcheck.Result
	s := modelcheck.All(quickCases(known), 1, func(r modelcheck.Result) {
		t.Log(r)
		if r.Walks == 0 {
			explored = append(explored, r)
		}
	})
	if err := modelcheck.CheckRecords(explored, known); err != nil {
		t.Error(err)
	}
	printLine(t, "lab: "+s.String())
	for _, r := range s.Shortfalls {
		if r.Finding == nil {
			t.Errorf("%s: no invariant was broken, and one should be", r.Name)
			continue
		}
		schedule, err := r.Describe(r.Format(r.Finding.Schedule))
		ok(t, err)
		t.Error(schedule)
	}
}

// printLine prints a line that make test shows although the test passes. go test
// shows the output of several packages only if they fail, so make test collects
// such lines in a file.
func printLine(t *testing.T, line string) {
	t.Helper()
	fmt.Println(line)
	name := os.Getenv("TEST_REPORT")
	if name == "" {
		return
	}
	report, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	ok(t, err)
	_, err = fmt.Fprintln(report, line)
	ok(t, errors.Join(err, report.Close()))
}

func ablated(t *testing.T, name string) lab.Scenario {
	t.Helper()
	for _, a := range protocol.Ablations() {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("there is no ablation %s", name)
	return lab.Scenario{}
}

func explorer(t *testing.T, s lab.Scenario) *lab.Explorer {
	x := lab.NewExplorer(s)
	t.Cleanup(x.Close)
	return x
}

func findingOfAWalkIsShrunk(t *testing.T) {
	s := ablated(t, "open-gate")
	shortest := explorer(t, s).Explore()
	s.Faults = 3
	walked := explorer(t, s).Walk(10_000, 2)
	if walked == nil {
		t.Fatal("10,000 walks found nothing")
	}
	t.Logf("walked: %s", s.Format(walked.Schedule))
	if got, want := len(walked.Schedule), len(shortest.Schedule)+5; got > want {
		t.Errorf("a walk was shrunk to %d steps, want at most %d: the shortest has %d", got, want, len(shortest.Schedule))
	}
	for _, c := range walked.Schedule {
		if c.Fate == lab.Unsent || c.Fate == lab.Lost {
			t.Errorf("the shrunk run still has a fault that does not matter: %s", s.Format(walked.Schedule))
		}
	}
}

func sameSeedTakesTheSameWalks(t *testing.T) {
	s := ablated(t, "shut-gate")
	s.Setup, s.Intercept = protocol.Scenarios()[0].Setup, nil
	first, second := explorer(t, s), explorer(t, s)
	first.Walk(50, 7)
	second.Walk(50, 7)
	if first.Counts().States != second.Counts().States || first.Counts().Steps != second.Counts().Steps {
		t.Errorf("first %+v, then %+v", first.Counts(), second.Counts())
	}
}

// States are told apart by the answers that actors got, so the next call of the code
// must not depend on anything else.
func codeThatDiffersPanics(t *testing.T) {
	runs := 0
	s := lab.Scenario{
		Faults:     2,
		Invariants: protocol.Scenarios()[0].Invariants,
		Actors: []lab.Actor{{Name: "fickle", Run: func(ctx context.Context, c *lab.Client) {
			runs++
			for range 3 {
				key := domain.ChannelKey(fmt.Sprint("news", runs))
				if _, err := c.Store.Channels.Get(ctx, key.Address()); err == nil {
					return
				}
			}
		}}},
	}
	defer func() {
		if recover() == nil {
			t.Error("the model checker did not notice")
		}
	}()
	x := lab.NewExplorer(s)
	defer x.Close()
	x.Explore()
}

// ok ends the test if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
