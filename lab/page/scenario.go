package page

import (
	"context"
	"net/http"
	"slices"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/templates"
)

// A scene is what the page of a scenario shows: one state, and the run that it is in.
type scene struct {
	request
	// moments are the one before the first choice and the one after each.
	moments []lab.Moment
	// names say what the rows of the run mean.
	names *names
	// stores are the queues and the tables that are shown.
	stores []string
	// record is what the model checker has found in the scenario.
	record modelcheck.Record
	// stale reports whether the code has changed since.
	stale bool
	// ahead says where each actor comes to if it goes on alone.
	ahead map[string]string
	// safeguards are those that can be switched.
	safeguards []safeguardSwitch
	// lacking is the safeguard that the scenario goes without, or that prevents in the production code what the level shows. It
	// is nil if there is none.
	lacking *lab.Safeguard
	// prevented is the outcome without the safeguard that prevents in the production code what the level shows.
	prevented string
	// outcome is there if the invariant of the level is violated.
	outcome *outcome
	// reachable says from where the invariant of the level can still be violated. It is nil if that is not known: then
	// onward says whether it can from here. lost is the step since which it cannot.
	reachable *lab.Reach
	onward    onward
	lost      int
	// refusals are what safeguards have refused in a run of the production code that has ended.
	refusals []refusal
	// found is what a search has just found. It is empty if none was requested.
	found searchView
}

// scenario shows the state that a schedule leads to, as a page or, if the name ends so, as a file.
func (l *Lab) scenario(w http.ResponseWriter, r *http.Request, page templates.Page) (templates.Response, error) {
	q, err := l.parse(r)
	if err != nil {
		return templates.Response{}, err
	}
	if _, suffix := suffixOf(r.PathValue("name")); suffix != "" {
		return l.scenarioFile(w, r, q, suffix)
	}
	if q.run != "" {
		on, err := inItsTurn(r.Context(), l, q, func(_ context.Context, q request) (request, error) { return l.runOn(q, q.run) })
		if err != nil {
			return templates.Response{}, err
		}
		return redirect(w, r, on.address())
	}
	if !q.isAddressed(r.URL.Query()) {
		return redirect(w, r, q.address())
	}
	page.Path = q.address()
	if q.ask == askGraph {
		return l.graph(w, r, page, q)
	}
	v, err := inItsTurn(r.Context(), l, q, l.follow)
	if err != nil {
		return templates.Response{}, err
	}
	// A search takes the time that is left, so it comes last.
	if q.ask == askReach && v.record.Searched == 0 && !v.won() { // there are too many states to search all
		v.onward, err = l.onward(r, v)
	} else {
		v.reachable, err = l.reach(r, q)
	}
	if err != nil {
		return templates.Response{}, err
	}
	if v.found, err = l.searched(r, q); err != nil {
		return templates.Response{}, err
	}
	v.lost = v.lostSince()
	return rendered(w, r, htmlType, scenarioPage(page, v))
}

// follow replays a schedule.
func (l *Lab) follow(ctx context.Context, q request) (*scene, error) {
	x := lab.NewExplorer(q.Scenario)
	defer x.Close()
	moments, err := x.Follow(q.schedule, false)
	if err != nil {
		return nil, refuseChoice(&q.Scenario, "That run is not possible", err)
	}
	if q.ask == askRest && !moments[q.at].Quiescent() {
		return nil, refuseSchedule(&q.Scenario, "The system is not idle", "New workers carry on when no actor can go on. Here one can.")
	}
	v := l.sceneOf(q, moments)
	if v.won() && !v.ships() {
		if v.outcome, err = l.outcomeOf(ctx, x, v); err != nil {
			return nil, err
		}
	}
	v.ahead, err = ahead(x, q, v.now().Actors)
	if v.ships() && v.now().Quiescent() {
		v.refusals = l.refusalsIn(v)
	}
	return v, err
}

func (l *Lab) sceneOf(q request, moments []lab.Moment) *scene {
	return &scene{request: q, prevented: forProjector(l.prevented(q.Name), q.large), lacking: l.lackingOf(q), moments: moments, names: namesOf(&q.Scenario, moments), stores: storesOf(moments), record: l.recordOf(q.Name),
		stale: l.stale() && q.Part != modelcheck.Own, safeguards: l.switches(q)}
}

// choosing is the request that goes on from here with one choice.
func (q *request) choosing(c lab.Choice) request {
	return q.ending(append(slices.Clone(q.schedule[:q.at]), c))
}

// redirect leads to the one address of a page. It is not said to be permanent, because
// another version may write a schedule in another way.
func redirect(w http.ResponseWriter, r *http.Request, address string) (templates.Response, error) {
	w.Header().Set("Cache-Control", freshness)
	w.Header().Del("Vary")
	http.Redirect(w, r, address, http.StatusFound)
	return templates.Response{}, nil
}
