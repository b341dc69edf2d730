package load

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"
)

// A Report is what WriteReport shows.
type Report struct {
	// Store and Machine say in a few words what was measured, and from where.
	Store, Machine string
	Began          time.Time
	// Results are the runs, which differ in the number of channels alone.
	Results []Result
}

//go:embed report.html
var reportHTML string

// WriteReport writes a report as one HTML file that needs no other: its plots are SVG, and
// it has no scripts.
func WriteReport(w io.Writer, r Report) error {
	page, err := template.New("report").Funcs(template.FuncMap{
		"brief": brief, "rate": rate,
	}).Parse(reportHTML)
	if err != nil {
		return err
	}
	return page.Execute(w, newReportView(r))
}

// A reportView is a Report as its page shows it.
type reportView struct {
	Store, Machine, Began   string
	Took, Pace, Mix, Filled string
	// Partition, Partition2011 and Account are Azure's targets.
	Partition, Partition2011, Account string
	Interrupted                       bool
	Panels                            []panel
}

// A panel is one run.
type panel struct {
	Channels   string
	Bar        bar
	Rows       []reportRow
	Throughput *plot
	Latency    *plot
	Remarks    []string
}

// A bar compares the throughput of a run with the others.
type bar struct {
	// Width is out of 100.
	Width float64
	// Text is the requests a second, and how many times those of the first run they are.
	Text string
}

type reportRow struct {
	OperationResult
	PerSecond, EntitiesPerSecond float64
}

func newReportView(r Report) reportView {
	results := slices.Clone(r.Results)
	slices.SortStableFunc(results, func(a, b Result) int { return a.Channels - b.Channels })
	targets := AzureTargets()
	view := reportView{
		Store: r.Store, Machine: r.Machine, Began: r.Began.UTC().Format("2006-01-02 15:04 UTC"),
		Partition: grouped(float64(targets.Partition)), Partition2011: grouped(float64(targets.Partition2011)),
		Account: grouped(float64(targets.Account)),
	}
	if len(results) > 0 {
		p := results[0].Plan
		view.Took, view.Pace, view.Filled = p.Duration.String(), p.pace(), grouped(float64(p.Fill))
		view.Mix = strings.ReplaceAll(p.Mix.String(), ",", ", ")
	}
	axes := newReportAxes(results)
	for _, result := range results {
		view.Interrupted = view.Interrupted || result.Interrupted
		view.Panels = append(view.Panels, axes.panel(result))
	}
	return view
}

// reportAxes are shared by the plots of all runs.
type reportAxes struct {
	time, requests, latency axis
	// most is the highest throughput of a run, and first that of the first.
	most, first float64
}

func newReportAxes(results []Result) reportAxes {
	var a reportAxes
	var most float64
	var least, longest, lasted time.Duration
	for i, r := range results {
		perSecond := r.PerSecond(r.All.Requests)
		if i == 0 {
			a.first = perSecond
		}
		a.most = max(a.most, perSecond)
		lasted = max(lasted, r.Duration)
		for _, p := range r.Timeline {
			most, longest = max(most, p.Requests), max(longest, p.P99)
			if p.P50 > 0 && (least == 0 || p.P50 < least) {
				least = p.P50
			}
		}
	}
	a.time, a.requests, a.latency = over(max(lasted, time.Millisecond)), linear(most), logarithmic(least, longest)
	return a
}

func (a reportAxes) panel(r Result) panel {
	p := panel{Channels: plural(r.Channels, "channel"), Bar: a.bar(r), Remarks: r.remarks()}
	for _, o := range r.rows() {
		p.Rows = append(p.Rows, reportRow{o, r.PerSecond(o.Requests), r.PerSecond(o.Entities)})
	}
	if len(r.Timeline) > 0 {
		p.Throughput, p.Latency = a.throughputPlot(r), a.latencyPlot(r)
	}
	return p
}

func (a reportAxes) bar(r Result) bar {
	perSecond := r.PerSecond(r.All.Requests)
	b := bar{Text: rate(perSecond) + "/s"}
	if a.most > 0 {
		b.Width = 100 * perSecond / a.most
	}
	if a.first > 0 {
		b.Text += fmt.Sprintf(", %.2f ×", perSecond/a.first)
	}
	return b
}

func (a reportAxes) throughputPlot(r Result) *plot {
	return &plot{
		Title: fmt.Sprintf("Requests a second over time with %s: %s on average",
			plural(r.Channels, "channel"), rate(r.PerSecond(r.All.Requests))),
		Lines: []plotLine{line("rate", r.Timeline, a.time, a.requests,
			func(p Point) (float64, bool) { return p.Requests, true })},
		YTicks: a.requests.ticks, XTicks: a.time.ticks,
	}
}

func (a reportAxes) latencyPlot(r Result) *plot {
	draw := func(class string, latency func(Point) time.Duration) plotLine {
		return line(class, r.Timeline, a.time, a.latency, func(p Point) (float64, bool) {
			return latency(p).Seconds(), latency(p) > 0
		})
	}
	return &plot{
		Title: fmt.Sprintf("Latency over time with %s: half of the requests within %s, 99 of 100 within %s",
			plural(r.Channels, "channel"), brief(r.All.P50), brief(r.All.P99)),
		Lines: []plotLine{
			draw("p50", func(p Point) time.Duration { return p.P50 }),
			draw("p99", func(p Point) time.Duration { return p.P99 }),
		},
		YTicks: a.latency.ticks, XTicks: a.time.ticks,
	}
}
