package load

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// The area of a plot, in the units of its viewBox in report.html.
const (
	plotLeft, plotRight = 48, 312
	plotTop, plotBottom = 10, 146
)

// A plot is one SVG picture of a run. The plots of one report have the same axes, so that
// they can be compared.
type plot struct {
	// Title says in words what is to be seen.
	Title  string
	Lines  []plotLine
	YTicks []tick
	XTicks []tick
}

type plotLine struct {
	Class string
	// Path is the "d" of an SVG path.
	Path string
}

type tick struct {
	At    float64
	Label string
	// Anchor is the "text-anchor" of a label on the axis of time.
	Anchor string
}

// An axis places values on a plot.
type axis struct {
	ticks []tick
	place func(value float64) float64
}

// linear is an axis from 0 to at least most, upwards.
func linear(most float64) axis {
	step := niceStep(most / 3)
	top := math.Max(step*math.Ceil(most/step), step)
	place := func(v float64) float64 { return plotBottom - v/top*(plotBottom-plotTop) }
	var ticks []tick
	for i := 0; float64(i)*step <= top*1.001; i++ {
		v := float64(i) * step
		ticks = append(ticks, tick{At: place(v), Label: short(v)})
	}
	return axis{ticks, place}
}

// niceStep is 1, 2 or 5 times a power of ten, and at least v.
func niceStep(v float64) float64 {
	if v <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= v {
			return factor * power
		}
	}
	return 10 * power
}

// short is a number for an axis.
func short(v float64) string {
	if v >= 10_000 {
		return strconv.FormatFloat(v/1000, 'g', 4, 64) + "k"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// logarithmic is an axis of latencies, upwards, in whole powers of ten.
func logarithmic(least, most time.Duration) axis {
	low := math.Floor(math.Log10(math.Max(least.Seconds(), 1e-6)))
	high := math.Max(math.Ceil(math.Log10(math.Max(most.Seconds(), 1e-6))), low+1)
	place := func(v float64) float64 {
		return plotBottom - (math.Log10(v)-low)/(high-low)*(plotBottom-plotTop)
	}
	var ticks []tick
	for power := low; power <= high; power++ {
		v := math.Pow(10, power)
		ticks = append(ticks, tick{At: place(v), Label: powerOfTen(int(power))})
	}
	return axis{ticks, place}
}

// powerOfTen is a power of ten of a second.
func powerOfTen(power int) string {
	switch {
	case power >= 0:
		return fmt.Sprintf("%d s", int(math.Pow10(power)))
	case power >= -3:
		return fmt.Sprintf("%d ms", int(math.Pow10(power+3)))
	default:
		return fmt.Sprintf("%d µs", int(math.Pow10(power+6)))
	}
}

// over is the axis of the time of a run, to the right.
func over(duration time.Duration) axis {
	place := func(seconds float64) float64 {
		return plotLeft + seconds/duration.Seconds()*(plotRight-plotLeft)
	}
	var ticks []tick
	for i, anchor := range []string{"start", "middle", "end"} {
		at := duration * time.Duration(i) / 2
		ticks = append(ticks, tick{place(at.Seconds()), at.String(), anchor})
	}
	return axis{ticks, place}
}

// line draws a value of each point. A value that is missing (false) is a gap. One between
// two gaps is a dot.
func line(class string, points []Point, x, y axis, value func(Point) (float64, bool)) plotLine {
	var path strings.Builder
	const begin, on = "M%.1f %.1fh0", "L%.1f %.1f"
	command := begin
	for _, p := range points {
		v, ok := value(p)
		if !ok {
			command = begin
			continue
		}
		fmt.Fprintf(&path, command, x.place(p.At.Seconds()), y.place(v))
		command = on
	}
	return plotLine{class, path.String()}
}
