package page

import (
	"slices"
	"strconv"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
)

// A card shows one actor: what it knows, and what may happen to its next call.
type card struct {
	// Number is the key of the keyboard that chooses the actor, and Hue its color.
	Number, Hue int
	lab.ActorState
	// Takes let the call take effect. There is one for each message that a call to the
	// queue may receive. Faults are what else may happen, by what they happen to.
	Takes  []fateView
	Faults []faultsOf
	// Costs is what each of them costs. It is empty if that is nothing.
	Costs string
	// RunOn lets it go on alone, and Ahead is where that leads. They are empty if it cannot.
	RunOn, Ahead string
	// Steps is how many it has taken, and Knows what it knows by them.
	Steps  int
	Knows  []variable
	Source sourceView
	// About is what its next call is about.
	About string
}

// A fateView is one thing that may happen next. Word is what is appended to the schedule.
type fateView struct {
	Label, Word, URL string
	option           lab.Option
}

// faultsOf are the faults that happen to an actor, its request or its answer.
type faultsOf struct {
	To     string
	Faults []fateView
}

// sentence is what the next call asks for.
func (c card) sentence() string {
	if sentence := strings.TrimSuffix(c.Sentence, "."); sentence != "" {
		return sentence
	}
	return string(c.Call.Method)
}

// acts reports whether the actor still is about to call.
func (c card) acts() bool { return c.State == lab.AboutToCall }

// somebodyActs reports whether any actor is about to call.
func (v *scene) somebodyActs() bool {
	return slices.ContainsFunc(v.now().Actors, func(s lab.ActorState) bool { return s.State == lab.AboutToCall })
}

func (v *scene) cards() (cards []card) {
	for i, s := range v.now().Actors {
		c := card{Number: i + 1, Hue: hue(i + 1), ActorState: s, Knows: v.variables(i+1, v.at)}
		several := len(s.Options) > 1 && s.Options[1].Choice.Fate == lab.Arrives // messages, of which it may receive one
		for _, f := range v.fates(s.Options) {
			if f.option.Interrupts {
				c.Costs = "costs 1 interruption"
			}
			if f.option.Choice.Fate != lab.Arrives {
				c.fault(f)
				continue
			}
			if f.Label = c.sentence(); several {
				f.Label += ": " + v.names.message(v.now().DB.Messages(s.Call.Target)[f.option.Choice.Arg].Text)
			}
			c.Takes = append(c.Takes, f)
		}
		if s.Options != nil && v.at == lab.MaxChoices {
			c.Why = "a run has " + strconv.Itoa(lab.MaxChoices) + " steps at most"
		}
		if len(c.Takes) == 1 {
			on := v.here()
			on.run = s.Name
			c.RunOn, c.Ahead = on.address(), v.ahead[s.Name]
		}
		for _, m := range v.moments[1 : v.at+1] {
			if int(m.Step.Choice.Actor) == i+1 {
				c.Steps++
			}
		}
		if s.Call != nil {
			c.Source, c.About = v.telling(i+1, s), v.names.call(s.Call)
		}
		cards = append(cards, c)
	}
	return cards
}

// fault adds what may happen to a call instead.
func (c *card) fault(f fateView) {
	to := "request"
	switch f.option.Choice.Fate {
	case lab.DiesBefore, lab.DiesAfter:
		to = c.Name
	case lab.Lost, lab.Repeated:
		to = "answer"
	}
	at := slices.IndexFunc(c.Faults, func(of faultsOf) bool { return of.To == to })
	if at < 0 {
		at, c.Faults = len(c.Faults), append(c.Faults, faultsOf{To: to})
	}
	c.Faults[at].Faults = append(c.Faults[at].Faults, f)
}

// fates are links to what may happen. A run that is as long as one may be has none.
func (v *scene) fates(options []lab.Option) (views []fateView) {
	for _, o := range options {
		if v.at < lab.MaxChoices {
			views = append(views, fateView{v.label(o), o.Word, v.choosing(o.Choice).address(), o})
		}
	}
	return views
}

// label says what may happen, with words for the rows and messages.
func (v *scene) label(o lab.Option) string {
	switch o.Choice.Fate {
	case lab.Lands:
		before, _, _ := strings.Cut(o.Label, ":")
		return before + ": " + v.names.call(o.Call)
	case lab.Forgotten:
		return "the queue loses: " + v.names.message(v.now().DB.Messages(domain.QueueName)[o.Choice.Arg].Text)
	}
	return o.Label
}

// sourceView is the line of Go that makes a call, in its function.
type sourceView struct {
	lab.Site
	// Place is the file and the line, as an editor takes it.
	Place string
	// Lines are those of the function. They are nil if the source is not there.
	Lines []lineView
	// Part is what would be taken out of the line, if it is that of a safeguard.
	Part string
}

// lineView is a line of Go.
type lineView struct {
	Number int
	// Text is the line without its indentation, which is Indent tabs.
	Text   string
	Indent int
	// Marked is the line of the call. Ran was run by the actor before, and Just in the last step.
	Marked, Ran, Just bool
	// Off is the part of the text that is switched off. It is empty if none is.
	Off string
}

// newSourceView shows a line in its function, whose first and last line are these.
func newSourceView(site lab.Site, first, last int) sourceView {
	v := sourceView{Site: site, Place: place(site)}
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

// telling is the code of an actor's next call, with the lines that it has run.
func (v *scene) telling(actor int, s lab.ActorState) sourceView {
	first, last := lab.Function(s.Site.File, s.Site.Line)
	source := newSourceView(s.Site, first, last)
	if off := v.off(); off.Site.File == s.Site.File {
		for i, line := range source.Lines {
			if line.Number == off.Site.Line {
				source.Lines[i].Off = off.Part
			}
		}
	}
	for n := 1; n <= v.at; n++ {
		step := v.moments[n].Step
		if site := step.Site(); step.Sender == actor && site.File == s.Site.File {
			for i := range source.Lines {
				line := &source.Lines[i]
				line.Ran = line.Ran || line.Number == site.Line
				line.Just = line.Just || line.Number == site.Line && n == v.at
			}
		}
	}
	return source
}

func place(s lab.Site) string { return s.File + ":" + strconv.Itoa(s.Line) }

// deepest is the deepest indentation that the style sheet knows.
const deepest = 6

// class is the indentation as a class of the style sheet.
func (l lineView) class() string { return "indent-" + strconv.Itoa(min(l.Indent, deepest)) }
