package page

import (
	"math"
	"strconv"
	"time"
)

// A plot draws one figure of each way, on a scale where each line is ten times the one
// before. It is drawn without styles of its own: the style sheet knows its classes.
type plot struct {
	title  string
	lines  []plotLine
	ticks  []plotTick
	height int
}

// A plotLine is one way: a name, the values in words, and a mark for each value.
type plotLine struct {
	name, words string
	y           int
	marks       []plotMark
}

// A plotMark stands at x. Tenfold is drawn as a diamond, the other as a disc.
type plotMark struct {
	x       int
	tenfold bool
}

type plotTick struct {
	x     int
	label string
}

// Units of a plot, in the coordinates of its view box.
const (
	plotWidth  = 320
	plotStart  = 18
	plotEnd    = 302
	plotTop    = 8
	plotLineAt = 40 // the height of a line
	plotFoot   = 22
)

// A figure is what a plot shows of a way.
type figure struct {
	title string
	value func(measured) float64
	words func(measured) string
	tick  func(float64) string
}

func figures() []figure {
	return []figure{
		{
			"Requests", func(m measured) float64 { return float64(m.requests) },
			func(m measured) string { return grouped(m.requests) }, countTick,
		},
		{"Rows read for each row returned", measured.perReturned, ratioWords, countTick},
		{
			"Time", func(m measured) float64 { return m.took.Seconds() },
			func(m measured) string { return tookWords(m.took) }, timeTick,
		},
	}
}

// plots draws the figures of one survey, or of two to compare.
func plots(surveys ...survey) []plot {
	var drawn []plot
	for _, f := range figures() {
		drawn = append(drawn, f.plot(surveys))
	}
	return drawn
}

func (f figure) plot(surveys []survey) plot {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range surveys {
		for _, m := range s.ways {
			if v := f.value(m); v > 0 {
				low, high = min(low, math.Log10(v)), max(high, math.Log10(v))
			}
		}
	}
	if low > high {
		low, high = 0, 0
	}
	low, high = math.Floor(low), math.Ceil(high)
	high = max(high, low+1)
	at := func(log float64) int {
		return plotStart + int(math.Round((log-low)/(high-low)*(plotEnd-plotStart)))
	}
	p := plot{title: f.title, height: plotTop + ways*plotLineAt + plotFoot}
	for decade := low; decade <= high; decade++ {
		p.ticks = append(p.ticks, plotTick{at(decade), f.tick(math.Pow(10, decade))})
	}
	for way := range ways {
		line := plotLine{name: wayName(way), y: plotTop + way*plotLineAt}
		for i, s := range surveys {
			if i > 0 {
				line.words += " → "
			}
			line.words += f.words(s.ways[way])
			if v := f.value(s.ways[way]); v > 0 {
				line.marks = append(line.marks, plotMark{at(math.Log10(v)), i > 0})
			}
		}
		p.lines = append(p.lines, line)
	}
	return p
}

// countTick writes a power of ten: "1", "10", "10k".
func countTick(v float64) string {
	switch {
	case v >= 1e6:
		return strconv.Itoa(int(math.Round(v/1e6))) + "M"
	case v >= 1e4:
		return strconv.Itoa(int(math.Round(v/1e3))) + "k"
	}
	return grouped(int(math.Round(v)))
}

// timeTick writes a power of ten of seconds: "10 µs", "1 ms".
func timeTick(v float64) string {
	d := time.Duration(math.Round(v * float64(time.Second)))
	return d.String()
}

// view is the view box.
func (p plot) view() string { return "0 0 " + strconv.Itoa(plotWidth) + " " + strconv.Itoa(p.height) }

// from and to are the ends of what joins the marks of a line: of two marks, or of the
// start of the scale and one mark.
func (l plotLine) from() int {
	if len(l.marks) == 2 {
		return l.marks[0].x
	}
	return plotStart
}

func (l plotLine) to() int { return l.marks[len(l.marks)-1].x }

// diamond is the path of a mark.
func (m plotMark) diamond(y int) string {
	at := func(x, y int) string { return strconv.Itoa(x) + " " + strconv.Itoa(y) }
	return "M" + at(m.x-7, y) + "L" + at(m.x, y-7) + "L" + at(m.x+7, y) + "L" + at(m.x, y+7) + "Z"
}
