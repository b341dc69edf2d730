package induct

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// A Gap is something that is not proved.
type Gap struct {
	// Step is the name of the step that may make it false. It is empty for the start.
	Step string
	// Claim is the name of the invariant, or of what the step must never do.
	Claim string
	// Answer is the solver's: sat or unknown.
	Answer string
}

func (g Gap) String() string {
	if g.Step == "" {
		return fmt.Sprintf("at the start, %q is not proved (%s)", g.Claim, g.Answer)
	}
	return fmt.Sprintf("after %q, %q is not proved (%s)", g.Step, g.Claim, g.Answer)
}

// Check proves that each invariant is true at the start, when every relation is empty, and after each
// step that begins in a state in which all of them are true. Then they are true in every state. It
// returns what it cannot prove. It needs the program z3.
func (m *Model) Check(ctx context.Context) (gaps []Gap, err error) {
	start := m.query()
	for _, r := range m.relations {
		start = append(start, forAll(r, "(not ("+r.name+variables(r, "")+"))"))
	}
	gaps, err = m.prove(ctx, "", start, m.claims())
	for _, s := range m.Steps {
		if err != nil {
			break
		}
		var more []Gap
		more, err = m.checkStep(ctx, s, "")
		gaps = append(gaps, more...)
	}
	return gaps, err
}

// Without returns what is not proved without a safeguard. It looks at the steps that have it.
func (m *Model) Without(ctx context.Context, safeguard string) (gaps []Gap, err error) {
	for _, s := range m.Steps {
		if !slices.Contains(s.Safeguards, safeguard) {
			continue
		}
		more, err := m.checkStep(ctx, s, safeguard)
		if err != nil {
			return nil, err
		}
		gaps = append(gaps, more...)
	}
	return gaps, nil
}

// A claim is a formula that must be true.
type claim struct{ name, formula string }

// canBeTaken is the claim that a step can be taken. The solver must not find that it is false:
// after a step that is never taken, everything is proved.
const canBeTaken = "can be taken"

func (m *Model) claims() (list []claim) {
	for _, i := range m.Invariants {
		list = append(list, claim{i.Name, "(forall " + i.parameters + " " + i.formula.String() + ")"})
	}
	return list
}

// checkStep returns what is not proved to be true after a step, without a safeguard if one is named.
func (m *Model) checkStep(ctx context.Context, s Step, without string) ([]Gap, error) {
	lines := m.query()
	for _, p := range s.parameters {
		lines = append(lines, "(declare-const "+p.list[0].text+" "+p.list[1].text+")")
	}
	for _, c := range m.claims() {
		lines = append(lines, "(assert "+c.formula+")")
	}
	lines = append(lines, "(assert "+s.condition(without)+")")
	after := []claim{{canBeTaken, "false"}}
	for _, n := range s.never {
		after = append(after, claim{n.list[1].text, "(not " + n.list[2].String() + ")"})
	}
	for _, r := range m.relations {
		lines = append(lines, forAll(r, "(= ("+r.name+"'"+variables(r, "")+") "+s.after(r)+")"))
	}
	for _, i := range m.Invariants {
		after = append(after, claim{i.Name, "(forall " + i.parameters + " " + m.later(i.formula).String() + ")"})
	}
	return m.prove(ctx, s.Name, lines, after)
}

// query returns the declarations of a query: each relation before and after a step.
func (m *Model) query() []string {
	lines := append([]string{"(set-option :timeout 60000)"}, m.declarations...)
	for _, r := range m.relations {
		for _, name := range []string{r.name, r.name + "'"} {
			lines = append(lines, "(declare-fun |"+name+"| ("+strings.Join(r.sorts, " ")+") Bool)")
		}
	}
	return lines
}

func forAll(r relation, formula string) string {
	return "(assert (forall (" + variables(r, "typed") + ") " + formula + "))"
}

// later returns a formula about the state after a step.
func (m *Model) later(n node) node {
	if n.list == nil {
		return n
	}
	later := node{list: make([]node, len(n.list))}
	for i, item := range n.list {
		later.list[i] = m.later(item)
	}
	for _, r := range m.relations {
		if n.head() == r.name {
			later.list[0].text = r.name + "'"
		}
	}
	return later
}

// prove asks the solver, for each claim, whether it can be false when all lines are true.
func (m *Model) prove(ctx context.Context, step string, lines []string, claims []claim) (gaps []Gap, err error) {
	for _, c := range claims {
		lines = append(lines, "(push)", "(assert (not "+c.formula+"))", "(check-sat)", "(pop)")
	}
	input := strings.Join(lines, "\n")
	for _, r := range m.relations { // a prime is no part of a symbol in SMT-LIB
		input = strings.ReplaceAll(input, "("+r.name+"' ", "(|"+r.name+"'| ")
	}
	command := exec.CommandContext(ctx, "z3", "-in")
	command.Stdin = strings.NewReader(input)
	output, err := command.CombinedOutput()
	answers := strings.Fields(string(output))
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("z3 is not installed (Debian's package z3): %w", err)
	case len(answers) != len(claims):
		return nil, fmt.Errorf("%s: z3 says: %s", step, output)
	}
	for i, c := range claims {
		if proved := answers[i] == "unsat"; proved == (c.name == canBeTaken) {
			gaps = append(gaps, Gap{Step: step, Claim: c.name, Answer: answers[i]})
		}
	}
	return gaps, nil
}
