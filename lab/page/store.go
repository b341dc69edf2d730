package page

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
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
		for _, name := range m.DB.Tables() {
			for range m.DB.Rows(name) {
				touched[name] = true
				break
			}
		}
		for _, name := range queues() {
			touched[name] = touched[name] || len(m.DB.Messages(name)) > 0
		}
	}
	known := append(queues(), schema.Tables()...)
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(touched)), func(name string) bool { return slices.Contains(known, name) })
	return slices.DeleteFunc(append(known, others...), func(name string) bool { return !touched[name] })
}

func queues() []string { return []string{domain.QueueName, domain.PoisonQueueName} }

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

// A storeMaker makes the views of tables and queues.
type storeMaker struct {
	*scene
	before, now mem.Snapshot
}

// tablesAndQueues is what is in the stores.
func (v *scene) tablesAndQueues() (tables []templates.TableBlock, waiting []templates.QueueBlock) {
	m := storeMaker{v, v.moments[max(v.at-1, 0)].DB, v.now().DB}
	for _, name := range v.stores {
		if slices.Contains(queues(), name) {
			waiting = append(waiting, m.queue(name))
		} else {
			tables = append(tables, m.table(name))
		}
	}
	return tables, waiting
}

func (m storeMaker) table(name string) templates.TableBlock {
	v := templates.TableBlock{Key: "store-" + name, Name: name, Level: 3, Empty: "No rows."}
	for _, c := range compared(name, m.before, m.now) {
		v.Rows = append(v.Rows, m.row(name, c))
	}
	return v
}

func (m storeMaker) row(table string, c mem.Change) templates.TableRow {
	e := later(c)
	kind, parts := templates.ExplainRow(table, e.Partition, e.Row, timeless)
	for i := range parts {
		parts[i].Text = m.Pretty(parts[i].Text)
	}
	return templates.TableRow{
		Key: strings.Join([]string{"row", table, e.Partition, e.Row}, "-"), Partition: templates.ShortKey(m.Pretty(e.Partition)),
		Kind: kind, Parts: parts, ETag: string(e.ETag), Properties: m.properties(c), Mark: markOf(c),
	}
}

// timeless knows that time does not pass in the lab, so that no time in a key means
// anything.
func timeless(string) (time.Time, error) { return time.Time{}, errTimeless }

var errTimeless = errors.New("no time passes in the lab")

func (m storeMaker) properties(c mem.Change) (list []templates.RowProperty) {
	for _, p := range later(c).Properties {
		v := templates.RowProperty{Name: p.Name, Value: m.value(p.Value)}
		if markOf(c) == templates.Changed {
			at := slices.IndexFunc(c.Before.Properties, func(q driver.Property) bool { return q.Name == p.Name })
			if v.Changed = at < 0 || c.Before.Properties[at].Value != p.Value; v.Changed && at >= 0 {
				v.Was = m.value(c.Before.Properties[at].Value)
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
	default:
		return v.String()
	}
}

func (m storeMaker) queue(name string) templates.QueueBlock {
	v := templates.QueueBlock{Key: "store-" + name, Name: name, Level: 3, Empty: "No messages."}
	for _, c := range compared(name, m.before, m.now) {
		e := later(c)
		text := e.Properties.String("Text")
		v.Messages = append(v.Messages, templates.QueuedMessage{
			Key: "message-" + name + "-" + e.Row, Words: m.DescribeMessage(text), Text: m.Pretty(text),
			Leased: m.leased(name, e.Row), Deliveries: e.Properties.Int64("Deliveries"), Mark: markOf(c),
		})
	}
	return v
}

// leased reports whether a message was received. One that this step deletes was, because
// only its receiver can delete it.
func (m storeMaker) leased(queue, id string) bool {
	return m.now.Leased(queue, id) || m.before.Leased(queue, id)
}
