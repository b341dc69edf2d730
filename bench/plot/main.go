// Command plot writes what bench/measure has found as one HTML page. It reads the results as JSON
// from standard input. It is a module of its own, so that the library that draws is no dependency of
// the program.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"log"
	"math"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

//go:embed report.html
var page string

// A report is what bench/measure sends (its type result).
type report struct {
	Title   string
	Results []struct {
		Name, About string
		Columns     []string
		Rows        [][]string
		Plots       []figure
	}
}

type figure struct {
	Title, X, Y string
	// LogY says that the vertical axis is logarithmic. The horizontal one always is.
	LogY  bool
	Lines []struct {
		Name   string
		Points plotter.XYs
	}
}

func main() {
	log.SetFlags(0)
	var r report
	if err := json.NewDecoder(os.Stdin).Decode(&r); err != nil {
		log.Fatal("plot: reading the results: ", err)
	}
	text, err := template.New("report").Funcs(template.FuncMap{"draw": draw}).Parse(page)
	if err == nil {
		err = text.Execute(os.Stdout, r)
	}
	if err != nil {
		log.Fatal("plot: ", err)
	}
}

// logarithmic makes an axis one of whole powers of ten.
func logarithmic(axis *plot.Axis) {
	axis.Scale, axis.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	axis.Min = math.Pow10(int(math.Floor(math.Log10(axis.Min))))
	axis.Max = math.Pow10(int(math.Ceil(math.Log10(axis.Max + axis.Min/100))))
}

// draw returns a plot as an SVG element.
func draw(f figure) (template.HTML, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = f.Title, f.X, f.Y
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	var lines []any
	for _, line := range f.Lines {
		lines = append(lines, line.Name, line.Points)
	}
	if err := plotutil.AddLinePoints(p, lines...); err != nil {
		return "", fmt.Errorf("%s: %w", f.Title, err)
	}
	logarithmic(&p.X)
	p.X.Max *= 1.5 // else its label is cut
	if f.LogY {
		logarithmic(&p.Y)
		p.Y.Max *= 10 // for the legend
	} else {
		p.Y.Min, p.Y.Max = 0, p.Y.Max*1.3
	}
	picture, err := p.WriterTo(15*vg.Centimeter, 9*vg.Centimeter, "svg")
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.Title, err)
	}
	var out bytes.Buffer
	if _, err := picture.WriteTo(&out); err != nil {
		return "", err
	}
	_, element, _ := bytes.Cut(out.Bytes(), []byte("?>")) // no XML declaration in HTML
	return template.HTML(element), nil                    //nolint:gosec // the library escapes the words
}
