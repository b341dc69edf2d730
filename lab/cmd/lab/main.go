// Command lab runs the model checker of package lab.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
)

type cli struct {
	Modelcheck modelcheckCmd `cmd:"" help:"Explore everything. Fail if a result is not what was expected, or not what the file of records says."`
	List       listCmd       `cmd:"" help:"List the scenarios, and the safeguard that each ablation takes out."`
	Find       findCmd       `cmd:"" help:"Explore one scenario and print the shortest schedule that breaks an invariant."`
	Replay     replayCmd     `cmd:"" help:"Replay one schedule and print it. The exit status is 1 if it cannot be taken, and 0 otherwise, also if it breaks an invariant."`
	Document   documentCmd   `cmd:"" help:"Draw the pictures of schedules in a Markdown document anew."`
	Known      knownCmd      `cmd:"" help:"Explore, write what was found to the file that pages read, and say what has changed in it."`
}

func main() {
	var c cli
	ctx := kong.Parse(&c, kong.Name("lab"))
	ctx.FatalIfErrorf(ctx.Run())
}

// seedOfRecords is the seed of the random walks in the file of records.
const seedOfRecords = 1

var errShortfall = errors.New("a result is not what was expected")

type modelcheckCmd struct {
	Seed uint64 `help:"Seed of the random walks." default:"1"`
}

func (c *modelcheckCmd) Run() error {
	began := time.Now()
	var results []modelcheck.Result
	s := modelcheck.All(modelcheck.Cases(), c.Seed, func(r modelcheck.Result) {
		fmt.Println(r)
		results = append(results, r)
	})
	took := time.Since(began)
	for _, r := range s.Shortfalls {
		if r.Finding != nil {
			text, err := r.Describe(r.Format(r.Finding.Schedule))
			if err != nil {
				return err
			}
			fmt.Print("\n", text)
		}
	}
	fmt.Printf("%.0f s, %.0f steps a second\n%s\n", took.Seconds(), float64(s.Steps)/took.Seconds(), s)
	if len(s.Shortfalls) > 0 {
		return errShortfall
	}
	return c.compare(results)
}

// compare returns an error if the file of records says something else, such as another number of states.
// Random walks are those of the file only with its seed.
func (c *modelcheckCmd) compare(results []modelcheck.Result) error {
	known, err := modelcheck.Known()
	if err != nil {
		return err
	}
	if c.Seed != seedOfRecords {
		results = slices.DeleteFunc(results, func(r modelcheck.Result) bool { return r.Walks > 0 })
	}
	return modelcheck.CheckRecords(results, known)
}

type listCmd struct{}

func (*listCmd) Run() error {
	for _, c := range append(modelcheck.Cases(), modelcheck.OwnCases()...) {
		fmt.Printf("%-16s %s\n", c.Name, c.Says())
	}
	return nil
}

type findCmd struct {
	Scenario string        `arg:"" help:"Name of the scenario, from lab list."`
	Seed     uint64        `help:"Seed of the random walks." default:"1"`
	Walks    int           `help:"Take so many random walks, instead of entering all states."`
	For      time.Duration `help:"How long a protocol of your own is searched." default:"2m"`
}

// Help is for lab find --help.
func (*findCmd) Help() string {
	return "The exit status is 1 if the code fails, or if a protocol of your own has more states than were searched in time. It is 0 otherwise, also if an invariant is broken."
}

func (c *findCmd) Run() error {
	found, err := modelcheck.Find(c.Scenario)
	if err != nil {
		return err
	}
	found.Walks = cmp.Or(c.Walks, found.Walks)
	ctx, cancel := context.WithTimeout(context.Background(), c.For)
	defer cancel()
	r, whole := modelcheck.Result{Case: found}, true
	if found.Part != modelcheck.Own {
		r = found.Explore(c.Seed)
	} else if r, whole, err = found.Try(ctx); err != nil {
		return err
	}
	fmt.Printf("schedules=%d states=%d steps=%d, %.0f steps a second\n\n",
		r.Schedules, r.States, r.Steps, float64(r.Steps)/r.Took.Seconds())
	if !whole {
		return fmt.Errorf("no invariant is violated in %s; there was no time for the others (--for %s)", lab.Count(r.States, "state"), c.For)
	}
	if r.Finding == nil {
		fmt.Println(cmp.Or(found.Warning(), r.Holds()))
		return nil
	}
	text, err := r.Describe(r.Format(r.Finding.Schedule))
	if err != nil {
		return err
	}
	fmt.Print(text)
	missing, err := modelcheck.Missing(found)
	for _, g := range missing {
		fmt.Printf("\nWithout this safeguard of MicroBlogging, the same breaks: %s, in %s. %s\n", g.Label, g.Code, g.Why)
	}
	return err
}

type replayCmd struct {
	Scenario string `arg:"" help:"Name of the scenario, from lab list."`
	Schedule string `arg:"" help:"The choices, as a failing run prints them."`
}

func (c *replayCmd) Run() error {
	found, err := modelcheck.Find(c.Scenario)
	if err != nil {
		return err
	}
	run, replayErr := found.FollowText(c.Schedule)
	if len(run) == 1 && replayErr != nil {
		return replayErr
	}
	fmt.Print(found.Table(run))
	return replayErr
}

type knownCmd struct {
	File string `arg:"" help:"The file of records: lab/modelcheck/known.json." type:"existingfile"`
}

func (c *knownCmd) Run() error {
	before, err := modelcheck.Known()
	if err != nil {
		fmt.Println(err) // and writes it anew
	}
	var records []modelcheck.Record
	modelcheck.All(modelcheck.Cases(), seedOfRecords, func(r modelcheck.Result) { records = append(records, r.Record()) })
	fmt.Print(modelcheck.Changes(before, records))
	return c.write(records)
}

// write writes the fingerprint last. Otherwise old records could have a new one, and pass for current.
func (c *knownCmd) write(records []modelcheck.Record) error {
	text, err := modelcheck.WriteRecords(records)
	if err == nil {
		err = os.WriteFile(c.File, text, 0o644)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(strings.TrimSuffix(c.File, ".json")+".code", []byte(lab.Fingerprint()+"\n"), 0o644)
}

type documentCmd struct {
	File string `arg:"" help:"The document." type:"existingfile"`
}

func (c *documentCmd) Run() error {
	text, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	current, err := modelcheck.Document(string(text))
	if err != nil || current == string(text) {
		return err
	}
	return os.WriteFile(c.File, []byte(current), 0o644)
}
