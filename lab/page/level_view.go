package page

import (
	"slices"
	"strconv"
	"strings"

	"microblogging/lab"
	"microblogging/lab/prove"
	"microblogging/templates"
)

// recordOf is what the explorer has found in a scenario. It is empty if that is nothing.
func (l *Lab) recordOf(name string) (prove.Record, error) {
	known, err := l.known()
	record, _ := prove.About(known, name)
	return record, err
}

// isWon reports whether the law that the scenario is about is broken in the state that is
// shown: any law, if it is about the shipped code.
func (s *story) isWon() bool {
	for _, law := range s.moments[s.at].Laws {
		if law.State == lab.LawBroken && (s.record.Law == "" || law.Law == s.record.Law) {
			return true
		}
	}
	return false
}

// level is the level of the scenario. Its number is 0 if it is none.
func (v scene) level() (level, int) { return levelOf(v.Name) }

// title is the level's, or what the scenario is about.
func (v scene) title() string { return titleOf(v.Case) }

// facts say how a level is won, what is allowed and what is known.
func (v scene) facts() string {
	var facts []string
	for _, law := range v.now().Laws {
		if law.Law == v.record.Law {
			facts = append(facts, "You win when the law "+lawSentence(law.Law)+" is broken.")
		}
	}
	if _, number := v.level(); number > 0 && v.record.Law == "" {
		facts = append(facts, "You win when any law is broken.")
	}
	if v.record.Par > 0 {
		facts = append(facts, "Par: "+counted(v.record.Par, "step")+".")
	}
	facts = append(facts, upperFirst(counted(v.Faults, "fault"))+" allowed.")
	if v.record.Par == 0 && v.record.States > 0 {
		facts = append(facts, "The explorer has searched "+counted(v.record.States, "state")+" in vain. "+
			"(The explorer is a program that tries all orders of the calls. A state is one moment: what is in the tables, and how far everybody is.)")
	}
	return strings.Join(facts, " ")
}

// why says why the last step matters.
func (v scene) why() string { return newNarrator(v.Case, v.Moments, v.isShortest()).why(v.at) }

// wayKnown is the shortest schedule known. It is nil if there is none.
func (v scene) wayKnown() lab.Schedule {
	way, err := parseSchedule(&v.Scenario, v.record.Schedule)
	if err != nil {
		return nil
	}
	return way
}

// isShortest reports whether the schedule is the shortest one known.
func (v scene) isShortest() bool {
	return len(v.schedule) > 0 && slices.Equal(v.schedule, v.wayKnown())
}

// shows reports whether the page shows the shortest schedule known, step by step.
func (v scene) shows() bool { return v.show && v.isShortest() }

// showMe is the start of the shortest schedule known. It is empty if there is none.
func (v scene) showMe() string {
	if way := v.wayKnown(); way != nil {
		q := request{Case: v.Case, schedule: way, show: true}
		return q.address() + partActors
	}
	return ""
}

// askHint is this state with a hint.
func (v scene) askHint() string {
	q := request{Case: v.Case, schedule: v.schedule[:v.at], at: v.at, hint: true}
	return q.address() + "#say"
}

// says is a choice in words.
func (v scene) says(c lab.Choice) string {
	now := v.now()
	for _, o := range now.Network {
		if o.Choice == c {
			return o.Label
		}
	}
	for _, a := range now.Actors {
		for _, o := range a.Options {
			if o.Choice == c {
				return a.Name + ", " + a.Words + ": " + o.Label
			}
		}
	}
	return ""
}

// next is the address of the level after this one, and its title.
func (v scene) next() (url, title string) {
	_, number := v.level()
	l, ok := levelAfter(number)
	if !ok {
		return "", ""
	}
	return templates.LabPath(l.Name), l.Title
}

// score says how the steps compare to the par.
func (v scene) score() string {
	steps, par := v.wonAt(), v.record.Par
	switch {
	case par == 0:
		return "Broken in " + counted(steps, "step") + ". The explorer has not found that."
	case v.shows():
		return "This is a shortest way: " + counted(par, "step") + "."
	case steps <= par:
		return "Won in " + counted(steps, "step") + ". No shorter way is known."
	}
	return "Won in " + counted(steps, "step") + ". A shortest way has " + strconv.Itoa(par) + "."
}

// wonAt is the number of steps after which the law of the level was broken.
func (v scene) wonAt() int {
	for _, law := range v.now().Laws {
		if law.State == lab.LawBroken && law.Law == v.record.Law {
			return law.Since
		}
	}
	return v.at
}

// ships tells whether it is what ships, where a broken law would be no success.
func (v scene) ships() bool { return v.Part == prove.Real }

// compared is where the story of the run is told of both versions. It is empty for what
// ships.
func (v scene) compared() string {
	if v.ships() {
		return ""
	}
	return comparePath(v.Case, v.schedule[:v.at])
}

// oursLabel says what ours leads to: the same run, where it can be taken, or its start.
func (v scene) oursLabel() string {
	if v.Part == prove.Ablated {
		return "The same run with the guard"
	}
	return "Try to break ours"
}

// ours is where the same is tried with all guards.
func (v scene) ours() string {
	if v.Part == prove.Ablated {
		return switchPath(v.Of, v.request)
	}
	if l, number := v.level(); number > 0 && l.Ours != "" {
		return templates.LabPath(l.Ours) + "#guards"
	}
	return ""
}
