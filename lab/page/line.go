package page

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"microblogging/lab"
)

// A runLine is a step of a run.
type runLine struct {
	Number int
	lab.StepText
	// Hue is that of the actor.
	Hue int
	// Refused reports whether the store has refused the call. Reads reports whether the call changes nothing.
	Refused, Reads bool
	Changes        string
	// Class is for the style sheet: what the step is, if it is anything. Tags say so in words.
	Class string
	Tags  []tag
	// Current led to the state that is shown. Left comes after it.
	Current, Left bool
	URL           string
	// Code is the statement of Go of the write that did it, after the number of its line. It may be empty.
	Code string
}

// A tag says in a word what a step has to do with the outcome. Class is for the style sheet.
type tag struct{ Class, Text string }

// news is the partition of the channel that all is about.
const news = "news"

// hue is the color of an actor. There are as many as actors of a level.
func hue(actor int) int { return (actor-1)%4 + 1 }

// told is a step of the run with its request as a sentence, and its response.
func (v *scene) told(n int) runLine {
	step := v.moments[n].Step
	l := v.lineOf(*step)
	l.Number, l.Current, l.Left, l.URL = n, n == v.at, n > v.at, v.state(n)
	return l
}

// lineOf is a step with its request as a sentence, and its response.
func (v *scene) lineOf(step lab.Step) runLine {
	l := runLine{StepText: v.Words(step), Hue: hue(max(step.Sender, 1)), Refused: step.Result != nil && step.Result.Err != nil && !hasRead(&step)}
	if step.Call == nil {
		if step.Message != "" {
			l.Call = v.names.message(step.Message)
		}
		return l
	}
	l.Actor, l.Result, l.Changes = v.Actors[step.Sender-1].Name, v.names.answer(&step), v.names.changes(&step)
	l.Reads = !step.Call.Writes()
	if l.Call = strings.TrimSuffix(v.Tell(step.Call, step.Site()), "."); l.Call == "" {
		l.Call = string(step.Call.Method) + " " + v.names.call(step.Call)
	}
	if l.Result == "ok" && l.Changes != "" {
		l.Result = "" // what has changed says it
	}
	return l
}

// line is a step of the run of this page, with what it has to do with the outcome.
func (v *scene) line(n int) runLine {
	l := v.told(n)
	because, _ := v.because()
	switch {
	case n == v.did():
		l.Class, l.Tags = "did", append(l.Tags, tag{"bad", "the write that did it"})
		l.Code = statement(v.moments[n].Step.Site())
	case v.outcome != nil && n == v.outcome.Fault:
		l.Class, l.Tags = "did", append(l.Tags, tag{"bad", "the fault that did it"})
	case n == because, n == v.lost && v.reachable != nil:
		l.Class = "why"
	}
	if n == because {
		l.Tags = append(l.Tags, tag{"why", becauseOfThis + ": since then every way violates it"})
	}
	if n == v.lost && v.reachable != nil {
		l.Tags = append(l.Tags, tag{"why", "⊘ cannot be won"})
	}
	for _, title := range v.violatedBy(n, false) {
		l.Tags = append(l.Tags, tag{"bad", "✗ violates " + title})
	}
	return l
}

// mostLines bounds the lines of a statement.
const mostLines = 12

// statement is the one that begins at a line, as gofmt writes it: the lines below are deeper. It is in one line here.
func statement(site lab.Site) string {
	lines := newSourceView(site, site.Line, site.Line+mostLines).Lines
	if len(lines) == 0 {
		return ""
	}
	words := strconv.Itoa(site.Line) + " " + lines[0].Text
	for _, line := range lines[1:] {
		closes := line.Indent == lines[0].Indent && strings.HasPrefix(line.Text, ")")
		if strings.HasSuffix(lines[0].Text, "{") || line.Indent <= lines[0].Indent && !closes {
			break
		}
		if !strings.HasSuffix(words, "(") && !closes {
			words += " "
		}
		words += line.Text
	}
	return words
}

const becauseOfThis = "because of this"

// class is for the style sheet.
func (l runLine) class() templ.CSSClasses {
	return templ.Classes("step", l.Class, "of-"+strconv.Itoa(l.Hue), templ.KV("read", l.Reads), templ.KV("now", l.Current), templ.KV("left", l.Left))
}

// violatedBy lists the invariants that a step violates; or else those that were seen to be violated after it because nothing
// can happen any more.
func (v *scene) violatedBy(n int, idle bool) (titles []string) {
	for _, invariant := range v.moments[n].Violated() {
		if invariant.Since == n && invariant.Idle == idle {
			titles = append(titles, invariant.Title)
		}
	}
	return titles
}

// lines are the steps from one to another.
func lines(line func(int) runLine, from, to int) (list []runLine) {
	for n := from; n <= to; n++ {
		list = append(list, line(n))
	}
	return list
}

// wanted are the steps of the run that the reader wants to see: all, those of one actor, or the writes.
func (v *scene) wanted() []runLine {
	return slices.DeleteFunc(lines(v.line, 1, len(v.schedule)), func(l runLine) bool {
		return v.who != "" && l.Actor != v.who || v.writes && l.Reads
	})
}

// A filter is a link that shows some steps of the run. On reports whether it does.
type filter struct {
	Label, URL string
	On         bool
}

// filters are those of the run. A step that is chosen from such a page keeps them.
func (v *scene) filters() (list []filter) {
	to := func(label, who string, writes bool) {
		other := v.request
		other.who, other.writes = who, writes
		list = append(list, filter{label, other.address(), other.who == v.who && other.writes == v.writes})
	}
	to("all", "", false)
	for _, a := range v.Actors {
		to(a.Name, a.Name, false)
	}
	to("writes", "", true)
	return list
}
