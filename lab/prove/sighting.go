package prove

import (
	"microblogging/domain"
	"microblogging/lab"
)

// A Sighting is the shortest schedule that shows an anomaly, or how many states were
// entered in vain.
type Sighting struct {
	Anomaly string `json:"anomaly"`
	// Law is the law that is broken. It and Schedule are empty if none was found.
	Law      string `json:"law,omitempty"`
	Schedule string `json:"schedule,omitempty"`
	// States is how many states were entered until then.
	States int `json:"states"`
	// All tells that there are no other states.
	All bool `json:"all,omitempty"`
}

// Found tells that the anomaly was seen.
func (s Sighting) Found() bool { return s.Law != "" }

// boundOfSightings is how many states are entered to see the anomalies that are not the
// first breach of a case.
const boundOfSightings = 300_000

// Sightings look for each anomaly in one case. They enter states until all four were seen
// or boundOfSightings is reached.
func (c Case) Sightings() []Sighting {
	x := lab.NewExplorer(c.Scenario)
	defer x.Close()
	anomalies := Anomalies()
	seen := make([]Sighting, len(anomalies))
	left := len(anomalies)
	result := x.Survey(lab.Bounds{States: boundOfSightings}, func(breaches []domain.Breach, schedule func() lab.Schedule) bool {
		for i, a := range anomalies {
			law, ok := a.shownBy(c.Part, breaches)
			if !ok || seen[i].Found() {
				continue
			}
			seen[i] = Sighting{Law: law, Schedule: c.Format(schedule()), States: x.Counts().States}
			left--
		}
		return left > 0
	})
	for i, a := range anomalies {
		seen[i].Anomaly = a.Name
		if !seen[i].Found() {
			seen[i].States, seen[i].All = result.States, result.Exhausted()
		}
	}
	return seen
}
