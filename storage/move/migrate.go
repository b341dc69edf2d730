package move

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"microblogging/storage/driver"
	"microblogging/storage/move/from0064"
	"microblogging/storage/schema"
)

// A migration makes the rows of the present version of a row of an earlier one. It is a pure function. It may
// change the key of the row, but not its table. The error says why the earlier version has no such row.
type migration func(table string, row driver.Entity) ([]driver.Entity, error)

// migrationFrom returns the migration from a version. It is nil if there is none: the present version needs
// none, and no other is read.
func migrationFrom(version string) migration {
	if version == "" { // before stores had versions
		return from0064.Rows
	}
	return nil
}

// A source is the store that is copied.
type source struct {
	Side
	// migrate is nil if the source has the present version.
	migrate migration
	// moved are the rows that the migration makes under other keys than that of the row which it was given, by
	// table and in the order of their keys. They stay in memory.
	moved map[string][]driver.Entity
}

// judge refuses a source with a row that its version does not have.
func (s *source) judge(ctx context.Context, progress func(rows int)) error {
	s.moved = map[string][]driver.Entity{}
	for _, table := range schema.Tables() {
		read, moved := 0, []driver.Entity(nil)
		for row, err := range rows(ctx, s.Backend, table) {
			if err != nil {
				return err
			}
			migrated, err := s.migrate(table, row)
			if err != nil {
				return &RefusedError{fmt.Sprintf("%s has no version, and is no store of commit 0064adec, the one earlier program whose stores copy reads: "+
					"table %s, partition %q, row %q: %v. If 0064adec wrote the store, that row is damaged: with that program, delete it or restore a backup. "+
					"Otherwise only the program that wrote the store can serve it", s.Name, table, row.Partition, row.Row, err)}
			}
			_, there := split(row, migrated)
			moved = append(moved, there...)
			if read++; read%driver.MaxOperations == 0 {
				progress(driver.MaxOperations)
			}
		}
		progress(read % driver.MaxOperations)
		s.moved[table] = sorted(moved)
	}
	return nil
}

// rows are the rows of a table as the present version has them, in the order of their keys. The error is
// ErrChanged if the source has changed since judge read it.
func (s *source) rows(ctx context.Context, table string) iter.Seq2[driver.Entity, error] {
	read := rows(ctx, s.Backend, table)
	if s.migrate == nil {
		return read
	}
	changed := fmt.Errorf("%s %w", s.Name, ErrChanged)
	return func(yield func(driver.Entity, error) bool) {
		next, found := s.moved[table], []driver.Entity(nil)
		for row, err := range read {
			if err != nil {
				yield(row, err)
				return
			}
			migrated, err := s.migrate(table, row)
			if err != nil {
				yield(row, changed)
				return
			}
			here, there := split(row, migrated)
			found = append(found, there...)
			before, _ := slices.BinarySearchFunc(next, row, byKey)
			for _, row := range slices.Concat(next[:before], here) {
				if !yield(row, nil) {
					return
				}
			}
			next = next[before:]
		}
		for _, row := range next {
			if !yield(row, nil) {
				return
			}
		}
		if !slices.EqualFunc(sorted(found), s.moved[table], sameRow) {
			yield(driver.Entity{}, changed)
		}
	}
}

// split returns the rows that have the key of the row of which they were made, and the others.
func split(row driver.Entity, migrated []driver.Entity) (here, there []driver.Entity) {
	for _, m := range migrated {
		if byKey(m, row) == 0 {
			here = append(here, m)
		} else {
			there = append(there, m)
		}
	}
	return here, there
}

// sorted sorts rows by their keys, and keeps the first of those with one key.
func sorted(rows []driver.Entity) []driver.Entity {
	slices.SortStableFunc(rows, byKey)
	return slices.CompactFunc(rows, func(a, b driver.Entity) bool { return byKey(a, b) == 0 })
}

func byKey(a, b driver.Entity) int {
	return cmp.Or(strings.Compare(a.Partition, b.Partition), strings.Compare(a.Row, b.Row))
}

func sameRow(a, b driver.Entity) bool { return byKey(a, b) == 0 && same(a.Properties, b.Properties) }
