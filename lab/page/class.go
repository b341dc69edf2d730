package page

import (
	"cmp"
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

// classPath has the plan of a class, for its lecturer. With a run or a condition for each of some levels (A1=ann,olga*2) it
// says which of them were won, so that the address can be handed in.
const classPath = templates.LabIndexPath + "/class"

// handoutPath is for the students: the stops with their questions, and the homework. It has no answers.
const handoutPath = classPath + "?handout=1"

// maxHandedIn is the most steps of all runs that are handed in together.
const maxHandedIn = 1000

// A stop is a level of a class.
type stop struct {
	// Name is the level's.
	Name    string
	Minutes int
	// Question is put to the hall before the level is won. It states nothing, so it can be asked in each state of the level.
	// Notes are for the lecturer, with the answer.
	Question, Notes string
	// Of is the level whose run the notes take, if it is another one.
	Of string
}

// stops take 70 minutes of a class of 90: 10 are for the words before, and 10 for the end.
func stops() []stop {
	return []stop{
		{Name: "A1", Minutes: 11, Question: "What could the worker do earlier, later or twice, so that no post is left behind?",
			Notes: "Let the hall choose each step. Expect “remove the posts again, later”: Ann can be later still. Nothing that the worker does helps. Keep “MicroBlogging without its safeguard, and with it” for stop 6."},
		{Name: "A3", Minutes: 6, Question: "If Olga's request dies between its two calls: which call should come first, and what is left if the second never comes?",
			Notes: "One step wins, so ask first. The message should come first. A mark that is left alone stays without end, because no worker has a message. A message that is left alone does what Olga has asked for: a worker marks the channel and deletes it. There is no transaction across a table and a queue, so one chooses which half can be left."},
		{Name: "lost-message", Minutes: 6, Question: "If the queue loses Olga's message: who still knows of the deletion, and who looks?",
			Notes: "The table has the mark, but no process looks for it. So a program that says “accepted” needs a reconciling pass, which looks for marks: the promise depends on a row and not on a message. " +
				"This does not contradict stop 2: MicroBlogging first writes a row that the pass reads, then sends the message, then marks the channel, and then says “accepted”."},
		{Name: "A2", Minutes: 8, Question: "What would a worker have to know to see that the channel of that name is another one?",
			Notes: "Collect proposals: a time, a counter, a random identity. A name that returns and a clock that is wrong tell nothing. A random identity does: the incarnation. Keep “MicroBlogging without its safeguard, and with it” for stop 6, which has its words."},
		{Name: "late-copy", Minutes: 9, Question: "Why is it not enough that Olga does one thing after the other?",
			Notes: "The request that she has given up is on the card of the network, until it lands. A timeout cancels nothing, and no lock of Olga's reaches what is on the network. Only the store sees it arrive."},
		{Name: "own-gate", Minutes: 13, Question: "If Olga's post comes after the gate is shut: what would the store answer if her transaction required the open gate?",
			Notes: "Let Olga take two steps and wait. Run w1 until it shuts the gate, and until it removes the gate. Let the hall answer now, because her next step is the last that matters. Then let Olga post, and run w1. If she posts before the last look, her post is swept. " +
				"Show what the safeguard would have answered, and the one part of a line that differs. No actor waits for another: it is a fence, and not a lock. Two posts merge the gate and do not make each other fail. Then “MicroBlogging without its safeguard, and with it” of stops 1 and 4 can be read."},
		{Name: "shut-gate", Minutes: 11, Question: "If w1 sleeps until its lease has ended: when does it notice? Would a longer lease help?",
			Notes: "Take the run one step before the end, and go through it with Back and Forth. w1 has removed what it listed, and sleeps before it looks again. w2 ends the deletion, Ann takes the name, and w1 looks and finds her row. " +
				"It would notice when it asks the queue, which is after its removal. A longer lease does not help: a process can sleep longer than any lease, and a longer one delays the next worker if this one has died. A lease tells others when they may go on. It does not tell its holder to stop, so the store must: the shut gate goes before the name is free."},
		{Name: "again", Minutes: 6, Question: "Which safeguard refuses the run of stop 7 here, and at which step?",
			Notes: "Take the run of stop 7: what has won the other levels has other actors, and is not possible here. The shut gate refuses its last step, in which w1 would remove Ann's row. The hall sees this when all go on to the end: then the page says what was refused, and how many states a search has entered. Ask what was not searched: more actors, more faults, and the store itself.",
			Of:    "shut-gate"},
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

// openingWords are what a hall must know before it begins: what a transaction may contain, and what all stops are about.
func openingWords() (words []meaning) {
	for _, word := range []string{"partition", "transaction", "queue", "invariant", "safeguard", "idle"} {
		list := glossary()
		words = append(words, list[slices.IndexFunc(list, func(m meaning) bool { return m.Word == word })])
	}
	return words
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
	// Way leads to the run of the notes: one step before the end of a shortest one, or that of another level. It is empty if
	// the shortest run is one step.
	Way string
}

// stopViews are the stops with their levels.
func (l *Lab) stopViews() (views []stopView) {
	for _, s := range stops() {
		v := stopView{stop: s}
		v.level, _ = levelOf(s.Name)
		if c, err := l.find(s.Name); err == nil {
			way, _ := c.Parse(l.recordOf(cmp.Or(s.Of, s.Name)).Schedule) // TestKnown reads all
			at := len(way)
			if s.Of == "" {
				at--
			}
			if at > 0 {
				v.Way = request{Case: c, schedule: way[:at], at: at, large: true}.address()
			}
		}
		views = append(views, v)
	}
	return views
}

// way says where Way leads.
func (v stopView) way() string {
	if v.Of != "" {
		_, number := stopOf(v.Of)
		return "The run of stop " + strconv.Itoa(number)
	}
	return "One step before the end"
}

// A handedIn is what a run of a level, or a condition, that was handed in comes to.
type handedIn struct {
	Title string
	// URL shows it. It is empty if it is none.
	URL   string
	Won   bool
	Words string
}

// class shows the plan of a class, what was handed in, or the handout.
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
		if err != nil || list == nil {
			return classPage(page, l.stopViews()), err
		}
		return handedInPage(page, list, address), nil
	})
}

// handedIn checks what was handed in for each of some levels, and is the one address of all that can be checked.
func (l *Lab) handedIn(query url.Values) (list []handedIn, address string, err error) {
	left := maxHandedIn
	for i, level := range levels() {
		text := query.Get(level.Name)
		if text == "" {
			continue
		}
		h := handedIn{Title: level.numbered(i + 1)}
		if level.Build > 0 {
			l.checkCondition(level, text, &h)
		} else if text, err = l.checkRun(level, text, &left, &h); err != nil {
			return nil, "", err
		}
		if h.URL != "" {
			address += "&" + level.Name + "=" + text
		}
		list = append(list, h)
	}
	if address != "" {
		address = classPath + "?" + address[1:]
	}
	return list, address, nil
}

// checkCondition says of a level of package toy whether the condition holds.
func (l *Lab) checkCondition(level level, clause string, h *handedIn) {
	v, err := newBuildView(url.Values{"l": {strconv.Itoa(level.Build)}, "c": {clause}}.Encode())
	if err != nil {
		h.Words = "not a condition of this level"
		return
	}
	v.Verdict = l.verdict(v)
	h.URL, h.Won = buildAddress(level.Build, clause, false), v.Verdict.Violated == ""
	if h.Words = "holds in " + lab.Count(v.Verdict.States, "state"); !h.Won {
		h.Words = "not won: broken in " + lab.Count(len(v.Verdict.Run), "step")
	}
}

// checkRun replays a run of a level, and returns it in its one notation. left is how many steps may still be checked.
func (l *Lab) checkRun(level level, text string, left *int, h *handedIn) (run string, err error) {
	c, err := l.find(level.Name)
	if err != nil {
		return "", err
	}
	schedule, err := c.Parse(text)
	if *left -= len(schedule); *left < 0 {
		return "", refuseHandedIn("All runs together have " + strconv.Itoa(maxHandedIn) + " steps at most.")
	}
	if err == nil {
		h.URL = request{Case: c, schedule: schedule, at: len(schedule)}.address()
		h.Won, h.Words, err = checked(c, schedule, l.recordOf(c.Name))
	}
	if stuck := (*lab.StuckError)(nil); errors.As(err, &stuck) {
		h.URL, h.Words = "", "not a run: step "+strconv.Itoa(stuck.Position+1)+" is not possible"
		return "", nil
	}
	return c.Format(schedule), err
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

// homework are the levels in which one builds the fence.
func homework() []level {
	return slices.DeleteFunc(slices.Clone(levels()), func(l level) bool { return l.Build == 0 })
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
