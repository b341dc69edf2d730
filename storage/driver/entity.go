package driver

import (
	"fmt"
	"time"

	"microblogging/domain"
)

// An ETag names one version of a row. It is opaque and never repeats.
type ETag string

// An Entity is one row of a table.
type Entity struct {
	Partition  string
	Row        string
	ETag       ETag
	Properties Properties
}

// Properties are a row's own properties, each name once, in any order. A row
// has few, so that a slice is faster to fill and to search than a map.
type Properties []Property

// A Property is one named value of a row.
type Property struct {
	Name  string
	Value Value
}

// Kind is the type of a stored value.
type Kind uint8

// The kinds of value, named as Azure's entity data model names them. The
// numbers are part of the embedded store's format.
const (
	KindString   Kind = 1
	KindInt64    Kind = 2
	KindBoolean  Kind = 3
	KindDateTime Kind = 4
)

// A Value is a string, an integer, a truth value or an instant. Its zero value
// is of no kind and is refused by Table.
type Value struct {
	kind   Kind
	text   string
	number int64
}

// String, Int64, Bool and Time make properties.
func String[S ~string](name string, s S) Property {
	return Property{name, Value{kind: KindString, text: string(s)}}
}

// Int64 makes a property that holds an integer.
func Int64(name string, n int64) Property {
	return Property{name, Value{kind: KindInt64, number: n}}
}

// Bool makes a property that holds a truth value.
func Bool(name string, b bool) Property {
	v := Value{kind: KindBoolean}
	if b {
		v.number = 1
	}
	return Property{name, v}
}

// Time makes a property that holds an instant, at the resolution of
// domain.Tick.
func Time(name string, t time.Time) Property {
	return Property{name, Value{kind: KindDateTime, number: domain.TicksOf(t)}}
}

// RawValue rebuilds a value from what Kind, Text and Number gave: for drivers.
// It is an error if the kind is unknown.
func RawValue(kind Kind, text string, number int64) (Value, error) {
	if kind < KindString || kind > KindDateTime {
		return Value{}, fmt.Errorf("stored value of unknown kind %d", kind)
	}
	return Value{kind: kind, text: text, number: number}, nil
}

// Kind says which of Text and Number holds the value.
func (v Value) Kind() Kind { return v.kind }

// Text is the value of a string, and empty otherwise.
func (v Value) Text() string { return v.text }

// Number is the value of an integer, 1 or 0 for a truth value, and the ticks
// of an instant (domain.TicksOf).
func (v Value) Number() int64 { return v.number }

// Instant is the value of an instant.
func (v Value) Instant() time.Time { return domain.TimeOf(v.number) }

func (p Properties) find(name string, kind Kind) (Value, bool) {
	for i := range p {
		if p[i].Name == name {
			return p[i].Value, p[i].Value.kind == kind
		}
	}
	return Value{}, false
}

// String is the named string, or empty if there is none. So do Int64, Bool and
// Time: a property that an older program did not write has its zero value.
func (p Properties) String(name string) string {
	v, _ := p.find(name, KindString)
	return v.text
}

// Int64 is the named integer, or 0.
func (p Properties) Int64(name string) int64 {
	v, ok := p.find(name, KindInt64)
	if !ok {
		return 0
	}
	return v.number
}

// Bool is the named truth value, or false.
func (p Properties) Bool(name string) bool {
	v, ok := p.find(name, KindBoolean)
	return ok && v.number != 0
}

// Time is the named instant, or the zero time.
func (p Properties) Time(name string) time.Time {
	v, ok := p.find(name, KindDateTime)
	if !ok {
		return time.Time{}
	}
	return v.Instant()
}

// Merged is p with every property of changes put in its place or added. Neither
// is modified.
func (p Properties) Merged(changes Properties) Properties {
	merged := make(Properties, len(p), len(p)+len(changes))
	copy(merged, p)
next:
	for _, change := range changes {
		for i := range merged {
			if merged[i].Name == change.Name {
				merged[i].Value = change.Value
				continue next
			}
		}
		merged = append(merged, change)
	}
	return merged
}
