package page

import (
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
