package own_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/lab/own"
	"microblogging/storage/driver"
)

func TestOwn(t *testing.T) {
	t.Run("each protocol that comes with the lab holds, and breaks without its safeguard", protocolsHold)
	t.Run("a delayed duplicate is found where only Late is set", lateIsAFault)
	t.Run("each call is told by a sentence of the protocol's own", callsAreTold)
	t.Run("a call without a sentence is told by its own line, and so is an invariant that comes to no end", linesAreTheReaders)
	t.Run("names that an address or a schedule cannot have are errors, with the line", namesAreChecked)
	t.Run("a Recover that returns an error is blamed itself, with its call, and no invariant that holds", recoverIsBlamed)
	t.Run("no more actors die than Deaths says, also with Late", deathsAreCounted)
	t.Run("code that is wrong ends its own search alone, which says where it is wrong", wrongCodeIsNamed)
	t.Run("the lease of a worker that died ends before the end is judged", leasesEnd)
	t.Run("code that depends on the clock, on random numbers or on a goroutine is named before it is searched", chanceIsNamed)
	t.Run("a search ends with its time, also while an actor goes on alone", searchEnds)
	t.Run("a search of long code runs it a few times, and not once for each of its calls", longCodeIsRunSeldom)
	t.Run("a variable that the actors share is named, with the line that changes it, before it is searched", sharedIsNamed)
	t.Run("a protocol is not blamed for another one in its file", othersAreNotBlamed)
	t.Run("a protocol in which nothing can be violated is warned of, with the line, and no other is", vacuityIsWarnedOf)
}

// given are the protocols that come with the lab. Those of a reader may break.
func given(name string) bool {
	for _, file := range []string{"activity", "lease-lock", "outbox", "two-phase"} {
		if strings.HasPrefix(name, lab.OwnPrefix+file) {
			return true
		}
	}
	return false
}

func protocolsHold(t *testing.T) {
	found := 0
	for _, s := range own.Scenarios() {
		if !given(s.Name) {
			continue
		}
		found++
		x := lab.NewExplorer(s)
		finding := x.Explore()
		x.Close()
		if broken := finding != nil; broken != (s.Safeguard != nil) {
			t.Errorf("%s is broken: %t", s.Name, broken)
		}
		if s.Safeguard == nil {
			continue
		}
		if site, _, _ := s.Safeguard.Line(); site.Line == 0 {
			t.Errorf("%s: the line of %+v is not found", s.Name, s.Safeguard)
		}
	}
	if found != 8 {
		t.Errorf("%d scenarios, want four protocols, each with its safeguard and without", found)
	}
}

func chanceIsNamed(t *testing.T) {
	for code, want := range map[string]string{
		"import \"time\"\nfunc f() { time.Now() }":                  "mine.go:3 calls time.Now",
		"import \"math/rand/v2\"\nfunc f() { rand.IntN(2) }":        "mine.go:3 calls rand.IntN",
		"import dice \"crypto/rand\"\nfunc f() { dice.Text() }":     "mine.go:3 calls dice.Text",
		"func f() { go f() }":                                       "mine.go:2 starts a goroutine",
		"import \"sync\"\nfunc f() { new(sync.WaitGroup).Go(f) }":   "mine.go:3 starts a goroutine",
		"import \"time\"\nfunc f() { time.AfterFunc(0, f) }":        "mine.go:3 calls time.AfterFunc",
		"import \"time\"\nconst lease = time.Minute":                "",
		"func f(time, rand struct{ Now int }) { _ = time.Now + 1 }": "",
	} {
		if err := own.Chance("mine.go", "package own\n"+code); want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", code, err, want)
		}
	}
}

func searchEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	p := own.Protocol{Actors: []own.Actor{{Name: "ann", Run: func(c own.Client) {
		for i := range 100 {
			if calls++; calls == 300 {
				cancel()
			}
			_ = c.Table("Rows").Transact(c, "p", driver.Insert(strconv.Itoa(i)))
		}
	}}}}
	if _, whole, err := (modelcheck.Case{Part: modelcheck.Own, Scenario: p.Whole()}).Try(ctx); whole || err != nil || calls > 1000 {
		t.Errorf("whole %t, %v, after %d calls", whole, err, calls)
	}
}

func longCodeIsRunSeldom(t *testing.T) {
	calls := 0
	p := own.Protocol{Actors: []own.Actor{{Name: "ann", Run: func(c own.Client) {
		for i := range 100 {
			calls++
			_ = c.Table("Rows").Transact(c, "p", driver.Insert(strconv.Itoa(i)))
		}
	}}}}
	if _, whole, err := (modelcheck.Case{Part: modelcheck.Own, Scenario: p.Whole()}).Try(t.Context()); !whole || err != nil || calls > 5_000 {
		t.Errorf("whole %t, %v, after %d calls", whole, err, calls)
	}
}

func sharedIsNamed(t *testing.T) {
	for body, want := range map[string]string{
		"n := 0\n write := func(c Client) { n++ }":                                             "mine.go:4 changes n, a variable that is declared in line 3",
		"locked := false\n write := func(c Client) {\n locked = true }":                        "mine.go:5 changes locked",
		"seen := map[string]bool{}\n write := func(c Client) { seen[\"x\"] = true }":           "mine.go:4 changes seen",
		"f := func(me string) func(Client) { n := 0\n return func(c Client) { n += 1 } }":      "mine.go:4 changes n",
		"seen := map[string]bool{}\n write := func(c Client) { delete(seen, \"x\") }":          "mine.go:4 changes seen",
		"}\nvar n int\nfunc write(c Client) {\nn++":                                            "mine.go:6 changes n, a variable that is declared in line 4",
		"write := func(c Client) { n := 0; again := func() { n++ }; again() }":                 "",
		"write := func(c Client) { n := 0; do := func(c Client) { n++ }; do(c) }":              "",
		"n := 0\n n++\n write := func(c Client) { n := n; n++; _, err := c.Get(); err = nil }": "",
	} {
		err := own.Shared("mine.go", "package own\nfunc (Protocols) Mine() {\n"+body+"\n}", "Mine")
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

func othersAreNotBlamed(t *testing.T) {
	const text = "package own\nfunc (Protocols) Mine() {\nn := 0\nwrite := func(c Client) { n++ }\n}\nfunc (Protocols) Other() {}"
	if err := own.Shared("mine.go", text, "Other"); err != nil {
		t.Error(err)
	}
}

func vacuityIsWarnedOf(t *testing.T) {
	writes := own.Actor{Name: "ann", Run: func(c own.Client) {
		_ = c.Table("Rows").Transact(c, "p", driver.Insert("", driver.Int64("N", 1)))
		c.Tell("saved")
	}}
	judging := func(judge func(own.State) string) []own.Invariant {
		return []own.Invariant{{Name: "mine", Always: judge}}
	}
	right := judging(func(s own.State) string {
		if s.Told("saved") > 0 && !s.There("Rows", "p", "") {
			return "it is gone"
		}
		return ""
	})
	for want, p := range map[string]own.Protocol{
		"": {Actors: []own.Actor{writes}, Invariants: right},
		"there is no invariant in mine.go:7, so nothing can be violated": {Actors: []own.Actor{writes}},
		"there is no actor in mine.go:7, so nothing happens":             {Invariants: judging(func(s own.State) string { s.Messages(); return "" })},
		"bob makes no call in lab/own/own_test.go:":                      {Actors: []own.Actor{writes, {Name: "bob", Run: func(own.Client) {}}}, Invariants: right},
		"the invariant “mine” looks at nothing in lab/own/own_test.go:": {Actors: []own.Actor{writes},
			Invariants: judging(func(own.State) string { return "" })},
		"the invariant “mine” asks for “savd”, which no actor is told in any state in lab/own/own_test.go:": {Actors: []own.Actor{writes},
			Invariants: judging(func(s own.State) string { s.Told("savd"); return "" })},
		"the invariant “mine” asks for the row “p typo” of the table “Rows”, which no call writes in lab/own/own_test.go:": {Actors: []own.Actor{writes},
			Invariants: judging(func(s own.State) string { s.There("Rows", "p", "typo"); return "" })},
		"the invariant “mine” asks for rows of the table “Row”, which has none in any state in lab/own/own_test.go:": {Actors: []own.Actor{writes},
			Invariants: judging(func(s own.State) string { s.There("Row", "p", ""); return "" })},
	} {
		scenario, warnings := p.Watched("")
		if _, _, err := (modelcheck.Case{Part: modelcheck.Own, Scenario: scenario}).Try(t.Context()); err != nil {
			t.Fatal(err)
		}
		if found := warnings(); len(found) > 1 || !strings.HasPrefix(strings.Join(found, ""), want) || want == "" && found != nil {
			t.Errorf("%q, want %q", found, want)
		}
	}
	scenario, warnings := own.Protocol{Actors: []own.Actor{writes}, Invariants: right}.Watched("// row.Int64(\"L\")\nif row.Int64(\"M\") > row.Int64(\"N\") {\nif row.Bool(\"B\") { write(driver.Bool(\"B\", true)) }")
	if _, _, err := (modelcheck.Case{Part: modelcheck.Own, Scenario: scenario}).Try(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := warnings(); len(found) != 1 || found[0] != "mine.go:2 reads the property “M”, which no call writes" {
		t.Errorf("%q", found)
	}
	p := own.Protocol{Safeguards: map[string]string{"fence": "why"}}
	if asked, not := p.Unasked(`g.On("fence")`), p.Unasked(``); asked != nil || len(not) != 1 || !strings.HasPrefix(not[0], `nothing in mine.go asks for On("fence")`) {
		t.Errorf("%q and %q", asked, not)
	}
	if other := p.Unasked("g.On(\"fence\")\ng.On(\"lock\")"); len(other) != 1 || !strings.HasPrefix(other[0], `mine.go:2 asks for On("lock"), which is not among the Safeguards`) {
		t.Errorf("%q", other)
	}
}

func lateIsAFault(t *testing.T) {
	p := own.Protocol{
		Actors: []own.Actor{{Name: "ann", Run: func(c own.Client) {
			if c.Table("Rows").Transact(c, "p", driver.Insert("")) == nil && c.Table("Rows").Transact(c, "p", driver.Delete("", driver.Exists)) == nil {
				c.Tell("gone")
			}
		}}},
		Invariants: []own.Invariant{{Name: "gone", Quiescent: func(s own.State) string {
			if s.Told("gone") > 0 && s.There("Rows", "p", "") {
				return "it is back"
			}
			return ""
		}}},
	}
	for _, late := range []bool{false, true} {
		p.Late = late
		x := lab.NewExplorer(p.Whole())
		if found := x.Explore(); (found != nil) != late {
			t.Errorf("with Late %t: %+v", late, found)
		}
		x.Close()
	}
}

// leasesEnd has a worker that may die between its write and the end of its message.
func leasesEnd(t *testing.T) {
	work := func(c own.Client) error {
		messages, err := c.Queue().Receive(c, 1, time.Minute)
		for _, m := range messages {
			err = errors.Join(c.Table("Done").Transact(c, m.Text, driver.Merge("", driver.Upsert)), c.Queue().Delete(c, m))
		}
		return err
	}
	p := own.Protocol{
		Deaths:  1,
		Setup:   func(c own.Client) { _ = c.Queue().Send(c, "mail") },
		Actors:  []own.Actor{{Name: "w1", Run: func(c own.Client) { _ = work(c) }}},
		Recover: work,
		Invariants: []own.Invariant{{Name: "what was sent is done", Quiescent: func(s own.State) string {
			if !s.There("Done", "mail", "") || len(s.Messages()) > 0 {
				return "sent and not done"
			}
			return ""
		}}},
	}
	x := lab.NewExplorer(p.Whole())
	defer x.Close()
	if found := x.Explore(); found != nil {
		t.Errorf("%+v", found)
	}
}

func linesAreTheReaders(t *testing.T) {
	p := own.Protocol{Actors: []own.Actor{{Name: "ann", Run: func(c own.Client) { _ = c.Table("Rows").Transact(c, "p", driver.Insert("")) }}}}
	x := lab.NewExplorer(p.Whole())
	defer x.Close()
	moments, err := x.Follow(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if at := moments[0].Actors[0].Site; at.File != "lab/own/own_test.go" {
		t.Errorf("the call is at %+v", at)
	}
	synctest.Test(t, func(t *testing.T) {
		until := make(chan struct{})
		defer close(until)
		p.Invariants = []own.Invariant{{Name: "endless", Always: func(s own.State) string {
			s.There("Rows", "p", "") // which the library counts
			<-until
			return ""
		}}}
		if _, _, err := (modelcheck.Case{Part: modelcheck.Own, Scenario: p.Whole()}).Try(t.Context()); err == nil || !strings.Contains(err.Error(), "in lab/own/own_test.go:") {
			t.Error(err)
		}
	})
}

func namesAreChecked(t *testing.T) {
	act := func(own.Client) {}
	for want, actors := range map[string][]own.Actor{
		"": {{Name: "ann", Run: act}, {Name: "w-1", Run: act}},
		`mine.go:7: the name of an actor is "ann,bob"`: {{Name: "ann,bob", Run: act}},
		`mine.go:7: the name of an actor is ""`:        {{Run: act}},
		`mine.go:7: two actors are named "ann"`:        {{Name: "ann", Run: act}, {Name: "ann", Run: act}},
		`mine.go:7: two actors are named "network"`:    {{Name: "network", Run: act}},
		`mine.go:7: the actor "ann" has no Run`:        {{Name: "ann"}},
	} {
		if err := (own.Protocol{Actors: actors}).WrongAt("mine.go:7"); want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := own.SameName("own/outbox", []string{"Outbox", "LeaseLock"}); !strings.Contains(err.Error(), "Outbox in lab/own/outbox.go:") || !strings.Contains(err.Error(), " and LeaseLock in lab/own/lease_lock.go:") {
		t.Error(err)
	}
}

func recoverIsBlamed(t *testing.T) {
	p := own.Protocol{
		Actors:     []own.Actor{{Name: "ann", Run: func(c own.Client) { _, _ = c.Table("Rows").Get(c, "p", "") }}},
		Recover:    func(c own.Client) error { return c.Table("Rows").Transact(c, "p", driver.Delete("", driver.Exists)) },
		Invariants: []own.Invariant{{Name: "holds", Quiescent: func(s own.State) string { return "" }}},
	}
	x := lab.NewExplorer(p.Whole())
	defer x.Close()
	found := x.Explore()
	if found == nil || found.Violations[0].Invariant != "Recover ends" || !strings.Contains(found.Violations[0].Detail, "not found (the last call that failed: Transact of Rows in lab/own/own_test.go:") {
		t.Errorf("%+v", found)
	}
}

func deathsAreCounted(t *testing.T) {
	var p own.Protocol
	for _, name := range []string{"ann", "bob"} {
		p.Actors = append(p.Actors, own.Actor{Name: name, Run: func(c own.Client) {
			_ = c.Table("Rows").Transact(c, "p", driver.Insert(name))
			c.Tell("ended")
		}})
	}
	p.Invariants = []own.Invariant{{Name: "one lives", Quiescent: func(s own.State) string {
		if s.Told("ended") == 0 {
			return "both are dead"
		}
		return ""
	}}}
	for deaths, broken := range map[int]bool{1: false, 2: true} {
		p.Deaths, p.Late = deaths, true
		x := lab.NewExplorer(p.Whole())
		if found := x.Explore(); (found != nil) != broken {
			t.Errorf("with %d deaths: %+v", deaths, found)
		}
		x.Close()
	}
}

func wrongCodeIsNamed(t *testing.T) {
	row := func(c own.Client, name string) {
		_ = c.Table("Rows").Transact(c, "p", driver.Merge(name, driver.Upsert))
	}
	runs, told, numbered, counted, asleep := 0, 0, 0, 0, make(chan struct{})
	for want, p := range map[string]own.Protocol{
		"ann: panic in lab/own/own_test.go:": {Actors: []own.Actor{{Name: "ann", Run: func(c own.Client) {
			row(c, "one")
			panic("mine")
		}}}},
		"ann ends its goroutine in lab/own/own_test.go:": {Actors: []own.Actor{{Name: "ann", Run: func(c own.Client) {
			row(c, "one")
			runtime.Goexit()
		}}}},
		"the store refuses this call: ": {Actors: []own.Actor{{Name: "ann", Run: func(c own.Client) { row(c, "a/b") }}}},
		"bob: panic in lab/own/own_test.go:": {Actors: []own.Actor{{Name: "bob", Run: func(c own.Client) {
			_, _ = c.Table("Rows").Get(c, "a#b", "")
		}}}},
		"carl: panic in lab/own/own_test.go:": {Actors: []own.Actor{{Name: "carl", Run: func(c own.Client) {
			_ = c.Queue().Send(c, strings.Repeat("x", 100_000))
		}}}},
		"declared outside of the actor's function; or on the order of a map, the time, or random numbers in lab/own/own_test.go:": {Actors: []own.Actor{{Name: "ann", Run: func(c own.Client) {
			counted++
			row(c, fmt.Sprint(counted))
		}}}},
		"after the schedule \"ann\", ann does not do the same twice": {Actors: []own.Actor{{Name: "bob", Run: func(c own.Client) { row(c, "bob") }},
			{Name: "ann", Run: func(c own.Client) {
				runs++
				row(c, "one")
				row(c, fmt.Sprint(runs))
			}}}},
		"first Rows: upsert one, then Rows: upsert one: Number of one = 1, then Number of one = 2": {Actors: []own.Actor{{Name: "ann", Run: func(c own.Client) {
			numbered++
			_ = c.Table("Rows").Transact(c, "p", driver.Merge("one", driver.Upsert, driver.Int64("Number", int64(min(numbered, 2)))))
		}}}},
		"first Rows: upsert one, told 1, then Rows: upsert one, told 2": {Actors: []own.Actor{{Name: "ann", Run: func(c own.Client) {
			told++
			c.Tell(fmt.Sprint(min(told, 2)))
			row(c, "one")
		}}}},
		"ann does not do the same twice after 1 answers: first its end, told": {Actors: []own.Actor{{Name: "ann", Run: func(c own.Client) {
			runs++
			row(c, "one")
			c.Tell(fmt.Sprint(runs))
		}}}},
		"ann makes neither a call nor an end within 2s in lab/own/own_test.go:": {Actors: []own.Actor{{Name: "ann", Run: func(own.Client) { <-asleep }}}},
		"after the schedule \"ann*2\", bob makes more than 200 calls in lab/own/own_test.go:": {Actors: []own.Actor{{Name: "ann", Run: func(c own.Client) {
			row(c, "one")
			row(c, "shut")
			row(c, "two")
		}}, {Name: "bob", Run: func(c own.Client) {
			for {
				if _, err := c.Table("Rows").Get(c, "p", "shut"); err != nil {
					return
				}
			}
		}}}},
		"setup makes more than 200 calls in lab/own/own_test.go:": {Setup: func(c own.Client) {
			for {
				row(c, "one")
			}
		}},
		"Recover: panic in lab/own/own_test.go:": {Recover: func(c own.Client) error {
			for {
				row(c, "one")
			}
		}},
		"Recover comes to no end within 2s in lab/own/own_test.go:": {Recover: func(own.Client) error { <-asleep; return nil }},
		"invariant “each counts”: panic in lab/own/own_test.go:": {Invariants: []own.Invariant{{Name: "each counts", Always: func(s own.State) string {
			return s.Messages()[0]
		}}}},
		"after the schedule \"ann*2\", invariant “it ends” comes to no end within 2s in lab/own/own_test.go:": {Actors: []own.Actor{{Name: "ann", Run: func(c own.Client) {
			row(c, "one")
			row(c, "two")
		}}}, Invariants: []own.Invariant{{Name: "it ends", Quiescent: func(own.State) string {
			<-asleep
			return ""
		}}}},
	} {
		synctest.Test(t, func(t *testing.T) {
			asleep = make(chan struct{})
			defer close(asleep)
			if _, _, err := (modelcheck.Case{Part: modelcheck.Own, Scenario: p.Whole()}).Try(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%.300v, want %s", err, want)
			}
		})
	}
}

func callsAreTold(t *testing.T) {
	for _, s := range own.Scenarios() {
		if !given(s.Name) {
			continue
		}
		x := lab.NewExplorer(s)
		finding := x.Explore()
		if finding == nil {
			schedule, _ := x.GoOn(nil, 1, func(lab.Step) bool { return false })
			finding = &lab.Finding{Schedule: schedule}
		}
		moments, err := x.Follow(finding.Schedule, false)
		x.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range moments {
			for _, a := range m.Actors {
				if a.Call != nil && (!strings.HasPrefix(a.Site.File, "lab/own/") || a.Site.Sentence == "") {
					t.Errorf("%s: %s is told by %+v", s.Name, s.DescribeCall(a.Call), a.Site)
				}
				if strings.Count(a.Sentence, "in the version that was read") > 1 {
					t.Errorf("%s: a sentence says a condition twice: %s", s.Name, a.Sentence)
				}
			}
		}
	}
}
