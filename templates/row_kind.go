package templates

import (
	"strconv"
	"strings"
	"time"
)

// A RowKind explains one kind of row to people. The kinds are those of
// storage/keys.go.
type RowKind struct {
	Table string
	// Partition and Row are the forms of the two keys, with names for the parts that
	// vary, such as gate!open!<incarnation>. An empty Partition is any. An empty Row is
	// the empty key.
	Partition, Row string
	// Name names the kind: "open gate".
	Name string
	// What says what the row is, and Why what it is for.
	What, Why string
	// Scenario is the scenario of the lab that tries to break it. It is empty if none
	// does, because the guarantees do not rest on rows of this kind.
	Scenario string
	// hash says what the hash in the keys is of.
	hash string
}

// id is the id of the kind's explanation on a page. It is empty for an unknown kind.
func (k RowKind) id() string {
	if k.Name == "" {
		return ""
	}
	return "kind-" + k.Table + "-" + strings.ReplaceAll(k.Name, " ", "-")
}

// form is the form of the row key as a page shows it.
func (k RowKind) form() string {
	if k.Row == "" {
		return "(empty)"
	}
	return k.Row
}

// RowKinds are all kinds of row that the application writes.
func RowKinds() []RowKind {
	var kinds []RowKind
	for _, some := range [][]RowKind{channelKinds(), gateKinds(), blogKinds(), subscriberKinds(), deletionKinds(), userKinds(), sessionKinds()} {
		kinds = append(kinds, some...)
	}
	return kinds
}

func channelKinds() []RowKind {
	return []RowKind{
		{
			Table: "Channels", Name: "channel", Scenario: "creators",
			What: "The channel itself. While this row is there, the name is taken.",
			Why:  "It says which incarnation has the name. A deletion marks it first and removes it last.",
		},
	}
}

func gateKinds() []RowKind {
	return []RowKind{
		{
			Table: "Blogs", Row: "gate!open!<incarnation>", Name: "open gate", Scenario: "post",
			What: "The fence of this channel, open: posts, votes and subscriptions may be made.",
			Why:  "Each of them touches this row: it is refused once the row is gone, and a page is right while the ETag is the same.",
		},
		{
			Table: "Blogs", Row: "gate!shut!<incarnation>", Name: "shut gate", Scenario: "again",
			What: "The fence of this channel, shut: rows may be removed.",
			Why:  "Each removal counts here what it removes. The row goes before the name is free, so a late worker removes nothing.",
		},
		{
			Table: "Blogs", Row: "gate!reserved!<incarnation>", Name: "reservation", Scenario: "stalled",
			What: "A channel is being created. The open gate takes the place of this row, in the version that was read.",
			Why:  "An ETag never repeats, so the gate opens once in all time, however late a copy of a request arrives.",
		},
		{
			Table: "Blogs", Row: "gate!seed!<incarnation>", Name: "former reservation", Scenario: "stalled",
			What: "A reservation that an older program left when a creation died.",
			Why:  "Nobody will ever open it. A repair removes it.",
		},
	}
}

func blogKinds() []RowKind {
	return []RowKind{
		{
			Table: "Blogs", Row: "blog!<id>", Name: "post", Scenario: "edit-sweep",
			What: "A post. The time in its key counts down, so that the newest sorts first.",
			Why:  "An edit depends on its version, so an edit that comes after the removal changes nothing.",
		},
		{
			Table: "Blogs", Row: "once!<hash>", Name: "idempotency key", Scenario: "one-key",
			hash: "of the author and the key",
			What: "The idempotency key that made a post, as a hash, with a hash of what was posted.",
			Why:  "It is inserted together with the post. A request that is sent twice finds it and makes one post.",
		},
		{
			Table: "Blogs", Row: "rate!<inverted>!<id>", Name: "rating index", Scenario: "edit-vote",
			What: "An entry of the index by rating: the best rated post sorts first.",
			Why:  "It changes in one transaction with the post’s rating, so the index never disagrees with the posts.",
		},
		{
			Table: "Blogs", Row: "vote!<id>!<user>", Name: "vote", Scenario: "vote",
			What: "The vote of one user on one post.",
			Why:  "It is inserted together with the new rating. The row is there, so the same vote does not count twice.",
		},
	}
}

func subscriberKinds() []RowKind {
	return []RowKind{
		{
			Table: "Blogs", Row: "join!<user>", Name: "who is about to join", Scenario: "subscribe-again",
			What: "A subscription that has begun. The subscriber’s row takes the place of this one, in the version that was read.",
			Why:  "So a late copy of a request cannot bring back a subscription that has ended.",
		},
		{
			Table: "Blogs", Row: "sub!<user>", Name: "subscriber", Scenario: "subscribe",
			What: "A subscriber of the channel. This row is the truth about the subscription.",
			Why:  "It stands behind the gate and is swept with the channel. The sweep finds the user’s own row by it.",
		},
		{
			Table: "Subscriptions", Row: "<key>!<incarnation>", Name: "subscription", Scenario: "leave-late",
			What: "One channel that this user subscribes to, by which their feed is read.",
			Why:  "No transaction spans it and the channel’s row. So it says how far it has come, and readers repair it.",
		},
	}
}

func deletionKinds() []RowKind {
	return []RowKind{
		{
			Table: "Deletions", Partition: "unread!", Row: "<hash>", Name: "unread message", Scenario: "poison-unread",
			hash: "of the message’s id and text",
			What: "A message that no worker could read, with its text.",
			Why:  "It is written before the copy goes to the poison queue, so that the copy is sent once at most.",
		},
		{
			Table: "Deletions", Partition: "open!<digit>", Row: "<key>!<incarnation>", Name: "open deletion", Scenario: "index",
			What: "A deletion that may be open: that was asked for, and is not known to be done.",
			Why:  "It is written before the channel is marked. A pass that looks for lost messages reads these and not every channel.",
		},
		{
			Table: "Deletions", Row: "<incarnation>", Name: "deletion", Scenario: "workers-die",
			What: "The progress of one deletion. It stays when the channel is gone.",
			Why:  "It is a report. No worker depends on it, so workers that die or stall cannot be misled by it.",
		},
		{
			Table: "Deletions", Row: "<incarnation>!lesson", Name: "lesson", Scenario: "workers-die",
			What: "Which workers pause before their next step, and what they are told to do (--teach).",
			Why:  "Nothing of the protocol depends on it: a worker that pauses is one that is slow.",
		},
		{
			Table: "Deletions", Row: "<incarnation>!<id>!<revision>", Name: "stopped deletion of a post", Scenario: "poison-post",
			What: "The removal of a post that failed too often, and waits for an operator.",
			Why:  "It is written before the copy goes to the poison queue, so that the copy is sent once at most.",
		},
	}
}

func userKinds() []RowKind {
	return []RowKind{
		{
			Table: "Users", Name: "account", Scenario: "digest-address",
			What: "The account: a hash of the password, and a number that ends all sessions when it grows.",
			Why:  "A change depends on the version that was read, so what was revoked does not come back.",
		},
		{
			Table: "Users", Row: "asked!<back>!<key>!<incarnation>", Name: "deletion asked for", Scenario: "web-dies",
			What: "A deletion that this user asked for, the newest first.",
			Why:  "It is written before the message is sent, so no deletion that was accepted is missing from their list.",
		},
		{
			Table: "Users", Row: "made!<hash>", Name: "what a key made", Scenario: "create-once",
			hash: "of the user and the idempotency key",
			What: "The incarnation that a request to create a channel made.",
			Why:  "It is inserted before anybody is answered, so two requests with one key get one answer.",
		},
		{
			Table: "Users", Row: "once!<hash>", Name: "idempotency key", Scenario: "create-once",
			hash: "of the user and the idempotency key",
			What: "The idempotency key of a request to create a channel, as a hash.",
			Why:  "It is never changed or deleted, so a late copy changes nothing.",
		},
		{
			Table: "Users", Row: "owned!<key>", Name: "owned channel",
			What: "The name of a channel that this user has, or had.",
			Why:  "It is written before the channel is created. Whoever reads it believes the channel alone.",
		},
	}
}

func sessionKinds() []RowKind {
	const (
		failures = "How often a sign-in has failed, in one stretch of time."
		refuses  = "Enough of them refuse more tries for a while. No guarantee about channels depends on it."
	)
	return []RowKind{
		{
			Table: "Sessions", Partition: "<hash>", Name: "session", Scenario: "sign-out",
			hash: "of the token",
			What: "A session, a sign-in link, or the idempotency key of a sign-up, under a hash.",
			Why:  "Ending one marks this row and does not delete it, so a late copy of its insert finds it ended.",
		},
		{Table: "Throttle", Partition: "user!<hash>", Row: "known!<hash>", Name: "known address", hash: "of the address", What: "An address from which the user has signed in.", Why: "Strangers who guess cannot lock out somebody who signs in from there."},
		{Table: "Throttle", Partition: "user!<hash>", Row: "<time>!<hash>", Name: "failures of one address", hash: "of the address", What: failures, Why: refuses},
		{Table: "Throttle", Row: "<time>", Name: "failures", What: failures, Why: refuses},
	}
}

// A KeyPart is a part of a key and what it means. The texts of all parts together are
// the key as it is shown.
type KeyPart struct{ Text, Meaning string }

// ExplainRow says of what kind a row is and takes its row key apart. The name of an
// unknown kind is empty, and its key is one part. Instant reads the digits of a time
// that counts down (domain.ParseRecentFirst).
func ExplainRow(table, partition, row string, instant func(digits string) (time.Time, error)) (RowKind, []KeyPart) {
	for _, kind := range RowKinds() {
		if kind.Table != table || !fits(kind.Partition, partition) && kind.Partition != "" {
			continue
		}
		if fits(kind.Row, row) {
			return kind, kind.parts(row, instant)
		}
	}
	return RowKind{}, []KeyPart{{Text: ShortKey(row)}}
}

// segments splits the form of a key, or a key, at its exclamation marks. Each segment
// but the last keeps its mark.
func segments(key string) []string {
	key = strings.ReplaceAll(key, "<id>", "<ticks>!<random>")
	all := strings.SplitAfter(key, "!")
	if last := len(all) - 1; last > 0 && all[last] == "" {
		return all[:last]
	}
	return all
}

func varies(segment string) bool { return strings.HasPrefix(segment, "<") }

// fits says whether a key has the form.
func fits(form, key string) bool {
	want, have := segments(form), segments(key)
	if len(want) != len(have) {
		return false
	}
	for i, segment := range want {
		if !varies(segment) && segment != have[i] || varies(segment) && (have[i] == "" || strings.HasSuffix(segment, "!") != strings.HasSuffix(have[i], "!")) {
			return false
		}
	}
	return true
}

// parts takes a row key of this kind apart. Segments that do not vary are one part.
func (k RowKind) parts(row string, instant func(string) (time.Time, error)) []KeyPart {
	if row == "" {
		return []KeyPart{{Text: "", Meaning: "empty: the partition has one row of this kind"}}
	}
	forms := segments(k.Row)
	var parts []KeyPart
	for i, segment := range segments(row) {
		bare := strings.TrimSuffix(segment, "!")
		end := segment[len(bare):]
		switch {
		case varies(forms[i]):
			parts = append(parts, KeyPart{ShortKey(bare) + end, k.meaning(strings.Trim(forms[i], "<>!"), bare, instant)})
		case i > 0 && !varies(forms[i-1]):
			parts[len(parts)-1].Text += segment
		case i == 0:
			parts = append(parts, KeyPart{segment, "kind of row"})
		default:
			parts = append(parts, KeyPart{segment, "kind of row"})
		}
	}
	return parts
}

// meaning says what a part that varies is.
func (k RowKind) meaning(name, part string, instant func(string) (time.Time, error)) string {
	switch name {
	case "incarnation":
		return "incarnation of the channel"
	case "ticks", "back":
		return "time, counted down" + on(instant(part))
	case "random":
		return "random, so that no two are equal"
	case "user":
		return "name of the user"
	case "key":
		return "key of the channel: its name, folded"
	case "revision":
		return "revision of the post"
	case "hash":
		return "SHA-256 " + k.hash + ", shortened"
	case "inverted":
		return "rating, counted down" + votesOf(part)
	case "time":
		seconds, err := strconv.ParseInt(part, 10, 64)
		return "start of the stretch of time" + on(time.Unix(seconds, 0), err)
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

// maxRating is the rating from which the rating in a key is subtracted.
const maxRating = 9_999_999_999

func votesOf(inverted string) string {
	n, err := strconv.ParseInt(inverted, 10, 64)
	if err != nil {
		return ""
	}
	return ": " + votes(maxRating-n)
}

const (
	// hashLength is the length of a SHA-256 in hex digits, and shownHash how many of
	// them a page shows.
	hashLength, shownHash = 64, 12
)

// ShortKey is a key with each hash in it shortened: nobody reads 64 digits.
func ShortKey(key string) string {
	parts := strings.Split(key, "!")
	for i, part := range parts {
		if len(part) == hashLength && strings.Trim(part, "0123456789abcdef") == "" {
			parts[i] = part[:shownHash] + "…"
		}
	}
	return strings.Join(parts, "!")
}
