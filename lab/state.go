package lab

import (
	"slices"

	"microblogging/domain"
	"microblogging/lab/mem"
)

// A state is the whole system between two steps. It never changes.
type state struct {
	db      mem.Snapshot
	history *History
	places  []place
	late    []straggler
	faults  int
	// last is the actor that acted last, if it can go on; preempted counts how often
	// such an actor had to wait. Both are 0 unless the scenario bounds preemptions.
	last      int8
	preempted int
}

// A place is how far an actor has come.
type place struct {
	at *point
	// sends is how often the call was sent before.
	sends uint8
	dead  bool
}

func (p place) stopped() bool { return p.dead || p.at.call == nil }

// A straggler is a request that is still under way and that no actor waits for.
type straggler struct {
	actor int
	call  *Call
	stamp stamp
}

// key identifies the state. Of an actor that has stopped, only the facts count:
// nothing else that it knew can matter any more.
func (s *state) key() mem.Sum {
	var d mem.Digest
	d.Sum(s.db.Sum())
	d.Sum(s.history.sum)
	for _, p := range s.places {
		if p.stopped() {
			d.Int(0)
			d.Sum(p.at.factsSum)
			continue
		}
		d.Int(p.at.id)
		d.Int(uint64(p.sends))
	}
	for _, late := range s.late {
		d.Int(uint64(late.actor))
		d.Int(late.stamp.sum())
	}
	d.Int(uint64(s.faults))
	d.Int(uint64(s.last))
	d.Int(uint64(s.preempted))
	return d.Done()
}

// choices are all that can happen next. There is none if no actor can go on and no
// request is under way.
func (x *Explorer) choices(s *state) []Choice {
	list := x.scratch[:0]
	for i, p := range s.places {
		if p.stopped() || !x.mayAct(s, i) {
			continue
		}
		list = x.appendFates(list, s, i)
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

// mayAct tells whether the actor may act now. Equal actors start in their order, and
// preemptions have a bound.
func (x *Explorer) mayAct(s *state, i int) bool {
	if twin := x.twins[i]; twin >= 0 && !x.started(s.places[twin]) {
		return false
	}
	if bound := x.scenario.Preemptions; bound > 0 && s.preempted == bound && s.last > 0 && int(s.last) != i+1 {
		return false
	}
	return true
}

func (x *Explorer) started(p place) bool { return p.dead || p.at.depth > 0 }

func (x *Explorer) appendFates(list []Choice, s *state, i int) []Choice {
	p, actor := s.places[i], int8(i+1)
	if p.at.call.Method == Receive {
		for m := range s.db.Messages(p.at.call.Target) {
			list = append(list, Choice{Actor: actor, Arg: uint8(m)})
		}
		return list
	}
	list = append(list, Choice{Actor: actor})
	if s.faults == 0 {
		return list
	}
	list = append(list, Choice{Actor: actor, Fate: DiesBefore})
	writes := p.at.call.Writes()
	if writes {
		list = append(list, Choice{Actor: actor, Fate: DiesAfter})
	}
	if x.scenario.Deaths {
		return list
	}
	list = append(list, Choice{Actor: actor, Fate: Unsent})
	if writes {
		list = append(list, Choice{Actor: actor, Fate: Lost})
	}
	if writes && !p.at.call.Once {
		list = append(list, Choice{Actor: actor, Fate: Repeated})
	}
	if writes && x.scenario.Straggles != nil && x.scenario.Straggles(p.at.call) {
		list = append(list, Choice{Actor: actor, Fate: GivenUp}, Choice{Actor: actor, Fate: Copied})
	}
	return list
}

func (x *Explorer) allows(s *state, c Choice) bool { return slices.Contains(x.choices(s), c) }

func (x *Explorer) view(s *state) View {
	told := make([][]Fact, 1+len(s.places))
	told[setupIndex] = x.given
	for i, p := range s.places {
		told[i+1] = p.at.facts
	}
	return View{DB: s.db, Told: told, History: s.history}
}
