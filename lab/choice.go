package lab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A Fate is what happens to a call.
type Fate uint8

// The fates. Each costs one of the scenario's faults, except Arrives, Lands and Passes.
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
	// Passes: the next moment of the scenario comes.
	Passes
)

// costs reports whether the fate is a fault.
func (f Fate) costs() bool { return f != Arrives && f != Lands && f != Passes }

func fateNames() []string {
	return []string{"arrives", "dies-before", "dies-after", "lost", "unsent", "repeated", "given-up", "copied", "forgotten", "lands", "passes"}
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

// MaxChoices is the most choices of a schedule that is read. No scenario needs as many.
const MaxChoices = 200

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
			n, _ = strconv.Atoi(repeats) // no number is none
		}
		choice, err := s.parseChoice(word)
		switch {
		case err != nil:
			return nil, &StuckError{len(schedule), whole, err.Error()}
		case n < 1:
			return nil, &StuckError{len(schedule), whole, fmt.Sprintf("it is taken %q times", repeats)}
		case n > MaxChoices-len(schedule):
			return nil, &StuckError{MaxChoices, whole, fmt.Sprintf("a run has %d steps at most", MaxChoices)}
		}
		schedule = append(schedule, slices.Repeat(Schedule{choice}, n)...)
	}
	return schedule, nil
}

func (s *Scenario) parseChoice(word string) (Choice, error) {
	word, arg, hasArg := strings.Cut(word, "@")
	actor, fate, hasFate := strings.Cut(word, ":")
	choice := Choice{Actor: network}
	var names []string
	for i, a := range s.Actors {
		names = append(names, a.Name)
		if a.Name == actor {
			choice.Actor = int8(i + 1)
		}
	}
	if choice.Actor == network && actor != "network" {
		return Choice{}, fmt.Errorf("scenario %s has no actor %q; it has %s", s.Name, actor, strings.Join(names, ", "))
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

// An Option is one thing that may happen next.
type Option struct {
	Choice Choice
	// Word is the choice as a schedule has it.
	Word string
	// Label says it in words.
	Label string
	// Interrupts reports whether it costs an interruption.
	Interrupts bool
	// Call is what takes effect late. It is nil for another choice.
	Call *Call
}

// choices are all that can happen next.
func (x *Explorer) choices(s *state) []Choice {
	list := x.scratch[:0]
	for i, p := range s.places {
		if x.whyNotActor(s, i) != "" {
			continue
		}
		if p.at.call.Method == driver.CallReceive {
			for m, message := range s.db.Messages(p.at.call.Target) {
				if x.scenario.Times == nil || !s.db.Delayed(p.at.call.Target, message.ID, x.now(s)) {
					list = append(list, Choice{Actor: int8(i + 1), Arg: uint8(m)})
				}
			}
			continue
		}
		for _, fate := range [...]Fate{Arrives, DiesBefore, DiesAfter, Unsent, Lost, Repeated, GivenUp, Copied} {
			if x.may(s, p.at.call, fate) {
				list = append(list, Choice{Actor: int8(i + 1), Fate: fate})
			}
		}
	}
	if s.faults > 0 && x.scenario.Forgets {
		for m := range s.db.Messages(domain.QueueName) {
			list = append(list, Choice{Actor: network, Fate: Forgotten, Arg: uint8(m)})
		}
	}
	for i := range s.late {
		list = append(list, Choice{Actor: network, Fate: Lands, Arg: uint8(i)})
	}
	if s.time+1 < len(x.scenario.Times) {
		list = append(list, Choice{Actor: network, Fate: Passes})
	}
	x.scratch = list
	return list
}

// onward is the first choice that is no fault. There is none if the system is idle: no actor can go on, no request is under
// way, and no time will pass. Then the queue may still lose a message, which would be a fault.
func onward(choices []Choice) (c Choice, ok bool) {
	if at := slices.IndexFunc(choices, func(c Choice) bool { return !c.Fate.costs() }); at >= 0 {
		return choices[at], true
	}
	return Choice{}, false
}

func idle(choices []Choice) bool {
	_, ok := onward(choices)
	return !ok
}

func (x *Explorer) allows(s *state, c Choice) bool { return slices.Contains(x.choices(s), c) }

// uninterrupted is why an actor waits where interruptions are bounded.
const uninterrupted = "no interruption is left in this scenario, so the actor that went last goes on"

// whyNotActor says in a few words why an actor cannot go on now. It is empty if it can. All its
// texts are constant, because the model checker asks at each step.
func (x *Explorer) whyNotActor(s *state, i int) string {
	bound, twin := x.scenario.Preemptions, x.twins[i]
	switch {
	case s.places[i].dead:
		return Dead
	case s.places[i].stopped():
		return Finished
	case twin >= 0 && !s.places[twin].started():
		return "the two are alike, so let the other start first"
	case bound > 0 && s.preempted == bound && s.last > 0 && int(s.last) != i+1:
		return uninterrupted
	}
	return ""
}

// may reports whether a call can have a fate. A read that dies, or whose answer is lost, is as if it
// never arrived, and the queue delivers a message again anyway.
func (x *Explorer) may(s *state, call *Call, fate Fate) bool {
	switch {
	case fate == Arrives:
		return true
	case s.faults == 0 || call.Method == driver.CallReceive:
		return false
	case x.scenario.Only != Arrives && fate != x.scenario.Only:
		return false
	case x.scenario.Deaths > 0 && !x.mayStill(s, fate == DiesBefore || fate == DiesAfter):
		return false
	case fate == DiesBefore || fate == Unsent:
		return true
	case fate == GivenUp || fate == Copied:
		return call.Writes() && x.scenario.DelayedCalls != nil && x.scenario.DelayedCalls(&call.Call)
	}
	return call.Writes()
}

// mayStill reports whether a death is left, or else another fault, where deaths are counted.
func (x *Explorer) mayStill(s *state, death bool) bool {
	dead := s.deaths()
	if death {
		return dead < x.scenario.Deaths
	}
	return s.faults > x.scenario.Deaths-dead
}

// stuck says why a choice, whose index in its schedule is i, cannot be taken.
func (x *Explorer) stuck(s *state, i int, c Choice) *StuckError {
	why := "nothing can happen any more"
	var words []string
	for _, may := range x.choices(s) {
		words = append(words, x.scenario.formatChoice(may))
	}
	if words != nil {
		why = "what can happen here is " + strings.Join(words, ", ")
	}
	return &StuckError{i, x.scenario.formatChoice(c), why}
}

// options are what an actor, or the network, may do next.
func (x *Explorer) options(s *state, actor int8) (list []Option) {
	for _, c := range x.choices(s) {
		if c.Actor != actor {
			continue
		}
		option := Option{Choice: c, Word: x.scenario.formatChoice(c), Label: x.scenario.Pretty(x.label(s, c)), Interrupts: s.last > 0 && c.Actor != network && c.Actor != s.last}
		if c.Fate == Lands {
			option.Call = s.late[c.Arg].at.call
		}
		list = append(list, option)
	}
	return list
}

func (x *Explorer) label(s *state, c Choice) string {
	switch {
	case c.Fate == Lands:
		late := s.late[c.Arg]
		return "a late call of " + x.scenario.actorName(late.stamp.actor) + " lands: " + describeCall(late.at.call)
	case c.Fate == Passes:
		return "time passes: " + x.scenario.at(s.time+1).At.String() + " since the start"
	case c.Fate == Forgotten:
		return "the queue loses: " + describeMessage(s.db.Messages(domain.QueueName)[c.Arg].Text)
	}
	if call := s.places[c.Actor-1].at.call; call.Method == driver.CallReceive {
		return "it receives: " + describeMessage(s.db.Messages(call.Target)[c.Arg].Text)
	}
	if c.Fate == Arrives {
		return "it takes effect and is answered"
	}
	return describeFate(c.Fate)
}
