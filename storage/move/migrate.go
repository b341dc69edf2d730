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
	"microblogging/storage/version"
)

// A migration makes the rows of the next version of a row of an earlier one. It is a pure function. It may
// change the key of the row, but not its table. The error says why the earlier version has no such row.
type migration func(table string, row driver.Entity) ([]driver.Entity, error)

// A readable version is one that Copy reads.
type readable struct {
	version string // as the store has it
	name    string // as an operator knows it
	// next makes rows of the version after it. It is nil if this is the present version.
	next migration
}

// versions are those that Copy reads, each before the next one. The last one is the present one. To give up
// a version, remove its line and all before it.
var versions = []readable{
	{"", "commit 0064adec", from0064.Rows}, // before stores had versions
	{"0.1", "version 0.1", unchanged},      // 1.0 has more kinds of row, and properties that a row may lack
	{"1.0", "version 1.0", unchanged},      // 1.1 has replies
	{"1.1", "version 1.1", nil},
}

// unchanged is the migration of a version to one that only adds.
func unchanged(_ string, row driver.Entity) ([]driver.Entity, error) {
	return []driver.Entity{row}, nil
}

// chain returns a version, with the migration from there to the last one, through all between them. It
// reports whether the version is there.
func chain(all []readable, of string) (from readable, known bool) {
	at := slices.IndexFunc(all, func(r readable) bool { return r.version == of })
	if at < 0 {
		return from, false
	}
	from = all[at]
	for _, later := range all[at+1:] {
		if later.next != nil {
			from.next = then(from.next, later.next)
		}
	}
	return from, true
}

// then returns the migration that makes two in a row.
func then(first, second migration) migration {
	return func(table string, row driver.Entity) (all []driver.Entity, err error) {
		between, err := first(table, row)
		for _, row := range between {
			made, failed := second(table, row)
			all, err = append(all, made...), cmp.Or(err, failed)
		}
		return all, err
	}
}

// A source is the store that is copied.
type source struct {
	Side
	// of is the version of the rows. They need no migration if it is the present one.
	of readable
	// moved are the rows that the migration makes under other keys than that of the row which it was given, by
	// table and in the order of their keys. They stay in memory.
	moved map[string][]driver.Entity
}

// open reads of which version the source is, and refuses one that cannot be copied.
func (s *source) open(ctx context.Context, progress func(rows int)) error {
	of, err := version.Read(ctx, s.Backend)
	if err != nil || of == version.Unfinished {
		return cmp.Or(err, version.Check(ctx, s.Backend))
	}
	var known bool
	if s.of, known = chain(versions, of); !known {
		names := make([]string, len(versions))
		for i, v := range versions {
			names[i] = v.name
		}
		return fmt.Errorf("%w: it is of version %s, and this program copies stores of %s; if the store is newer, use the program that wrote it; "+
			"if it is older, first copy it with a program that makes one of these of it", version.ErrRefused, of, strings.Join(names, " and "))
	}
	if s.of.next == nil {
		return nil
	}
	return s.judge(ctx, progress)
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
			migrated, err := s.of.next(table, row)
			if err != nil {
				return &RefusedError{fmt.Sprintf("%s is no store of %s, and copy reads it as one: table %s, partition %q, row %q: %v. "+
					"If the program of %[2]s wrote the store, that row is damaged: with that program, delete it or restore a backup. "+
					"Otherwise only the program that wrote the store can serve it", s.Name, s.of.name, table, row.Partition, row.Row, err)}
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
	if s.of.next == nil {
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
			migrated, err := s.of.next(table, row)
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
