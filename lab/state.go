package lab

import (
	"math"
	"slices"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
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

// mayAct tells whether the actor may act now. Equal actors start in their order,
// preemptions have a bound, and who awaits the others must wait for them.
func (x *Explorer) mayAct(s *state, i int) bool {
	if twin := x.twins[i]; twin >= 0 && !x.started(s.places[twin]) {
		return false
	}
	if bound := x.scenario.Preemptions; bound > 0 && s.preempted == bound && s.last > 0 && int(s.last) != i+1 {
		return false
	}
	return s.places[i].stopped() || s.places[i].at.call.Method != Await || !x.underWay(s, i)
}

// underWay tells whether an actor but this one has begun and not ended.
func (x *Explorer) underWay(s *state, i int) bool {
	for other, p := range s.places {
		if other != i && x.started(p) && !p.stopped() {
			return true
		}
	}
	return false
}

func (x *Explorer) started(p place) bool { return p.dead || p.at.depth > 0 }

func (x *Explorer) appendFates(list []Choice, s *state, i int) []Choice {
	p, actor := s.places[i], int8(i+1)
	if p.at.call.Method == Receive {
		messages := s.db.Messages(p.at.call.Target)
		most := x.mostDeliveries(messages)
		for m, message := range messages {
			if message.Deliveries <= most {
				list = append(list, Choice{Actor: actor, Arg: uint8(m)})
			}
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

// mostDeliveries is how often a message may have been delivered that is delivered next. Whoever
// copies a store receives until nothing is left, and would never end if it got one message
// over and over: so then those come first that were delivered least often.
func (x *Explorer) mostDeliveries(messages []driver.Message) int64 {
	least := int64(math.MaxInt64)
	if !x.scenario.Copied {
		return least
	}
	for _, m := range messages {
		least = min(least, m.Deliveries)
	}
	return least
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
