package templates

import (
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/schema"
)

// ChannelRows is the page of the rows behind a channel's name.
type ChannelRows struct {
	Channel domain.ChannelName
	Part
	// Active reports whether the channel can be read.
	Active bool
	// UnderWay reports whether a deletion changes the rows.
	UnderWay bool
	// Deletion is the page of the deletion, if there is one and it is the reader's.
	Deletion string

	// State says in a sentence what has become of the channel.
	State  string
	Tables []TableBlock
	Queue  QueueBlock
	// Partition is the page of the partition.
	Partition TableBlock
}

// explained are the kinds that the tables of the page can have.
func (v ChannelRows) explained() []*schema.Kind {
	return slices.DeleteFunc(schema.Kinds(), func(k *schema.Kind) bool { return k.Partition != schema.Channel.Partition })
}

// GateBlock is the key of the block with all gates.
const GateBlock = "table gate"

// gate is the state of the channel's gate. Next to an open one may be the reservation of a
// creation that died.
func (v ChannelRows) gate() GateState {
	state := GateGone
	for _, block := range v.Tables {
		for _, row := range block.Rows {
			switch row.Kind {
			case schema.OpenGate:
				return GateOpen
			case schema.ShutGate:
				state = GateShut
			case schema.ReservedGate:
				if state == GateGone {
					state = GateReserved
				}
			}
		}
	}
	return state
}

// groups are the rows of the partition by their kinds, in the order of their keys.
func (v ChannelRows) groups() (groups []TableBlock) {
	for _, row := range v.Partition.Rows {
		name := "unknown"
		if row.Kind != nil {
			name = row.Kind.Name
		}
		at := slices.IndexFunc(groups, func(g TableBlock) bool { return g.Name == name })
		if at < 0 {
			at = len(groups)
			groups = append(groups, TableBlock{Key: "kind " + name, Name: name, Explained: v.Partition.Explained})
		}
		groups[at].Rows = append(groups[at].Rows, row)
	}
	return groups
}

// foldID is the id of the fold of a block.
func foldID(key string) string { return "fold-" + strings.ReplaceAll(key, " ", "-") }

// A TableBlock is one table, or a part of it, as a storage explorer shows it: rows in
// the order of their keys.
type TableBlock struct {
	// Key is unique in the page. A script that compares two versions of a page finds
	// the block by it.
	Key  string
	Name string
	// Note is one sentence below the name. It may be empty.
	Note string
	// Empty is what the block says if it has no rows. If empty, it says "No rows."
	Empty string
	// Level is the level of the heading, 2 or 3. Zero is 2.
	Level int
	// Explained reports whether the page has a RowKindList with all kinds of these rows.
	Explained bool
	Rows      []TableRow
}

// A TableRow is one row. What it shows is whatever may be shown: the maker of the view
// leaves out what is secret and shortens what is hashed (ShortKey).
type TableRow struct {
	// Key is unique in the page.
	Key       string
	Partition string
	// Kind and Parts are what ExplainRow returns.
	Kind       *schema.Kind
	Parts      []KeyPart
	ETag       string
	Properties []RowProperty
	Mark       Mark
}

// A RowProperty is a property of a row.
type RowProperty struct {
	Name, Value string
	// Changed reports whether the value is new. Was is the value before, if there was one; a
	// long one is not shown.
	Changed bool
	Was     string
}

// maxWas is the most bytes of a former value that a page shows next to the new one.
const maxWas = 64

// A Mark says what has become of a row or a message since the view before.
type Mark string

// The marks. They are CSS classes.
const (
	Unmarked Mark = ""
	Inserted Mark = "inserted"
	Changed  Mark = "changed"
	Deleted  Mark = "deleted"
)

// sign is what people see of a mark besides its word.
func (m Mark) sign() string {
	switch m {
	case Inserted:
		return "+"
	case Changed:
		return "~"
	case Deleted:
		return "−"
	}
	return ""
}

// A QueueBlock is a queue, in the look of a TableBlock.
type QueueBlock struct {
	Key  string
	Name string
	// Note is one sentence below the name. It may be empty.
	Note string
	// Empty is what the block says if it has no messages. If empty, it says "No
	// messages."
	Empty    string
	Level    int
	Messages []QueuedMessage
}

// A QueuedMessage is a message on a queue.
type QueuedMessage struct {
	// Key is unique in the page.
	Key string
	// Words are what the message asks for.
	Words string
	// Text is the message as it is on the queue. It may be empty.
	Text string
	// Leased reports whether a worker has received it, so that the queue hides it.
	Leased bool
	// Deliveries is how often it was received.
	Deliveries int64
	Mark       Mark
}

func (m QueuedMessage) state() string {
	if m.Leased {
		return "leased"
	}
	return "visible"
}

func (m QueuedMessage) delivered() string {
	if m.Deliveries == 0 {
		return "never delivered"
	}
	return "delivered " + counted(m.Deliveries, "time")
}
