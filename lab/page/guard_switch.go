package page

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"microblogging/lab"
	"microblogging/lab/prove"
	"microblogging/templates"
)

// A guardSwitch turns one guard of the shipped code off, or on again.
type guardSwitch struct {
	guard
	On bool
	// URL turns it.
	URL string
	// First and Last are the lines of its code.
	First, Last int
}

// switches are the guards that can be taken out of the scenario, or were.
func switches(q request, cases []prove.Case) (list []guardSwitch) {
	base := q.Name
	if q.Part == prove.Ablated {
		base = q.Of
	}
	for _, c := range cases {
		g, ok := guardOf(c.Name)
		if c.Part != prove.Ablated || c.Of != base || !ok {
			continue
		}
		s := guardSwitch{guard: g, On: c.Name != q.Name, URL: switchPath(c.Name, q)}
		if !s.On {
			s.URL = switchPath(base, q)
		}
		s.First, s.Last = g.lines()
		list = append(list, s)
	}
	return list
}

// switchPath leads to another scenario with as much of the run as it allows.
func switchPath(to string, q request) string {
	path := templates.LabPath(to) + "/from/" + url.PathEscape(q.Name)
	if q.at == 0 {
		return path
	}
	return path + "?s=" + q.Format(q.schedule[:q.at])
}

// switchGuard leads to another version of a scenario, with the longest part of the
// schedule that it allows.
func (l *Lab) switchGuard(w http.ResponseWriter, r *http.Request, _ templates.Page) error {
	from, err := l.find(r.PathValue("other"))
	if err != nil {
		return err
	}
	to, err := l.find(r.PathValue("name"))
	if err != nil {
		return err
	}
	query, err := queryOf(r, &from.Scenario)
	if err != nil {
		return err
	}
	schedule, err := parseSchedule(&from.Scenario, query.Get("s"))
	if err != nil {
		return err
	}
	key := "switch " + to.Name + " " + from.Name + " " + from.Format(schedule)
	a, err := l.replays.answer(r.Context(), key, func() (answer, error) {
		q := request{Case: to}
		var err error
		q.schedule, err = allowed(to.Scenario, translated(from, to, schedule))
		q.at = len(q.schedule)
		return answer{body: []byte(q.address())}, err
	})
	if err != nil {
		return err
	}
	return redirect(w, r, string(a.body))
}

// translated is the longest part of a schedule whose actors the other scenario has.
func translated(from, to prove.Case, schedule lab.Schedule) (list lab.Schedule) {
	if len(schedule) == 0 {
		return nil
	}
	for word := range strings.SplitSeq(from.Format(schedule), ",") {
		choices, err := to.Parse(word)
		if err != nil {
			break
		}
		list = append(list, choices...)
	}
	return list
}

// allowed is the longest part of a schedule that a scenario allows.
func allowed(s lab.Scenario, schedule lab.Schedule) (lab.Schedule, error) {
	x := lab.NewExplorer(s)
	defer x.Close()
	_, err := x.Follow(schedule)
	var stuck *lab.StuckError
	if errors.As(err, &stuck) {
		return schedule[:stuck.Position], nil
	}
	return schedule, err
}
