package page

import (
	"slices"

	"microblogging/lab"
	"microblogging/storage/schema"
)

// runOn is how the state goes on if the named actor makes one call after the other: until it changes a
// gate, is told something, or cannot go on.
func (l *Lab) runOn(q request, name string) (request, error) {
	at := slices.IndexFunc(q.Actors, func(a lab.Actor) bool { return a.Name == name })
	if at < 0 {
		return q, refuseSchedule(&q.Scenario, "There is no such actor", "“run” names an actor that this scenario does not have.")
	}
	x := lab.NewExplorer(q.Scenario)
	defer x.Close()
	schedule, err := x.GoOn(q.schedule[:q.at], int8(at+1), func(step lab.Step) bool { return reached(step) != "" })
	if err != nil {
		return q, refuseChoice(&q.Scenario, "That run is not possible", err)
	}
	return q.ending(schedule), nil
}

// reached is what a step comes to that is worth a look: it changes a gate, or its actor is told
// something. It is empty if it is neither.
func reached(step lab.Step) string {
	if does := gateMoved(step); does != "" {
		return "until it " + does
	}
	if told := lab.Told(step); len(told) > 0 {
		return "until told “" + told[0] + "”"
	}
	return ""
}

// gateMoved says what a step does to a gate. It is empty if that is nothing.
func gateMoved(step lab.Step) (does string) {
	for _, c := range step.Changes() {
		row := later(c)
		if step.Call.Target != schema.TableBlogs || !schema.IsGate(row.Row) {
			continue
		}
		switch kind := schema.Of(schema.TableBlogs, row.Partition, row.Row); {
		case c.Before.ETag != "" && c.After.ETag != "": // the same gate
		case c.After.ETag == "":
			does = "removes the gate"
		case kind == schema.ShutGate:
			return "shuts the gate"
		case kind == schema.OpenGate:
			return "opens the gate"
		default:
			return "reserves a gate"
		}
	}
	return does
}

// ahead is where the actors come to if one of them goes on alone, by their names. It replays the run
// for each of them, so that readers need not guess.
func ahead(x *lab.Explorer, q request, actors []lab.ActorState) (map[string]string, error) {
	words := map[string]string{}
	for i, a := range actors {
		if len(a.Options) == 0 {
			continue
		}
		words[a.Name] = "as far as it goes"
		_, err := x.GoOn(q.schedule[:q.at], int8(i+1), func(step lab.Step) bool {
			to := reached(step)
			if to != "" {
				words[a.Name] = to
			}
			return to != ""
		})
		if err != nil {
			return nil, err
		}
	}
	return words, nil
}
