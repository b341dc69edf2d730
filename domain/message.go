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

// QueueName is the queue DeleteChannelAndBlogs as Azure can spell it: queue
// names are lower case.
const QueueName = "delete-channel-and-blogs"

// PoisonQueueName is where messages go that were attempted too often.
const PoisonQueueName = QueueName + "-poison"

// MessageKind says what a message asks for.
type MessageKind string

// The kinds of message on the queue.
const (
	// MessageChannel asks to delete one incarnation of a channel with
	// everything that hangs from it.
	MessageChannel MessageKind = "channel"
	// MessageBlog asks to delete one post at one revision, and its votes.
	MessageBlog MessageKind = "blog"
)

// A Message is the durable record of an intent to delete. It is a hint: the
// truth is in the rows, and handling a message twice changes nothing more.
type Message struct {
	Kind        MessageKind `json:"kind"`
	Channel     ChannelKey  `json:"channel"`
	Incarnation Incarnation `json:"incarnation"`
	Name        ChannelName `json:"name,omitempty"`
	By          UserName    `json:"by,omitempty"`
	AskedOn     time.Time   `json:"askedOn"`
	// Blog and Revision are set in a message of kind blog.
	Blog     BlogID   `json:"blog,omitempty"`
	Revision Revision `json:"revision,omitempty"`
	// Attempts counts the attempts that failed without removing a row. It
	// travels in the text, which each renewal of the lease rewrites.
	Attempts int `json:"attempts,omitempty"`

	// unknown holds the fields of a later program as DecodeMessage met them, for
	// Encode to write again: members of a JSON object in ASCII, sorted by name.
	unknown string
}

// Ref names the life of the channel that the message is about.
func (m Message) Ref() ChannelRef {
	return ChannelRef{Key: m.Channel, Incarnation: m.Incarnation}
}

// Encode writes the message as JSON in ASCII, since Azure Queue Storage carries
// XML and alters what XML cannot hold. Fields that DecodeMessage did not know are
// written again: a worker that is older than the sender must not drop them when
// it renews, retries or poisons a message.
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

// DecodeMessage reads what Encode wrote. Fields that it does not know are kept
// for Encode, so that web and worker may be deployed in either order; a kind that
// it does not know is an error, for a newer worker to handle. So is a message
// about what no row can hold: it could be neither handled nor recorded.
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
	case !isChannelKey(string(m.Channel)), !isToken(string(m.Incarnation)):
		return Message{}, fmt.Errorf("message names no incarnation of a channel")
	case len(m.Name) > utf8.UTFMax*MaxChannelName, len(m.By) > MaxUserName:
		return Message{}, fmt.Errorf("message holds a name that is too long")
	case CheckStored("askedOn", m.AskedOn) != nil:
		return Message{}, fmt.Errorf("message was asked for at no time")
	}
	switch m.Kind {
	case MessageChannel:
		return m, nil
	case MessageBlog:
		if _, err := ParseBlogID(string(m.Blog)); err != nil || !isToken(string(m.Revision)) {
			return Message{}, fmt.Errorf("message names no revision of a post")
		}
		return m, nil
	default:
		return Message{}, fmt.Errorf("message of unknown kind %q", m.Kind)
	}
}

// unknownFields returns the members of a JSON object that are no fields of a
// Message, in the one form that Encode writes.
func unknownFields(text []byte) (string, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return "", err
	}
	maps.DeleteFunc(fields, func(name string, _ json.RawMessage) bool { return isMessageField(name) })
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

// isMessageField tells whether json.Unmarshal takes the name for a field of a
// Message. It ignores case.
func isMessageField(name string) bool {
	return slices.ContainsFunc(reflect.VisibleFields(reflect.TypeFor[Message]()), func(field reflect.StructField) bool {
		known, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		return known != "" && strings.EqualFold(known, name)
	})
}

func escapeNonASCII(text []byte) string {
	var b bytes.Buffer
	for _, r := range string(text) {
		switch {
		case r < 0x7f: // DEL is ASCII, and altered too
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
