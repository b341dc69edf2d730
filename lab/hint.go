package lab

import "time"

// A Hint says to somebody who wants to break a law how to go on.
type Hint struct {
	// Next is the first choice of a shortest continuation that breaks a law, Word is that
	// choice as a schedule has it, and Left is how many choices the continuation has. Left
	// is 0 if none was found.
	Next Choice
	Word string
	Left int
	// Lost tells that no continuation breaks a law: each was taken. Then Back is how many
	// steps to keep to be able to; it is -1 if it never was, or is not known.
	Lost bool
	Back int
	// States is how many states were entered. Bound says why no more were.
	States int
	Bound  Bound
}

// Hint looks for the shortest continuation of a schedule that breaks a law. If there is
// none, it goes back step by step to where there is one. The bounds hold for all searches
// together. If the schedule cannot be taken, the error is a *StuckError.
func (x *Explorer) Hint(schedule Schedule, bounds Bounds) (Hint, error) {
	h := Hint{Back: -1}
	for ends, keep := time.Now().Add(bounds.Time), len(schedule); keep >= 0; keep-- {
		left := bounds
		if bounds.States > 0 {
			left.States = max(bounds.States-h.States, 1)
		}
		if bounds.Time > 0 {
			left.Time = max(time.Until(ends), 1)
		}
		found, err := x.Search(schedule[:keep], left)
		if err != nil {
			return Hint{}, err
		}
		h.States += found.States
		switch {
		case found.Bound != NoBound:
			h.Bound = found.Bound
			return h, nil
		case found.Finding == nil:
			h.Lost = true
		case h.Lost:
			h.Back = keep
			return h, nil
		case len(found.Finding.Schedule) == 0: // it is broken here
			return h, nil
		default:
			h.Next, h.Left = found.Finding.Schedule[0], len(found.Finding.Schedule)
			h.Word = x.scenario.formatChoice(h.Next)
			return h, nil
		}
	}
	return h, nil
}
