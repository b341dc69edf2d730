package modelcheck

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
		head := []string{r.Part.title(), "scenario", "steps", "broken"}
		p.printf("\n")
		p.line(head...)
		for i, cell := range head {
			head[i] = strings.Repeat("-", utf8.RuneCountInString(cell))
		}
		p.line(head...)
	}
	about, steps := r.About, fmt.Sprintf("%d in %.1f s", r.Steps, r.Took.Seconds())
	if r.Safeguard != nil {
		about = r.Safeguard.Why
	}
	if r.Finding != nil {
		steps = fmt.Sprint(len(r.Finding.Schedule))
	}
	p.line(about, r.Name, steps, r.outcome())
}

// title is the head of the column that says what the part's scenarios are about.
func (p Part) title() string {
	return [...]string{"the production code, while", "the textbook version", "the production code without this safeguard", "the textbook version, with a fault"}[p]
}

func (p *Report) line(cells ...string) { p.printf("| %s |\n", strings.Join(cells, " | ")) }

func (p *Report) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// outcome is the invariant that was broken, or else how far the search went. What was not expected is
// in bold.
func (r Result) outcome() string {
	text := "none, with every order of calls"
	switch {
	case r.Finding != nil:
		text = r.DescribeViolation(r.Finding.Violations[0])
	case r.Walks > 0:
		text = fmt.Sprintf("none, in %d random runs", r.Walks)
	case r.Preemptions > 0:
		text = fmt.Sprintf("none, with up to %d preemptions", r.Preemptions)
	}
	if !r.OK() {
		return "**" + text + "**"
	}
	return text
}
