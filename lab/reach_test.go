package lab_test

import (
	"testing"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
)

func TestReach(t *testing.T) {
	c, err := modelcheck.Find("A1")
	ok(t, err)
	reach := explorer(t, c.Scenario).Reach(t.Context(), "A1", 100)
	from := func(text string) (can []bool) {
		schedule, err := c.Parse(text)
		ok(t, err)
		moments, err := explorer(t, c.Scenario).Follow(schedule, false)
		ok(t, err)
		for _, m := range moments {
			can = append(can, reach.From(m))
		}
		return can
	}
	for text, lost := range map[string]int{"ann,olga*2,w1*3,ann,w1*2": 10, "ann,olga*2,w1*2,ann,w1*2": 6, "olga": 1, "ann*2,olga*2": 2} {
		t.Run("the invariant cannot be violated from step on/"+text, func(t *testing.T) {
			for n, can := range from(text) {
				if can != (n < lost) {
					t.Errorf("after %d steps it can be violated: %v", n, can)
				}
			}
		})
	}
	t.Run("every way violates it since one step, and not before", func(t *testing.T) {
		const text, because = "ann,olga*2,w1*3,ann,w1*2", 6
		schedule, err := c.Parse(text)
		ok(t, err)
		moments, err := explorer(t, c.Scenario).Follow(schedule, false)
		ok(t, err)
		for n, m := range moments[:len(moments)-1] {
			if reach.Must(m) != (n >= because) {
				t.Errorf("after %d steps every way violates it: %v", n, reach.Must(m))
			}
		}
		for run, want := range map[int]int{len(moments): because, because: 0} {
			if got := reach.Because(moments[:run], "A1"); got != want {
				t.Errorf("%d moments violate it because of step %d, want %d", run, got, want)
			}
		}
	})
	t.Run("a search of what can follow a state knows the same, and says if it was not whole", func(t *testing.T) {
		schedule, err := c.Parse("ann,olga*2,w1*2,ann,w1*2")
		ok(t, err)
		moments, err := explorer(t, c.Scenario).Follow(schedule, false)
		ok(t, err)
		for n, m := range moments {
			onward, whole := explorer(t, c.Scenario).ReachFrom(t.Context(), schedule[:n], "A1", 100)
			if !whole || onward.States > reach.States || onward.From(m) != reach.From(m) || onward.Must(m) != reach.Must(m) {
				t.Errorf("after %d steps it can be violated: %v, by %d states of %d (all of them: %v)", n, onward.From(m), onward.States, reach.States, whole)
			}
		}
		if _, whole := explorer(t, c.Scenario).ReachFrom(t.Context(), nil, "A1", 10); whole {
			t.Error("a search of 10 states is said to be whole")
		}
	})
	t.Run("a queue that may lose a message need not", func(t *testing.T) {
		c, err := modelcheck.Find("index-first")
		ok(t, err)
		moments, err := c.FollowText("olga*3,olga:dies-after,reconcile,network:forgotten")
		ok(t, err)
		if got := explorer(t, c.Scenario).Reach(t.Context(), "I5", 1000).Because(moments, "I5"); got != 6 {
			t.Errorf("every way violates it since step %d, while the message is still there", got)
		}
	})
	t.Run("no state violates it where a search finds nothing", func(t *testing.T) {
		link, err := modelcheck.Find("link")
		ok(t, err)
		x := explorer(t, link.Scenario)
		for _, invariant := range link.Invariants.List() {
			if moments, err := x.Follow(nil, false); err != nil || explorer(t, link.Scenario).Reach(t.Context(), invariant.Name, 5000).From(moments[0]) {
				t.Errorf("%s: %v", invariant.Name, err)
			}
		}
	})
	t.Run("it is nothing if there are more states than asked for", func(t *testing.T) {
		if explorer(t, c.Scenario).Reach(t.Context(), "A1", 5) != (*lab.Reach)(nil) {
			t.Error("it is there")
		}
	})
}
