package lab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Fate is what happens to a call.
type Fate uint8

// The fates. Each costs one of the scenario's faults, except Arrives and Lands.
const (
	// Arrives: the call takes effect and is answered.
	Arrives Fate = iota
	// DiesBefore: the actor dies, and the call was never sent.
	DiesBefore
	// DiesAfter: the call takes effect, and the actor dies before the answer.
	DiesAfter
	// Lost: the call takes effect, and its answer does not arrive.
	Lost
	// Unsent: the call has no effect, and the actor is told that the store is
	// unavailable.
	Unsent
	// Repeated: the call takes effect, its answer does not arrive, and the SDK
	// sends it again while the actor waits. When it arrives again is another
	// choice.
	Repeated
	// GivenUp: the actor is told that the store is unavailable, and the call is
	// still under way.
	GivenUp
	// Copied: the call takes effect and is answered, and a copy of it is still
	// under way.
	Copied
	// Forgotten: the queue loses a message.
	Forgotten
	// Lands: a call whose caller has given up takes effect, or a copy does.
	Lands
)

func fateNames() []string {
	return []string{"arrives", "dies-before", "dies-after", "lost", "unsent", "repeated", "given-up", "copied", "forgotten", "lands"}
}

func (f Fate) String() string { return fateNames()[f] }

// network is the actor of a choice that no actor makes.
const network = -1

// A Choice is one step of a schedule: whose call, its fate, and which message or
// request is meant if there are several.
type Choice struct {
	Actor int8
	Fate  Fate
	Arg   uint8
}

// A Schedule is the list of choices that makes a run.
type Schedule []Choice

// Format writes a schedule as one word, with the names of the scenario's actors:
// ann,ann:lost,bob*3,w1@0.
func (s *Scenario) Format(schedule Schedule) string {
	var words []string
	for i := 0; i < len(schedule); {
		n := i + 1
		for n < len(schedule) && schedule[n] == schedule[i] {
			n++
		}
		word := s.formatChoice(schedule[i])
		if n-i > 1 {
			word += "*" + strconv.Itoa(n-i)
		}
		words = append(words, word)
		i = n
	}
	return strings.Join(words, ",")
}

func (s *Scenario) formatChoice(c Choice) string {
	word := "network"
	if c.Actor != network {
		word = s.actorName(int(c.Actor))
	}
	if c.Fate != Arrives {
		word += ":" + c.Fate.String()
	}
	if c.Arg > 0 {
		word += "@" + strconv.Itoa(int(c.Arg))
	}
	return word
}

// maxRepeats is more than the calls of any actor.
const maxRepeats = 10_000

// Parse reads what Format wrote. If it cannot, the error is a *StuckError.
func (s *Scenario) Parse(text string) (Schedule, error) {
	var schedule Schedule
	if text == "" {
		return nil, nil
	}
	for whole := range strings.SplitSeq(text, ",") {
		word, repeats, repeated := strings.Cut(strings.TrimSpace(whole), "*")
		n := 1
		if repeated {
			var err error
			if n, err = strconv.Atoi(repeats); err != nil || n < 1 || n > maxRepeats {
				return nil, &StuckError{len(schedule), whole, fmt.Sprintf("it is taken %q times; that must be 1 to %d", repeats, maxRepeats)}
			}
		}
		choice, err := s.parseChoice(word)
		if err == nil && len(schedule)+n > maxRepeats {
			err = fmt.Errorf("a schedule has at most %d choices", maxRepeats)
		}
		if err != nil {
			return nil, &StuckError{len(schedule), whole, err.Error()}
		}
		schedule = append(schedule, slices.Repeat(Schedule{choice}, n)...)
	}
	return schedule, nil
}

func (s *Scenario) parseChoice(word string) (Choice, error) {
	word, arg, hasArg := strings.Cut(word, "@")
	actor, fate, hasFate := strings.Cut(word, ":")
	choice := Choice{Actor: network}
	for i := range s.Actors {
		if s.Actors[i].Name == actor {
			choice.Actor = int8(i + 1)
		}
	}
	if choice.Actor == network && actor != "network" {
		return Choice{}, fmt.Errorf("scenario %s has no actor %q; it has %s", s.Name, actor, strings.Join(s.actorNames(), ", "))
	}
	if hasFate {
		at := slices.Index(fateNames(), fate)
		if at < 0 {
			return Choice{}, fmt.Errorf("there is no fate %q; there are %s", fate, strings.Join(fateNames(), ", "))
		}
		choice.Fate = Fate(at)
	}
	if hasArg {
		n, err := strconv.ParseUint(arg, 10, 8)
		if err != nil {
			return Choice{}, fmt.Errorf("%q is not the number of a message or of a late call", arg)
		}
		choice.Arg = uint8(n)
	}
	return choice, nil
}
