package schema

import (
	"errors"
	"fmt"
	"slices"

	"microblogging/storage/driver"
)

// ErrUnknownWord means that a row has a word that this program does not know, or lacks one.
var ErrUnknownWord = errors.New("unknown word")

// CheckWords fails with ErrUnknownWord if a row is of this kind, can be named by an operation, and has a wrong
// word. If names are given, only these properties were read.
func (k *Kind) CheckWords(row driver.Entity, names ...string) error {
	if !k.Has(row.Row) || !k.IsIn(row.Partition) {
		return nil
	}
	for _, p := range k.Properties {
		if k.Words[p.Name] == nil || len(names) > 0 && !slices.Contains(names, p.Name) {
			continue
		}
		why := k.WrongWord(p, row.Properties)
		if why != "" && driver.CheckPartition(row.Partition) == nil && driver.CheckKey("row key", row.Row) == nil {
			return fmt.Errorf("%w in row (%q, %q) of %s: %s", ErrUnknownWord, row.Partition, row.Row, k.Table, why)
		}
	}
	return nil
}

// WrongWord says what is wrong with the word in one property of a row of this kind. It is empty if nothing is, and
// for a property that holds no word.
func (k *Kind) WrongWord(p Property, in driver.Properties) string {
	words := k.Words[p.Name]
	at := slices.IndexFunc(in, func(has driver.Property) bool { return has.Name == p.Name })
	switch {
	case words == nil, at < 0 && p.Optional:
		return ""
	case at < 0:
		return "it has no " + p.Name
	case in[at].Value.Kind() == driver.KindString && slices.Contains(words, in[at].Value.Text()):
		return ""
	}
	return fmt.Sprintf("its %s is %q", p.Name, in[at].Value)
}
