package lab

import (
	"fmt"
	"slices"

	"microblogging/domain"
)

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

// option makes one of a choice. allowed are the choices of the state.
func (x *Explorer) option(s *state, allowed []Choice, c Choice, label string) Option {
	o := Option{Choice: c, Word: x.scenario.formatChoice(c), Label: x.scenario.Pretty(label)}
	if !slices.Contains(allowed, c) {
		o.Why = x.whyRefused(s, c)
	}
	return o
}

// fatesOfCalls are the fates of a call, in the order in which options have them.
func fatesOfCalls() []Fate {
	return []Fate{Arrives, DiesBefore, DiesAfter, Lost, Unsent, Repeated, GivenUp, Copied}
}

// label says what a fate does to a call.
func (f Fate) label() string {
	return [...]string{
		"it takes effect and is answered", "its process dies before it", "it takes effect, and its process dies before the answer",
		"it takes effect, and the answer is lost", "it never arrives", "it takes effect, the answer is lost, and the SDK sends it again",
		"its caller gives up, and it arrives later", "it takes effect, and a copy of it arrives later",
		"the queue forgets a message", "it lands late",
	}[f]
}

// actorOptions are every fate of an actor's next call.
func (x *Explorer) actorOptions(s *state, allowed []Choice, i int) []Option {
	p, actor := s.places[i], int8(i+1)
	var list []Option
	if !p.stopped() && p.at.call.Method == Receive {
		for m, message := range s.db.Messages(p.at.call.Target) {
			list = append(list, x.option(s, allowed, Choice{Actor: actor, Arg: uint8(m)}, "it receives: "+x.describe(message.Text)))
		}
	}
	for _, fate := range fatesOfCalls() {
		if fate == Arrives && list != nil {
			continue // there is one for each message
		}
		list = append(list, x.option(s, allowed, Choice{Actor: actor, Fate: fate}, fate.label()))
	}
	return list
}

// describe is describeMessage. Each moment has an option for each worker and message, so
// what was described once is kept.
func (x *Explorer) describe(message string) string {
	words, ok := x.messages[message]
	if !ok {
		words = describeMessage(message)
		if x.messages == nil {
			x.messages = map[string]string{}
		}
		x.messages[message] = words
	}
	return words
}

// networkOptions are what may happen without an actor.
func (x *Explorer) networkOptions(s *state, allowed []Choice) []Option {
	var list []Option
	for i, late := range s.late {
		label := fmt.Sprintf("a late call of %s lands: %s", x.scenario.actorName(late.actor), describeCall(late.call))
		list = append(list, x.option(s, allowed, Choice{network, Lands, uint8(i)}, label))
	}
	if !x.scenario.Forgets {
		return list
	}
	for m, message := range s.db.Messages(domain.QueueName) {
		label := "the queue forgets: " + x.describe(message.Text)
		list = append(list, x.option(s, allowed, Choice{network, Forgotten, uint8(m)}, label))
	}
	return list
}
