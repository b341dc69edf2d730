package storage_test

import (
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

func TestCheckSchema(t *testing.T) {
	t.Run("finds each property that is missing or of another type, in every table", everyMisfitIsFound)
	t.Run("finds a row of no kind", rowOfNoKindIsFound)
}

// fill makes a row of each kind.
func (s *story) fill() {
	s.tell()
	s.neighbours()
	meadow := s.create("meadow", ada)
	s.ok(s.store.Subscriptions.Create(s.ctx, meadow, grace))
	s.insert("meadow", "join!eve", meadow.Incarnation)
	post := s.post(meadow, grace, "to be edited")
	_, err := s.store.Posts.Update(s.ctx, meadow, post.ID, grace, domain.Any[domain.Revision](), domain.Draft{Text: "edited"})
	s.ok(err)
	_, err = s.store.Operator.ShutGate(s.ctx, s.marked("shut", true).Ref())
	s.ok(err)
}

func everyMisfitIsFound(t *testing.T) {
	s := newStory(t)
	s.fill()
	tried := map[*schema.Kind]bool{}
	for _, table := range schema.Tables() {
		for _, row := range s.allRows(table) {
			kind := schema.Of(table, row.Partition, row.Row)
			if kind == nil {
				t.Errorf("%s %s %s is of no kind", table, row.Partition, row.Row)
			}
			if tried[kind] {
				continue
			}
			tried[kind] = true
			for _, property := range kind.Properties {
				at := slices.IndexFunc(row.Properties, func(p driver.Property) bool { return p.Name == property.Name })
				other := driver.Int64(property.Name, 7)
				if property.Type == driver.KindInt64 {
					other = driver.String(property.Name, "seven")
				}
				without := slices.Clone(row.Properties)
				if at >= 0 {
					without = slices.Delete(without, at, at+1)
				}
				s.mustSee(table, row, append(slices.Clone(without), other), property.Name+" of another type")
				if !property.Optional {
					s.mustSee(table, row, without, "no "+property.Name)
				}
			}
			s.write(table, row, row.Properties)
		}
	}
	for _, kind := range schema.Kinds() {
		if !tried[kind] && kind != schema.Undecodable && kind != schema.BlogDeletion {
			t.Errorf("the test made no row of the kind %q of %s", kind.Name, kind.Table)
		}
	}
}

func (s *story) write(table string, row driver.Entity, properties driver.Properties) {
	s.t.Helper()
	s.ok(s.table(table).Transact(s.t.Context(), row.Partition, driver.Replace(row.Row, driver.Upsert, properties...)))
}

func (s *story) mustSee(table string, row driver.Entity, properties driver.Properties, what string) {
	s.t.Helper()
	s.write(table, row, properties)
	seen, readable := 0, 0
	for _, b := range s.check() {
		if b.Table == table && b.PartitionKey == row.Partition && b.RowKey == row.Row {
			seen++
			if b.Invariant == "readable" {
				readable++
			}
		}
	}
	if seen == 0 || readable > 1 {
		s.t.Errorf("a check reports %d times, %d as readable, that %s %s %s has %s", seen, readable, table, row.Partition, row.Row, what)
	}
}

func rowOfNoKindIsFound(t *testing.T) {
	for _, table := range schema.Tables() {
		w := newWorld(t)
		w.create("garden", ada)
		row := driver.Entity{Partition: "garden", Row: "~ later"}
		w.ok(w.table(table).Transact(t.Context(), row.Partition, driver.Insert(row.Row)))
		if violations := w.check(); len(violations) == 0 || violations[0].Table != table {
			t.Errorf("%s: found %+v", table, violations)
		}
	}
}
