package page

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/templates"
)

// mostDrawn is how many states a graph has at most.
const mostDrawn = 60

// fitsGraph reports whether all states of the level can be drawn. A reader's own protocol is no level.
func (v *scene) fitsGraph() bool {
	return v.reachable != nil && v.reachable.States <= mostDrawn && v.Part != modelcheck.Own
}

// graph shows all states of a level.
func (l *Lab) graph(w http.ResponseWriter, r *http.Request, page templates.Page, q request) (templates.Response, error) {
	reachable, err := l.reach(r, q)
	if err != nil {
		return templates.Response{}, err
	}
	v, err := inItsTurn(r.Context(), l, q, func(ctx context.Context, q request) (*graphView, error) {
		x := lab.NewExplorer(q.Scenario)
		defer x.Close()
		moments, err := x.Follow(q.schedule[:q.at], false)
		if err != nil {
			return nil, refuseChoice(&q.Scenario, "That run is not possible", err)
		}
		shown := l.sceneOf(q.here(), moments)
		if shown.reachable = reachable; !shown.fitsGraph() {
			return nil, refuseSchedule(&q.Scenario, "There is no graph of this level",
				"A graph is drawn of a level with at most "+strconv.Itoa(mostDrawn)+" states, in which an invariant can be violated.")
		}
		g := x.Graph(ctx, shown.record.Invariant, mostDrawn)
		if g == nil {
			return nil, ctx.Err()
		}
		return newGraphView(shown, g), nil
	})
	if err != nil {
		return templates.Response{}, err
	}
	return rendered(w, r, htmlType, graphPage(page, v))
}

// A graphView has every state of a level, and the run of the reader among them.
type graphView struct {
	*scene
	*lab.Graph
	layout *layout
	// mine are the states of the run, and taken its ways, as far as it violates nothing.
	mine, taken []int
	// because is the step of the run since which every way violates the invariant. It is 0 if there is none.
	because int
	// Circles are the states, in their order.
	Circles []graphCircle
}

// A graphCircle is a state.
type graphCircle struct {
	spot
	kind   graphKind
	Number int
	// Mine reports whether the run of the reader leads through the state.
	Mine bool
	// Steps is the number of steps of the run that URL has: as much of that of the reader as can be kept.
	Steps int
	URL   string
}

func newGraphView(v *scene, g *lab.Graph) *graphView {
	because, _ := v.because()
	view := &graphView{scene: v, Graph: g, layout: newLayout(g), mine: []int{0}, because: cmp.Or(because, v.sure())}
	for _, c := range v.schedule {
		at := slices.IndexFunc(g.Ways, func(w lab.Way) bool { return w.From == view.shown() && w.Step.Choice == c })
		if at < 0 {
			break // the invariant is violated, and what comes after is not drawn
		}
		view.mine, view.taken = append(view.mine, g.Ways[at].To), append(view.taken, at)
	}
	for n, run := range view.runs() {
		view.Circles = append(view.Circles, graphCircle{view.layout.spots[n], view.kindOf(n), n + 1, slices.Contains(view.mine, n), len(run), view.at(run)})
	}
	return view
}

// shown is the index of the state that is shown.
func (v *graphView) shown() int { return v.mine[len(v.mine)-1] }

// runs are the schedules that lead to the states and keep as much of the run as can be.
func (v *graphView) runs() []lab.Schedule {
	runs := make([]lab.Schedule, len(v.States))
	for kept := len(v.mine) - 1; kept >= 0; kept-- {
		if from := v.mine[kept]; runs[from] == nil {
			runs[from] = append(lab.Schedule{}, v.schedule[:kept]...)
		}
		for next := []int{v.mine[kept]}; len(next) > 0; next = next[1:] {
			for _, way := range v.waysFrom(next[0]) {
				if runs[way.To] == nil {
					runs[way.To] = append(slices.Clip(runs[way.From]), way.Step.Choice)
					next = append(next, way.To)
				}
			}
		}
	}
	return runs
}

// waysFrom are the steps that can be taken in a state.
func (v *graphView) waysFrom(state int) []lab.Way {
	return slices.DeleteFunc(slices.Clone(v.Ways), func(w lab.Way) bool { return w.From != state })
}

// at is the address of the graph with another run.
func (v *graphView) at(run lab.Schedule) string {
	q := v.ending(run)
	q.ask = askGraph
	return q.address()
}

// on is the address of the graph with the run and one step more.
func (v *graphView) on(c lab.Choice) string { return v.at(append(slices.Clip(v.schedule), c)) }

// wayThere is the graph with a run that violates the invariant, and that keeps as much of the run as can be.
func (v *graphView) wayThere() string {
	nearest := slices.IndexFunc(v.Circles, func(c graphCircle) bool { return c.kind == graphViolated })
	if nearest < 0 {
		return ""
	}
	return v.Circles[nearest].URL
}

// A graphKind is what can still happen in a state.
type graphKind int

const (
	graphViolated graphKind = iota
	graphMust
	graphOpen
	graphSafe
	graphKinds
)

// class is for the style sheet.
func (k graphKind) class() string { return [...]string{"bad", "must", "open", "safe"}[k] }

func (k graphKind) words() string {
	return [...]string{"violated", "every way on violates", "both can happen", "no way on violates"}[k]
}

func (v *graphView) kindOf(n int) graphKind {
	switch s := v.States[n]; {
	case !s.Can:
		return graphSafe
	case len(v.waysFrom(n)) == 0:
		return graphViolated
	case !s.Well:
		return graphMust
	}
	return graphOpen
}

// count is how many states are of a kind.
func (v *graphView) count(k graphKind) (n int) {
	for _, c := range v.Circles {
		if c.kind == k {
			n++
		}
	}
	return n
}

// sign is what a circle says.
func (v *graphView) sign(c graphCircle) string {
	switch {
	case c.kind == graphViolated:
		return "✗"
	case len(v.waysFrom(c.Number-1)) == 0:
		return "✓"
	}
	return strconv.Itoa(c.Number)
}

// name is a circle in words.
func (c graphCircle) name() string {
	return "State " + strconv.Itoa(c.Number) + ", after " + lab.Count(c.Steps, "step") + ": " + c.kind.words()
}

// A graphLine is all steps from one state to another.
type graphLine struct {
	from, to int
	Hue      int
	Mine     bool
	// Path is what is drawn, and Words are the steps.
	Path, Words string
}

// lines are those of the graph, with those of the run last, so that they lie above.
func (v *graphView) lines() (list []graphLine) {
	for n, way := range v.Ways {
		step := v.lineOf(way.Step)
		words := strings.TrimSpace(step.Actor + " " + step.Call + " " + step.Fate)
		mine := slices.Contains(v.taken, n)
		at := slices.IndexFunc(list, func(l graphLine) bool { return l.from == way.From && l.to == way.To })
		if at < 0 {
			list = append(list, graphLine{way.From, way.To, step.Hue, mine, v.layout.path(n), words})
			continue
		}
		list[at].Words += "; or " + words
		list[at].Mine = list[at].Mine || mine
	}
	slices.SortStableFunc(list, func(a, b graphLine) int {
		if a.Mine == b.Mine {
			return 0
		} else if a.Mine {
			return 1
		}
		return -1
	})
	return list
}

// layerWords say after how many steps the states of a layer are reached.
func (v *graphView) layerWords(layer int) string {
	if layer == 0 {
		return "start"
	}
	least := layer
	for _, n := range v.layout.layers[layer] {
		if n < len(v.States) {
			least = min(least, v.States[n].Depth)
		}
	}
	if least < layer {
		return "steps " + strconv.Itoa(least) + "–" + strconv.Itoa(layer)
	}
	return "step " + strconv.Itoa(layer)
}

// trail are the steps of the run, as far as they are drawn.
func (v *graphView) trail() (list []runLine) {
	for n := 1; n < len(v.mine); n++ {
		l := v.told(n)
		l.URL = v.at(v.schedule[:n])
		if n == v.because {
			l.Class, l.Tags = "why", []tag{{"why", becauseOfThis + ": since then every way violates it"}}
		}
		list = append(list, l)
	}
	return list
}
