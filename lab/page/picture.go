package page

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
	"microblogging/templates"
)

// A runLine is a line of the picture of a run: a step, or what an actor may call next.
type runLine struct {
	// Number is that of its step. It is 0 if the call is not made yet.
	Number int
	lab.StepText
	// Hue is that of the actor.
	Hue int
	// From and To are where its arrow begins and ends, in percent of the width. They are empty if it has none.
	// Cut reports whether the call does not reach the store.
	From, To string
	Cut      bool
	Bars     []bar
	// Refused reports whether the store has refused the call.
	Refused bool
	Changes string
	// Violates are the invariants that the step violates, by their titles. Idle are those that were seen to be violated
	// after it, when nothing could happen any more. Because tells that they are because of the step.
	Violates, Idle []string
	Because        bool
	// Lost reports whether the invariant of the level cannot be violated any more since this step.
	Lost bool
	// Current led to the state that is shown. Left comes after it.
	Current, Left bool
	URL           string
}

// A bar is what holds for a while at a column. Half is "top" where it ends in the line, and "end" where it begins.
type bar struct{ X, Class, Half string }

// forScript is a list of numbers as the script reads it.
func forScript(numbers []int) string { return strings.Trim(fmt.Sprint(numbers), "[]") }

// A picture has a column for each actor and each store, and a line for each step and each call that may come next.
type picture struct {
	*scene
	because int
	// held is what holds after each step.
	held    [][]bar
	Columns []column
	Lines   []runLine
}

// A column is an actor with its hue, or a store.
type column struct {
	Name string
	Hue  int
}

// news is the partition of the channel that all is about.
const news = "news"

// underWay is the column of calls whose caller does not wait for them any more.
const underWay = "under way"

// picture is the run that is shown on a page.
func (v *scene) picture() picture {
	p := v.drawn()
	next := v.pending()
	for i := range next {
		l := &next[i]
		l.Bars = p.bars(v.at, v.at)
		if l.To != "" {
			l.From, l.To = p.x(l.From), p.x(l.To)
		}
	}
	p.Lines = append(p.Lines, next...)
	return p
}

// drawn is the run with a line for each step.
func (v *scene) drawn() picture {
	p := picture{scene: v}
	p.because, _ = v.because()
	for i, a := range v.Actors {
		p.Columns = append(p.Columns, column{a.Name, hue(i + 1)})
	}
	if slices.ContainsFunc(v.moments, func(m lab.Moment) bool { return len(late(m)) > 0 }) {
		p.Columns = append(p.Columns, column{Name: underWay})
	}
	for _, name := range v.stores {
		p.Columns = append(p.Columns, column{Name: storeTitle(name)})
	}
	for n := range v.moments {
		p.held = append(p.held, p.holding(n))
		if n > 0 {
			p.step(n)
		}
	}
	return p
}

// hue is the color of an actor. There are as many as actors of a level.
func hue(actor int) int { return (actor-1)%4 + 1 }

// x is where the column of that name is.
func (p picture) x(name string) string {
	at := slices.IndexFunc(p.Columns, func(c column) bool { return c.Name == name })
	return p.beyond(at, 0)
}

// beyond is a part of the way beyond a column.
func (p picture) beyond(column int, more float64) string {
	return strconv.FormatFloat((float64(column)+0.5+more)*100/float64(len(p.Columns)), 'f', 2, 64) + "%"
}

// step adds the line of a step.
func (p *picture) step(n int) {
	step := p.moments[n].Step
	l := runLine{
		Number: n, StepText: p.Words(*step), Hue: hue(max(step.Sender, 1)), Bars: p.bars(n-1, n), Changes: changesIn(step),
		Current: n == p.at, Left: n > p.at, Because: n == p.because, Lost: n == p.lost, URL: p.state(n),
		Refused: step.Applied != nil && step.Applied.Err != nil,
	}
	l.Violates, l.Idle = p.violatedBy(n)
	if step.Call != nil {
		_, l.Call, _ = strings.Cut(p.rowsNamed(l.Call, step.Call), ": ") // the arrow leads to the store
		l.Actor, l.From, l.To = p.Actors[step.Sender-1].Name, p.beyond(step.Sender-1, 0), p.x(storeTitle(step.Call.Target))
	}
	switch step.Choice.Fate {
	case lab.DiesBefore, lab.Unsent:
		l.To, l.Cut = p.beyond(step.Sender-1, 0.6), true
	case lab.GivenUp:
		l.To = p.x(underWay)
	case lab.Lands:
		l.From = p.x(underWay)
	}
	p.Lines = append(p.Lines, l)
}

// pending is what each actor may call next, with the names of the two columns, unless other steps come after
// the state that is shown.
func (v *scene) pending() (next []runLine) {
	for i, a := range v.now().Actors {
		l := runLine{StepText: lab.StepText{Actor: a.Name}, Hue: hue(i + 1)}
		switch {
		case a.Call == nil, v.at < len(v.schedule):
			continue
		case a.Options == nil:
			l.Call = "waits: " + a.Why
		default:
			_, l.Call, _ = strings.Cut(v.rowsNamed(a.Words, a.Call), ": ")
			l.Call, l.From, l.To = "may "+l.Call, a.Name, storeTitle(a.Call.Target)
		}
		next = append(next, l)
	}
	return next
}

// rowsNamed has words for the rows of a call whose keys say less.
func (v *scene) rowsNamed(words string, call *lab.Call) string {
	rows := []string{call.Row}
	for _, op := range call.Operations {
		rows = append(rows, op.Row)
	}
	for _, row := range rows {
		switch key, kind := v.Pretty(lab.NameRow(call.Target, row)), schema.Of(call.Target, call.Partition, row); {
		case kind == nil || kind.Form == "":
		case kind.Hash != "":
			words = strings.Replace(words, key, kind.Name, 1)
		default:
			words = strings.Replace(words, key, kind.Name+" "+key[strings.LastIndex(key, "!")+1:], 1)
		}
	}
	return words
}

// late are the calls that are under way.
func late(m lab.Moment) []lab.Option {
	return slices.DeleteFunc(slices.Clone(m.Network), func(o lab.Option) bool { return o.Choice.Fate != lab.Lands })
}

// bars are what holds after a step, or after a later one. What holds after both spans the whole line.
func (p *picture) bars(before, after int) (bars []bar) {
	was, is := p.held[before], p.held[after]
	for _, b := range was {
		if !slices.Contains(is, b) {
			b.Half = "top"
		}
		bars = append(bars, b)
	}
	for _, b := range is {
		if !slices.Contains(was, b) {
			b.Half = "end"
			bars = append(bars, b)
		}
	}
	return bars
}

// holding is what holds after n steps: leases, gates, calls that are under way, and what an actor has read that
// is no longer true.
func (p *picture) holding(n int) (bars []bar) {
	m, leases := p.moments[n], slices.Collect(maps.Values(p.holds(n)))
	for i, a := range m.Actors {
		if slices.Contains(leases, i+1) {
			bars = append(bars, bar{X: p.beyond(i, 0), Class: "lease of-" + strconv.Itoa(hue(i+1))})
		}
		if read := p.reading(i+1, n, a.Call); read.Since > 0 && a.State == lab.AboutToCall {
			bars = append(bars, bar{X: p.beyond(i, 0), Class: "stale"})
		}
	}
	if len(late(m)) > 0 {
		bars = append(bars, bar{X: p.x(underWay), Class: "late"})
	}
	for row := range m.DB.Rows(schema.TableBlogs) {
		class := map[*schema.Kind]string{schema.OpenGate: "open", schema.ShutGate: "shut"}[schema.Of(schema.TableBlogs, row.Partition, row.Row)]
		gate := bar{X: p.x(schema.TableBlogs), Class: class}
		if class != "" && row.Partition == news && slices.Contains(p.stores, schema.TableBlogs) && !slices.Contains(bars, gate) {
			bars = append(bars, gate)
		}
	}
	return bars
}

// holds has the holder of each message that has one after n steps. Time does not pass in the lab: that a lease has ended
// shows when the queue gives the message to another worker.
func (v *scene) holds(n int) map[string]int {
	holds := map[string]int{}
	for _, m := range v.moments[1 : n+1] {
		if m.Step.Applied == nil || m.Step.Applied.Err != nil {
			continue
		}
		switch call := m.Step.Call; call.Method {
		case driver.CallReceive:
			holds[m.Step.Applied.Messages[0].ID] = m.Step.Sender
		case driver.CallDelete, driver.CallUpdate:
			delete(holds, call.Message.ID)
		}
	}
	return holds
}

// A reading is what an actor has read, at which step, and since which step that is no longer true.
type reading struct {
	Step int
	// Row is the table with the row, or with what was listed.
	Row, Words string
	Since      int
	// Now is what is there instead. It is empty if that takes more than a word.
	Now string
}

// reading is what an actor has read after n steps: the row that its next call writes; or else what was no longer true first;
// or else its latest read. The next call may be nil.
func (v *scene) reading(actor, n int, next *lab.Call) (told reading) {
	seen := map[[3]string]bool{}
	for at := n; at > 0; at-- {
		step := v.moments[at].Step
		if step.Sender != actor || step.Choice.Fate == lab.Lands || step.Result == nil {
			continue
		}
		key := [3]string{step.Call.Target, step.Call.Partition, step.Call.Row + " " + step.Call.From}
		if !isRead(step.Call) || seen[key] {
			continue
		}
		seen[key] = true
		words := v.Words(*step)
		_, row, _ := strings.Cut(words.Call, ": ") // “read news”
		_, row, _ = strings.Cut(row, " ")
		read := reading{Step: at, Row: strings.TrimSpace(step.Call.Target + " " + row), Words: words.Result}
		for later := at + 1; later <= n && read.Since == 0; later++ {
			by := v.moments[later].Step
			if by.Sender != actor && slices.ContainsFunc(by.Changes(), func(c mem.Change) bool { return covers(step.Call, by.Call.Target, c) }) {
				read.Since, read.Now = later, stateOf(step.Call, v.moments[n].DB)
			}
		}
		if next != nil && next.Method == driver.CallTransact && next.Target == step.Call.Target && step.Call.Method == driver.CallGet &&
			touches(next, driver.Entity{Partition: step.Call.Partition, Row: step.Call.Row}) {
			return read
		}
		if told.Step == 0 || read.Since > 0 && (told.Since == 0 || read.Since < told.Since) {
			told = read
		}
	}
	return told
}

func isRead(c *lab.Call) bool {
	return c.Method == driver.CallGet || c.Method == driver.CallRange || c.Method == driver.CallScan
}

// covers reports whether a call reads the row that is changed.
func covers(c *lab.Call, target string, change mem.Change) bool {
	row := later(change)
	switch {
	case c.Target != target:
		return false
	case c.Method == driver.CallScan:
		return c.From <= row.Partition && (c.To == "" || row.Partition < c.To)
	case c.Method == driver.CallGet:
		return c.Partition == row.Partition && c.Row == row.Row
	}
	return c.Partition == row.Partition && c.From <= row.Row && (c.To == "" || row.Row < c.To)
}

// stateOf is what a row says by now that a call has read.
func stateOf(c *lab.Call, db mem.Snapshot) string {
	if c.Method != driver.CallGet {
		return ""
	}
	for row := range db.Rows(c.Target) {
		if row.Partition == c.Partition && row.Row == c.Row {
			return row.Properties.String("State")
		}
	}
	return "gone"
}

// changesIn counts the rows that a step changed, with the signs of the marks.
func changesIn(step *lab.Step) string {
	count := map[templates.Mark]int{}
	for _, c := range step.Changes() {
		count[markOf(c)]++
	}
	var words []string
	for _, mark := range []templates.Mark{templates.Inserted, templates.Changed, templates.Deleted} {
		if count[mark] > 0 {
			words = append(words, map[templates.Mark]string{templates.Inserted: "+", templates.Changed: "~", templates.Deleted: "−"}[mark]+strconv.Itoa(count[mark]))
		}
	}
	return strings.Join(words, " ")
}

// violatedBy lists the invariants that a step violates, and those that were seen to be violated after it when nothing
// could happen any more; the one that the scenario is about first.
func (v *scene) violatedBy(n int) (at, idle []string) {
	for _, invariant := range v.moments[n].Invariants {
		if invariant.State != lab.InvariantViolated || invariant.Since != n {
			continue
		}
		titles := &at
		if invariant.Idle {
			titles = &idle
		}
		if invariant.Name == v.record.Invariant {
			*titles = slices.Insert(*titles, 0, invariant.Title)
		} else {
			*titles = append(*titles, invariant.Title)
		}
	}
	return at, idle
}

// class is for the style sheet.
func (l runLine) class() templ.CSSClasses {
	return templ.Classes("line", "of-"+strconv.Itoa(l.Hue), templ.KV("next", l.Number == 0), templ.KV("now", l.Current), templ.KV("left", l.Left),
		templ.KV("broke", l.Violates != nil || l.Idle != nil), templ.KV("why", l.Because), templ.KV("lostat", l.Lost))
}

func (p picture) class() string { return "n" + strconv.Itoa(len(p.Columns)) }

// raised is the class of a name that is above those of its neighbors, where they have no room side by side.
func (p picture) raised(column int) string {
	if rows := 1 + (len(p.Columns)-1)/5; rows > 1 {
		return "up-" + strconv.Itoa(column%min(rows+len(p.Columns)/8, 3))
	}
	return ""
}

// lower is where a line of the file lies.
func (p picture) lower(line int) string { return strconv.Itoa(52 + 24*line) }

// paint is a color for a file without a style sheet.
func paint(hue int) string {
	return [...]string{"#586069", "#0369a1", "#8a3ffc", "#c2410c", "#0b766b"}[hue]
}

// inWords is a step and its answer in one line.
func (l runLine) inWords() string {
	words := []string{l.Actor + ":", l.Call, l.Fate}
	if l.Result != "" {
		words = append(words, "→ "+l.Result)
	}
	words = append(words, l.Changes)
	for _, told := range l.Told {
		words = append(words, "told: "+told)
	}
	words = append(words, l.tags()...)
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// tags say what the step has to do with a violated invariant.
func (l runLine) tags() (words []string) {
	if l.Because {
		words = append(words, becauseOfThis)
	}
	for _, invariant := range l.Violates {
		words = append(words, "✗ violates "+invariant)
	}
	for _, invariant := range l.Idle {
		words = append(words, "✗ idle after this: "+invariant+" is violated")
	}
	return words
}

const becauseOfThis = "because of this"
