package lab_test

import (
	"testing"
	"time"

	"microblogging/lab"
	"microblogging/lab/prove"
)

func TestHint(t *testing.T) {
	for what, test := range map[string]struct {
		scenario, schedule string
		bounds             lab.Bounds
		want               lab.Hint
	}{
		"the next choice of a shortest way": {"A1", "ann,olga*2,w1*3", lab.BoundsOfPages(), lab.Hint{Word: "ann", Left: 3, Back: -1}},
		"with its mishap":                   {"A4", "", lab.BoundsOfPages(), lab.Hint{Word: "ann:repeated", Left: 2, Back: -1}},
		"back to where it could be broken":  {"A1", "olga,ann,olga,w1", lab.BoundsOfPages(), lab.Hint{Lost: true, Back: 0}},
		"back by one step":                  {"A3", "olga*2", lab.BoundsOfPages(), lab.Hint{Lost: true, Back: 1}},
		"it never could":                    {"A1", "", lab.Bounds{Law: "A3"}, lab.Hint{Lost: true, Back: -1}},
		"a bound":                           {"post", "", lab.Bounds{States: 50}, lab.Hint{Bound: lab.StatesBound, Back: -1}},
		"another bound":                     {"post", "", lab.Bounds{Time: time.Nanosecond}, lab.Hint{Bound: lab.TimeBound, Back: -1}},
	} {
		t.Run(what, func(t *testing.T) {
			c, err := prove.Find(test.scenario)
			if err != nil {
				t.Fatal(err)
			}
			schedule, err := c.Parse(test.schedule)
			if err != nil {
				t.Fatal(err)
			}
			got, err := explorer(t, c.Scenario).Hint(schedule, test.bounds)
			got.Next, got.States = lab.Choice{}, 0
			if err != nil || got != test.want {
				t.Errorf("%+v, error %v, want %+v", got, err, test.want)
			}
		})
	}
}
