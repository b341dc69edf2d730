package lab

import (
	"math/rand/v2"
)

// faultOdds is how many choices of a random walk there are to one fault, as long
// as there are faults left. A walk has some dozens of steps.
const faultOdds = 12

// Walk takes random runs from start to end, of which each follows from the seed
// and its number, until a law is broken. The run that broke it is shrunk.
func (x *Explorer) Walk(walks int, seed uint64) *Finding {
	for n := range walks {
		source := rand.New(rand.NewPCG(seed, uint64(n)))
		schedule, breaches := x.walk(source)
		x.counts.Schedules++
		if breaches != nil {
			return x.Shrink(Finding{schedule, breaches})
		}
	}
	return nil
}

func (x *Explorer) walk(source *rand.Rand) (Schedule, []Breach) {
	var schedule Schedule
	at := x.initial()
	for {
		choices := x.choices(at)
		if len(choices) == 0 {
			return schedule, x.rest(at)
		}
		c := pick(source, choices)
		to, step := x.perform(at, c)
		x.counts.Steps++
		x.enter(to)
		schedule = append(schedule, c)
		breaches := append(x.judgeStep(to, step), x.scenario.Laws.State(x.view(to))...)
		if breaches != nil {
			return schedule, breaches
		}
		at = to
	}
}

// pick prefers that all goes well: else every fault would happen early.
func pick(source *rand.Rand, choices []Choice) Choice {
	fault := source.IntN(faultOdds) == 0
	for range 8 {
		c := choices[source.IntN(len(choices))]
		if harmless := c.Fate == Arrives || c.Fate == Lands; harmless != fault {
			return c
		}
	}
	return choices[source.IntN(len(choices))]
}
