package move

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"

	"microblogging/storage"
	"microblogging/storage/driver"
)

// walk visits the rows of all tables of both stores in the order of their keys. One of the two
// is nil if its store does not have the row. It ends at the first error.
func (c *copier) walk(ctx context.Context, doing string, visit func(table string, source, target *driver.Entity) error) error {
	for _, name := range storage.DataTables() {
		visited := 0
		err := pairs(driver.NewTable(c.from, name).All(ctx, driver.Scan{}), driver.NewTable(c.to, name).All(ctx, driver.Scan{}),
			func(source, target *driver.Entity) error {
				if visited++; visited%driver.MaxOperations == 0 {
					c.Progress(doing, driver.MaxOperations)
				}
				return visit(name, source, target)
			})
		c.Progress(doing, visited%driver.MaxOperations)
		if err != nil {
			return fmt.Errorf("%s, table %s: %w", doing, name, err)
		}
	}
	return nil
}

// pairs walks over two lists of rows side by side.
func pairs(sources, targets iter.Seq2[driver.Entity, error], visit func(source, target *driver.Entity) error) error {
	nextSource, stop := iter.Pull2(sources)
	defer stop()
	nextTarget, stop := iter.Pull2(targets)
	defer stop()
	source, err := head(nextSource())
	if err != nil {
		return err
	}
	target, err := head(nextTarget())
	for err == nil && (source != nil || target != nil) {
		a, b := source, target
		switch order := compareKeys(a, b); {
		case order < 0:
			b = nil
		case order > 0:
			a = nil
		}
		if err = visit(a, b); err == nil && a != nil {
			source, err = head(nextSource())
		}
		if err == nil && b != nil {
			target, err = head(nextTarget())
		}
	}
	return err
}

// head is the next row of a list, or nil at its end.
func head(row driver.Entity, err error, more bool) (*driver.Entity, error) {
	if err != nil || !more {
		return nil, err
	}
	return &row, nil
}

// compareKeys compares the keys of two rows. The end of a list comes after all rows.
func compareKeys(a, b *driver.Entity) int {
	switch {
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Or(strings.Compare(a.Partition, b.Partition), strings.Compare(a.Row, b.Row))
}

// same tells whether two rows hold the same, in any order. A name is there once.
func same(a, b driver.Properties) bool {
	if len(a) != len(b) {
		return false
	}
	values := make(map[string]driver.Value, len(a))
	for _, p := range a {
		values[p.Name] = p.Value
	}
	for _, p := range b {
		if value, there := values[p.Name]; !there || value != p.Value {
			return false
		}
	}
	return true
}
