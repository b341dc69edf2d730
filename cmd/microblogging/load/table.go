package load

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// WriteTable writes a result as a table for a terminal.
func WriteTable(w io.Writer, r Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s%s\n", plural(r.Channels, "channel"), r.Elapsed.Round(100*time.Millisecond), r.pace(), r.endedEarly())
	if r.All.Requests > 0 {
		if err := r.writeRows(&b); err != nil {
			return err
		}
	}
	for _, line := range r.remarks() {
		fmt.Fprintln(&b, line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeRows writes a row of each operation, and one of all.
func (r Result) writeRows(w io.Writer) error {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(columns, "operation\trequests/s\tentities/s\tp50\tp95\tp99\tmax\tthrottled\tretried\tfailed\t")
	for _, o := range r.rows() {
		fmt.Fprintf(columns, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t\n", o.Name, rate(r.PerSecond(o.Requests)), rate(r.PerSecond(o.Entities)),
			brief(o.P50), brief(o.P95), brief(o.P99), brief(o.Max), o.Throttled, o.Retried, o.Failed)
	}
	return columns.Flush()
}

// rows are the results of each operation, and at the end that of all.
func (r Result) rows() []OperationResult { return append(slices.Clone(r.Operations), r.All) }

func (r Result) endedEarly() string {
	if r.Interrupted {
		return ", ended early"
	}
	return ""
}

// muchLater is the part of the load's time that the last request may take longer without a
// remark: a tenth.
const muchLater = 10

// remarks are sentences that hold the result against the targets, and say what the numbers
// leave out.
func (r Result) remarks() []string {
	if r.All.Requests == 0 {
		return []string{"Nothing was measured."}
	}
	target := AzureTargets()
	busiest, all := r.PerSecond(r.Busiest), r.PerSecond(r.All.Entities)
	remarks := []string{
		fmt.Sprintf("The busiest partition had %s entities/s: %s Azure's target of %s for a partition, %s the %s of its older text.",
			rate(busiest), ofTarget(busiest, target.Partition), grouped(float64(target.Partition)),
			ofTarget(busiest, target.Partition2011), grouped(float64(target.Partition2011))),
		fmt.Sprintf("All partitions together had %s entities/s: %s the %s for an account.",
			rate(all), ofTarget(all, target.Account), grouped(float64(target.Account))),
	}
	if late := r.Elapsed - r.Duration; late > r.Duration/muchLater {
		remarks = append(remarks, fmt.Sprintf("The last request ended %s after the end of the load. The rates count this time too, in which few requests were under way.",
			late.Round(100*time.Millisecond)))
	}
	if r.Unsent > 0 {
		remarks = append(remarks, fmt.Sprintf("Due but never begun: %s, because no worker was free. Either the store cannot keep up with this rate, or the load needs more workers.",
			plural(int(r.Unsent), "request")))
	}
	if r.Failure != nil {
		remarks = append(remarks, fmt.Sprintf("%s failed. The first: %v", plural(int(r.All.Failed), "request"), r.Failure))
	}
	return remarks
}
