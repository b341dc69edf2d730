package page

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/templates"
)

// A request names a scenario and the state that it is shown in.
type request struct {
	modelcheck.Case
	schedule lab.Schedule
	// at is how many choices of the schedule are taken: all of them, or fewer if the
	// reader went back.
	at int
	// ask is one of asks, or empty.
	ask string
	// show reports whether the reader is shown this schedule, step by step.
	show bool
	// large is for a projector.
	large bool
	// who names the actor whose steps alone the run shows, and writes reports whether it shows none that only read.
	who    string
	writes bool
	// run names an actor who goes on alone. It leads to where that ends.
	run string
}

// What a reader may ask for besides the state.
const (
	askRest   = "rest"   // what fresh workers leave
	askHint   = "hint"   // the next choice of a shortest way to break the invariant
	askSearch = "search" // what a search of the whole scenario finds now
	askReach  = "reach"  // whether the invariant of the level can still be violated
	askGraph  = "graph"  // all states of the level
)

func asks() []string { return []string{askRest, askHint, askSearch, askReach, askGraph} }

// parse reads the address of a scenario.
func (l *Lab) parse(r *http.Request) (request, error) {
	name, _ := suffixOf(r.PathValue("name"))
	c, schedule, err := l.parseRun(r, name)
	if err != nil {
		return request{}, err
	}
	query := r.URL.Query() // parseRun has read it
	q := request{Case: c, schedule: schedule, at: len(schedule), run: query.Get("run"), show: query.Get("show") == "1", large: query.Get("large") == "1",
		writes: query.Get("writes") == "1"}
	if who := query.Get("who"); slices.ContainsFunc(c.Actors, func(a lab.Actor) bool { return a.Name == who }) {
		q.who = who
	}
	if at := slices.IndexFunc(asks(), func(ask string) bool { return query.Get(ask) == "1" }); at >= 0 {
		q.ask = asks()[at]
	}
	if at := query.Get("at"); at != "" {
		if q.at, err = strconv.Atoi(at); err != nil || q.at < 0 || q.at > len(q.schedule) {
			return request{}, q.refuseStep()
		}
	}
	return q, nil
}

// parseRun reads a scenario's name, and the schedule in the address.
func (l *Lab) parseRun(r *http.Request, name string) (modelcheck.Case, lab.Schedule, error) {
	c, err := l.find(name)
	if err != nil {
		return c, nil, err
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		refusal := refuseSchedule(&c.Scenario, noRun, unreadable(err))
		refusal.Position = new(int)
		return c, nil, refusal
	}
	schedule, err := c.Parse(query.Get("s"))
	return c, schedule, refuseChoice(&c.Scenario, noRun, err)
}

// unreadable says why a query is none.
func unreadable(err error) string { return "The address cannot be read: " + err.Error() + "." }

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

// moved is another state of the same scenario.
func (q *request) moved(schedule lab.Schedule, at int) request {
	return request{Case: q.Case, schedule: schedule, at: at, show: q.show && slices.Equal(schedule, q.schedule), who: q.who, writes: q.writes, large: q.large}
}

// ending is the state that a schedule leads to.
func (q *request) ending(schedule lab.Schedule) request { return q.moved(schedule, len(schedule)) }

// here is the state that is shown, without the rest of the run.
func (q *request) here() request { return q.ending(q.schedule[:q.at]) }

// asking is the state that is shown, with what is asked for besides.
func (q *request) asking(ask string) string {
	on := q.here()
	on.ask = ask
	return on.address()
}

// address is the one address of the page. Nothing in it needs escaping.
func (q request) address() string {
	path, separator := templates.LabPath(q.Name), "?"
	add := func(set bool, name, value string) {
		if set {
			path, separator = path+separator+name+"="+value, "&"
		}
	}
	add(len(q.schedule) > 0, "s", q.Format(q.schedule))
	add(q.at < len(q.schedule), "at", strconv.Itoa(q.at))
	add(q.ask != "", q.ask, "1")
	add(q.show, "show", "1")
	add(q.who != "", "who", q.who)
	add(q.writes, "writes", "1")
	add(q.large, "large", "1")
	add(q.run != "", "run", q.run)
	return path
}

// isAddressed reports whether the query is that of the address. Parameters that mean
// nothing here make no difference.
func (q *request) isAddressed(query url.Values) bool {
	address, err := url.Parse(q.address())
	return err == nil && !slices.ContainsFunc(append(asks(), "s", "at", "show", "who", "writes", "large"), func(name string) bool {
		return query.Get(name) != address.Query().Get(name)
	})
}

// state is the state after n steps of the schedule, which stays.
func (q *request) state(n int) string { return q.to(q.schedule, n) }

func (q *request) to(schedule lab.Schedule, at int) string { return q.moved(schedule, at).address() }

// sentence is a text as a sentence. A name of an actor stays as it is at its beginning.
func (q *request) sentence(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if slices.ContainsFunc(q.Actors, func(a lab.Actor) bool { return a.Name == first }) {
		return text + "."
	}
	return sentence(text)
}
