package page

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"microblogging/lab/mem"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
	"microblogging/templates"
)

// A span is something that holds from one line to another next to a column. Its lines count from 0;
// -1 is the start, and To is the number of lines if it does not end.
type span struct {
	Column, From, To int
	// Side distinguishes the spans of one column.
	Side  int
	Class string
	// Label is at its beginning, and End at its end.
	Label, End string
}

// shift is its distance from its column, in pixels: a lease on it, gates side by side.
func (b span) shift(more int) string {
	x := -spanWidth/2 + more
	if b.Class != "lease" {
		x = 3 + (spanWidth+2)*b.Side + more
	}
	return "translate(" + strconv.Itoa(x) + ")"
}

// leases are the times for which a worker has a message to itself. Time does not pass in the lab:
// that a lease has run out shows when the queue gives the message to another worker.
func (p *plot) leases() {
	holds := map[string]int{}
	end := func(message, line int, words string) {
		p.Leases[message].To, p.Leases[message].End = line, words
	}
	for n, m := range p.moments {
		if m.Step == nil || m.Step.Applied == nil || m.Step.Applied.Err != nil {
			continue
		}
		switch call := m.Step.Call; call.Method {
		case driver.CallReceive:
			id := m.Step.Applied.Messages[0].ID
			if held, ok := holds[id]; ok {
				end(held, p.lineOf[n], "lease over")
			}
			holds[id] = len(p.Leases)
			p.Leases = append(p.Leases, span{Column: m.Step.Sender - 1, From: p.lineOf[n], To: len(p.Lines), Class: "lease", Label: "lease"})
		case driver.CallDelete, driver.CallUpdate:
			if held, ok := holds[call.Message.ID]; ok {
				end(held, p.lineOf[n], "")
				delete(holds, call.Message.ID)
			}
		}
	}
}

// mostGates is how many incarnations have a strip of their own.
const mostGates = 3

// gates are the states of the gates of each incarnation of the channels that the run is about.
func (p *plot) gates() {
	column, about := len(p.Callers)+slices.Index(p.stores, schema.TableBlogs), p.partitions()
	var strips []string
	latest := map[string]int{}
	for n, m := range p.moments {
		line := -1
		if n > 0 {
			line = p.lineOf[n]
		}
		now := gatesIn(m.DB, about)
		for _, incarnation := range slices.Sorted(maps.Keys(now)) {
			if !slices.Contains(strips, incarnation) && len(strips) < mostGates {
				strips = append(strips, incarnation)
			}
		}
		for side, incarnation := range strips {
			is := cmp.Or(now[incarnation], templates.GateGone)
			at, there := latest[incarnation]
			if there && p.Gates[at].Class == gateClass(is) {
				continue
			}
			if there {
				p.Gates[at].To = line
			}
			latest[incarnation] = len(p.Gates)
			p.Gates = append(p.Gates, span{Column: column, From: line, To: len(p.Lines), Side: side, Class: gateClass(is), Label: is.Word()})
		}
	}
}

func gateClass(s templates.GateState) string { return "gate-" + string(s) }

// partitions are those that an actor calls, or is about to.
func (p *plot) partitions() map[string]bool {
	about := map[string]bool{}
	for _, m := range p.moments {
		if m.Step != nil && m.Step.Call != nil {
			about[m.Step.Call.Partition] = true
		}
		for _, a := range m.Actors {
			if a.Call != nil {
				about[a.Call.Partition] = true
			}
		}
	}
	return about
}

// gatesIn are the states of the gates, by their incarnations.
func gatesIn(db mem.Snapshot, about map[string]bool) map[string]templates.GateState {
	gates := map[string]templates.GateState{}
	for row := range db.Rows(schema.TableBlogs) {
		kind := schema.Of(schema.TableBlogs, row.Partition, row.Row)
		state, isGate := map[*schema.Kind]templates.GateState{
			schema.ReservedGate: templates.GateReserved, schema.OpenGate: templates.GateOpen, schema.ShutGate: templates.GateShut,
		}[kind]
		if incarnation := row.Properties.String(schema.PropIncarnation); isGate && about[row.Partition] {
			gates[incarnation] = state
		}
	}
	return gates
}
