package page

import (
	"strconv"
	"strings"

	"microblogging/lab"
)

// actorView is the card of one actor.
type actorView struct {
	// Number is the key of the keyboard that chooses the actor.
	Number int
	Name   string
	// State is lab.AboutToCall, lab.Finished or lab.Dead.
	State string
	// Words is the call that it is about to make. It is empty if there is none.
	Words string
	// Intent says what the call is for.
	Intent string
	// Takes let the call take effect. There is one for each message that a call to the
	// queue may receive. Others are all other fates.
	Takes, Others []fateView
	// Told is what the actor was told so far.
	Told   []string
	Source sourceView
}

// fateView is one thing that may happen next.
type fateView struct {
	// Label says it in a sentence.
	Label string
	// URL is empty if it cannot happen, and Why says why.
	URL, Why string
	// Word is what is appended to the schedule.
	Word string
}

// class is the state as a class of the style sheet.
func (a actorView) class() string { return strings.ReplaceAll(a.State, " ", "-") }

// acts tells whether the actor still is about to call.
func (a actorView) acts() bool { return a.State == lab.AboutToCall }

// possible counts the other fates that can be chosen.
func (a actorView) possible() (n int) {
	for _, f := range a.Others {
		if f.URL != "" {
			n++
		}
	}
	return n
}

// menu is the label of the other fates. If none can be chosen, they say why.
func (a actorView) menu() string {
	if n := a.possible(); n > 0 {
		return "Other fates: " + strconv.Itoa(n)
	}
	return "Why only this?"
}

func newActorViews(moment lab.Moment, l links) []actorView {
	var views []actorView
	for i, s := range moment.Actors {
		v := actorView{Number: i + 1, Name: s.Name, State: s.State, Words: s.Words, Told: s.Told}
		for _, o := range s.Options {
			f := newFateView(o, l)
			if o.Choice.Fate == lab.Arrives {
				v.Takes = append(v.Takes, f)
			} else {
				v.Others = append(v.Others, f)
			}
		}
		if s.Call != nil {
			v.Intent = s.Site.Sentence
			v.Source = newSourceView(s.Site, s.Above)
		}
		views = append(views, v)
	}
	return views
}

func newFateViews(options []lab.Option, l links) []fateView {
	var views []fateView
	for _, o := range options {
		views = append(views, newFateView(o, l))
	}
	return views
}

func newFateView(o lab.Option, l links) fateView {
	f := fateView{Label: sentence(o.Label), Word: o.Word}
	switch {
	case o.Why != "":
		f.Why = l.sentence(o.Why)
	case l.full():
		f.Why = "A run has " + strconv.Itoa(maxChoices) + " steps at most."
	default:
		f.URL = l.choose(o.Choice)
	}
	return f
}

// takeLabel is what the main button says.
func (a actorView) takeLabel(f fateView) string {
	switch {
	case !a.acts():
		return "Let it happen"
	case len(a.Takes) > 1:
		return f.Label
	default:
		return "Let it happen"
	}
}

// lastOf tells whether a fate is the last of those that follow each other and cannot
// happen for one reason.
func lastOf(fates []fateView, i int) bool {
	return i+1 == len(fates) || fates[i+1].Why != fates[i].Why
}

// sourceView is the line of Go that makes a call, in its function.
type sourceView struct {
	// Place is the file and the line, as an editor takes it.
	Place, Function string
	// Lines are those of the function. They are nil if the source is not there.
	Lines []lineView
	// Above are the places that called it, the nearest first.
	Above []string
}

// lineView is a line of Go.
type lineView struct {
	Number int
	// Text is the line without its indentation, which is Indent tabs.
	Text   string
	Indent int
	// Marked is the line of the call. Near are the lines around it.
	Marked, Near bool
}

// nearLines is how many lines before and after the marked one a card shows.
const nearLines = 2

// newSourceView shows the line that makes a call, and names those that led to it.
func newSourceView(site lab.Site, above []lab.Site) sourceView {
	first, last := lab.Function(site.File, site.Line)
	v := functionView(site, first, last)
	for i, line := range v.Lines {
		v.Lines[i].Marked = line.Number == site.Line
		v.Lines[i].Near = line.Number >= site.Line-nearLines && line.Number <= site.Line+nearLines
	}
	for _, s := range above {
		v.Above = append(v.Above, place(s)+" "+s.Function)
	}
	return v
}

// functionView shows the lines of a function.
func functionView(site lab.Site, first, last int) sourceView {
	v := sourceView{Place: place(site), Function: site.Function}
	text, ok := lab.Source(site.File)
	if !ok {
		return v
	}
	all := strings.Split(text, "\n")
	for n := max(first, 1); n <= min(last, len(all)); n++ {
		text := strings.TrimLeft(all[n-1], "\t")
		if strings.HasPrefix(text, "//lab:") {
			continue // the card says it
		}
		v.Lines = append(v.Lines, lineView{Number: n, Text: text, Indent: len(all[n-1]) - len(text)})
	}
	return v
}

func place(s lab.Site) string { return s.File + ":" + strconv.Itoa(s.Line) }

// near are the lines around the marked one, with the least indentation.
func (v sourceView) near() (lines []lineView) {
	least := deepest
	for _, line := range v.Lines {
		if line.Near {
			lines = append(lines, line)
		}
		if line.Near && line.Text != "" {
			least = min(least, line.Indent)
		}
	}
	for i := range lines {
		lines[i].Indent = max(lines[i].Indent-least, 0)
	}
	return lines
}

// deepest is the deepest indentation that the style sheet knows.
const deepest = 6

// class is the indentation as a class of the style sheet.
func (l lineView) class() string { return "indent-" + strconv.Itoa(min(l.Indent, deepest)) }
