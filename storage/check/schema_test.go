package check_test

import (
	"slices"
	"testing"

	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

func TestCheckSchema(t *testing.T) {
	t.Run("finds each property that is missing or of another type, in every table", bubble(everyMisfitIsFound))
	t.Run("finds a row of no kind", rowOfNoKindIsFound)
}

func everyMisfitIsFound(t *testing.T, w *world) {
	w.fillSound()
	tried := map[*schema.Kind]bool{}
	for _, table := range schema.Tables() {
		for _, row := range w.AllRows(table) {
			kind := schema.Of(table, row.Partition, row.Row)
			if kind == nil {
				t.Fatalf("%s %s %s is of no kind", table, row.Partition, row.Row)
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
				w.mustSee(table, row, append(slices.Clone(without), other), property.Name+" of another type")
				if !property.Optional {
					w.mustSee(table, row, without, "no "+property.Name)
				}
			}
			w.write(table, row, row.Properties)
		}
	}
	for _, kind := range schema.Kinds() {
		if !tried[kind] {
			t.Errorf("the test made no row of the kind %q of %s", kind.Name, kind.Table)
		}
	}
}

func (w *world) write(table string, row driver.Entity, properties driver.Properties) {
	w.T.Helper()
	w.OK(w.Table(table).Transact(w.T.Context(), row.Partition, driver.Replace(row.Row, driver.Upsert, properties...)))
}

func (w *world) mustSee(table string, row driver.Entity, properties driver.Properties, what string) {
	w.T.Helper()
	w.write(table, row, properties)
	seen, readable := 0, 0
	for _, b := range w.Violations() {
		if b.Table == table && b.PartitionKey == row.Partition && b.RowKey == row.Row {
			seen++
			if b.Invariant == "readable" {
				readable++
			}
		}
	}
	if seen == 0 || readable > 1 {
		w.T.Errorf("a check reports %d times, %d as readable, that %s %s %s has %s", seen, readable, table, row.Partition, row.Row, what)
	}
}

func rowOfNoKindIsFound(t *testing.T) {
	for _, table := range schema.Tables() {
		w := newWorld(t)
		w.Create("garden", ada)
		row := driver.Entity{Partition: "garden", Row: "~ later"}
		w.OK(w.Table(table).Transact(t.Context(), row.Partition, driver.Insert(row.Row)))
		if violations := w.Violations(); len(violations) == 0 || violations[0].Table != table {
			t.Errorf("%s: found %+v", table, violations)
		}
	}
}
