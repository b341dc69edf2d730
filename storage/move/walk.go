package move

import (
	"context"
	"fmt"
	"iter"

	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// walk visits the rows of all tables of both stores in the order of their keys, but for their versions. One
// of the two is nil if its store does not have the row. It ends at the first error.
func (c *copier) walk(ctx context.Context, doing string, visit func(table string, source, target *driver.Entity) error) error {
	for _, name := range schema.Tables() {
		visited := 0
		err := driver.SideBySide(c.from.rows(ctx, name), rows(ctx, c.to, name),
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

// rows are those of a table that are copied one by one.
func rows(ctx context.Context, of driver.Backend, table string) iter.Seq2[driver.Entity, error] {
	return func(yield func(driver.Entity, error) bool) {
		for row, err := range driver.NewTable(of, table).All(ctx, driver.Scan{}) {
			if table == schema.TableDeletions && row.Partition == schema.VersionPartition {
				continue
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// same reports whether two rows hold the same, in any order. A name is there once.
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
