package page

import (
	"errors"
	"strings"

	"microblogging/lab"
	"microblogging/lab/prove"
	"microblogging/templates"
)

// A guardSwitch turns one guard of the shipped code off, or on again.
type guardSwitch struct {
	lab.Guard
	On bool
	// URL turns it.
	URL string
	// Source is its code.
	Source sourceView
}

// switches are the guards that can be taken out of the scenario, or were.
func switches(q request, cases []prove.Case) (list []guardSwitch) {
	base := q.Name
	if q.Guard != nil {
		base = q.Guard.Of
	}
	for _, c := range cases {
		if c.Guard == nil || c.Guard.Of != base {
			continue
		}
		s := guardSwitch{Guard: *c.Guard, On: c.Name != q.Name, URL: templates.LabPath(c.Name), Source: codeOf(*c.Guard)}
		if !s.On {
			s.URL = templates.LabPath(base)
		}
		list = append(list, s)
	}
	return list
}

// codeOf is the code of a guard.
func codeOf(g lab.Guard) sourceView {
	file, first, last := lab.Find(g.Code)
	return functionView(lab.Site{File: file, Line: first, Function: g.Code}, first, last)
}

// translated is the longest part of a schedule whose actors the other scenario has.
func translated(from, to prove.Case, schedule lab.Schedule) (list lab.Schedule) {
	for _, choice := range schedule {
		same, err := to.Parse(from.Format(lab.Schedule{choice}))
		if err != nil {
			break
		}
		list = append(list, same...)
	}
	return list
}

// taken is the longest part of a schedule that a scenario allows, and its moments.
func taken(s lab.Scenario, schedule lab.Schedule) (lab.Schedule, []lab.Moment, error) {
	x := lab.NewExplorer(s)
	defer x.Close()
	moments, err := x.Follow(schedule)
	var stuck *lab.StuckError
	if errors.As(err, &stuck) {
		return schedule[:stuck.Position], moments, nil
	}
	return schedule, moments, err
}

// code is the text of the lines.
func (v sourceView) code() string {
	var text strings.Builder
	for _, line := range v.Lines {
		text.WriteString(strings.Repeat("\t", line.Indent) + line.Text + "\n")
	}
	return text.String()
}
