package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
	"microblogging/templates"
)

// storesOf are the queues and the tables that an actor of the run has touched, or touches next, and that of a post that a
// message at its start is about.
func storesOf(moments []lab.Moment) []string {
	touched := map[string]bool{schema.TableBlogs: askedPosts(moments[0]) != nil}
	for _, m := range moments {
		if m.Step != nil {
			touched[targetOf(m.Step)] = true
		}
		for _, a := range m.Actors {
			if a.Call != nil {
				touched[a.Call.Target] = true
			}
		}
	}
	known := append([]string{domain.QueueName}, schema.Tables()...)
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(touched)), func(name string) bool { return slices.Contains(known, name) })
	return slices.DeleteFunc(append(known, others...), func(name string) bool { return !touched[name] })
}

// targetOf is the table or the queue of a step.
func targetOf(s *lab.Step) string {
	if s.Call == nil {
		return domain.QueueName
	}
	return s.Call.Target
}

// storeTitle is the name of a queue or a table for people.
func storeTitle(name string) string {
	if name == domain.QueueName {
		return "queue"
	}
	return name
}

// later is the row after a change, or before it if the change deletes it.
func later(c mem.Change) driver.Entity {
	if c.After.ETag == "" {
		return c.Before
	}
	return c.After
}

// rowsIn are the rows of a table, or the messages of a queue as rows.
func rowsIn(db mem.Snapshot, store string) []driver.Entity {
	rows := slices.Collect(db.Rows(store))
	for _, m := range db.Messages(store) {
		rows = append(rows, driver.Entity{
			Row: m.ID, ETag: driver.ETag("receipt " + m.Receipt),
			Properties: driver.Properties{driver.String("Text", m.Text), driver.Int64("Deliveries", m.Deliveries)},
		})
	}
	return rows
}

// compared are all rows of a store before and after, changed or not, in the order of their keys.
func compared(store string, before, after mem.Snapshot) []mem.Change {
	rows := map[[2]string]mem.Change{}
	for _, e := range rowsIn(before, store) {
		rows[[2]string{e.Partition, e.Row}] = mem.Change{Before: e}
	}
	for _, e := range rowsIn(after, store) {
		key := [2]string{e.Partition, e.Row}
		rows[key] = mem.Change{Before: rows[key].Before, After: e}
	}
	return slices.SortedFunc(maps.Values(rows), func(a, b mem.Change) int {
		x, y := later(a), later(b)
		return cmp.Or(strings.Compare(x.Partition, y.Partition), strings.Compare(x.Row, y.Row))
	})
}

// markOf says what has become of a row. It is empty if nothing has.
func markOf(c mem.Change) templates.Mark {
	switch {
	case c.Before.ETag == "":
		return templates.Inserted
	case c.After.ETag == "":
		return templates.Deleted
	case c.Before.ETag != c.After.ETag:
		return templates.Changed
	}
	return ""
}

// A rowView is a row or a message that an actor has touched, or touches next; or several rows that one lists.
type rowView struct {
	ID, Name string
	// Value is what it says, and Was what it said before the last step, if that was something else.
	Value, Was string
	Mark       templates.Mark
	// Gone is the step that has deleted the row before. It is 0 if none has. Since is the last that has changed it.
	Gone, Since int
	// Steps have touched it. Next are the actors who touch it next.
	Steps []int
	Next  []use
	// Violates reports whether an invariant is violated by the row. There reports whether it is in the store.
	Violates, There bool
}

// A use is what an actor does next with a row.
type use struct {
	Actor, Verb string
	Hue         int
}

// A storeView is a queue or a table.
type storeView struct {
	Name string
	Rows []rowView
	// Others is how many rows no actor has touched.
	Others int
}

// storeViews are what is in the queues and tables. Rows that no actor has touched or touches next are counted.
func (v *scene) storeViews() (views []storeView, others int) {
	for _, name := range append([]string{domain.QueueName}, schema.Tables()...) {
		if !slices.Contains(v.stores, name) {
			others += len(rowsIn(v.now().DB, name))
		}
	}
	for _, name := range v.stores {
		view := storeView{Name: name}
		v.fill(&view)
		others += view.Others
		if view.Rows != nil {
			views = append(views, view)
		}
	}
	return views, others
}

// fill puts the rows of a store into its view.
func (v *scene) fill(view *storeView) {
	for _, c := range v.rowsOf(view.Name) {
		row := v.row(view.Name, c)
		if len(row.Steps) == 0 && len(row.Next) == 0 && !v.isAsked(view.Name, later(c)) {
			view.Others++
			continue
		}
		view.Rows = append(view.Rows, row)
	}
	v.lists(view)
}

// isAsked reports whether a row is a post that a message at the start of the run is about.
func (v *scene) isAsked(store string, e driver.Entity) bool {
	return store == schema.TableBlogs && slices.ContainsFunc(askedPosts(v.moments[0]), func(m domain.Message) bool {
		return string(m.Channel) == e.Partition && schema.BlogRow(m.Blog) == e.Row
	})
}

// askedPosts are the messages on the queue that ask for the deletion of a post.
func askedPosts(at lab.Moment) (list []domain.Message) {
	for _, m := range at.DB.Messages(domain.QueueName) {
		if asks, err := domain.DecodeMessage(m.Text); err == nil && asks.Kind == domain.MessageBlog {
			list = append(list, asks)
		}
	}
	return list
}

// rowsOf are the rows of a store that are there, that were there, and that a call asks for next, as the last step has
// changed them.
func (v *scene) rowsOf(store string) []mem.Change {
	rows := compared(store, v.moments[max(v.at-1, 0)].DB, v.now().DB)
	add := func(e driver.Entity) {
		if !slices.ContainsFunc(rows, func(c mem.Change) bool { return later(c).Partition == e.Partition && later(c).Row == e.Row }) {
			rows = append(rows, mem.Change{Before: e})
		}
	}
	for _, m := range v.moments[1:max(v.at, 1)] {
		for _, c := range m.Step.Changes() {
			if m.Step.Call.Target == store && c.After.ETag == "" {
				add(c.Before)
			}
		}
	}
	for _, a := range v.now().Actors {
		if a.Call != nil && a.Call.Target == store {
			for _, e := range asked(a.Call) {
				add(e)
			}
		}
	}
	return rows
}

// lists adds a line for each call that lists rows next, or waits for a message.
func (v *scene) lists(view *storeView) {
	for i, a := range v.now().Actors {
		if a.Call == nil || a.Call.Target != view.Name {
			continue
		}
		row := rowView{ID: "next-" + a.Name + "-in-" + view.Name, Next: []use{{a.Name, nextVerb(a, ""), hue(i + 1)}}}
		switch {
		case a.Call.Method == driver.CallRange, a.Call.Method == driver.CallScan:
			row.Name, row.Value = v.names.listed(a.Call), lab.Count(len(v.covered(a.Call, v.at)), "row")
		case a.Call.OfQueue() && !slices.ContainsFunc(view.Rows, func(row rowView) bool {
			return slices.ContainsFunc(row.Next, func(u use) bool { return u.Actor == a.Name })
		}):
			row.Name = "no message"
			if a.Call.Method == driver.CallSend {
				row.Name = v.names.call(a.Call)
			}
		default:
			continue
		}
		view.Rows = append(view.Rows, row)
	}
}

// nextVerb says what an actor does next with a row.
func nextVerb(a lab.ActorState, row string) string {
	verb := "changes"
	switch a.Call.Method {
	case driver.CallGet:
		verb = "reads"
	case driver.CallRange, driver.CallScan:
		verb = "lists"
	case driver.CallReceive:
		verb = "takes"
	case driver.CallSend:
		verb = "sends"
	case driver.CallDelete:
		verb = "deletes"
	}
	for _, op := range a.Call.Operations {
		switch {
		case op.Row != row:
		case op.Action == driver.ActionMerge && len(op.Properties) == 0:
			verb = "requires"
		case op.Action == driver.ActionInsert:
			verb = "inserts"
		case op.Action == driver.ActionDelete:
			verb = "deletes"
		}
	}
	if a.Options == nil {
		return "waits"
	}
	return verb + " next"
}

// touches reports whether a call reads or writes this row alone, or the message of that text.
func touches(c *lab.Call, e driver.Entity) bool {
	switch c.Method {
	case driver.CallGet:
		return c.Partition == e.Partition && c.Row == e.Row
	case driver.CallTransact:
		return c.Partition == e.Partition && slices.ContainsFunc(c.Operations, func(op driver.Operation) bool { return op.Row == e.Row })
	case driver.CallReceive:
		return true
	case driver.CallDelete, driver.CallUpdate:
		return c.Message.ID == e.Row
	}
	return false
}

// row is a row with what has touched it and touches it next.
func (v *scene) row(store string, c mem.Change) rowView {
	e := later(c)
	row := rowView{
		ID: strings.Join([]string{"row", store, e.Partition, e.Row}, "-"), Name: v.names.row(store, e), Value: v.names.value(store, e), Mark: markOf(c), There: c.After.ETag != "",
	}
	if was := v.names.value(store, c.Before); row.Mark == templates.Changed && was != row.Value {
		row.Was = was
	}
	if store == domain.QueueName {
		row.ID, row.Value, row.Was = "message-"+store+"-"+e.Row, "", ""
		if row.There {
			row.Value = v.leased(e.Row)
		}
	}
	v.touch(&row, store, e)
	switch {
	case c.Before.ETag == "" && c.After.ETag == "":
		row.Mark, row.Value = "", "" // it is not there yet
	case row.Gone > 0 || row.Steps == nil:
		row.Mark = "" // it is not the last step's
	}
	for i, a := range v.now().Actors {
		if a.Call != nil && a.Call.Target == store && touches(a.Call, e) && (row.There || a.Call.Method != driver.CallReceive) {
			row.Next = append(row.Next, use{a.Name, nextVerb(a, e.Row), hue(i + 1)})
		}
	}
	for _, invariant := range v.now().Violated() {
		b := invariant.Violation
		row.Violates = row.Violates || row.There && b.Table == store && b.PartitionKey == e.Partition && b.RowKey == e.Row
	}
	return row
}

// touch says which steps have touched a row, and which of them has changed or deleted it.
func (v *scene) touch(row *rowView, store string, e driver.Entity) {
	for n := 1; n <= v.at; n++ {
		step := v.moments[n].Step
		if step.Call == nil || step.Call.Target != store || step.Applied == nil {
			continue
		}
		wrote := slices.IndexFunc(step.Changes(), func(c mem.Change) bool { return later(c).Partition == e.Partition && later(c).Row == e.Row })
		sent := step.Call.Method == driver.CallSend && step.Call.Message.Text == e.Properties.String("Text")
		if wrote < 0 && !sent && !touches(step.Call, e) {
			continue
		}
		row.Steps = append(row.Steps, n)
		if wrote >= 0 || sent {
			row.Since, row.Gone = n, 0
		}
		deletes := step.Call.Method == driver.CallDelete || wrote >= 0 && step.Changes()[wrote].After.ETag == ""
		if deletes && !row.There && n < v.at {
			row.Gone = n
		}
	}
}

// leased says who has a message. It is empty if the queue gives it to any worker.
func (v *scene) leased(id string) string {
	if !v.now().DB.Leased(domain.QueueName, id) && !v.moments[max(v.at-1, 0)].DB.Leased(domain.QueueName, id) {
		return ""
	}
	if holder := v.holds(v.at)[id]; holder > 0 {
		return v.Actors[holder-1].Name + " has it; it may show up again at any time"
	}
	return "leased"
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

// storeWords are what a queue or a table holds.
func storeWords(name string) string {
	switch name {
	case domain.QueueName:
		return "The queue"
	case schema.TableBlogs:
		return "Channels' partitions (Blogs)"
	case schema.TableUsers:
		return "Users' own rows (Users)"
	}
	return name
}

// forScript is a list of numbers as the script reads it.
func forScript(numbers []int) string { return strings.Trim(fmt.Sprint(numbers), "[]") }
