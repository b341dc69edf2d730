package templates

import (
	"strings"
	"time"

	"microblogging/storage/schema"
)

// kindID is the id of a kind's explanation on a page. It is empty for an unknown kind.
func kindID(k *schema.Kind) string {
	if k == nil {
		return ""
	}
	return "kind-" + k.Table + "-" + strings.ReplaceAll(k.Name, " ", "-")
}

// A KeyPart is a part of a key and what it means. The texts of all parts together are
// the key as it is shown.
type KeyPart struct{ Text, Meaning string }

// ExplainRow says of what kind a row is and takes its row key apart. The kind of an unknown row
// is nil, and its key is one part. Instant reads the digits of a time that counts down
// (domain.ParseRecentFirst).
func ExplainRow(table, partition, row string, instant func(digits string) (time.Time, error)) (*schema.Kind, []KeyPart) {
	kind := schema.Of(table, partition, row)
	if kind == nil {
		return nil, []KeyPart{{Text: ShortKey(row)}}
	}
	if row == "" {
		return kind, []KeyPart{{Text: "", Meaning: "empty: the partition has one row of this kind"}}
	}
	var parts []KeyPart
	for _, part := range kind.Parts(row) {
		text, separates := strings.CutPrefix(part.Text, "!")
		if separates {
			parts[len(parts)-1].Text += "!"
		}
		if part.Name == "" && text != "" {
			parts = append(parts, KeyPart{text, "kind of row"})
		}
		if part.Name == "" {
			continue
		}
		if part.Name == "id" {
			ticks, random, _ := strings.Cut(part.Text, "!")
			parts = append(parts, KeyPart{ticks + "!", meaning(kind, "back", ticks, instant)}, KeyPart{random, "random, so that no two are equal"})
			continue
		}
		parts = append(parts, KeyPart{ShortKey(part.Text), meaning(kind, part.Name, part.Text, instant)})
	}
	return kind, parts
}

// meaning says what a part that varies is.
func meaning(kind *schema.Kind, name, part string, instant func(string) (time.Time, error)) string {
	switch name {
	case "incarnation":
		return "incarnation of the channel"
	case "back":
		return "time, counted down" + on(instant(part))
	case "user":
		return "name of the user"
	case "key":
		return "key of the channel: its name, folded"
	case "revision":
		return "revision of the post"
	case "hash":
		return "SHA-256 " + kind.Hash + ", shortened"
	case "inverted":
		return "rating, counted down" + votesOf(part)
	}
	return name
}

// on says at what time. It is empty if there is none, or if the time is no real one.
func on(t time.Time, err error) string {
	if err != nil || t.Year() > 2200 {
		return ""
	}
	return ": " + t.UTC().Format(exactLayout)
}

func votesOf(inverted string) string {
	rating, err := schema.ParseInverted(inverted)
	if err != nil {
		return ""
	}
	return ": " + counted(rating, "vote")
}

const (
	// hashLength is the length of a SHA-256 in hex digits, and shownHash how many of
	// them a page shows.
	hashLength, shownHash = 64, 12
)

// ShortKey is a key with each hash in it shortened: readers skip 64 digits.
func ShortKey(key string) string {
	parts := strings.Split(key, "!")
	for i, part := range parts {
		if len(part) == hashLength && strings.Trim(part, "0123456789abcdef") == "" {
			parts[i] = part[:shownHash] + "…"
		}
	}
	return strings.Join(parts, "!")
}
