// Package page is how lists are read page by page, and the cursors by which they go on.
package page

import (
	"microblogging/storage/driver"
	"microblogging/storage/schema"
	"strings"
)

// An Of is part of a list. A list that others write to meanwhile is read page by page without
// meeting an item twice.
type Of[T any] struct {
	Items []T
	// Next is the cursor of the next page. It is empty on the last page.
	Next string
}

// A List is a page that is asked for. Name names the list for its cursors; After is the Next of
// the page before, and empty for the first page; Limit is the largest number of items.
type List struct {
	Name, After string
	Limit       int
	// Prefix is how the row keys of the list begin, if its cursors leave that out.
	Prefix string
}

// Position returns the position at which the page before ended, and "" for the first page. A
// cursor of another list is an InvalidError on the field "after".
func (l List) Position() (string, error) {
	if l.After == "" {
		return "", nil
	}
	return Decode(l.Name, l.After)
}

// From returns the row key from which on the page is read, of rows that begin at this key. The
// errors are those of Position, of which the positions must be row keys.
func (l List) From(begin string) (string, error) {
	position, err := l.Position()
	if position == "" {
		return begin, err
	}
	return max(begin, schema.Successor(l.Prefix+position)), nil
}

// Cut returns the rows of the page and its Next. Rows are those that were read, with one more
// than Limit if there is another page; position is that of a row in a cursor, with the Prefix.
func Cut[T any](l List, rows []T, position func(T) string) (page []T, next string) {
	if len(rows) <= l.Limit {
		return rows, ""
	}
	return rows[:l.Limit], Encode(l.Name, strings.TrimPrefix(position(rows[l.Limit-1]), l.Prefix))
}

// RowKey is the position of a row in the cursors of most lists.
func RowKey(row driver.Entity) string { return row.Row }
