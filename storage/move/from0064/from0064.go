// Package from0064 makes rows of version 0.1 of the rows that commit 0064adec wrote. That was the last program
// whose stores have no version. To give up its stores, delete this folder and what names it in package move.
//
// What differs is how a store says that a message waits for an operator:
//
//	0064adec                                                 0.1
//	undecodable!, <hash of id and text>, poisoned            poison!, <hash of text>
//	undecodable!, <hash of id and text>, done                nothing: an operator has handled the message
//	<key>, <incarnation>, poisoned                           the same, and poison! with the message
//	<key>, <incarnation>!<id>!<revision>, poisoned           poison! with the message, and no record
//	<key>, <incarnation>!<id>!<revision>, in another state   nothing: an operator has queued the message again
//
// A record no longer says which trace asked for the deletion. A message keeps the two fields that 0.1 does not
// have, recorded and traceparent, as it keeps every field that a program does not know. The queue of poison
// messages is left: it has copies of what the rows say.
package from0064

import (
	"errors"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// The kinds of row that 0.1 does not have.
var (
	undecodable = &schema.Kind{
		Table: schema.TableDeletions, Partition: "undecodable!", Form: "<hash>",
		Words: map[string][]string{schema.PropState: {string(domain.DeletionDone), string(domain.DeletionPoisoned)}},
		Properties: []schema.Property{
			{Name: schema.PropState, Type: driver.KindString},
			{Name: schema.PropUpdatedOn, Type: driver.KindDateTime},
		},
	}
	blogDeletion = &schema.Kind{
		Table: schema.TableDeletions, Partition: "<key>", Form: "<incarnation>!<id>!<revision>",
		Words: schema.Deletion.Words, Properties: schema.Deletion.Properties,
	}
)

// traceParent is the property of a record that 0.1 does not have.
const traceParent = "TraceParent"

// Rows returns the rows of version 0.1 for a row of a table. The error says why 0064adec did not write the row.
func Rows(table string, row driver.Entity) ([]driver.Entity, error) {
	kind := kindOf(table, row)
	row.Properties = slices.DeleteFunc(slices.Clone(row.Properties), func(p driver.Property) bool {
		return p.Name == traceParent && (kind == schema.Deletion || kind == blogDeletion)
	})
	if wrong := misfit(kind, row.Properties); wrong != "" {
		return nil, errors.New(wrong)
	}
	waits := row.Properties.String(schema.PropState) == string(domain.DeletionPoisoned)
	switch kind {
	case undecodable:
		if !waits {
			return nil, nil
		}
		text, err := deletion.PoisonText(row)
		return poison(row, text), err
	case blogDeletion:
		if !waits {
			return nil, nil
		}
		return poison(row, blogMessage(row).Encode()), nil
	case schema.Deletion:
		if waits {
			return append(poison(row, deletion.Decode(row).Message().Encode()), row), nil
		}
	}
	return []driver.Entity{row}, nil
}

// kindOf returns the kind of a row, and nil of one that 0064adec does not have.
func kindOf(table string, row driver.Entity) *schema.Kind {
	for _, kind := range []*schema.Kind{undecodable, blogDeletion} {
		if kind.Table == table && kind.IsIn(row.Partition) && kind.Has(row.Row) {
			return kind
		}
	}
	if kind := schema.Of(table, row.Partition, row.Row); kind != schema.Poison {
		return kind
	}
	return nil
}

// misfit says what is wrong with a row of a kind. A property that the kind does not have is of a later program,
// or of an earlier one, which stored the same under another name.
func misfit(kind *schema.Kind, properties driver.Properties) string {
	if wrong := kind.Misfit(properties); wrong != "" {
		return wrong
	}
	for _, p := range properties {
		if text := kind == undecodable && strings.HasPrefix(p.Name, schema.PropText); !text && !kind.HasProperty(p.Name) {
			return "its property " + p.Name + " is of no version that is known"
		}
	}
	return ""
}

// poison is the row of a message that waits for an operator since a row was written.
func poison(row driver.Entity, text string) []driver.Entity {
	return []driver.Entity{deletion.EncodePoison(text, row.Properties.Time(schema.PropUpdatedOn))}
}

// blogMessage asks for the deletion of the post that a row is about.
func blogMessage(row driver.Entity) domain.Message {
	m, parts := deletion.Decode(row).Message(), blogDeletion.Parts(row.Row)
	m.Kind, m.Incarnation = domain.MessageBlog, domain.Incarnation(parts[0].Text)
	m.Blog, m.Revision = domain.BlogID(parts[2].Text), domain.Revision(parts[4].Text)
	return m
}
