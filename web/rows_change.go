package web

import (
	"reflect"
	"slices"

	"microblogging/templates"
)

// rowChanges marks what has changed from one view of the rows to the next. The zero value has
// seen nothing.
type rowChanges struct {
	// read is the latest view without marks, and marked the same with marks.
	read, marked *templates.RowsNow
}

// next returns the view with marks.
func (c *rowChanges) next(now templates.RowsNow) templates.RowsNow {
	before := c.read
	if before != nil && reflect.DeepEqual(now, *before) {
		return *c.marked
	}
	marked := now
	c.read, c.marked = &now, &marked
	if before == nil || len(before.Tables) != len(now.Tables) {
		return marked
	}
	marked.Tables = slices.Clone(now.Tables)
	for i := range marked.Tables {
		marked.Tables[i].Rows = markRows(before.Tables[i].Rows, now.Tables[i].Rows, false)
	}
	marked.Partition.Rows = markRows(before.Partition.Rows, now.Partition.Rows, true)
	marked.Queue.Messages = markMessages(before.Queue.Messages, now.Queue.Messages)
	return marked
}

// markRows marks what is different from the rows before. They are in key order. If they are a
// page of a partition, a row that comes into sight because others went is not new.
func markRows(before, now []templates.TableRow, paged bool) (rows []templates.TableRow) {
	old, left := before, now
	for len(old) > 0 && len(left) > 0 {
		switch a, b := old[0], left[0]; {
		case a.Key == b.Key:
			rows = append(rows, changedRow(a, b))
			old, left = old[1:], left[1:]
		case a.Key < b.Key:
			rows = append(rows, markRow(a, templates.Deleted))
			old = old[1:]
		default:
			rows = append(rows, markRow(b, templates.Inserted))
			left = left[1:]
		}
	}
	for _, row := range old {
		if !paged || len(now) < maxShownRows { // else it may have been pushed off the page
			rows = append(rows, markRow(row, templates.Deleted))
		}
	}
	for _, row := range left {
		if !paged || len(before) < maxShownRows { // else it may have been behind the page
			row.Mark = templates.Inserted
		}
		rows = append(rows, row)
	}
	return rows
}

func markRow(row templates.TableRow, mark templates.Mark) templates.TableRow {
	row.Mark = mark
	return row
}

// changedRow marks the row, and the properties of it, if they are not as before.
func changedRow(was, row templates.TableRow) templates.TableRow {
	if reflect.DeepEqual(was, row) {
		return row
	}
	row.Mark, row.Properties = templates.Changed, slices.Clone(row.Properties)
	for i := range row.Properties {
		p := &row.Properties[i]
		of := slices.IndexFunc(was.Properties, func(old templates.RowProperty) bool { return old.Name == p.Name })
		if p.Changed = of < 0 || was.Properties[of].Value != p.Value; p.Changed && of >= 0 {
			p.Was = was.Properties[of].Value
		}
	}
	return row
}

// markMessages is markRows for messages, which have no order.
func markMessages(before, now []templates.QueuedMessage) (messages []templates.QueuedMessage) {
	find := func(in []templates.QueuedMessage, m templates.QueuedMessage) int {
		return slices.IndexFunc(in, func(other templates.QueuedMessage) bool { return other.Key == m.Key })
	}
	for _, m := range now {
		if i := find(before, m); i < 0 {
			m.Mark = templates.Inserted
		} else if before[i] != m {
			m.Mark = templates.Changed
		}
		messages = append(messages, m)
	}
	for _, m := range before {
		if find(now, m) < 0 {
			m.Mark = templates.Deleted
			messages = append(messages, m)
		}
	}
	return messages
}
