// Package page is how lists are read page by page, and the cursors by which they go on.
package page

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
}

// Position returns the position at which the page before ended, and "" for the first page. A
// cursor of another list is an InvalidError on the field "after".
func (l List) Position() (string, error) {
	if l.After == "" {
		return "", nil
	}
	return Decode(l.Name, l.After)
}

// Cut returns the rows of the page and its Next. Rows are those that were read, with one more
// than Limit if there is another page; position is that of a row in a cursor.
func Cut[T any](l List, rows []T, position func(T) string) (page []T, next string) {
	if len(rows) <= l.Limit {
		return rows, ""
	}
	return rows[:l.Limit], Encode(l.Name, position(rows[l.Limit-1]))
}
