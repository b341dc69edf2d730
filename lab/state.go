package lab

import "microblogging/lab/mem"

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

func (p place) started() bool { return p.dead || p.at.depth > 0 }

// A straggler is a request that is still under way and that no actor waits for.
type straggler struct {
	actor int
	at    *point
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

func (x *Explorer) view(s *state) View {
	told := make([][]Fact, 1+len(s.places))
	told[SetupIndex] = x.given
	for i, p := range s.places {
		told[i+1] = p.at.facts
	}
	return View{DB: s.db, Told: told, History: s.history}
}
