package lab

import "microblogging/domain"

// A Law is the name of one law, and when it is judged.
type Law struct {
	// Name is the one in a domain.Breach: "I1".
	Name string
	// Title says it in two or three words: "no orphan". Means says in a sentence what it
	// demands, for somebody who sees it for the first time.
	Title, Means string
	When         When
}

// When says in which states a law is judged.
type When uint8

const (
	// Always: in each state, and with each step.
	Always When = iota
	// AtRest: some part of the law is judged only when no actor can go on.
	AtRest
	// Finally: only when no actor can go on and all other laws hold.
	Finally
)

// The states of a law.
const (
	LawHolds  = "holds"
	LawBroken = "broken"
	LawOpen   = "open"
)

// A LawState says whether a law holds at one moment of a run.
type LawState struct {
	// Law, Title and Means are those of the Law.
	Law, Title, Means string
	// State is LawHolds, LawBroken or LawOpen. A law that was broken once in a run stays so.
	State string
	// Reason is why it is broken, in the words of check, or why it is open.
	Reason string
	// Since is the number of steps after which it was broken.
	Since int
}

// judge says which laws hold after a number of steps. before are the states of the laws
// one step earlier; breaches are what is wrong with the step and the state.
func (x *Explorer) judge(before []LawState, steps int, s *state, breaches []domain.Breach) []LawState {
	atRest, unfinished := len(x.choices(s)) == 0, false
	if atRest {
		outcome := x.scenario.Laws.Rest(x.view(s))
		breaches, unfinished = append(breaches, outcome.Breaches...), outcome.Unfinished
	}
	var states []LawState
	for i, law := range x.scenario.Laws.List() {
		state := LawState{Law: law.Name, Title: law.Title, Means: law.Means, State: LawHolds}
		if before != nil && before[i].State == LawBroken {
			states = append(states, before[i])
			continue
		}
		switch reason, broken := x.reason(law, breaches); {
		case broken:
			state.State, state.Reason, state.Since = LawBroken, reason, steps
		case law.When == Always:
		case !atRest:
			state.State, state.Reason = LawOpen, "not judged before all is at rest"
		case unfinished:
			state.State, state.Reason = LawOpen, "not judged, because fresh workers come to no end"
		case law.When == Finally && breaches != nil:
			state.State, state.Reason = LawOpen, "not judged, because another law is broken"
		}
		states = append(states, state)
	}
	return states
}

// reason is the first breach of a law in words.
func (x *Explorer) reason(law Law, breaches []domain.Breach) (string, bool) {
	for _, b := range breaches {
		if b.Invariant == law.Name {
			return x.scenario.DescribeBreach(b), true
		}
	}
	return "", false
}
