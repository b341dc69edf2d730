package driver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"microblogging/domain"
)

// Azure's limits ("Understanding the Table service data model", "Performing
// entity group transactions", "Put Message", "Get Messages"). Table and Queue
// enforce them for every backend, because Azurite and bbolt accept much that
// Azure refuses. Sizes are in bytes.
const (
	// MaxOperations is the most operations of a transaction.
	MaxOperations = 100
	// MaxTransaction is the largest transaction, as it is sent.
	MaxTransaction = 4 << 20
	// MaxEntity is the largest row, as Azure counts it.
	MaxEntity = 1 << 20
	// MaxProperties is the most properties of a row.
	MaxProperties = 252
	// MaxPage is the most rows of a page.
	MaxPage = 1000
	// MaxMessageText is the longest text of a message.
	MaxMessageText = 64 << 10
	// MaxReceive is the most messages of one Receive.
	MaxReceive = 32

	// maxString is the longest string property in UTF-16 units: 64 KiB.
	maxString = 64 << 10 / 2
	// maxKey is the longest key in UTF-16 units: 1 KiB.
	maxKey          = 1 << 10 / 2
	maxPropertyName = 255
	// operationOverhead is an upper bound for the multipart headers around one
	// operation.
	operationOverhead = 512
	// maxLease is the longest visibility timeout.
	maxLease = 7 * 24 * time.Hour
)

// limitError wraps domain.ErrLimit.
func limitError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", domain.ErrLimit, fmt.Sprintf(format, args...))
}

// CheckKey refuses a partition key or row key that some backend refuses, alters
// or orders in its own way. Azure allows code points above U+007F but orders them
// by UTF-16 unit, and its SDK does not double an apostrophe in a batch. The error
// wraps domain.ErrLimit and calls the key by what.
func CheckKey(what, key string) error {
	if len(key) > maxKey {
		return limitError("%s has %d characters, at most %d fit in 1 KiB", what, len(key), maxKey)
	}
	for i := range len(key) {
		switch c := key[i]; {
		case c < 0x20, c >= 0x7f:
			return limitError("%s holds the byte 0x%02x; keys are printable ASCII", what, c)
		case c == '/', c == '\\', c == '#', c == '?', c == '\'':
			return limitError("%s holds %q, which a key must not", what, c)
		}
	}
	return nil
}

// Successor returns the first valid key after key. A space is the least character that a key
// may hold.
func Successor(key string) string { return key + " " }

// CheckPartition is CheckKey for a partition key, which must not be empty: the
// SDK cannot address such an entity. An empty row key is allowed.
func CheckPartition(key string) error {
	if key == "" {
		return limitError("the partition key is empty")
	}
	return CheckKey("partition key", key)
}

func checkTransaction(partition string, ops []Operation) error {
	if len(ops) < 1 || len(ops) > MaxOperations {
		return limitError("a transaction has 1 to %d operations, this has %d", MaxOperations, len(ops))
	}
	if err := CheckPartition(partition); err != nil {
		return err
	}
	rows := make(map[string]struct{}, len(ops))
	payload := 0
	for i, op := range ops {
		size, err := checkOperation(partition, op)
		if err != nil {
			return fmt.Errorf("operation %d (%s): %w", i, op.Action, err)
		}
		if _, twice := rows[op.Row]; twice {
			return limitError("operation %d: a second operation on the same row", i)
		}
		rows[op.Row] = struct{}{}
		payload += size
	}
	if payload > MaxTransaction {
		return limitError("a transaction has at most %d bytes, this has %d", MaxTransaction, payload)
	}
	return nil
}

// checkOperation returns an upper bound for the size of the operation in a
// request, in bytes.
func checkOperation(partition string, op Operation) (payload int, err error) {
	if err := CheckKey("row key", op.Row); err != nil {
		return 0, err
	}
	if err := checkCondition(op); err != nil {
		return 0, err
	}
	if n := len(op.Properties); n > MaxProperties {
		return 0, limitError("an entity has at most %d properties, this has %d", MaxProperties, n)
	}
	payload = operationOverhead + 2*(len(partition)+len(op.Row))
	entity := 4 + 2*(len(partition)+len(op.Row))
	for i, p := range op.Properties {
		if slices.ContainsFunc(op.Properties[:i], func(q Property) bool { return q.Name == p.Name }) {
			return 0, limitError("property %s is given twice", p.Name)
		}
		stored, sent, err := checkProperty(p)
		if err != nil {
			return 0, err
		}
		entity += stored
		payload += sent
	}
	if entity > MaxEntity {
		return 0, limitError("an entity has at most %d bytes, this has %d", MaxEntity, entity)
	}
	return payload, nil
}

func checkCondition(op Operation) error {
	switch etag, isMatch := op.If.ETag(); {
	case op.Action == ActionInsert:
	case op.Action != ActionMerge && op.Action != ActionReplace && op.Action != ActionDelete:
		return limitError("unknown action")
	case op.If.kind == 0:
		return limitError("an operation other than an insert needs a condition")
	case isMatch && etag == "":
		return limitError("the ETag to match is empty")
	case op.If.AllowsAbsent() && op.Action == ActionDelete:
		return limitError("a delete needs a row that exists")
	}
	return nil
}

// checkProperty returns the size of the property in storage, by Azure's formula,
// and an upper bound for its size in a request.
func checkProperty(p Property) (stored, sent int, err error) {
	if err := checkPropertyName(p.Name); err != nil {
		return 0, 0, err
	}
	stored = 8 + 2*len(p.Name)
	// The name is sent twice: once for the value and once for its type.
	sent = 2*len(p.Name) + 64
	switch p.Value.kind {
	case KindString:
		if !utf8.ValidString(p.Value.text) {
			return 0, 0, limitError("property %s is not valid UTF-8", p.Name)
		}
		units := 0
		for _, r := range p.Value.text {
			units += utf16.RuneLen(r)
		}
		if units > maxString {
			return 0, 0, limitError("property %s has %d UTF-16 units, at most %d fit in 64 KiB", p.Name, units, maxString)
		}
		text, err := json.Marshal(p.Value.text)
		if err != nil {
			return 0, 0, err
		}
		stored += 4 + 2*units
		sent += len(text)
	case KindDateTime:
		if err := domain.CheckStored(p.Name, p.Value.Instant()); err != nil {
			return 0, 0, limitError("%v", err)
		}
		stored += 8
	case KindInt64:
		stored += 8
	case KindBoolean:
		stored++
	default:
		return 0, 0, limitError("property %s has no value", p.Name)
	}
	return stored, sent, nil
}

func checkPropertyName(name string) error {
	switch name {
	case "PartitionKey", "RowKey", "Timestamp":
		return limitError("property name %s belongs to the system", name)
	case "hasOwnProperty":
		return limitError("property name %s makes Azurite fail until it is restarted", name)
	}
	if name == "" || len(name) > maxPropertyName {
		return limitError("a property name has 1 to %d characters", maxPropertyName)
	}
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return limitError("property name %q is not an identifier", name)
		}
	}
	return nil
}

// checkMessageText refuses a text that Azure refuses or alters: queue messages
// travel as XML. Domain messages are JSON in ASCII and always pass.
func checkMessageText(text string) error {
	if text == "" || len(text) > MaxMessageText {
		return limitError("a message has 1 to %d bytes, this has %d", MaxMessageText, len(text))
	}
	if !utf8.ValidString(text) {
		return limitError("a message is not valid UTF-8")
	}
	bad := func(r rune) bool {
		return r < 0x20 && r != '\t' && r != '\n' || r == 0x7f || r == 0xFFFE || r == 0xFFFF
	}
	if strings.ContainsFunc(text, bad) {
		return limitError("a message must not hold control characters")
	}
	return nil
}

func checkLease(lease, shortest time.Duration) error {
	if lease < shortest || lease > maxLease || lease%time.Second != 0 {
		return limitError("a lease is %s to 7 days in whole seconds, not %s", shortest, lease)
	}
	return nil
}
