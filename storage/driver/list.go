package driver

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"microblogging/domain"
)

// A ListPage is part of a list that users read. A list that others write to meanwhile is read page by
// page without meeting an item twice.
type ListPage[T any] struct {
	Items []T
	// Next is the cursor of the next page. It is empty on the last page.
	Next string
}

// A List is a page of a list that is asked for. Name names the list for its cursors; After is the
// Next of the page before, and empty for the first page; Limit is the largest number of items.
type List struct {
	Name, After string
	Limit       int
	// Prefix is how the row keys of the list begin, if its cursors leave that out.
	Prefix string
}

// Position returns the position at which the page before ended, and "" for the first page. A
// cursor that Cursor does not write for this list is an InvalidError on the field "after". The
// comparison with Cursor is needed because the base64 decoder skips line breaks. The position
// may be forged and becomes part of a query, so that it must be a valid key.
func (l List) Position() (string, error) {
	if l.After == "" {
		return "", nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(l.After)
	if err == nil && len(raw) > cursorChecksum {
		position := string(raw[cursorChecksum:])
		if l.After == Cursor(l.Name, position) && CheckKey("position", position) == nil {
			return position, nil
		}
	}
	return "", domain.Invalid("after", "is not a continuation of this list")
}

// From returns the row key from which on the page is read, of rows that begin at this key. The
// errors are those of Position, of which the positions must be row keys.
func (l List) From(begin string) (string, error) {
	position, err := l.Position()
	if position == "" {
		return begin, err
	}
	return max(begin, Successor(l.Prefix+position)), nil
}

// Read reads the rows of the page from a selection, and returns them with the Next of the page. The
// positions are the row keys.
func (l List) Read(ctx context.Context, table *Table, in Range) (rows []Entity, next string, err error) {
	if in.From, err = l.From(in.From); err != nil {
		return nil, "", err
	}
	if rows, err = table.First(ctx, l.Limit+1, in); err != nil {
		return nil, "", fmt.Errorf("reading the list %q: %w", l.Name, err)
	}
	rows, next = Cut(l, rows, RowKey)
	return rows, next, nil
}

// Cut returns the rows of the page and its Next. Rows are those that were read, with one more
// than Limit if there is another page; position is that of a row in a cursor, with the Prefix.
func Cut[T any](l List, rows []T, position func(T) string) (page []T, next string) {
	if len(rows) <= l.Limit {
		return rows, ""
	}
	return rows[:l.Limit], l.Next(position(rows[l.Limit-1]))
}

// Next is the cursor that goes on behind a position, which has the Prefix.
func (l List) Next(position string) string {
	return Cursor(l.Name, strings.TrimPrefix(position, l.Prefix))
}

// RowKey is the position of a row in the cursors of most lists.
func RowKey(row Entity) string { return row.Row }

// cursorChecksum is the length of a cursor's checksum in bytes.
const cursorChecksum = 8

// Cursor makes the cursor of a list, which a user holds. It has two parts:
//
//   - The position of the last item that the user saw, or of a row behind it that is not
//     on the list. So it stays exact while rows come and go.
//   - A checksum over the list and the position. So a cursor of another list is
//     refused. The checksum is no secret: a user who forges a cursor only chooses
//     where to start in a list that they may read.
func Cursor(list, position string) string {
	sum := sha256.Sum256([]byte(list + "\x00" + position))
	return base64.RawURLEncoding.EncodeToString(append(sum[:cursorChecksum], position...))
}
