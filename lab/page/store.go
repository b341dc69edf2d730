package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/lab/prove"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
	"microblogging/templates"
)

// storesOf are the queues and the tables that a page shows: those that the run has
// touched or will, and those that hold something.
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
		for _, name := range schema.Tables() {
			for range m.DB.Rows(name) {
				touched[name] = true
				break
			}
		}
		for _, name := range []string{domain.QueueName, domain.PoisonQueueName} {
			touched[name] = touched[name] || len(m.DB.Messages(name)) > 0
		}
	}
	return slices.DeleteFunc(append([]string{domain.QueueName, domain.PoisonQueueName}, schema.Tables()...), func(name string) bool { return !touched[name] })
}

// storeTitle is the name of a queue or a table for people.
func storeTitle(name string) string {
	switch name {
	case domain.QueueName:
		return "queue"
	case domain.PoisonQueueName:
		return "poison queue"
	}
	return name
}

// storesView is what is in the tables and the queues.
type storesView struct {
	Tables []templates.TableBlock
	Queues []templates.QueueBlock
}

// A writer finds the step that wrote a row or a message last. Zero is the set-up.
type writer map[rowID]int

type rowID struct{ store, partition, row string }

func writersOf(moments []lab.Moment) writer {
	w := writer{}
	for i, m := range moments[1:] {
		for _, c := range m.Step.Changes() {
			e := later(c)
			w[rowID{m.Step.Call.Target, e.Partition, e.Row}] = i + 1
		}
		queue := targetOf(m.Step)
		for _, c := range messageChanges(moments[i].DB.Messages(queue), m.DB.Messages(queue)) {
			w[rowID{queue, "", c.message.ID}] = i + 1
		}
	}
	return w
}

// later is the row after a change, or before it if the change deletes it.
func later(c mem.Change) driver.Entity {
	if c.After.ETag == "" {
		return c.Before
	}
	return c.After
}

// A storeMaker makes the views of tables and queues.
type storeMaker struct {
	links
	now, before lab.Moment
	writers     writer
}

func newStoresView(names []string, moments []lab.Moment, l links) storesView {
	m := storeMaker{links: l, now: moments[l.at], before: moments[max(l.at-1, 0)], writers: writersOf(moments[:l.at+1])}
	var v storesView
	for _, name := range names {
		if slices.Contains(schema.Tables(), name) {
			v.Tables = append(v.Tables, m.table(name))
		} else {
			v.Queues = append(v.Queues, m.queue(name))
		}
	}
	return v
}

func (m storeMaker) table(name string) templates.TableBlock {
	changes := map[rowID]mem.Change{}
	rows := slices.Collect(m.now.DB.Rows(name))
	if step := m.now.Step; step != nil && targetOf(step) == name {
		for _, c := range step.Changes() {
			e := later(c)
			changes[rowID{name, e.Partition, e.Row}] = c
			if c.After.ETag == "" {
				rows = append(rows, c.Before)
			}
		}
	}
	slices.SortFunc(rows, func(a, b driver.Entity) int {
		if c := strings.Compare(a.Partition, b.Partition); c != 0 {
			return c
		}
		return strings.Compare(a.Row, b.Row)
	})
	v := templates.TableBlock{Key: "store-" + name, Name: name, Level: 3, Empty: "No rows."}
	if name == "Blogs" {
		v.Note = "Posts, with the gates and the subscribers of their channels."
		if m.Part != prove.Real && m.Part != prove.Ablated {
			v.Note = "Posts."
		}
	}
	for _, e := range rows {
		change, changed := changes[rowID{name, e.Partition, e.Row}]
		v.Rows = append(v.Rows, m.row(name, e, change, changed))
	}
	return v
}

func (m storeMaker) row(table string, e driver.Entity, change mem.Change, changed bool) templates.TableRow {
	kind, parts := templates.ExplainRow(table, e.Partition, e.Row, timeless)
	for i := range parts {
		parts[i].Text = m.Pretty(parts[i].Text)
	}
	row := templates.TableRow{
		Key: strings.Join([]string{"row", table, e.Partition, e.Row}, "-"), Partition: templates.ShortKey(m.Pretty(e.Partition)),
		Kind: kind, Parts: parts, ETag: string(e.ETag), Properties: m.properties(e, change, changed),
	}
	if changed {
		row.Mark = markOf(change)
	}
	row.Link = m.writer(rowID{table, e.Partition, e.Row}, row.Mark)
	return row
}

func markOf(c mem.Change) templates.Mark {
	switch {
	case c.Before.ETag == "":
		return templates.Inserted
	case c.After.ETag == "":
		return templates.Deleted
	default:
		return templates.Changed
	}
}

// timeless knows that time does not pass in the lab, so that no time in a key means
// anything.
func timeless(string) (time.Time, error) { return time.Time{}, errTimeless }

// writer leads to the step that wrote a row or a message last.
func (m storeMaker) writer(id rowID, mark templates.Mark) templates.Link {
	step := m.writers[id]
	who := "Step " + strconv.Itoa(step)
	if step == 0 {
		who = "The set-up"
	}
	did := " wrote this"
	if mark == templates.Deleted {
		did = " deleted this"
	}
	return templates.Link{Label: who + did, URL: m.state(step, partTables)}
}

func (m storeMaker) properties(e driver.Entity, change mem.Change, changed bool) []templates.RowProperty {
	var list []templates.RowProperty
	for _, p := range e.Properties {
		v := templates.RowProperty{Name: p.Name, Value: m.value(p.Value)}
		if changed && markOf(change) == templates.Changed {
			at := slices.IndexFunc(change.Before.Properties, func(q driver.Property) bool { return q.Name == p.Name })
			if v.Changed = at < 0 || change.Before.Properties[at].Value != p.Value; v.Changed && at >= 0 {
				v.Was = m.value(change.Before.Properties[at].Value)
			}
		}
		list = append(list, v)
	}
	return list
}

// value is a property's value in words. All times are one instant, because time does not
// pass.
func (m storeMaker) value(v driver.Value) string {
	switch v.Kind() {
	case driver.KindString:
		return m.Pretty(templates.ShortKey(v.Text()))
	case driver.KindDateTime:
		return "(the lab’s time)"
	case driver.KindBoolean:
		return strconv.FormatBool(v.Number() != 0)
	default:
		return strconv.FormatInt(v.Number(), 10)
	}
}

// A messageChange is what a step did to a message.
type messageChange struct {
	message driver.Message
	mark    templates.Mark
}

// messageChanges compares a queue before and after a step.
func messageChanges(before, after []driver.Message) (changes []messageChange) {
	same := func(m driver.Message) func(driver.Message) bool {
		return func(n driver.Message) bool { return n.ID == m.ID }
	}
	for _, m := range after {
		at := slices.IndexFunc(before, same(m))
		switch {
		case at < 0:
			changes = append(changes, messageChange{m, templates.Inserted})
		case before[at].Receipt != m.Receipt:
			changes = append(changes, messageChange{m, templates.Changed})
		}
	}
	for _, m := range before {
		if !slices.ContainsFunc(after, same(m)) {
			changes = append(changes, messageChange{m, templates.Deleted})
		}
	}
	return changes
}

func (m storeMaker) queue(name string) templates.QueueBlock {
	messages := m.now.DB.Messages(name)
	marks := map[string]templates.Mark{}
	for _, c := range messageChanges(m.before.DB.Messages(name), messages) {
		marks[c.message.ID] = c.mark
		if c.mark == templates.Deleted {
			messages = append(messages, c.message)
		}
	}
	slices.SortFunc(messages, func(a, b driver.Message) int { return strings.Compare(a.ID, b.ID) })
	v := templates.QueueBlock{Key: "store-" + name, Name: name, Level: 3, Empty: "No messages."}
	for _, d := range messages {
		v.Messages = append(v.Messages, templates.QueuedMessage{
			Key: "message-" + name + "-" + d.ID, Words: m.DescribeMessage(d.Text), Text: m.Pretty(d.Text),
			Leased: m.leased(name, d), Deliveries: d.Deliveries, Mark: marks[d.ID], Link: m.writer(rowID{name, "", d.ID}, marks[d.ID]),
		})
	}
	return v
}

var errTimeless = fmt.Errorf("no time passes in the lab")

// leased tells whether a message was received. One that this step deletes was, because
// only its receiver can delete it.
func (m storeMaker) leased(queue string, d driver.Message) bool {
	return m.now.DB.Leased(queue, d.ID) || m.before.DB.Leased(queue, d.ID)
}
