package prove

import (
	"fmt"
	"slices"

	"microblogging/lab"
	"microblogging/lab/protocol"
	"microblogging/lab/textbook"
)

// Part is the part of the proof that a scenario belongs to.
type Part int

// The parts.
const (
	// Real scenarios must break no law.
	Real Part = iota
	// Textbook scenarios must show the anomaly that they are named after.
	Textbook
	// Ablated scenarios must break some law.
	Ablated
	// Mishap scenarios are of the textbook version too. Each must break the law that
	// Case.Law names.
	Mishap
)

// String is the part as pages and programs name it.
func (p Part) String() string { return [...]string{"shipped", "textbook", "guard", "mishap"}[p] }

// A Case is one scenario and, by its part, what is expected of it.
type Case struct {
	Part
	lab.Scenario
}

// Cases are all cases. quick leaves out the slow ones, and reduces the faults and
// walks of the others.
func Cases(quick bool) []Case {
	var cases []Case
	for _, s := range protocol.Scenarios() {
		if quick && s.Slow {
			continue
		}
		if quick {
			s.Walks /= quickWalks
			s.Faults = min(s.Faults, quickFaults)
		}
		cases = append(cases, Case{Real, s})
	}
	add := func(part Part, scenarios []lab.Scenario) {
		for _, s := range scenarios {
			cases = append(cases, Case{part, s})
		}
	}
	add(Textbook, textbook.Scenarios())
	add(Ablated, protocol.Ablations())
	add(Mishap, textbook.Mishaps())
	return cases
}

// Replay takes a schedule, as Explorer.Replay does.
func (c Case) Replay(schedule lab.Schedule, complete bool) (lab.Run, error) {
	x := lab.NewExplorer(c.Scenario)
	defer x.Close()
	return x.Replay(schedule, complete)
}

// ReplayText takes a schedule that is written down, as far as it can be taken.
func (c Case) ReplayText(schedule string) (lab.Run, error) {
	choices, err := c.Parse(schedule)
	if err != nil {
		return lab.Run{}, err
	}
	return c.Replay(choices, false)
}

// Law is the law that the case must break. It is empty if any will do, or none.
func (c Case) Law() string {
	switch c.Part {
	case Textbook:
		return c.Name
	case Mishap:
		return c.Laws.List()[0].Name // it is about one
	default:
		return ""
	}
}

// Says is what the case is about, or the guard that it goes without.
func (c Case) Says() string {
	if c.Guard != nil {
		return "without this guard: " + c.Guard.Why
	}
	return c.About
}

const (
	quickWalks  = 20
	quickFaults = 1
)

// Find is the case of this name. It is an error if there is none.
func Find(name string) (Case, error) {
	cases := Cases(false)
	at := slices.IndexFunc(cases, func(c Case) bool { return c.Name == name })
	if at < 0 {
		return Case{}, fmt.Errorf("there is no scenario %q", name)
	}
	return cases[at], nil
}
