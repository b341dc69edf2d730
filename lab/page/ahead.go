package page

import (
	"slices"

	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage/schema"
)

// runOn is how the state goes on if the named actor makes one call after the other: until it changes a
// gate, is told something, or cannot go on.
func (l *Lab) runOn(q request, name string) (request, error) {
	at := slices.IndexFunc(q.Actors, func(a lab.Actor) bool { return a.Name == name })
	if at < 0 {
		return q, refuseSchedule(&q.Scenario, "There is no such actor", "“run” names somebody who is not there.")
	}
	x := lab.NewExplorer(q.Scenario)
	defer x.Close()
	schedule, err := x.GoOn(q.schedule[:q.at], int8(at+1), isMilestone)
	if err != nil {
		return q, refuseChoice(&q.Scenario, "That run is not possible", err)
	}
	return request{Case: q.Case, schedule: schedule, at: len(schedule), large: q.large}, nil
}

// isMilestone tells whether a step changes a gate, or its actor is told something.
func isMilestone(step lab.Step) bool {
	return slices.ContainsFunc(step.Changes(), func(c mem.Change) bool {
		return step.Call.Target == schema.TableBlogs && c.Before.ETag != c.After.ETag && (c.Before.ETag == "" || c.After.ETag == "") && schema.IsGate(later(c).Row)
	}) || len(lab.Told(step)) > 0
}

// runOnURL asks for that.
func (v *scene) runOnURL(actor string) string {
	q := request{Case: v.Case, schedule: v.schedule[:v.at], at: v.at, large: v.large, run: actor}
	return q.address() + partActors
}
