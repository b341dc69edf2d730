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

// An Option is one thing that may happen next, or that may not, and why.
type Option struct {
	Choice Choice
	// Word is the choice as a schedule has it.
	Word string
	// Label says it in words.
	Label string
	// Why says why it cannot be chosen now. It is empty if it can.
	Why string
}

// fatesOfCalls are the fates of a call, in the order in which they are tried.
func fatesOfCalls() [8]Fate {
	return [...]Fate{Arrives, DiesBefore, DiesAfter, Unsent, Lost, Repeated, GivenUp, Copied}
}

// choices are all that can happen next. There is none if no actor can go on and no
// request is under way.
func (x *Explorer) choices(s *state) []Choice {
	list := x.scratch[:0]
	for i, p := range s.places {
		if x.whyNotActor(s, i) != "" {
			continue
		}
		if p.at.call.Method == driver.CallReceive {
			for m := range s.db.Messages(p.at.call.Target) {
				list = append(list, Choice{Actor: int8(i + 1), Arg: uint8(m)})
			}
			continue
		}
		for _, fate := range fatesOfCalls() {
			if x.whyNotFate(s, p.at.call, fate) == "" {
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
	x.scratch = list
	return list
}

func (x *Explorer) allows(s *state, c Choice) bool { return slices.Contains(x.choices(s), c) }

// whyNotActor says in a few words why an actor cannot go on now. It is empty if it can.
func (x *Explorer) whyNotActor(s *state, i int) string {
	bound, twin := x.scenario.Preemptions, x.twins[i]
	switch {
	case s.places[i].dead:
		return "dead"
	case s.places[i].stopped():
		return "finished"
	case twin >= 0 && !s.places[twin].started():
		return "the two are alike, so let the other start first"
	case bound > 0 && s.preempted == bound && s.last > 0 && int(s.last) != i+1:
		return "whoever went last goes on first: here an actor that can go on need not wait again"
	}
	return ""
}

// whyNotFate says in a few words why a call cannot have a fate. It is empty if it can. All
// its texts are constant, because the explorer asks at each step.
func (x *Explorer) whyNotFate(s *state, call *Call, fate Fate) string {
	switch {
	case fate == Arrives:
		return ""
	case call.Method == driver.CallReceive:
		return "receiving has no mishaps here: the queue delivers a message again anyway"
	case x.scenario.Faults == 0:
		return "this level allows no fault"
	case s.faults == 0:
		return "no fault is left"
	case fate == DiesBefore:
		return ""
	case fate == DiesAfter && !call.Writes():
		return "it reads: to die after it is to die before it"
	case fate == DiesAfter:
		return ""
	case x.scenario.Deaths:
		return "here processes die, and nothing else goes wrong"
	case fate == Unsent:
		return ""
	case !call.Writes():
		return "it reads: a lost answer is as if it never arrived, and a second copy changes nothing"
	case (fate == GivenUp || fate == Copied) && (x.scenario.Straggles == nil || !x.scenario.Straggles(call)):
		return "here this call cannot be late"
	}
	return ""
}

// refusal says in a few words why a choice cannot be taken. It is empty if it can.
func (x *Explorer) refusal(s *state, c Choice) string {
	switch {
	case x.allows(s, c):
		return ""
	case c.Actor == network && c.Fate == Lands:
		return "no such call is under way"
	case c.Actor == network && c.Fate == Forgotten:
		return "the queue cannot forget such a message here"
	case c.Actor == network:
		return "only an actor's call has this fate"
	case c.Fate == Lands || c.Fate == Forgotten:
		return "the network alone does that"
	}
	if why := x.whyNotActor(s, int(c.Actor)-1); why != "" {
		return why
	}
	call := s.places[c.Actor-1].at.call
	if why := x.whyNotFate(s, call, c.Fate); why != "" {
		return why
	}
	if call.Method != driver.CallReceive {
		return "only a call that receives has a number"
	}
	if len(s.db.Messages(call.Target)) == 0 {
		return "the queue is empty"
	}
	return "the queue holds fewer messages"
}

// Says is what a fate does to a call.
func (f Fate) Says() string {
	return [...]string{
		"it takes effect and is answered", "its process dies before it", "it takes effect, and its process dies before the answer",
		"it takes effect, and the answer is lost", "it never arrives", "it takes effect, the answer is lost, and the SDK sends it again",
		"its caller gives up, and it arrives later", "it takes effect, and a copy of it arrives later",
		"the queue forgets a message", "it lands late",
	}[f]
}

// actorOptions are every fate of an actor's next call. A call that receives has one for each
// message.
func (x *Explorer) actorOptions(s *state, i int) []Option {
	var list []Option
	p, actor := s.places[i], int8(i+1)
	if !p.stopped() && p.at.call.Method == driver.CallReceive {
		for m, message := range s.db.Messages(p.at.call.Target) {
			list = append(list, x.option(s, Choice{Actor: actor, Arg: uint8(m)}, "it receives: "+describeMessage(message.Text)))
		}
	}
	for _, fate := range fatesOfCalls() {
		if fate != Arrives || list == nil {
			list = append(list, x.option(s, Choice{Actor: actor, Fate: fate}, fate.Says()))
		}
	}
	return list
}

// networkOptions are what may happen without an actor.
func (x *Explorer) networkOptions(s *state) []Option {
	var list []Option
	for i, late := range s.late {
		label := "a late call of " + x.scenario.actorName(late.actor) + " lands: " + describeCall(late.at.call)
		list = append(list, x.option(s, Choice{network, Lands, uint8(i)}, label))
	}
	if x.scenario.Forgets {
		for m, message := range s.db.Messages(domain.QueueName) {
			list = append(list, x.option(s, Choice{network, Forgotten, uint8(m)}, "the queue forgets: "+describeMessage(message.Text)))
		}
	}
	return list
}

func (x *Explorer) option(s *state, c Choice, label string) Option {
	return Option{c, x.scenario.formatChoice(c), x.scenario.Pretty(label), x.refusal(s, c)}
}
