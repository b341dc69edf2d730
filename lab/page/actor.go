package page

import (
	"slices"
	"strconv"
	"strings"

	"microblogging/lab"
)

// actorView is the card of one actor.
type actorView struct {
	// Number is the key of the keyboard that chooses the actor.
	Number int
	lab.ActorState
	// Takes let the call take effect. There is one for each message that a call to the
	// queue may receive. Others are all other fates.
	Takes, Others []fateView
	// RunOn lets it go on alone. It is empty if it cannot.
	RunOn string
	// Ahead is where that leads.
	Ahead  string
	Source sourceView
}

// fateView is one thing that may happen next.
type fateView struct {
	// Label says it in a sentence, and Word is what is appended to the schedule.
	Label, Word, URL string
}

// acts reports whether the actor still is about to call.
func (a actorView) acts() bool { return a.State == lab.AboutToCall }

// somebodyActs reports whether any actor is about to call.
func (v *scene) somebodyActs() bool {
	return slices.ContainsFunc(v.now().Actors, func(s lab.ActorState) bool { return s.State == lab.AboutToCall })
}

func (v *scene) actors() (views []actorView) {
	for i, s := range v.now().Actors {
		a := actorView{Number: i + 1, ActorState: s}
		a.Why = v.sentence(s.Why)
		for i, f := range v.fates(s.Options) {
			if s.Options[i].Choice.Fate == lab.Arrives {
				a.Takes = append(a.Takes, f)
			} else {
				a.Others = append(a.Others, f)
			}
		}
		if s.Options != nil && v.at == lab.MaxChoices {
			a.Why = "A run has " + strconv.Itoa(lab.MaxChoices) + " steps at most."
		}
		if len(a.Takes) == 1 {
			on := v.here()
			on.run = s.Name
			a.Takes[0].Label, a.RunOn, a.Ahead = "Let it happen", on.address()+partActors, v.ahead[s.Name]
		}
		if s.Call != nil {
			first, last := lab.Function(s.Site.File, s.Site.Line)
			a.Source = newSourceView(s.Site, first, last)
			for _, above := range s.Above {
				a.Source.Above = append(a.Source.Above, place(above)+" "+above.Function)
			}
		}
		views = append(views, a)
	}
	return views
}

// fates are links to what may happen. A run that is as long as one may be has none.
func (v *scene) fates(options []lab.Option) (views []fateView) {
	if v.at == lab.MaxChoices {
		return nil
	}
	for _, o := range options {
		views = append(views, fateView{sentence(o.Label), o.Word, v.choosing(o.Choice).address() + partActors})
	}
	return views
}

// sourceView is the line of Go that makes a call, in its function.
type sourceView struct {
	// Place is the file and the line, as an editor takes it.
	Place, Function string
	// Lines are those of the function. They are nil if the source is not there.
	Lines []lineView
	// Above are the places that called it, the nearest first.
	Above []string
	// Part is what would be taken out of the line, if it is that of a safeguard.
	Part string
}

// lineView is a line of Go.
type lineView struct {
	Number int
	// Text is the line without its indentation, which is Indent tabs.
	Text   string
	Indent int
	// Marked is the line of the call.
	Marked bool
}

// newSourceView shows a line in its function, whose first and last line are these.
func newSourceView(site lab.Site, first, last int) sourceView {
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
		v.Lines = append(v.Lines, lineView{Number: n, Text: text, Indent: len(all[n-1]) - len(text), Marked: n == site.Line})
	}
	return v
}

func place(s lab.Site) string { return s.File + ":" + strconv.Itoa(s.Line) }

// marked is the line of the call alone.
func (v sourceView) marked() []lineView {
	for _, line := range v.Lines {
		if line.Marked {
			line.Indent = 0
			return []lineView{line}
		}
	}
	return nil
}

// deepest is the deepest indentation that the style sheet knows.
const deepest = 6

// class is the indentation as a class of the style sheet.
func (l lineView) class() string { return "indent-" + strconv.Itoa(min(l.Indent, deepest)) }
