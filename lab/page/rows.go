package page

import (
	"cmp"
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

// storesOf are the queues and the tables that an actor of the run has touched, or touches next.
func storesOf(moments []lab.Moment) []string {
	touched := map[string]bool{}
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
	ID, Key, Kind string
	Properties    []templates.RowProperty
	Mark          templates.Mark
	// Gone is the step that has deleted the row before. It is 0 if none has.
	Gone int
	// Steps have touched it. Next are the actors who touch it next.
	Steps []int
	Next  []use
	// Violates reports whether an invariant is violated by the row.
	Violates bool
}

// A use is what an actor does next with a row.
type use struct {
	Actor, Verb string
	Hue         int
}

// A storeView is a queue or a table.
type storeView struct {
	Name, What string
	Rows       []rowView
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
		view := storeView{Name: name, What: "table"}
		if name == domain.QueueName {
			view.What = "queue"
		}
		v.fill(&view)
		others += view.Others
		views = append(views, view)
	}
	return views, others
}

// fill puts the rows of a store into its view.
func (v *scene) fill(view *storeView) {
	changes := compared(view.Name, v.moments[max(v.at-1, 0)].DB, v.now().DB)
	for n := 1; n < v.at; n++ { // what was deleted before
		for _, c := range v.moments[n].Step.Changes() {
			row := later(c)
			same := func(c mem.Change) bool { return later(c).Partition == row.Partition && later(c).Row == row.Row }
			if v.moments[n].Step.Call.Target == view.Name && c.After.ETag == "" && !slices.ContainsFunc(changes, same) {
				changes = append(changes, mem.Change{Before: c.Before})
			}
		}
	}
	used := map[string]bool{}
	for _, c := range changes {
		row := v.row(view.Name, c)
		if len(row.Steps) == 0 && len(row.Next) == 0 {
			view.Others++
			continue
		}
		for _, use := range row.Next {
			used[use.Actor] = true
		}
		view.Rows = append(view.Rows, row)
	}
	v.missing(view, used)
}

// missing adds a line for a call that comes next and finds no row to be shown.
func (v *scene) missing(view *storeView, used map[string]bool) {
	for i, a := range v.now().Actors {
		if a.Call == nil || a.Call.Target != view.Name || used[a.Name] {
			continue
		}
		row := rowView{ID: "next-" + a.Name + "-in-" + view.Name, Key: "the queue", Next: []use{{a.Name, nextVerb(a), hue(i + 1)}}}
		switch {
		case isRead(a.Call) && a.Call.Method != driver.CallGet:
			row.Key, row.Kind = v.Pretty(templates.ShortKey(cmp.Or(a.Call.Partition, a.Call.From, "the table"))), lab.Count(v.listed(a.Call), "row")
		case view.What == "table":
			key := a.Call.Row
			for _, op := range a.Call.Operations {
				key = op.Row
			}
			row.Key, row.Kind = v.Pretty(lab.NameRow(view.Name, key)), "no row yet"
			if key == "" {
				row.Key = v.Pretty(templates.ShortKey(a.Call.Partition))
			}
		}
		view.Rows = append(view.Rows, row)
	}
}

// listed is how many rows a call would list.
func (v *scene) listed(call *lab.Call) (n int) {
	for e := range v.now().DB.Rows(call.Target) {
		if covers(call, call.Target, mem.Change{After: e}) {
			n++
		}
	}
	return n
}

// nextVerb says what an actor does next.
func nextVerb(a lab.ActorState) string {
	verbs := map[driver.Method]string{
		driver.CallGet: "reads", driver.CallRange: "lists", driver.CallScan: "lists", driver.CallReceive: "takes", driver.CallSend: "sends", driver.CallDelete: "deletes",
	}
	switch operations := a.Call.Operations; {
	case a.Options == nil:
		return "waits"
	case len(operations) == 1:
		return string(operations[0].Action) + "s next"
	}
	return cmp.Or(verbs[a.Call.Method], "changes") + " next"
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
		ID: strings.Join([]string{"row", store, e.Partition, e.Row}, "-"), Key: v.Pretty(lab.NameRow(store, e.Row)),
		Properties: v.properties(store, c), Mark: markOf(c),
	}
	if e.Row == "" {
		row.Key = v.Pretty(templates.ShortKey(e.Partition))
	}
	if kind := schema.Of(store, e.Partition, e.Row); kind != nil && kind.Form != "" {
		row.Kind = kind.Name
	}
	if text := e.Properties.String("Text"); store == domain.QueueName {
		row.ID, row.Key, row.Properties, row.Kind = "message-"+store+"-"+e.Row, v.DescribeMessage(text), nil, "visible"
		if leased := v.now().DB.Leased(store, e.Row) || v.moments[max(v.at-1, 0)].DB.Leased(store, e.Row); leased {
			row.Kind = "leased"
			if holder := v.holds(v.at)[e.Row]; holder > 0 {
				row.Kind += " to " + v.Actors[holder-1].Name
			}
			if c.After.ETag != "" {
				row.Kind += "; may show up again at any time"
			}
		}
	}
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
		deletes := step.Call.Method == driver.CallDelete || wrote >= 0 && step.Changes()[wrote].After.ETag == ""
		if deletes && c.After.ETag == "" && n < v.at {
			row.Gone, row.Mark = n, ""
		}
	}
	for i, a := range v.now().Actors {
		if a.Call != nil && a.Call.Target == store && c.After.ETag != "" && touches(a.Call, e) {
			row.Next = append(row.Next, use{a.Name, nextVerb(a), hue(i + 1)})
		}
	}
	for _, invariant := range v.broken() {
		row.Violates = row.Violates || c.After.ETag != "" && strings.HasPrefix(invariant.why(), v.Pretty(store+", "+lab.NameRow(store, e.Row))+":")
	}
	return row
}

// properties are the state and the identity of a row, and what the last step has changed. No time passes in the lab.
func (v *scene) properties(store string, c mem.Change) (list []templates.RowProperty) {
	e := later(c)
	for _, p := range e.Properties {
		r := templates.RowProperty{Name: p.Name, Value: v.value(p.Value)}
		if markOf(c) == templates.Changed {
			at := slices.IndexFunc(c.Before.Properties, func(q driver.Property) bool { return q.Name == p.Name })
			if r.Changed = at < 0 || c.Before.Properties[at].Value != p.Value; r.Changed && at >= 0 {
				r.Was = v.value(c.Before.Properties[at].Value)
			}
		}
		known := schema.Of(store, e.Partition, e.Row) != nil
		if p.Value.Kind() != driver.KindDateTime && (r.Changed || !known || tells(p.Name) && !strings.Contains(e.Row, p.Value.Text())) {
			list = append(list, r)
		}
	}
	return list
}

// tells reports whether a property is one that actors decide by.
func tells(name string) bool {
	return slices.Contains([]string{
		schema.PropState, schema.PropIncarnation, schema.PropRating, schema.PropUndoCount, schema.PropPosting, schema.PropBlocked, schema.PropEpoch,
		schema.PropEnded, schema.PropStep, schema.PropWaiting,
	}, name)
}

// value is a property's value in words.
func (v *scene) value(value driver.Value) string {
	if value.Kind() == driver.KindString {
		return v.Pretty(templates.ShortKey(value.Text()))
	}
	return value.String()
}
