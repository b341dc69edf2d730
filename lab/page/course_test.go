package page_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/lab/page"
)

func TestCourse(t *testing.T) {
	t.Run("no level is won by actors that go one after the other without a fault", levelsNeedTwo)
	t.Run("each level names what is new in it, which no other does", levelsHaveOneConcept)
	t.Run("the scene of a level names each person who acts in it", scenesNamePeople)
	t.Run("no level but two ends because it has interrupted too often", levelsHaveNoHiddenEnd)
	t.Run("the lease of the worker that does the damage without the shut gate has ended", sleeperDoesTheDamage)
	t.Run("what a nudge says wins its level", nudgesWin)
}

// allKnown is what the model checker has found, and what it finds in the protocols of package own.
func allKnown(t *testing.T) []modelcheck.Record {
	t.Helper()
	known, err := modelcheck.Known()
	ok(t, err)
	for _, c := range modelcheck.OwnCases() {
		result, _, err := c.Try(context.Background())
		ok(t, err)
		known = append(known, result.Record())
	}
	return known
}

// oneAfterTheOther are the runs without faults in which each actor goes on until it has ended or waits
// for a message, in every order of the actors.
func oneAfterTheOther(c modelcheck.Case) (runs []lab.Schedule) {
	x := lab.NewExplorer(c.Scenario)
	defer x.Close()
	var all func(run lab.Schedule, left []int8)
	all = func(run lab.Schedule, left []int8) {
		for i, actor := range left {
			on, err := x.GoOn(run, actor, func(lab.Step) bool { return false })
			if err == nil {
				all(on, slices.Delete(slices.Clone(left), i, i+1))
			}
		}
		if len(left) == 0 {
			runs = append(runs, run)
		}
	}
	var actors []int8
	for i := range c.Actors {
		actors = append(actors, int8(i+1))
	}
	all(nil, actors)
	return runs
}

func levelsNeedTwo(t *testing.T) {
	for _, name := range levelNames(newSite(t).get("/lab").want(200)) {
		c, err := modelcheck.Find(name)
		ok(t, err)
		runs := oneAfterTheOther(c)
		if len(runs) == 0 {
			t.Errorf("%s has no run", name)
		}
		for _, run := range runs {
			moments, err := c.Follow(run, false)
			ok(t, err)
			if broken := moments[len(moments)-1].Violated(); broken != nil {
				t.Errorf("%s is broken by %s: %v", name, c.Format(run), broken)
			}
		}
	}
}

func levelsHaveOneConcept(t *testing.T) {
	s, of := newSite(t), map[string]string{}
	for _, name := range levelNames(s.get("/lab").want(200)) {
		_, after, found := strings.Cut(s.get("/lab/"+name).want(200).text(), "New here: ")
		concept, _, _ := strings.Cut(after, ".")
		if other, taken := of[concept]; !found || taken {
			t.Errorf("%s: %q is new, as in %s", name, concept, other)
		}
		of[concept] = name
	}
}

func scenesNamePeople(t *testing.T) {
	s := newSite(t)
	for _, name := range levelNames(s.get("/lab").want(200)) {
		r := s.get("/lab/" + name).want(200)
		for _, person := range []string{"Ann", "Bob", "Olga", "Vera"} {
			acts := r.all(func(n *html.Node) bool { return attribute(n, "id") == "actor-"+strings.ToLower(person) }) != nil
			if acts && !strings.Contains(textOf(within(r.part("story"), "p")[0]), person) {
				t.Errorf("the scene of %s does not say what %s does", name, person)
			}
		}
	}
}

func levelsHaveNoHiddenEnd(t *testing.T) {
	for _, name := range levelNames(newSite(t).get("/lab").want(200)) {
		c, err := modelcheck.Find(name)
		ok(t, err)
		if bounded := c.Preemptions > 0; bounded != slices.Contains([]string{"etag", "again"}, name) {
			t.Errorf("%s: an actor that can go on may wait %d times", name, c.Preemptions)
		}
	}
}

func sleeperDoesTheDamage(t *testing.T) {
	record := recordOf(t, "shut-gate")
	first, _, _ := strings.Cut(record.Schedule, "*")
	if words := strings.Split(record.Schedule, ","); first != "w1" || !strings.HasPrefix(words[len(words)-1], "w1") {
		t.Errorf("%s: the worker that got the message first is not the one that breaks the invariant", record.Schedule)
	}
}

// nudgesWin takes runs that the texts of levels describe, where these are not the shortest. “run” is what the
// card of an actor offers.
func nudgesWin(t *testing.T) {
	s := newSite(t)
	for name, way := range map[string]string{
		"A2":                           "w1*4 run:ann run:ann w2*4",
		"shut-gate":                    "run:w1 run:w2 run:w2 run:w2 run:ann run:ann run:ann run:w1",
		"expected":                     "ann run:olga run:w1 run:w1 run:w1 run:olga2 run:olga2 run:olga2 run:ann run:ann",
		"active-gate":                  "run:reader run:olga run:reader",
		"own/lease-lock-without-fence": "ann*3 run:bob ann",
	} {
		if text := s.get("/lab/" + name + "?s=" + taken(s, name, way)).want(200); len(text.all(func(n *html.Node) bool { return has(n, "data-won") })) == 0 {
			t.Errorf("%s is not won by %s", name, way)
		}
	}
}

// taken is the schedule of steps and runs: “ann*3 run:olga”.
func taken(s *site, name, way string) (schedule string) {
	for word := range strings.FieldsSeq(way) {
		actor, runs := strings.CutPrefix(word, "run:")
		if !runs {
			schedule = and(schedule, word)
			continue
		}
		location := s.get("/lab/" + name + "?s=" + schedule + "&run=" + actor).want(302).header.Get("Location")
		_, schedule, _ = strings.Cut(location, "?s=")
	}
	return schedule
}

func TestFileOfALevelIsDeleted(t *testing.T) {
	cases := append(modelcheck.Cases(), modelcheck.OwnCases()...)
	s := newSiteOf(t, page.New().With(slices.DeleteFunc(cases, func(c modelcheck.Case) bool { return strings.HasPrefix(c.Name, "own/lease-lock") })...))
	for _, path := range []string{"/lab", "/lab/ended?s=" + recordOf(t, "ended").Schedule} { // the level before it
		if r := s.get(path).want(200); strings.Contains(r.body, "own/lease-lock") {
			t.Errorf("%s leads to the level", path)
		}
	}
}
