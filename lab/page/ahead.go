package page

import (
	"slices"
	"strings"

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

const gateGone = "until the gate is gone"

// reached is what a step comes to that is worth a look: it changes a gate, or its actor is told
// something. It is empty if it is neither.
func reached(step lab.Step) (words string) {
	for _, c := range step.Changes() {
		if step.Call.Target != schema.TableBlogs || !schema.IsGate(later(c).Row) {
			continue
		}
		switch kind := schema.Of(schema.TableBlogs, later(c).Partition, later(c).Row); {
		case c.Before.ETag != "" && c.After.ETag != "": // the same gate
		case c.After.ETag != "" && kind == schema.ShutGate:
			return "until it shuts the gate"
		case c.After.ETag != "" && kind == schema.OpenGate:
			return "until it opens the gate"
		case c.After.ETag != "":
			return "until it reserves a gate"
		default:
			words = gateGone
		}
	}
	if told := lab.Told(step); len(told) > 0 && words == "" {
		return "until told “" + told[0] + "”"
	}
	return words
}

// gateMoved says what a step does to a gate, to be added to other words. It is empty if it is nothing.
func gateMoved(step lab.Step) string {
	words := reached(step)
	if does, ok := strings.CutPrefix(words, "until it "); ok {
		return ", " + does
	}
	if words == gateGone {
		return ", removes the gate"
	}
	return ""
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
