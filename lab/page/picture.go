package page

import (
	"slices"
	"strconv"
	"strings"

	"microblogging/lab"
)

// A picture of a run is a file. It has a column for each actor and each store, and an arrow for each step.
type picture struct {
	*scene
	Columns []column
	Arrows  []arrow
}

// A column is an actor with its hue, or a store.
type column struct {
	Name string
	Hue  int
}

// An arrow is a step. From and To are where it begins and ends, in percent of the width. They are empty if it has none.
type arrow struct {
	runLine
	From, To string
}

// underWay is the column of calls whose caller does not wait for them any more.
const underWay = "under way"

func (v *scene) picture() picture {
	p := picture{scene: v}
	for i, a := range v.Actors {
		p.Columns = append(p.Columns, column{a.Name, hue(i + 1)})
	}
	if slices.ContainsFunc(v.moments, func(m lab.Moment) bool {
		return slices.ContainsFunc(m.Network, func(o lab.Option) bool { return o.Choice.Fate == lab.Lands })
	}) {
		p.Columns = append(p.Columns, column{Name: underWay})
	}
	for _, name := range v.stores {
		p.Columns = append(p.Columns, column{Name: storeTitle(name)})
	}
	for n := range v.moments[1:] {
		p.Arrows = append(p.Arrows, p.arrow(n+1))
	}
	return p
}

func (p picture) arrow(n int) arrow {
	step := p.moments[n].Step
	a := arrow{runLine: p.line(n)}
	if step.Call != nil {
		a.From, a.To = p.beyond(step.Sender-1, 0), p.x(storeTitle(step.Call.Target))
	}
	switch step.Choice.Fate {
	case lab.DiesBefore, lab.Unsent:
		a.To = p.beyond(step.Sender-1, 0.6)
	case lab.GivenUp:
		a.To = p.x(underWay)
	case lab.Lands:
		a.From = p.x(underWay)
	}
	return a
}

// x is where the column of that name is.
func (p picture) x(name string) string {
	at := slices.IndexFunc(p.Columns, func(c column) bool { return c.Name == name })
	return p.beyond(at, 0)
}

// beyond is a part of the way beyond a column.
func (p picture) beyond(column int, more float64) string {
	return strconv.FormatFloat((float64(column)+0.5+more)*100/float64(len(p.Columns)), 'f', 2, 64) + "%"
}

// lower is where a line of the file lies.
func (p picture) lower(line int) string { return strconv.Itoa(52 + 24*line) }

// paint is a color for a file without a style sheet.
func paint(hue int) string {
	return [...]string{"#586069", "#0369a1", "#8a3ffc", "#c2410c", "#0b766b"}[hue]
}

// inWords is a step and its answer in one line.
func (l runLine) inWords() string {
	words := []string{l.Actor + ":", l.Call, l.Fate}
	if l.Result != "" {
		words = append(words, "→ "+l.Result)
	}
	words = append(words, l.Changes)
	for _, told := range l.Told {
		words = append(words, "told: "+told)
	}
	for _, t := range l.Tags {
		words = append(words, t.Text)
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}
