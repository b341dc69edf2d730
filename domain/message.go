package domain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// QueueName is the name of the queue DeleteChannelAndBlogs. Azure requires queue
// names in lower case.
const QueueName = "delete-channel-and-blogs"

// MessageKind says what a message asks for.
type MessageKind string

// The kinds of message on the queue.
const (
	// MessageChannel asks to delete one incarnation of a channel with everything
	// that belongs to it.
	MessageChannel MessageKind = "channel"
	// MessageBlog asks to delete one revision of a post, and its votes.
	MessageBlog MessageKind = "blog"
	// MessageAccount asks to delete an account with all that its user has made. Its Channel is the
	// key of the account, and its Incarnation the ID of the Erasure.
	MessageAccount MessageKind = "account"
)

// A Message is the durable record of an intent to delete. It is a trigger: the truth
// is in the rows, and a message that is handled twice changes nothing more.
type Message struct {
	Kind        MessageKind `json:"kind"`
	Channel     ChannelKey  `json:"channel"`
	Incarnation Incarnation `json:"incarnation"`
	Name        ChannelName `json:"name,omitempty"`
	RequestedBy UserName    `json:"requestedBy,omitempty"`
	// ByOperator is that of the Deletion. A worker that receives the message before there is a record
	// makes the record of it. Without ByOperator the owner could undo then what an operator asked for.
	ByOperator  UserName  `json:"byOperator,omitempty"`
	RequestedOn time.Time `json:"requestedOn"`
	// QueuedOn is when this message was put on the queue.
	QueuedOn time.Time `json:"queuedOn,omitzero"`
	// UndoCount is how many undos the incarnation had before this request was made.
	// So the message of a request that was undone asks for nothing, however late it is delivered.
	UndoCount int64 `json:"undoCount,omitempty"`
	// UndoableUntil is until when the deletion can be undone. It is zero if it cannot.
	UndoableUntil time.Time `json:"undoableUntil,omitzero"`
	// KeepPosts is set only if Kind is MessageAccount. See Erasure.
	KeepPosts bool `json:"keepPosts,omitempty"`
	// Blog and Revision are set only if Kind is MessageBlog.
	Blog     BlogID   `json:"blog,omitempty"`
	Revision Revision `json:"revision,omitempty"`
	// Attempts counts the attempts that failed and removed no row. It is part of
	// the text, and each renewal of the lease writes the text again.
	Attempts int `json:"attempts,omitempty"`
	// Waits counts the handlings in a row that the store did not answer. They are
	// no attempts, and only make the pauses between them longer.
	Waits int `json:"waits,omitempty"`
	// Accounted is the number of the latest delivery whose handling ended in good
	// order (it was done, failed, waited or was given back). The deliveries after it ended by
	// a crash or with a lost lease.
	Accounted int64 `json:"accounted,omitempty"`

	// unknown holds the fields of a later program as DecodeMessage met them, for
	// Encode to write again: members of a JSON object in ASCII, sorted by name.
	unknown string
}

// Ref names the incarnation that the message is about.
func (m Message) Ref() ChannelRef {
	return ChannelRef{Key: m.Channel, Incarnation: m.Incarnation}
}

// Delay is for how long the queue must keep the message of a channel invisible, so that no worker
// receives it while the deletion can be undone. It is a duration, which the queue measures by its
// own clock: the clocks of the sender and of the worker do not matter. The message of an account is
// sent when its work is due (Due), and has no delay.
func (m Message) Delay() time.Duration {
	if m.Kind != MessageChannel || m.UndoableUntil.IsZero() {
		return 0
	}
	if promised := m.UndoableUntil.Sub(m.RequestedOn); promised > 0 {
		return min(promised, MaxUndo)
	}
	return MaxUndo // two clocks have written the two times
}

// Due is when the work may start, by the clock of the process that accepted the request. Of an
// account it is later than was promised by ClockMargin, because the clock that decides whether it is
// due may be that much ahead.
func (m Message) Due() time.Time {
	switch {
	case m.UndoableUntil.IsZero():
		return m.RequestedOn
	case m.Kind == MessageAccount:
		return m.UndoableUntil.Add(ClockMargin)
	}
	return m.UndoableUntil
}

// Encode writes the message as JSON in ASCII, because Azure Queue Storage
// transports messages as XML and changes characters that XML cannot hold.
// Fields that DecodeMessage did not know are written again: a worker that is older
// than the sender must not drop them when it retries or poisons a message.
func (m Message) Encode() string {
	text, err := json.Marshal(m)
	if err != nil {
		// Strings, an integer and a time in the years 1 to 9999 always marshal.
		panic(fmt.Sprintf("encoding a message: %v", err))
	}
	known := escapeNonASCII(text)
	if m.unknown == "" {
		return known
	}
	return strings.TrimSuffix(known, "}") + "," + m.unknown + "}"
}

// maxUnknown bounds the fields of a later program, in bytes as Encode writes
// them. A message must stay within the limit of a queue (64 KiB) when it is
// written again.
const maxUnknown = 32 << 10

// DecodeMessage reads what Encode wrote. It keeps unknown fields for Encode, because
// a worker may receive a message of a later version before it sees that the store has
// that version. An unknown kind is an error: the message goes to poison, and a newer
// worker can handle it. A message with values that no row can hold is an error too,
// because no worker could handle or record it.
func DecodeMessage(text string) (Message, error) {
	var m Message
	err := json.Unmarshal([]byte(text), &m)
	if err == nil {
		m.unknown, err = unknownFields([]byte(text))
	}
	if err != nil {
		return Message{}, fmt.Errorf("message is not JSON: %w", err)
	}
	switch {
	case len(m.unknown) > maxUnknown:
		return Message{}, fmt.Errorf("message holds %d bytes in unknown fields", len(m.unknown))
	case !isChannelKey(string(m.Channel)) && m.Channel.AccountOf() == "", !isRandomID(string(m.Incarnation)):
		return Message{}, fmt.Errorf("message names no incarnation of a channel")
	case len(m.Name) > utf8.UTFMax*MaxChannelName, len(m.RequestedBy) > MaxUserName, len(m.ByOperator) > MaxUserName:
		return Message{}, fmt.Errorf("message holds a name that is too long")
	case CheckStored("requestedOn", m.RequestedOn) != nil, !m.UndoableUntil.IsZero() && CheckStored("undoableUntil", m.UndoableUntil) != nil:
		return Message{}, fmt.Errorf("message has a time that cannot be stored")
	}
	switch m.Kind {
	case MessageChannel, MessageAccount:
	case MessageBlog:
		if _, err := ParseBlogID(string(m.Blog)); err != nil || !isRandomID(string(m.Revision)) {
			return Message{}, fmt.Errorf("message names no revision of a post")
		}
	default:
		return Message{}, fmt.Errorf("message of unknown kind %q", m.Kind)
	}
	if (m.Kind == MessageAccount) != (m.Channel.AccountOf() != "") {
		return Message{}, fmt.Errorf("message of kind %q is about %s", m.Kind, m.Channel)
	}
	return m, nil
}

// unknownFields returns the members of a JSON object that are no fields of a
// Message, in the one form that Encode writes.
func unknownFields(text []byte) (string, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return "", err
	}
	known := messageFields()
	maps.DeleteFunc(fields, func(name string, _ json.RawMessage) bool {
		return slices.ContainsFunc(known, func(field string) bool { return strings.EqualFold(field, name) })
	})
	var members []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		quoted, err := json.Marshal(name)
		if err != nil {
			return "", err
		}
		member := bytes.NewBuffer(append(quoted, ':'))
		if err := json.Compact(member, fields[name]); err != nil {
			return "", err
		}
		members = append(members, escapeNonASCII(member.Bytes()))
	}
	return strings.Join(members, ","), nil
}

// messageFields lists the names of the fields of a Message in JSON. json.Unmarshal ignores
// the case of a name.
func messageFields() (names []string) {
	for field := range reflect.TypeFor[Message]().Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func escapeNonASCII(text []byte) string {
	var b bytes.Buffer
	for _, r := range string(text) {
		switch {
		case r < 0x7f: // DEL, 0x7f, is ASCII, but Azure changes it too
			b.WriteByte(byte(r))
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
