package page

import (
	"strings"

	"microblogging/lab"
	"microblogging/templates"
)

// A safeguardSwitch turns one safeguard of the production code off, or on again.
type safeguardSwitch struct {
	lab.Safeguard
	On bool
	// URL turns it, and Outcome shows what it is good for.
	URL, Outcome string
	// Source is its code.
	Source sourceView
}

// switches are the safeguards that can be taken out of the scenario, or were.
func (l *Lab) switches(q request) (list []safeguardSwitch) {
	base := q.Name
	if q.Safeguard != nil {
		base = q.Safeguard.Of
	}
	for _, c := range l.cases() {
		if c.Safeguard == nil || c.Safeguard.Of != base {
			continue
		}
		s := safeguardSwitch{Safeguard: *c.Safeguard, On: c.Name != q.Name, URL: forProjector(templates.LabPath(c.Name), q.large),
			Outcome: forProjector(l.outcomePath(c.Name), q.large), Source: codeOf(*c.Safeguard)}
		if !s.On {
			s.URL = forProjector(templates.LabPath(base), q.large)
			for i, line := range s.Source.Lines {
				if line.Marked {
					s.Source.Lines[i].Marked, s.Source.Lines[i].Off = false, s.Source.Part
				}
			}
		}
		list = append(list, s)
	}
	return list
}

// lackingOf is the safeguard that a scenario goes without, or that prevents in the production code what its level shows. It is
// nil if there is none.
func (l *Lab) lackingOf(q request) *lab.Safeguard {
	if q.Safeguard != nil {
		return q.Safeguard
	}
	level, _ := levelOf(q.Name)
	c, _ := l.find(level.Safeguard) // the zero value has none
	return c.Safeguard
}

// off is the code of the safeguard that is switched off. It has no lines if none is.
func (v *scene) off() (code sourceView) {
	for _, s := range v.safeguards {
		if !s.On {
			code = s.Source
		}
	}
	return code
}

// codeOf is the code of a safeguard, with the line that decides marked.
func codeOf(g lab.Safeguard) sourceView {
	v := newSourceView(g.Line())
	v.Part = g.Part
	return v
}

// around are the parts of the line that decides: what is before what would be removed, that,
// and what is after it.
func (v sourceView) around() (before, part, behind string) {
	for _, line := range v.Lines {
		if line.Marked {
			before, behind, _ = strings.Cut(line.Text, v.Part)
		}
	}
	return before, v.Part, behind
}

// A refusal is a step that a safeguard has refused.
type refusal struct {
	lab.Safeguard
	Step  int
	Actor string
	// URL is the same run without the safeguard.
	URL string
}

// refusalsIn are the steps of a run of the production code that go another way as soon as a safeguard is taken
// out, and are refused with it.
func (l *Lab) refusalsIn(v *scene) (list []refusal) {
	for _, c := range l.cases() {
		if c.Safeguard == nil || c.Safeguard.Of != v.Name {
			continue
		}
		schedule, err := c.Parse(v.text())
		if err != nil {
			continue // it has fewer actors
		}
		without, _ := c.Follow(schedule, false)
		if p := partingOf(c, without, v.Case, v.moments[:v.at+1]); p.refusedAt() > 0 {
			list = append(list, refusal{*c.Safeguard, p.there, v.told(p.there).Actor, request{Case: c, schedule: schedule[:len(without)-1], at: len(without) - 1}.address()})
		}
	}
	return list
}
