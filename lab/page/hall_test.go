package page_test

import (
	"strconv"
	"strings"
	"testing"
)

func TestHall(t *testing.T) {
	t.Run("a projector asks the question of a stop when one step may be left, and not when the page answers it", hallIsAsked)
	t.Run("no question is asked of one reader, of a level that is no stop, or when nothing can be won any more", hallIsNotAsked)
}

func hallIsAsked(t *testing.T) {
	s := newSite(t)
	for _, name := range levelNames(s.get("/lab/class").want(200)) {
		record := recordOf(t, name)
		for _, steps := range []int{0, record.Shortest - 2, record.Shortest - 1, record.Shortest} {
			if steps < 0 {
				continue
			}
			r := s.get("/lab/" + name + "?s=" + record.Schedule + "&at=" + strconv.Itoa(steps) + "&large=1")
			for r.status == 302 {
				r = s.get(r.header.Get("Location"))
			}
			asks := strings.Contains(r.want(200).text(), "To the hall: ")
			if want := steps >= record.Shortest-1 && (steps < record.Shortest || record.Shortest == 0); asks != want {
				t.Errorf("%s asks after %d of %d steps: %v", name, steps, record.Shortest, asks)
			}
		}
	}
}

func hallIsNotAsked(t *testing.T) {
	s := newSite(t)
	const lost = "/lab/A1?s=olga*2,w1*5,ann"
	s.get(lost + "&large=1").want(200).says("cannot be won")
	for _, path := range []string{lost + "&large=1", "/lab/A1?s=ann,olga*2,w1*3,ann,w1", "/lab/A4?large=1", "/lab/A4?s=ann:repeated&large=1"} {
		if strings.Contains(s.get(path).want(200).text(), "To the hall: ") {
			t.Errorf("%s asks", path)
		}
	}
}
