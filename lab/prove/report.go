package prove

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A Report writes results as tables in Markdown, one line for each as it comes.
type Report struct {
	w    io.Writer
	part Part
	any  bool
	err  error
	// linked makes the name of each scenario a link to its schedule in the lab.
	linked bool
}

// NewReport is a report that is written to w.
func NewReport(w io.Writer) *Report { return &Report{w: w} }

// Err is the first error of writing.
func (p *Report) Err() error { return p.err }

// Add writes the line of a result, and before the first of a part the head of its
// table.
func (p *Report) Add(r Result) {
	if !p.any || p.part != r.Part {
		p.any, p.part = true, r.Part
		p.head(r.Part)
	}
	switch r.Part {
	case Real:
		p.line(r.About, r.Name, fmt.Sprint(r.Faults), comma(r.Schedules), comma(r.States), comma(r.Steps), fmt.Sprintf("%.1f", r.Took.Seconds()), outcome(r))
	case Textbook, Mishap:
		p.line(r.About, p.name(r), length(r), breach(r))
	case Ablated:
		p.line(r.Guard.Why, p.name(r), length(r), breach(r))
	}
}

func (p *Report) head(part Part) {
	p.printf("\n")
	var cells []string
	switch part {
	case Real:
		cells = []string{"the shipped code, while", "scenario", "faults", "schedules", "states", "steps", "seconds", "broken"}
	case Textbook:
		cells = []string{"the textbook version", "scenario", "steps", "broken"}
	case Mishap:
		cells = []string{"the textbook version, with a mishap", "scenario", "steps", "broken"}
	case Ablated:
		cells = []string{"the shipped code without this guard", "scenario", "steps", "broken"}
	}
	p.line(cells...)
	for i, cell := range cells {
		cells[i] = strings.Repeat("-", utf8.RuneCountInString(cell))
	}
	p.line(cells...)
}

func (p *Report) name(r Result) string {
	if !p.linked || r.Finding == nil {
		return r.Name
	}
	return fmt.Sprintf("[%s](%s)", r.Name, pageURL(r.Name, r.Format(r.Finding.Schedule)))
}

func (p *Report) line(cells ...string) { p.printf("| %s |\n", strings.Join(cells, " | ")) }

func (p *Report) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// outcome is the law that was broken, or else how far the search went.
func outcome(r Result) string {
	switch {
	case r.Finding != nil:
		return "**" + breach(r) + "**"
	case r.Walks > 0:
		return fmt.Sprintf("none, in %s random runs", comma(r.Walks))
	case r.Preemptions > 0:
		return "none, up to " + preemptions(r.Preemptions)
	default:
		return "none"
	}
}

func preemptions(n int) string {
	if n == 1 {
		return "1 preemption"
	}
	return fmt.Sprintf("%d preemptions", n)
}

func breach(r Result) string {
	if r.Finding == nil {
		return "**nothing noticed it**"
	}
	return r.DescribeBreach(r.Finding.Breaches[0])
}

// length is the number of steps of the shortest schedule.
func length(r Result) string {
	if r.Finding == nil {
		return "-"
	}
	return fmt.Sprint(len(r.Finding.Schedule))
}

// comma writes a number with commas between the thousands.
func comma(n int) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
