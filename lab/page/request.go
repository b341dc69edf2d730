package page

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"microblogging/lab"
	"microblogging/lab/prove"
	"microblogging/templates"
)

// A request names a scenario and the state that it is shown in.
type request struct {
	prove.Case
	schedule lab.Schedule
	// at is how many choices of the schedule are taken: all of them, or fewer if the
	// reader went back.
	at int
	// rest shows what fresh workers leave.
	rest bool
	// hint asks for the next choice of a shortest way to break the law.
	hint bool
	// show tells that the reader is shown this schedule, step by step.
	show bool
}

// parse reads the address of a scenario.
func (l *Lab) parse(r *http.Request) (request, error) {
	c, schedule, err := l.parseRun(r, strings.TrimSuffix(r.PathValue("name"), jsonSuffix))
	if err != nil {
		return request{}, err
	}
	query := r.URL.Query() // parseRun has read it
	q := request{Case: c, schedule: schedule, at: len(schedule)}
	q.rest, q.hint, q.show = query.Get("rest") == "1", query.Get("hint") == "1", query.Get("show") == "1"
	if at := query.Get("at"); at != "" {
		if q.at, err = strconv.Atoi(at); err != nil || q.at < 0 || q.at > len(q.schedule) {
			return request{}, q.refuseStep()
		}
	}
	return q, nil
}

// parseRun reads a scenario's name, and the schedule in the address.
func (l *Lab) parseRun(r *http.Request, name string) (prove.Case, lab.Schedule, error) {
	c, err := l.find(name)
	if err != nil {
		return c, nil, err
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return c, nil, refuseChoice(&c.Scenario, noRun, &lab.StuckError{Word: r.URL.RawQuery, Why: err.Error()})
	}
	schedule, err := c.Parse(query.Get("s"))
	return c, schedule, refuseChoice(&c.Scenario, noRun, err)
}

const noRun = "This address is no run of the level"

// refuseStep is the error of a number of steps that the run does not have. Its position is
// the nearest one that it has.
func (q *request) refuseStep() error {
	refusal := refuseSchedule(&q.Scenario, "There is no such step",
		"“at” is a number of steps, from 0 to "+strconv.Itoa(len(q.schedule))+", which is the end of this run.")
	position := min(max(q.at, 0), len(q.schedule))
	refusal.Position = &position
	return refusal
}

// refuseSchedule is the error of an address whose scenario exists.
func refuseSchedule(s *lab.Scenario, title, detail string) *templates.Refusal {
	return &templates.Refusal{Problem: templates.Problem{
		Status: http.StatusBadRequest, Title: title, Detail: detail,
		Links: []templates.Link{{Label: "The start of " + s.Name, URL: templates.LabPath(s.Name)}, labLink()},
	}}
}

// refuseChoice is the error of a choice that cannot be read or taken, or another error as it is.
func refuseChoice(s *lab.Scenario, title string, err error) error {
	var stuck *lab.StuckError
	if !errors.As(err, &stuck) {
		return err
	}
	refusal := refuseSchedule(s, title, "Step "+strconv.Itoa(stuck.Position+1)+", "+strconv.Quote(stuck.Word)+": "+stuck.Why+".")
	refusal.Position = &stuck.Position
	return refusal
}

// address is the one address of the page.
func (q *request) address() string {
	path := templates.LabPath(q.Name)
	var query []string
	for _, name := range parameters() {
		if value := q.parameter(name); value != "" {
			query = append(query, name+"="+value)
		}
	}
	if query == nil {
		return path
	}
	return path + "?" + strings.Join(query, "&")
}

func parameters() []string { return []string{"s", "at", "rest", "hint", "show"} }

// parameter is a parameter of the address, empty if it is left out. None needs escaping.
func (q *request) parameter(name string) string {
	switch {
	case name == "s":
		return q.Format(q.schedule)
	case name == "at" && q.at < len(q.schedule):
		return strconv.Itoa(q.at)
	case name == "rest" && q.rest, name == "hint" && q.hint, name == "show" && q.show:
		return "1"
	}
	return ""
}

// isAddressed reports whether the query is that of the address. Parameters that mean
// nothing here make no difference.
func (q *request) isAddressed(query url.Values) bool {
	return !slices.ContainsFunc(parameters(), func(name string) bool { return query.Get(name) != q.parameter(name) })
}

// The parts of a scenario's page. A link ends in the id of its part, so that on a
// phone, which shows one part at a time, the next page shows the same part.
const (
	partActors = "#actors"
	partRun    = "#run"
	partTables = "#tables"
	partLaws   = "#laws"
)

// links makes the addresses of a scenario's other states.
type links struct{ request }

// start is the state before the first step, with no schedule.
func (l links) start() string { return l.to(nil, 0) + partActors }

// undo takes back the step that led to the state that is shown.
func (l links) undo() string {
	before := max(l.at-1, 0)
	return l.to(l.schedule[:before], before) + partActors
}

// state is the state after n steps of the schedule, which stays.
func (l links) state(n int, part string) string { return l.to(l.schedule, n) + part }

// carryOn is the state that is shown, with what fresh workers leave.
func (l links) carryOn() string {
	q := l.request
	q.rest = true
	return q.address() + partActors
}

func (l links) to(schedule lab.Schedule, at int) string {
	q := request{Case: l.Case, schedule: schedule, at: at}
	q.show = l.show && slices.Equal(schedule, l.schedule)
	return q.address()
}

// sentence is a text as a sentence. A name of an actor stays as it is at its beginning.
func (l links) sentence(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if slices.ContainsFunc(l.Actors, func(a lab.Actor) bool { return a.Name == first }) {
		return text + "."
	}
	return sentence(text)
}
