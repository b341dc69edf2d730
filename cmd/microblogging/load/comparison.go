package load

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// WriteComparison writes a table of several runs, by the number of their channels. Of one
// run it writes nothing.
func WriteComparison(w io.Writer, results []Result) error {
	if len(results) < 2 {
		return nil
	}
	results = slices.Clone(results)
	slices.SortStableFunc(results, func(a, b Result) int { return a.Channels - b.Channels })
	first := results[0].PerSecond(results[0].All.Requests)
	var b strings.Builder
	columns := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(columns, "channels\trequests/s\t×\tentities/s\tin the busiest partition\tp50\tp99\tthrottled\tfailed\t")
	for _, r := range results {
		perSecond, times := r.PerSecond(r.All.Requests), "–"
		if first > 0 {
			times = fmt.Sprintf("%.2f", perSecond/first)
		}
		fmt.Fprintf(columns, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t\n", r.Channels, rate(perSecond), times,
			rate(r.PerSecond(r.All.Entities)), rate(r.PerSecond(r.Busiest)), brief(r.All.P50), brief(r.All.P99), r.All.Throttled, r.All.Failed)
	}
	if err := columns.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}
