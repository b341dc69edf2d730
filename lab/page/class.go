package page

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/templates"
)

// classPath is a path through the lab for a class. With a run for each of some levels (A1=ann,olga*2)
// it says which of them were won, so that the address can be handed in.
const classPath = templates.LabIndexPath + "/class"

// handoutPath has the questions of the class to print, without answers.
const handoutPath = classPath + "?handout=1"

// maxHandedIn is the most steps of all runs that are handed in together.
const maxHandedIn = 1000

// A stop is a level of a class.
type stop struct {
	// Name is the level's.
	Name    string
	Minutes int
	// Question is to be answered before the last step, and Notes are for the lecturer.
	Question, Notes string
}

// stops take 70 minutes of a class of 90: 10 are for the words before, and 10 for the end.
func stops() []stop {
	return []stop{
		{"A1", 11, "Ann's post has landed behind the worker's back. What could the worker do earlier, later or twice, so that this cannot happen?",
			"Let the hall choose each step. Expect “remove the posts again, later”: Ann can be later still. Nothing that the worker does helps. Keep “MicroBlogging without its safeguard, and with it” for stop 6."},
		{"A3", 6, "Olga's request may die between its two calls. Which call would you make first, and what is left if the second never comes?",
			"One step wins. There is no transaction across a table and a queue, so one chooses which half can be left. The level “The pass that looks” is homework."},
		{"lost-message", 6, "Olga was told “accepted”, and the queue is about to lose the message. Who will still know, and who looks?",
			"The table has the mark, but no process looks for it. So a program that says “accepted” needs a reconciling pass, which looks for marks: the promise depends on a row and not on a message."},
		{"A2", 8, "w2 is about to delete by name. What would it have to know to see that this is another channel?",
			"Collect proposals: a time, a counter, a random identity. A name that returns and a clock that is wrong tell nothing. A random identity does: the incarnation. Keep “MicroBlogging without its safeguard, and with it” for stop 6, which has its words."},
		{"late-copy", 9, "Only Olga uses the site, and she does one thing after the other. Why is that not enough?",
			"The request that she has given up is on the card of the network, until it lands. A timeout cancels nothing, and no lock of Olga's reaches what is on the network. Only the store sees it arrive."},
		{"own-gate", 13, "Olga's post came after the gate was shut. What would the store have answered if her transaction had named the open gate?",
			"Let Olga take two steps and wait. Run w1 until it shuts the gate, and until it removes the gate. Then let Olga post, and run w1. If she posts before the last look, her post is swept. " +
				"Show what the safeguard would have answered, and the one part of a line that differs. No actor waits for another: it is a fence, and not a lock. Two posts merge the gate and do not make each other fail. Then “MicroBlogging without its safeguard, and with it” of stops 1 and 4 can be read."},
		{"shut-gate", 11, "w1 has slept, and its lease has ended. Does it notice? Would a longer lease help?",
			"Run w1 until it shuts the gate, and let it sleep. Run w2 to its end, Ann to hers, and then w1. A lease tells others when they may go on. It does not tell its holder to stop, so the store must: the shut gate goes before the name is free."},
		{"again", 6, "Do again what has won a level. Which safeguard will refuse it, and at which step?",
			"Let them go to the end: the page says what refused them, and how many states a search has entered. Ask what was not searched: more actors, more faults, and the store itself."},
	}
}

// whyItHolds is the thought that all levels share.
func whyItHolds() []string {
	return []string{
		"Each write that must not come late requires a row, in its own transaction.",
		"That row is deleted before anything is done that the write could harm, and it never exists again.",
		"So the store has one of the two first: the write, and then what comes after finds it; or the deletion of the row, and then the write is refused.",
	}
}

// wordsToExplain are what a student should be able to explain after the class.
func wordsToExplain() []string {
	return []string{"incarnation", "lease, and why it is not enough", "late duplicate of a request", "gate", "fence", "reconciling pass"}
}

// openingWords are what a hall must know before it begins.
func openingWords() []meaning {
	return slices.DeleteFunc(glossary(), func(m meaning) bool {
		return !slices.Contains([]string{"partition", "transaction", "queue"}, m.Word)
	})
}

// stopOf is the stop of a level, and its number, which counts from 1. The number is 0 if it is none.
func stopOf(name string) (stop, int) {
	list := stops()
	at := slices.IndexFunc(list, func(s stop) bool { return s.Name == name })
	if at < 0 {
		return stop{}, 0
	}
	return list[at], at + 1
}

// A stopView is a stop with its level.
type stopView struct {
	stop
	level
	// Before is the moment before the last step of a shortest way. It is empty if none is known.
	Before string
}

// stopViews are the stops with their levels.
func (l *Lab) stopViews() (views []stopView) {
	for _, s := range stops() {
		v := stopView{stop: s}
		v.level, _ = levelOf(s.Name)
		if c, err := l.find(s.Name); err == nil {
			way, _ := c.Parse(l.recordOf(s.Name).Schedule) // TestKnown reads all
			if before := max(len(way)-1, 0); before > 0 {
				v.Before = request{Case: c, schedule: way[:before], at: before}.address()
			}
		}
		views = append(views, v)
	}
	return views
}

// A handedIn is what a run of a level that was handed in comes to.
type handedIn struct {
	Title string
	// URL is the run. It is empty if it is none.
	URL   string
	Won   bool
	Words string
}

// class shows a path through the lab, and what was handed in; or else the handout.
func (l *Lab) class(w http.ResponseWriter, r *http.Request, page templates.Page) (templates.Response, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return templates.Response{}, refuseHandedIn(unreadable(err))
	}
	if query.Get("handout") == "1" {
		page.Path = handoutPath
		return l.replayed(w, r, func() (templ.Component, error) { return handoutPage(page, l.stopViews()), nil })
	}
	page.Path = classPath
	return l.replayed(w, r, func() (templ.Component, error) {
		list, address, err := l.handedIn(query)
		return classPage(page, l.stopViews(), list, address), err
	})
}

// handedIn checks a run for each of some levels, and is their one address.
func (l *Lab) handedIn(query url.Values) (list []handedIn, address string, err error) {
	left := maxHandedIn
	for i, level := range levels() {
		text := query.Get(level.Name)
		c, err := l.find(level.Name)
		if text == "" || err != nil {
			continue
		}
		schedule, err := c.Parse(text)
		if left -= len(schedule); left < 0 {
			return nil, "", refuseHandedIn("All runs together have " + strconv.Itoa(maxHandedIn) + " steps at most.")
		}
		h := handedIn{Title: level.numbered(i + 1)}
		if err == nil {
			h.URL = request{Case: c, schedule: schedule, at: len(schedule)}.address()
			h.Won, h.Words, err = checked(c, schedule, l.recordOf(c.Name))
		}
		var stuck *lab.StuckError
		if errors.As(err, &stuck) {
			h.URL, h.Words = "", "not a run: step "+strconv.Itoa(stuck.Position+1)+" is not possible"
		} else if err != nil {
			return nil, "", err
		} else {
			address += "&" + c.Name + "=" + c.Format(schedule)
		}
		list = append(list, h)
	}
	if address != "" {
		address = classPath + "?" + address[1:]
	}
	return list, address, nil
}

// checked replays a run, and says whether it breaks the invariant of its level.
func checked(c modelcheck.Case, schedule lab.Schedule, record modelcheck.Record) (won bool, words string, err error) {
	moments, err := c.Follow(schedule, false)
	if err != nil {
		return false, "", err
	}
	invariants := moments[len(moments)-1].Violated()
	at := slices.IndexFunc(invariants, func(invariant lab.InvariantState) bool {
		return record.Invariant == "" || invariant.Name == record.Invariant
	})
	switch {
	case at < 0:
		return false, "not won in " + lab.Count(len(schedule), "step"), nil
	case record.Shortest == 0:
		return true, "won in " + lab.Count(invariants[at].Since, "step"), nil
	}
	return true, "won in " + lab.Count(invariants[at].Since, "step") + ", shortest " + strconv.Itoa(record.Shortest), nil
}

func refuseHandedIn(detail string) error {
	return &templates.Refusal{Problem: templates.Problem{
		Status: http.StatusBadRequest, Title: "That cannot be checked", Detail: detail,
		Links: []templates.Link{{Label: "The class", URL: classPath}, labLink()},
	}}
}

// wonOf counts what was won.
func wonOf(list []handedIn) string {
	won := 0
	for _, h := range list {
		if h.Won {
			won++
		}
	}
	return "Checked: " + strconv.Itoa(won) + " of " + strconv.Itoa(len(list)) + " won"
}
