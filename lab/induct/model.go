package induct

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed *.model
var files embed.FS

// A Model is a transition system: what the store holds, what may happen, and what is true in every
// state. Its methods may be called concurrently.
type Model struct {
	Name string
	// declarations are the sorts, functions, constants and orders, in SMT-LIB.
	declarations []string
	relations    []relation
	Invariants   []Invariant
	Steps        []Step
}

// A relation is a set of tuples, empty at the start.
type relation struct {
	name  string
	sorts []string
}

// An Invariant is true in every state that can be reached.
type Invariant struct {
	Name, Sentence string
	// Goal reports whether it is one that the system is for. The others say why it holds.
	Goal       bool
	parameters string
	formula    node
}

// A Step is one transaction of the store, or what a process sends after it has read something.
type Step struct {
	Name string
	// Function is the function of the production code that takes it: folder.Type.Method.
	Function string
	Sentence string
	// Safeguards name those of its conditions that can be taken out.
	Safeguards []string
	parameters []node // pairs of a name and a sort
	conditions []node
	effects    []node
	never      []node // pairs of a name and a condition
}

// Names names the models.
func Names() []string { return []string{"fence", "subscription", "account", "reply"} }

// Load reads a model by its name.
func Load(name string) (*Model, error) {
	text, err := files.ReadFile(name + ".model")
	if err != nil {
		return nil, err
	}
	return Parse(name, string(text))
}

// Parse reads the text of a model.
func Parse(name, text string) (*Model, error) {
	lists, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m := &Model{Name: name}
	for _, n := range lists {
		if !m.declare(n) {
			return nil, fmt.Errorf("%s: line %d: %q is no declaration", name, n.line, n.head())
		}
	}
	for _, s := range m.Steps {
		for _, effect := range s.effects {
			if !m.takes(effect) {
				return nil, fmt.Errorf("%s: line %d: %s adds or removes no tuple of a relation", name, effect.line, effect)
			}
		}
	}
	return m, nil
}

// takes reports whether an effect names a relation and a value for each of its places.
func (m *Model) takes(effect node) bool {
	return (effect.head() == "add" || effect.head() == "remove") && slices.ContainsFunc(m.relations, func(r relation) bool {
		return effect.list[1].text == r.name && len(effect.list) == 2+len(r.sorts)
	})
}

// Safeguards names the conditions that can be taken out, each once.
func (m *Model) Safeguards() (names []string) {
	for _, s := range m.Steps {
		names = append(names, s.Safeguards...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (m *Model) declare(n node) bool {
	args := n.list
	switch head := n.head(); {
	case head == "sort":
		for _, sort := range args[1:] {
			m.declarations = append(m.declarations, "(declare-sort "+sort.text+")")
		}
	case head == "function" && len(args) == 5:
		m.declarations = append(m.declarations, fmt.Sprintf("(declare-fun %s %s %s)", args[1], args[2], args[3]))
	case head == "constant" && len(args) == 4:
		m.declarations = append(m.declarations, fmt.Sprintf("(declare-const %s %s)", args[1], args[2]))
	case head == "order" && len(args) == 3:
		m.declarations = append(m.declarations, order(args[1].text, args[2].text)...)
	case head == "relation" && len(args) >= 3:
		r := relation{name: args[1].text}
		for _, sort := range args[2].list {
			r.sorts = append(r.sorts, sort.text)
		}
		m.relations = append(m.relations, r)
	case (head == "invariant" || head == "goal") && len(args) == 5:
		m.Invariants = append(m.Invariants, Invariant{Name: args[1].text, Sentence: args[2].text, Goal: head == "goal",
			parameters: args[3].String(), formula: args[4]})
	case head == "step" && len(args) >= 6:
		s, ok := stepOf(args)
		m.Steps = append(m.Steps, s)
		return ok
	default:
		return false
	}
	return true
}

// order declares a strict total order.
func order(name, sort string) []string {
	return []string{
		fmt.Sprintf("(declare-fun %s (%s %s) Bool)", name, sort, sort),
		fmt.Sprintf("(assert (forall ((x %[2]s)) (not (%[1]s x x))))", name, sort),
		fmt.Sprintf("(assert (forall ((x %[2]s) (y %[2]s)) (or (= x y) (%[1]s x y) (%[1]s y x))))", name, sort),
		fmt.Sprintf("(assert (forall ((x %[2]s) (y %[2]s) (z %[2]s)) (=> (and (%[1]s x y) (%[1]s y z)) (%[1]s x z))))", name, sort),
	}
}

// stepOf reports false if a part is none of a step.
func stepOf(args []node) (s Step, ok bool) {
	s = Step{Name: args[1].text, Function: args[2].text, Sentence: args[3].text, parameters: args[4].list}
	for _, part := range args[5:] {
		switch part.head() {
		case "if":
			s.conditions = part.list[1:]
		case "then":
			s.effects = part.list[1:]
		case "never":
			s.never = append(s.never, part)
		default:
			return s, false
		}
	}
	for _, condition := range s.conditions {
		if condition.head() == "safeguard" {
			s.Safeguards = append(s.Safeguards, condition.list[1].text)
		}
	}
	return s, true
}

// condition returns when the step may be taken, without the safeguard of that name.
func (s Step) condition(without string) string {
	parts := []string{"(and true"}
	for _, c := range s.conditions {
		if c.head() == "safeguard" {
			if c.list[1].text == without {
				continue
			}
			c = c.list[2]
		}
		parts = append(parts, c.String())
	}
	return strings.Join(parts, " ") + ")"
}

// after returns which tuples are in a relation after the step, by its variables x0, x1, …: what was in
// it and is not removed, and what is added. In a tuple that is removed, _ means any value.
func (s Step) after(r relation) string {
	holds := "(" + r.name + variables(r, "") + ")"
	for _, kind := range []string{"remove", "add"} {
		for _, effect := range s.effects {
			if effect.head() != kind || effect.list[1].text != r.name {
				continue
			}
			tuple := "(and true"
			for i, value := range effect.list[2:] {
				if value.text != "_" || value.list != nil {
					tuple += fmt.Sprintf(" (= x%d %s)", i, value)
				}
			}
			if kind == "add" {
				holds = "(or " + holds + " " + tuple + "))"
			} else {
				holds = "(and " + holds + " (not " + tuple + ")))"
			}
		}
	}
	return holds
}

// variables returns " x0 x1 …", one for each place of a relation, each with its sort if typed is
// not empty.
func variables(r relation, typed string) (list string) {
	for i, sort := range r.sorts {
		if typed == "" {
			list += fmt.Sprintf(" x%d", i)
		} else {
			list += fmt.Sprintf("(x%d %s)", i, sort)
		}
	}
	return list
}
