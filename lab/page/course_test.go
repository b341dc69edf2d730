package page_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
)

func TestCourse(t *testing.T) {
	t.Run("has 21 levels, each with its kind, its one idea and its shortest run", courseIsATable)
	t.Run("each level leads to the next, also for a projector", courseIsAPath)
	t.Run("no level is won by actors that go one after the other without a fault", levelsNeedTwo)
	t.Run("the scene of a level names each person who acts in it", scenesNamePeople)
	t.Run("no level but the last ends because it has interrupted too often", levelsHaveNoHiddenEnd)
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

func courseIsATable(t *testing.T) {
	r, ideas, got := newSite(t).get("/lab").want(200).says("21 levels, each with one idea"), map[string]bool{}, ""
	for _, row := range r.all(func(n *html.Node) bool { return has(n, "data-level") }) {
		cells := within(row, "td")
		name, idea := attribute(row, "data-level"), textOf(cells[3])
		if ideas[idea] || idea == "" {
			t.Errorf("%s has the idea of another level: %q", name, idea)
		}
		ideas[idea] = true
		got += textOf(cells[0]) + " " + name + ", " + textOf(cells[2])
		if steps := textOf(cells[4]); steps != "" {
			got += ", " + steps
			if want := recordOf(t, name).Shortest; steps != strconv.Itoa(want) {
				t.Errorf("%s: %s steps, want %d", name, steps, want)
			}
		}
		got += "\n"
	}
	const want = `1 A1, textbook, 9
2 build-1, you build
3 link-version, production, 8
4 twice, textbook, 4
5 A4, textbook, 2
6 A3, textbook, 1
7 lost-message, textbook, 3
8 index-first, production, 6
9 poison-row, production, 3
10 A2, textbook, 9
11 build-2, you build
12 late-copy, textbook, 10
13 build-3, you build
14 own-gate, production, 26
15 build-4, you build
16 shut-gate, production, 36
17 build-5, you build
18 fresh-read, production, 26
19 pivot, production, 13
20 reply-gate, production, 12
21 again, production
`
	if got != want {
		t.Errorf("the course is\n%s", got)
	}
}

func courseIsAPath(t *testing.T) {
	s := newSite(t)
	var path []string
	stops := levelNames(s.get("/lab/class").want(200))
	rows := s.get("/lab").want(200).all(func(n *html.Node) bool { return has(n, "data-level") })
	for _, row := range rows {
		path = append(path, attribute(within(row, "a")[0], "href"))
	}
	for i, row := range rows[:len(rows)-1] {
		won := path[i]
		if !has(row, "data-build") {
			won += "?s=" + recordOf(t, attribute(row, "data-level")).Schedule
		}
		leads := map[string]string{"": path[i+1], "large=1": forProjector(path[i+1])}
		if slices.Contains(stops, attribute(row, "data-level")) { // for a projector, the class goes on (TestClass)
			delete(leads, "large=1")
		}
		for large, next := range leads {
			p := &player{s, s.get(strings.Replace(won+"&"+large, "/build&", "/build?", 1)).want(200)}
			if p.follow("data-next", ""); p.at.path != next {
				t.Errorf("%s leads to %s, want %s", won, p.at.path, next)
			}
		}
		s.get(path[i]).want(200).says("Level " + strconv.Itoa(i+1) + ": ")
	}
}

// forProjector is an address for a projector.
func forProjector(address string) string {
	if strings.Contains(address, "?") {
		return address + "&large=1"
	}
	return address + "?large=1"
}

func scenesNamePeople(t *testing.T) {
	s := newSite(t)
	for _, name := range levelNames(s.get("/lab").want(200)) {
		r := s.get("/lab/" + name).want(200)
		for _, person := range []string{"Ann", "Bob", "Olga", "Vera"} {
			acts := r.all(func(n *html.Node) bool { return attribute(n, "id") == "actor-"+strings.ToLower(person) }) != nil
			if acts && !strings.Contains(textOf(r.part("scene")), person) {
				t.Errorf("the scene of %s does not say what %s does", name, person)
			}
		}
	}
}

func levelsHaveNoHiddenEnd(t *testing.T) {
	for _, name := range levelNames(newSite(t).get("/lab").want(200)) {
		c, err := modelcheck.Find(name)
		ok(t, err)
		if bounded := c.Preemptions > 0; bounded != (name == "again") {
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
		"A2":         "w1*4 run:ann run:ann w2*4",
		"shut-gate":  "run:w1 run:w2 run:w2 run:w2 run:ann run:ann run:ann run:w1",
		"own-gate":   "olga*2 run:w1 w1*7 olga run:w1 run:w1",
		"poison-row": "w1,w1:dies-after run:operator",
		"reply-gate": "olga*4 w1*6 olga run:w1",
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
