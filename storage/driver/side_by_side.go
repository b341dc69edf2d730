package driver

import (
	"cmp"
	"iter"
	"strings"
)

// SideBySide visits the rows of two tables in the order of their keys, and holds a page of each at a
// time. Rows with the same keys are visited together; if only one table has a row, the other is nil.
// It ends at the first error.
func SideBySide(first, second iter.Seq2[Entity, error], visit func(a, b *Entity) error) error {
	nextA, stop := iter.Pull2(first)
	defer stop()
	nextB, stop := iter.Pull2(second)
	defer stop()
	a, err := head(nextA())
	if err != nil {
		return err
	}
	b, err := head(nextB())
	for err == nil && (a != nil || b != nil) {
		nowA, nowB := a, b
		switch order := compareKeys(a, b); {
		case order < 0:
			nowB = nil
		case order > 0:
			nowA = nil
		}
		if err = visit(nowA, nowB); err == nil && nowA != nil {
			a, err = head(nextA())
		}
		if err == nil && nowB != nil {
			b, err = head(nextB())
		}
	}
	return err
}

// head is the next row of a list, or nil at its end.
func head(row Entity, err error, more bool) (*Entity, error) {
	if err != nil || !more {
		return nil, err
	}
	return &row, nil
}

// compareKeys compares the keys of two rows. The end of a list comes after all rows.
func compareKeys(a, b *Entity) int {
	switch {
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Or(strings.Compare(a.Partition, b.Partition), strings.Compare(a.Row, b.Row))
}
