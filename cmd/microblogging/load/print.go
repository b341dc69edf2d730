package load

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// WriteTable writes a result as a table for a terminal.
func WriteTable(w io.Writer, r Result) error {
	if _, err := fmt.Fprintf(w, "channels: %d, %s, %s\n", r.Channels, r.Elapsed, r.Plan.pace()); err != nil {
		return err
	}
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(columns, "operation\trequests/s\tentities/s\tp50\tp95\tp99\tmax\tthrottled\tfailed\t")
	for _, o := range r.Rows() {
		fmt.Fprintf(columns, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t\n", o.Name, rate(r.PerSecond(o.Requests)), rate(r.PerSecond(o.Entities)),
			o.P50, o.P95, o.P99, o.Max, o.Throttled, o.Failed)
	}
	if err := columns.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, strings.Join(r.Remarks(), "\n"))
	return err
}

// Remarks are sentences that hold the result against the targets, and say what the numbers
// leave out.
func (r Result) Remarks() []string {
	if r.All.Requests == 0 {
		return []string{"Nothing was measured."}
	}
	all := r.PerSecond(r.All.Entities)
	each := all / float64(r.Channels)
	t := r.Targets
	part := func(n float64, target int) float64 { return 100 * n / float64(target) }
	remarks := []string{
		fmt.Sprintf("Each channel had %s entities/s: %.0f %% of Azure's target of %d for a partition, "+
			"%.0f %% of the %d of its older text.",
			rate(each), part(each, t.Partition), t.Partition, part(each, t.Partition2011), t.Partition2011),
		fmt.Sprintf("All together had %s entities/s: %.0f %% of the %d for an account.", rate(all), part(all, t.Account), t.Account),
	}
	if r.Failure != nil {
		remarks = append(remarks, fmt.Sprintf("Requests that failed: %d. The first: %v", r.All.Failed, r.Failure))
	}
	return remarks
}

// rate is a number for a second. A small one has a decimal.
func rate(n float64) string {
	if n < 100 {
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	return strconv.FormatFloat(n, 'f', 0, 64)
}

// A Report compares runs that differ in the number of channels alone, in the order of that.
type Report struct {
	// Store is the kind of store that was measured.
	Store   string
	Began   time.Time
	Results []Result
}

//go:embed report.html
var reportHTML string

// HTML returns the report as one file that needs no other, and has no scripts.
func (r Report) HTML() ([]byte, error) {
	page, err := template.New("report").Funcs(template.FuncMap{"rate": rate, "pace": Plan.pace}).Parse(reportHTML)
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	err = page.Execute(&file, r)
	return file.Bytes(), err
}
