package prove

import (
	"fmt"
	"slices"

	"microblogging/lab"
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
	// Guard is the guard that an ablation took out, and Of the name of the scenario that it
	// took it from.
	Guard, Of string
}

// Cases are all cases. quick leaves out the slow ones, and reduces the faults and
// walks of the others.
func Cases(quick bool) []Case {
	var cases []Case
	for _, s := range lab.Scenarios() {
		if quick && s.Slow {
			continue
		}
		if quick {
			s.Walks /= quickWalks
			s.Faults = min(s.Faults, quickFaults)
		}
		cases = append(cases, Case{Part: Real, Scenario: s})
	}
	for _, s := range textbook.Scenarios() {
		cases = append(cases, Case{Part: Textbook, Scenario: s})
	}
	for _, a := range lab.Ablations() {
		cases = append(cases, Case{Part: Ablated, Scenario: a.Scenario, Guard: a.Guard, Of: a.Of})
	}
	for _, s := range textbook.Mishaps() {
		cases = append(cases, Case{Part: Mishap, Scenario: s})
	}
	return cases
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
