package lab

import (
	"fmt"

	"microblogging/domain"
)

// refusal says in a few words why a choice cannot be taken. It is empty if it can:
// choices decides that, and the rest only explains.
func (x *Explorer) refusal(s *state, c Choice) string {
	if x.allows(s, c) {
		return ""
	}
	return x.whyRefused(s, c)
}

// whyRefused is the refusal of a choice that the state does not have.
func (x *Explorer) whyRefused(s *state, c Choice) string {
	if c.Actor == network {
		return x.refusalOfNetwork(s, c)
	}
	i := int(c.Actor) - 1
	p := s.places[i]
	switch {
	case p.dead:
		return "dead"
	case p.stopped():
		return "finished"
	case c.Fate == Lands || c.Fate == Forgotten:
		return "the network alone does that"
	}
	if why := x.refusalOfActor(s, i); why != "" {
		return why
	}
	if why := x.refusalOfFate(p.at.call, c, len(s.db.Messages(p.at.call.Target))); why != "" {
		return why
	}
	return x.refusalOfFault()
}

// refusalOfActor says why an actor must wait, whatever befalls its call.
func (x *Explorer) refusalOfActor(s *state, i int) string {
	if twin := x.twins[i]; twin >= 0 && !x.started(s.places[twin]) {
		return fmt.Sprintf("the two are alike, so let %s start first", x.scenario.Actors[twin].Name)
	}
	if !x.mayAct(s, i) {
		return fmt.Sprintf("%s goes on first: an actor that can go on has to wait %s at most here",
			x.scenario.actorName(int(s.last)), count(x.scenario.Preemptions, "time"))
	}
	return ""
}

// refusalOfFate says why a call cannot have a fate, however many faults are left.
func (x *Explorer) refusalOfFate(call *Call, c Choice, messages int) string {
	fate := c.Fate
	if call.Method == Receive {
		switch {
		case fate != Arrives:
			return "receiving has no mishaps here: the queue delivers a message again anyway"
		case messages == 0:
			return "the queue is empty"
		default:
			return "the queue holds " + count(messages, "message")
		}
	}
	switch {
	case c.Arg > 0:
		return "only a call that receives has a number"
	case fate == DiesBefore:
		return ""
	case !call.Writes() && fate == DiesAfter:
		return "it reads: to die after it is to die before it"
	case !call.Writes() && fate == Lost:
		return "it reads: a lost answer is as if it never arrived"
	case !call.Writes() && fate != Unsent:
		return "it reads: a second copy changes nothing"
	case fate == DiesAfter:
		return ""
	case x.scenario.Deaths:
		return "here processes die, and nothing else goes wrong"
	case fate == Repeated && call.Once:
		return "the SDK must not send this again"
	case (fate == GivenUp || fate == Copied) && (x.scenario.Straggles == nil || !x.scenario.Straggles(call)):
		return "here this call cannot be late"
	}
	return ""
}

// refusalOfFault says that no fault is left.
func (x *Explorer) refusalOfFault() string {
	if x.scenario.Faults == 0 {
		return "this level allows no fault"
	}
	return fmt.Sprintf("no fault left: this level allows %d", x.scenario.Faults)
}

func (x *Explorer) refusalOfNetwork(s *state, c Choice) string {
	messages := len(s.db.Messages(domain.QueueName))
	switch {
	case c.Fate == Lands:
		return count(len(s.late), "late call") + " under way"
	case c.Fate != Forgotten:
		return "only an actor's call has this fate"
	case !x.scenario.Forgets:
		return "here the queue forgets nothing"
	case messages == 0:
		return "the queue is empty"
	case int(c.Arg) >= messages:
		return "the queue holds " + count(messages, "message")
	default:
		return x.refusalOfFault()
	}
}
