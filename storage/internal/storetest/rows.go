package storetest

import (
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// Insert writes a row of an incarnation into a channel's partition, and returns its key.
func (w *World) Insert(key domain.ChannelKey, row string, of domain.Incarnation, p ...driver.Property) string {
	w.T.Helper()
	p = append(p, driver.String("Incarnation", of))
	w.OK(w.Table("Blogs").Transact(w.T.Context(), string(key), driver.Insert(row, whole("Blogs", string(key), row, p)...)))
	return row
}

// whole adds the properties that a row of this kind must have.
func whole(table, partition, row string, p driver.Properties) driver.Properties {
	kind := schema.Of(table, partition, row)
	if kind == nil {
		return p
	}
	for _, want := range kind.Properties {
		has := slices.ContainsFunc(p, func(p driver.Property) bool { return p.Name == want.Name })
		if has || want.Optional {
			continue
		}
		number := int64(0)
		if want.Type == driver.KindDateTime {
			number = domain.TicksOf(domain.Now())
		}
		value, err := driver.RawValue(want.Type, "", number)
		if err != nil {
			panic(err)
		}
		p = append(p, driver.Property{Name: want.Name, Value: value})
	}
	return p
}

// Table returns one of the store's tables. Tests read rows there, and write what no
// operation writes.
func (w *World) Table(name string) *driver.Table { return driver.NewTable(w.DB, name) }

// WriteForeign writes a row as another program can, past what our tables refuse.
func (w *World) WriteForeign(table, partition string, op driver.Operation) {
	w.T.Helper()
	w.OK(w.DB.Do(w.T.Context(), &driver.Call{
		Method: driver.CallTransact, Target: table, Partition: partition, Operations: []driver.Operation{op},
	}))
}

// Rows reads a whole table, without the index of open deletions and the version of the store.
func (w *World) Rows(table string) []driver.Entity {
	w.T.Helper()
	return slices.DeleteFunc(w.AllRows(table), func(row driver.Entity) bool { return IsIndex(row) || row.Partition == schema.VersionPartition })
}

// IsIndex reports whether a row is of the index of open deletions.
func IsIndex(row driver.Entity) bool {
	return strings.HasPrefix(row.Partition, "open!")
}

// AllRows reads a whole table.
func (w *World) AllRows(table string) []driver.Entity {
	w.T.Helper()
	var rows []driver.Entity
	for row, err := range w.Table(table).All(w.T.Context(), driver.Scan{}) {
		w.OK(err)
		rows = append(rows, row)
	}
	return rows
}

// Has reports whether a row of a Blogs partition is there.
func (w *World) Has(key domain.ChannelKey, row string) bool {
	w.T.Helper()
	found, err := w.Table("Blogs").Find(w.T.Context(), string(key), row)
	w.OK(err)
	return found.Found()
}

// Ungate deletes the Blogs rows of a new channel, as if the channel's row had landed
// after the deletion.
func (w *World) Ungate(channel domain.Channel) {
	w.T.Helper()
	w.OK(w.Table("Blogs").Transact(w.T.Context(), string(channel.Key()),
		driver.Delete(OpenGateRow(channel.Incarnation), driver.Exists),
		driver.Delete("sub!"+string(channel.Owner), driver.Exists)))
}

// OpenGateRow is the key of an open gate. It is spelled out, so that a change of the format fails a test.
func OpenGateRow(i domain.Incarnation) string { return "gate!open!" + string(i) }

// ReservedGateRow is the key of a reservation.
func ReservedGateRow(i domain.Incarnation) string { return "gate!reserved!" + string(i) }

// ShutGateRow is the key of a shut gate.
func ShutGateRow(i domain.Incarnation) string { return "gate!shut!" + string(i) }

// Postdate moves the times in a table, but for the properties except, as if a process whose clock was ahead
// had written them.
func (w *World) Postdate(table string, by time.Duration, except ...string) {
	w.T.Helper()
	for _, row := range w.AllRows(table) {
		var times driver.Properties
		for _, p := range row.Properties {
			if on := row.Properties.Time(p.Name); !on.IsZero() && !slices.Contains(except, p.Name) {
				times = append(times, driver.Time(p.Name, on.Add(by)))
			}
		}
		if len(times) > 0 {
			w.OK(w.Table(table).Transact(w.T.Context(), row.Partition, driver.Merge(row.Row, driver.Exists, times...)))
		}
	}
}
