package move

import (
	"context"
	"fmt"

	"microblogging/storage"
	"microblogging/storage/driver"
)

// compareTables reads both stores side by side, and copies what differs, until nothing does.
func (c *copier) compareTables(ctx context.Context) error {
	for _, name := range storage.DataTables() {
		for try := 0; ; try++ {
			rows, differ, err := c.compareTable(ctx, name)
			if err != nil {
				return fmt.Errorf("comparing the table %s: %w", name, err)
			}
			if c.result.Mended += differ; differ == 0 {
				c.result.Rows[name] = rows
				break
			}
			if try == tries {
				return fmt.Errorf("the table %s keeps changing: does a process of an older release write to %s, or is %s in use?", name, c.from.Name, c.to.Name)
			}
		}
	}
	return nil
}

// compareTable looks at a table once. It returns the number of rows in the source, and how
// many were not the same in the target.
func (c *copier) compareTable(ctx context.Context, name string) (rows, differ int, err error) {
	to := c.table(c.to, name)
	source, target := c.table(c.from, name).rows(ctx, storage.CopiedTo{}), to.rows(ctx, storage.CopiedTo{})
	defer source.stop()
	defer target.stop()
	m := &mending{copier: c, to: to}
	source.advance()
	target.advance()
	for told := 0; !source.ended || !target.ended; {
		if source.err != nil || target.err != nil {
			break // or the rows that were not read would be taken for missing
		}
		partition, op, changes := "", driver.Operation{}, true
		switch order := which(source, target); {
		case order < 0: // the target lacks it
			partition, op = source.head.Partition, driver.Insert(source.head.Row, source.head.Properties...)
			rows++
			source.advance()
		case order > 0: // the source does not have it any more
			partition, op = target.head.Partition, driver.Delete(target.head.Row, driver.Match(target.head.ETag))
			target.advance()
		default:
			partition, op = source.head.Partition, driver.Replace(source.head.Row, driver.Match(target.head.ETag), source.head.Properties...)
			changes = !same(source.head.Properties, target.head.Properties)
			rows++
			source.advance()
			target.advance()
		}
		if rows-told == driver.MaxOperations {
			told = rows
			c.tell(Comparing, driver.MaxOperations, 0)
		}
		if !changes {
			continue
		}
		differ++
		if err := m.add(ctx, partition, op); err != nil {
			return rows, differ, err
		}
	}
	if source.err != nil || target.err != nil {
		return rows, differ, firstOf(source.err, target.err)
	}
	return rows, differ, m.send(ctx)
}

// which tells which of two heads comes first: less than 0 for a, more for b.
func which(a, b *stream) int {
	switch {
	case a.ended:
		return 1
	case b.ended:
		return -1
	default:
		return compareKeys(a.head, b.head)
	}
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// A mending gathers what differs into transactions.
type mending struct {
	*copier
	to        table
	partition string
	ops       []driver.Operation
}

func (m *mending) add(ctx context.Context, partition string, op driver.Operation) error {
	if len(m.ops) == driver.MaxOperations || partition != m.partition {
		if err := m.send(ctx); err != nil {
			return err
		}
	}
	m.partition, m.ops = partition, append(m.ops, op)
	return nil
}

// send writes what was gathered. If a row has changed meanwhile, or the failure is the echo
// of the same write, the next look finds out.
func (m *mending) send(ctx context.Context) error {
	if len(m.ops) == 0 {
		return nil
	}
	ops := m.ops
	m.ops = nil
	if err := m.transact(ctx, m.to, m.partition, ops); err != nil && !raced(err) {
		return err
	}
	return nil
}
