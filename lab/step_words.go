package lab

// describeFate is the fate of a step in the words of the table.
func describeFate(step Step) string {
	return [...]string{
		"", "dies before it", "dies after it", "takes effect, reply lost", "never arrives",
		"takes effect, SDK sends it again", "caller gives up, still under way", "a copy is still under way",
		"the queue forgets a message", "lands late",
	}[step.Choice.Fate]
}

// StepWords is a step in words.
type StepWords struct {
	// Actor is "network" if no actor made the choice.
	Actor string
	Call  string
	// Fate is empty if the call took effect and was answered.
	Fate string
	// Answer is empty if the actor got none, and in brackets if nobody waited for it.
	Answer string
	// Told is what the actor was told next.
	Told []string
}

// Words says a step in words. The first token that ann minted is ann.1.
func (s *Scenario) Words(step Step) StepWords {
	w := StepWords{Actor: "network", Fate: describeFate(step)}
	if step.Choice.Actor != network {
		w.Actor = s.actorName(int(step.Choice.Actor))
	}
	switch {
	case step.Call != nil:
		w.Call = s.DescribeCall(step.Call)
	case step.Message != "":
		w.Call = s.DescribeMessage(step.Message)
	}
	switch {
	case step.Answer != nil:
		w.Answer = s.Pretty(describeAnswer(step.Call, step.Answer))
	case step.Choice.Fate == Lands:
		w.Answer = s.Pretty("(" + describeAnswer(step.Call, step.Applied) + ")")
	}
	for _, fact := range step.Told {
		if told := describeFact(fact); told != "" {
			w.Told = append(w.Told, told)
		}
	}
	return w
}

// DescribeCall is what a call asks for, in one line.
func (s *Scenario) DescribeCall(c *Call) string { return s.Pretty(describeCall(c)) }

// DescribeMessage is what a message asks for, in one line.
func (s *Scenario) DescribeMessage(text string) string { return s.Pretty(describeMessage(text)) }

// DescribeFact is what an actor was told, in one line. It is empty for what the actor is
// only about to do.
func (s *Scenario) DescribeFact(f Fact) string { return describeFact(f) }

// ShortRow is a row key with its tokens, hashes and times shortened.
func (s *Scenario) ShortRow(row string) string { return s.Pretty(shortRow(row)) }
