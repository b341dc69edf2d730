package lab

// A Cursor is a place in a run, for code that decides step by step. It never changes: Take
// returns the next one, so that one can look ahead and come back.
type Cursor struct {
	x  *Explorer
	at *state
}

// Begin is the place before the first step.
func (x *Explorer) Begin() Cursor {
	x.trace()
	return Cursor{x, x.initial()}
}

// Call is the call that the actor of a choice is about to make. It is nil if there is none,
// or if the choice is the network's.
func (c Cursor) Call(of Choice) *Call {
	if of.Actor == network {
		return nil
	}
	p := c.at.places[of.Actor-1]
	if p.stopped() {
		return nil
	}
	return p.at.call
}

// Sites are the line that makes that call and those that led to it.
func (c Cursor) Sites(of Choice) []Site { return c.at.places[of.Actor-1].at.lines() }

// Next is what happens next if nothing goes wrong: whose turn it is matters to nobody then.
// It reports false if all is at rest.
func (c Cursor) Next() (Choice, bool) {
	choices := c.x.choices(c.at)
	if len(choices) == 0 {
		return Choice{}, false
	}
	return choices[0], true
}

// Take takes a choice. If it cannot be taken, the error is a *StuckError.
func (c Cursor) Take(choice Choice) (Cursor, Step, error) {
	if why := c.x.refusal(c.at, choice); why != "" {
		return c, Step{}, &StuckError{0, c.x.scenario.formatChoice(choice), why}
	}
	to, step := c.x.perform(c.at, choice)
	return Cursor{c.x, to}, step, nil
}
