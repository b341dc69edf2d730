package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A Kind is a kind of row.
type Kind struct {
	Table string
	// Partition and Form are the forms of the two keys. The Form of a row that has its
	// partition to itself, or heads it, is empty.
	Partition, Form string
	// Name is what people call the row. What says what it is, and Why what it is for.
	Name, What, Why string
	// Hash says what the hash in a key is of.
	Hash string
	// Scenario is the scenario of the lab that tries to break it, and Ablation the one
	// without the safeguard that the row is. They are empty if the guarantees do not rest on it.
	Scenario, Ablation string
	// Properties are those that an operation writes. Words are all that a property can be, by its name,
	// if it is no free text: no operation takes another word for one of them (CheckWords).
	Properties []Property
	Words      map[string][]string
	// Check and Oracle are the invariants that package check and package oracle find broken if a row of
	// the kind is wrong, besides that it is readable. WithChannel and WithAccount are the steps of the
	// deletion of a channel and of an account that remove the last such row. A sentence in their place
	// says why there is none. An empty Oracle has the sentence of Check, and an empty WithAccount that
	// of WithChannel.
	Check, Oracle            string
	WithChannel, WithAccount domain.Step
	// Requires is what the lab says of a transaction that merges the row only to depend on it. Swapped
	// reports whether a transaction deletes the row and writes another one in its place.
	Requires string
	Swapped  bool
	// Ungated reports whether the row may be deleted by a transaction without a gate, which can take effect at
	// any time: it must do no harm then. All else in a channel's partition but the gates is changed behind a
	// gate.
	Ungated bool
}

// A Property is a property of a kind of row. No row lacks one that is not Optional.
type Property struct {
	Name     string
	Type     driver.Kind
	Optional bool
}

// A Part is a part of a key. Its Name is what varies there, without the brackets, and empty
// where nothing does. The texts of all parts are the key.
type Part struct{ Name, Text string }

// Prefix is how the row keys of the kind begin.
func (k *Kind) Prefix() string {
	prefix, _, _ := strings.Cut(k.Form, "<")
	return prefix
}

// RowForm is the form of the row key as people see it. A nil kind has none.
func (k *Kind) RowForm() string {
	if k == nil {
		return "(of no form)"
	}
	return cmp.Or(k.Form, "(empty)")
}

// Range returns the range of the row keys with the Prefix, from inclusive and to exclusive.
func (k *Kind) Range() (from, to string) { return k.Prefix(), PrefixEnd(k.Prefix()) }

// In selects the rows with the Prefix in a partition.
func (k *Kind) In(partition string) driver.Range {
	from, to := k.Range()
	return driver.Range{Partition: partition, From: from, To: to}
}

// Row makes a row key of what varies in its form.
func (k *Kind) Row(varying ...string) string { return fill(k.Form, varying) }

func fill(form string, varying []string) string {
	var key strings.Builder
	key.Grow(len(form) + 64)
	for _, text := range varying {
		before, after, _ := strings.Cut(form, "<")
		key.WriteString(before)
		key.WriteString(text)
		_, form, _ = strings.Cut(after, ">")
	}
	key.WriteString(form)
	return key.String()
}

// Has reports whether a row key is of this kind.
func (k *Kind) Has(row string) bool { return parse(k.Form, row, func(Part) {}) }

// Parts takes a row key of this kind apart.
func (k *Kind) Parts(row string) (parts []Part) {
	parse(k.Form, row, func(part Part) { parts = append(parts, part) })
	return parts
}

// parse calls found with each part of a key, and reports whether the key has the form.
func parse(form, key string, found func(Part)) bool {
	for form != "" {
		literal, rest, varies := strings.Cut(form, "<")
		if !strings.HasPrefix(key, literal) {
			return false
		}
		if key = key[len(literal):]; literal != "" {
			found(Part{Text: literal})
		}
		if !varies {
			break
		}
		name, after, _ := strings.Cut(rest, ">")
		end := end(key, name)
		if end == 0 {
			return false
		}
		found(Part{Name: name, Text: key[:end]})
		form, key = after, key[end:]
	}
	return key == ""
}

// end is where the part that a key begins with ends. Only the id of a post holds an
// exclamation mark.
func end(key, name string) int {
	head, tail, more := strings.Cut(key, "!")
	if name == "id" && more {
		random, _, _ := strings.Cut(tail, "!")
		return len(head) + 1 + len(random)
	}
	return len(head)
}

// HasProperty reports whether the kind has a property of that name. A nil kind has none.
func (k *Kind) HasProperty(name string) bool { return k.PropertyType(name) != 0 }

// PropertyType is the type of the property of that name. It is 0 if the kind has none, or is nil.
func (k *Kind) PropertyType(name string) driver.Kind {
	if k == nil {
		return 0
	}
	for _, p := range k.Properties {
		if p.Name == name {
			return p.Type
		}
	}
	return 0
}

// NoKind is what Misfit says of a row that no operation writes.
const NoKind = "has a key that no operation makes"

// Misfit says what a row of the kind should have and has not: a property, its type, a word. It is empty if
// nothing is wrong. A nil kind is that of a row of no kind.
func (k *Kind) Misfit(properties driver.Properties) string {
	if k == nil {
		return NoKind
	}
	var wrong []string
	for _, want := range k.Properties {
		at := slices.IndexFunc(properties, func(p driver.Property) bool { return p.Name == want.Name })
		switch {
		case at < 0 && !want.Optional:
			wrong = append(wrong, "it has no "+want.Name)
		case at >= 0 && properties[at].Value.Kind() != want.Type:
			wrong = append(wrong, fmt.Sprintf("its %s is of another type", want.Name))
		default:
			if why := k.WrongWord(want, properties); why != "" {
				wrong = append(wrong, why)
			}
		}
	}
	return strings.Join(wrong, ", ")
}

// Of returns the kind of a row. It is nil if there is none.
func Of(table, partition, row string) *Kind {
	for _, k := range kinds {
		if k.Table == table && k.Has(row) && k.IsIn(partition) {
			return k
		}
	}
	return nil
}

// IsIn reports whether a partition can have rows of this kind.
func (k *Kind) IsIn(partition string) bool { return parse(k.Partition, partition, func(Part) {}) }

// Kinds returns all kinds of row.
func Kinds() []*Kind { return slices.Clone(kinds) }
