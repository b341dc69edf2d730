package driver

import (
	"fmt"
	"slices"
	"strconv"
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

// Found reports whether a read that may miss a row has found it.
func (e Entity) Found() bool { return e.ETag != "" }

// Properties are a row's own properties, each name once, in any order. A row has
// few of them, and a short slice is faster to fill and to search than a map.
type Properties []Property

// A Property is one named value of a row.
type Property struct {
	Name  string
	Value Value
}

// Kind is the type of a stored value.
type Kind uint8

// The kinds of value, named as in Azure's entity data model. The numbers are part
// of the embedded store's format.
const (
	KindString   Kind = 1
	KindInt64    Kind = 2
	KindBoolean  Kind = 3
	KindDateTime Kind = 4
)

// A Value is a string, an integer, a truth value or an instant. The zero Value is
// none of them, and Table refuses it.
type Value struct {
	kind   Kind
	text   string
	number int64
}

// String makes a property that holds a text.
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

// Time makes a property that holds an instant, cut to whole ticks (domain.Tick).
func Time(name string, t time.Time) Property {
	return Property{name, Value{kind: KindDateTime, number: domain.TicksOf(t)}}
}

// RawValue rebuilds a value from its Kind, Text and Number. Only backends need it.
// An unknown kind is an error.
func RawValue(kind Kind, text string, number int64) (Value, error) {
	if kind < KindString || kind > KindDateTime {
		return Value{}, fmt.Errorf("stored value of unknown kind %d", kind)
	}
	return Value{kind: kind, text: text, number: number}, nil
}

// Kind tells what the value is, and so which of Text and Number holds it.
func (v Value) Kind() Kind { return v.kind }

// Text returns the value of a string. For other kinds it is empty.
func (v Value) Text() string { return v.text }

// Number returns the value of an integer, 1 or 0 for a truth value, or the ticks
// of an instant (domain.TicksOf). For a string it is 0.
func (v Value) Number() int64 { return v.number }

// String returns the value as people read it: an instant in UTC, with all its digits.
func (v Value) String() string {
	switch v.kind {
	case KindInt64:
		return strconv.FormatInt(v.number, 10)
	case KindBoolean:
		return strconv.FormatBool(v.number != 0)
	case KindDateTime:
		return v.Instant().Format("2006-01-02T15:04:05.0000000Z")
	}
	return v.text
}

// Instant returns the value of an instant.
func (v Value) Instant() time.Time { return domain.TimeOf(v.number) }

// find returns the value of this name and kind, or the zero Value.
func (p Properties) find(name string, kind Kind) Value {
	for i := range p {
		if p[i].Name == name && p[i].Value.kind == kind {
			return p[i].Value
		}
	}
	return Value{}
}

// String returns the string of this name, or an empty one if there is none.
func (p Properties) String(name string) string { return p.find(name, KindString).text }

// Int64 returns the integer of this name, or 0.
func (p Properties) Int64(name string) int64 { return p.find(name, KindInt64).number }

// Bool returns the truth value of this name, or false.
func (p Properties) Bool(name string) bool { return p.find(name, KindBoolean).number != 0 }

// Time returns the instant of this name, or the zero time.
func (p Properties) Time(name string) time.Time {
	if v := p.find(name, KindDateTime); v.kind != 0 {
		return v.Instant()
	}
	return time.Time{}
}

// Merged returns p with each property of changes added, or put in the place of
// the one with its name. It modifies neither.
func (p Properties) Merged(changes Properties) Properties {
	merged := append(make(Properties, 0, len(p)+len(changes)), p...)
	for _, change := range changes {
		if i := slices.IndexFunc(merged, func(p Property) bool { return p.Name == change.Name }); i >= 0 {
			merged[i].Value = change.Value
		} else {
			merged = append(merged, change)
		}
	}
	return merged
}
