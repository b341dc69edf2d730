package web

import (
	"reflect"

	"microblogging/templates"
)

// rowChanges marks what has changed from one view of the rows to the next. The marks of
// a block stay until that block changes again. The zero value has seen nothing.
type rowChanges struct {
	seen bool
	// read is the latest view without marks, and marked the same with marks.
	read, marked templates.RowsNow
}

// next returns the view with marks.
func (c *rowChanges) next(now templates.RowsNow) templates.RowsNow {
	if c.seen && reflect.DeepEqual(now, c.read) {
		return c.marked
	}
	before := *c
	c.seen, c.read, c.marked = true, now, now
	if !before.seen || len(before.read.Tables) != len(now.Tables) {
		return c.marked
	}
	c.marked.Tables = make([]templates.TableBlock, len(now.Tables))
	for i, table := range now.Tables {
		c.marked.Tables[i] = markTable(before.read.Tables[i], table, before.marked.Tables[i], false)
	}
	c.marked.Partition = markTable(before.read.Partition, now.Partition, before.marked.Partition, true)
	c.marked.Queue = markQueue(before.read.Queue, now.Queue, before.marked.Queue)
	return c.marked
}

// markTable marks what is different from the view before. What was marked before stays if
// nothing is. The rows are in key order. If they are a page of a partition, a row that comes
// into sight because others went is not new.
func markTable(before, now, marked templates.TableBlock, paged bool) templates.TableBlock {
	if reflect.DeepEqual(before.Rows, now.Rows) {
		marked.Note, marked.Empty = now.Note, now.Empty
		return marked
	}
	var rows []templates.TableRow
	old, left := before.Rows, now.Rows
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
		if !paged || len(now.Rows) < maxShownRows { // else it may have been pushed off the page
			rows = append(rows, markRow(row, templates.Deleted))
		}
	}
	for _, row := range left {
		if !paged || len(before.Rows) < maxShownRows { // else it may have been behind the page
			row.Mark = templates.Inserted
		}
		rows = append(rows, row)
	}
	now.Rows = rows
	return now
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
	row.Mark = templates.Changed
	before := make(map[string]string)
	for _, p := range was.Properties {
		before[p.Name] = p.Value
	}
	properties := make([]templates.RowProperty, len(row.Properties))
	for i, p := range row.Properties {
		value, seen := before[p.Name]
		if p.Changed = !seen || value != p.Value; p.Changed {
			p.Was = value
		}
		properties[i] = p
	}
	row.Properties = properties
	return row
}

// markQueue is markTable for messages.
func markQueue(before, now, marked templates.QueueBlock) templates.QueueBlock {
	if reflect.DeepEqual(before.Messages, now.Messages) {
		marked.Note, marked.Empty = now.Note, now.Empty
		return marked
	}
	known := make(map[string]templates.QueuedMessage)
	for _, m := range before.Messages {
		known[m.Key] = m
	}
	messages := make([]templates.QueuedMessage, 0, len(now.Messages))
	for _, m := range now.Messages {
		switch was, seen := known[m.Key]; {
		case !seen:
			m.Mark = templates.Inserted
		case was != m:
			m.Mark = templates.Changed
		}
		delete(known, m.Key)
		messages = append(messages, m)
	}
	for _, m := range before.Messages {
		if _, gone := known[m.Key]; gone {
			m.Mark = templates.Deleted
			messages = append(messages, m)
		}
	}
	now.Messages = messages
	return now
}
