package modelcheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"microblogging/lab"
	"microblogging/lab/own"
	"microblogging/lab/protocol"
	"microblogging/lab/textbook"
)

// Part is the part of the search that a scenario belongs to.
type Part int

// The parts.
const (
	// Real scenarios must break no invariant.
	Real Part = iota
	// Textbook scenarios must show the anomaly that they are named after.
	Textbook
	// Ablated scenarios must break some invariant.
	Ablated
	// TextbookFault scenarios are of the textbook version too. Each must break the invariant that
	// Case.Invariant names.
	TextbookFault
	// Own scenarios are a reader's. Nothing is expected of them, so they are no part of the search.
	Own
)

// String is the part as pages and programs name it.
func (p Part) String() string {
	return [...]string{"shipped", "textbook", "safeguard", "textbook-fault", "own"}[p]
}

// A Case is one scenario and, by its part, what is expected of it.
type Case struct {
	Part
	lab.Scenario
}

// Cases are all cases of the search.
func Cases() []Case {
	return slices.Concat(casesOf(Real, protocol.Scenarios()), casesOf(Textbook, textbook.Scenarios()),
		casesOf(Ablated, protocol.Ablations()), casesOf(TextbookFault, textbook.FaultScenarios()))
}

// OwnCases are those of package own.
func OwnCases() []Case { return casesOf(Own, own.Scenarios()) }

func casesOf(part Part, scenarios []lab.Scenario) []Case {
	cases := make([]Case, len(scenarios))
	for i, s := range scenarios {
		cases[i] = Case{part, s}
	}
	return cases
}

// Follow takes a schedule, as Explorer.Follow does.
func (c Case) Follow(schedule lab.Schedule, complete bool) ([]lab.Moment, error) {
	x := lab.NewExplorer(c.Scenario)
	defer x.Close()
	return x.Follow(schedule, complete)
}

// FollowText takes a schedule that is written down, as far as it can be taken: not at all if it cannot be read.
func (c Case) FollowText(schedule string) ([]lab.Moment, error) {
	choices, unreadable := c.Parse(schedule)
	run, err := c.Follow(choices, false)
	return run, cmp.Or(unreadable, err)
}

// Command is the line that replays a schedule.
func (c Case) Command(schedule string) string {
	return "go run ./lab/cmd/lab replay " + c.Name + " '" + schedule + "'"
}

// Describe is what the case is about, a run of it as a table, and the command that replays it.
func (c Case) Describe(schedule string) (string, error) {
	run, err := c.FollowText(schedule)
	return fmt.Sprintf("%s: %s\n\n%s\n    %s\n", c.Name, c.Says(), c.Table(run), c.Command(schedule)), err
}

// Invariant is the invariant that the case must break. It is empty if any will do, or none.
func (c Case) Invariant() string {
	switch c.Part {
	case Textbook:
		return c.Name
	case TextbookFault:
		return c.Invariants.List()[0].Name // it is about one
	default:
		return ""
	}
}

// Says is what the case is about, or the safeguard that it goes without.
func (c Case) Says() string {
	if c.Safeguard != nil {
		return "without this safeguard: " + c.Safeguard.Why
	}
	return c.About
}

// Warning says why a search of the case, which has ended, says little, such as that nothing could be violated. It is empty if
// there is no such reason.
func (c Case) Warning() string {
	if c.Warnings == nil {
		return ""
	}
	list := c.Warnings()
	if list == nil {
		return ""
	}
	return "warning: " + strings.Join(list, "; ")
}

// Find is the case of a reader's that own/ and the name is, or else the one of this name. It is an error
// if there is none.
func Find(name string) (Case, error) {
	return find(append(OwnCases(), Cases()...), name)
}

func find(cases []Case, name string) (Case, error) {
	at := slices.IndexFunc(cases, func(c Case) bool { return c.Name == lab.OwnPrefix+name })
	if at < 0 {
		at = slices.IndexFunc(cases, func(c Case) bool { return c.Name == name })
	}
	if at < 0 {
		err := fmt.Errorf("there is no scenario %q", name)
		for _, c := range cases {
			if spelled(c.Name) == spelled(lab.OwnPrefix+name) {
				err = fmt.Errorf("%w; yours is %s", err, c.Name)
			}
		}
		return Case{}, err
	}
	return cases[at], nil
}

// spelled is a name as it is compared with that of a method: lease-lock is LeaseLock.
func spelled(name string) string { return strings.ToLower(strings.ReplaceAll(name, "-", "")) }

// Missing are the safeguards of a case without which the schedules that are known now break the case
// itself, because they were removed from the code.
func Missing(of Case) (safeguards []lab.Safeguard, err error) {
	known, err := Known()
	if err != nil || of.Safeguard != nil {
		return nil, err
	}
	for _, c := range Cases() {
		if record, _ := About(known, c.Name); c.Safeguard != nil && c.Safeguard.Of == of.Name && record.Schedule != "" {
			if run, err := of.FollowText(record.Schedule); err == nil && run[len(run)-1].Violated() != nil {
				safeguards = append(safeguards, *c.Safeguard)
			}
		}
	}
	return safeguards, nil
}
