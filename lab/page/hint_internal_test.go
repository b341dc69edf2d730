package page

import (
	"testing"
	"time"

	"microblogging/lab"
	"microblogging/lab/prove"
)

func TestHintAtItsBound(t *testing.T) {
	t.Run("says so, and leads back to the way known", boundLeadsBack)
	t.Run("of what ships leads nowhere", boundOfWhatShips)
}

// hintWithin looks for a hint and enters few states.
func hintWithin(t *testing.T, name, schedule string) hint {
	t.Helper()
	c, err := prove.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	q := request{Case: c}
	if q.schedule, err = c.Parse(schedule); err != nil {
		t.Fatal(err)
	}
	q.at = len(q.schedule)
	s, err := follow(q)
	if err != nil {
		t.Fatal(err)
	}
	s.record, _ = prove.About(knownRecords(t), name)
	found, err := findHint(s, lab.Bounds{States: 20, Time: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func boundLeadsBack(t *testing.T) {
	found := hintWithin(t, "reservation", "olga*4")
	if !found.Bound || found.Choice != nil || found.Fork == nil || *found.Fork != 1 || found.States < 20 {
		t.Errorf("%+v", found)
	}
	if found := hintWithin(t, "reservation", "olga"); found.Bound || found.Choice == nil || found.Choice.Fate != lab.Copied || found.States != 0 {
		t.Errorf("on the way known: %+v", found)
	}
}

func boundOfWhatShips(t *testing.T) {
	if found := hintWithin(t, "again", "w1"); !found.Bound || found.Choice != nil || found.Fork != nil {
		t.Errorf("%+v", found)
	}
}
