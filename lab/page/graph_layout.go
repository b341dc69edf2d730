package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"microblogging/lab"
)

// The measures of a graph. Many layers, and many states in one, lie closer together.
const (
	graphWidth  = 700
	graphCenter = 370
	graphTop    = 34
	layersFit   = 640
	mostHigh    = 57
	leastHigh   = 40
	mostApart   = 110
)

// A spot is where a state is drawn.
type spot struct{ X, Y int }

// A layout says where the states of a graph are drawn. Each step leads down, so a state is in the layer of the longest run
// that leads to it. A line takes a spot in each layer that it crosses, so that it passes between the states.
type layout struct {
	// height is that of a layer.
	height int
	spots  []spot
	// layers are the indexes of spots. Those of states come first. above has the spots from which lines lead to one.
	layers [][]int
	above  [][]int
	// through are the spots of each way, from its first state to its second.
	through [][]int
}

func newLayout(g *lab.Graph) *layout {
	layers := layersOf(g)
	l := &layout{height: min(mostHigh, max(leastHigh, layersFit/(1+slices.Max(layers)))), spots: make([]spot, len(g.States)), above: make([][]int, len(g.States))}
	for n, layer := range layers {
		l.put(n, layer)
	}
	for _, way := range g.Ways {
		through := []int{way.From}
		for layer := l.layerOf(way.From) + 1; layer < l.layerOf(way.To); layer++ {
			between := len(l.spots)
			l.spots, l.above = append(l.spots, spot{}), append(l.above, []int{through[len(through)-1]})
			l.put(between, layer)
			through = append(through, between)
		}
		l.above[way.To] = append(l.above[way.To], through[len(through)-1])
		l.through = append(l.through, append(through, way.To))
	}
	for _, layer := range l.layers {
		l.arrange(layer)
	}
	return l
}

// layersOf has the length of the longest run to each state. A run never comes back to a state.
func layersOf(g *lab.Graph) []int {
	layers := make([]int, len(g.States))
	for changed := true; changed; {
		changed = false
		for _, way := range g.Ways {
			if layers[way.To] <= layers[way.From] {
				layers[way.To], changed = layers[way.From]+1, true
			}
		}
	}
	return layers
}

// put adds a spot to a layer.
func (l *layout) put(n, layer int) {
	for len(l.layers) <= layer {
		l.layers = append(l.layers, nil)
	}
	l.layers[layer] = append(l.layers[layer], n)
	l.spots[n].Y = l.y(layer)
}

// y is where a layer lies.
func (l *layout) y(layer int) int { return graphTop + layer*l.height }

func (l *layout) layerOf(n int) int { return (l.spots[n].Y - graphTop) / l.height }

// arrange puts the spots of a layer in the order of those above, so that few lines cross.
func (l *layout) arrange(layer []int) {
	mean := func(n int) (sum int) {
		for _, above := range l.above[n] {
			sum += l.spots[above].X
		}
		return sum / max(len(l.above[n]), 1)
	}
	slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(mean(a), mean(b)) })
	apart := min(mostApart, (graphWidth-100)/len(layer))
	for i, n := range layer {
		l.spots[n].X = graphCenter + apart*(2*i-len(layer)+1)/2
	}
}

// path draws a way.
func (l *layout) path(way int) string {
	var b strings.Builder
	for i, n := range l.through[way] {
		b.WriteString(string("ML"[min(i, 1)]) + strconv.Itoa(l.spots[n].X) + " " + strconv.Itoa(l.spots[n].Y))
	}
	return b.String()
}

// box is the size of the drawing.
func (l *layout) box() string {
	return "0 0 " + strconv.Itoa(graphWidth) + " " + strconv.Itoa(graphTop+l.y(len(l.layers)-1))
}
