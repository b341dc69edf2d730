// Package page shows the lab in a browser: every scenario of packages lab and textbook,
// stepped call by call.
//
// # The problem
//
// A schedule that breaks the textbook version, or does not break the production code, convinces a
// reader who takes it step by step. A reader has a browser and no Go. What a reader sees must be the
// production code, and a lecture hall that steps through it together must not slow down the site.
//
// # The model
//
// A request names a scenario and a schedule, in the notation of lab.Scenario.Format. The
// explorer replays the schedule, and a page shows the state that it leads to. So the whole
// session is in the address. Each choice is a link to the address with one choice more.
//
// A level has a rule in one sentence, in which what is missing is struck through, and the line of code that is missing. A
// card has what its actor knows (variable), with the step, and what that has become meanwhile. The run has every step
// (runLine). The store has only what an actor has touched or touches next (rowView). Rows are named by what they
// mean and not by their keys (names). Where the invariant of
// the level is violated, the page shows the run next to its twin, in which all invariants hold (outcome). It names the
// step because of which the invariant is violated only if a search of all states has found it (lab.Reach), and above the
// two runs it says what the safeguard would have answered. A level with at most 60 states has a page that draws them all.
//
// A level of the course is a scenario, of which an invariant is to be broken, or a protocol of package toy, of which
// the condition of one write is to be chosen (build).
//
// A class goes through eight levels. A student hands in an address that has a run for each level, and
// each is replayed when the address is requested.
//
// [Lab.Routes] has the handlers for package web, which does not import the lab: it adds
// what all pages have in common, and turns errors into problem pages.
//
// # What survives failure
//
// No handler reads or writes the store of the site. What a search has found is kept in memory, and is found again.
package page

//go:generate go tool -modfile=../../.ci/tools.mod templ generate
