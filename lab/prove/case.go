package prove

import (
	"slices"

	"microblogging/lab"
	"microblogging/lab/textbook"
)

// Part says which of three parts a scenario belongs to.
type Part int

// The parts.
const (
	// Real scenarios must break no law.
	Real Part = iota
	// Textbook scenarios must show the anomaly that they are named after.
	Textbook
	// Ablated scenarios must break some law.
	Ablated
)

// A Case is one scenario and what is expected of it.
type Case struct {
	Part
	lab.Scenario
	// Guard is what an ablation took out.
	Guard string
}

// Cases are all there are. quick leaves out the slow ones, and of the others most
// faults and walks.
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
		cases = append(cases, Case{Part: Ablated, Scenario: a.Scenario, Guard: a.Guard})
	}
	return cases
}

const (
	quickWalks  = 20
	quickFaults = 1
)

// Find is the case of this name.
func Find(name string) (Case, bool) {
	cases := Cases(false)
	at := slices.IndexFunc(cases, func(c Case) bool { return c.Name == name })
	if at < 0 {
		return Case{}, false
	}
	return cases[at], true
}
