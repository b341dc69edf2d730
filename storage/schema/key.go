package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// SingleRow is the row key of an account, and in tables whose partitions hold one row each.
const SingleRow = ""

// PoisonPartition is the partition in Deletions of the messages that wait for an operator.
// A channel key holds no exclamation mark.
const PoisonPartition = "poison!"

// VersionPartition is the partition in Deletions of the row that says of which version the store is.
const VersionPartition = "version!"

// InvitationPartition is the partition in Sessions of the invitations. The partition of a session is a hash.
const InvitationPartition = "invitation!"

// GatePrefix is how the keys of all gates begin.
const GatePrefix = "gate!"

const (
	// A rating is subtracted from maxRating, so that the highest sorts first.
	maxRating    = 9_999_999_999
	ratingDigits = 10
)

// ChannelPartition is the partition of a channel in Channels, Blogs and Deletions.
func ChannelPartition(key domain.ChannelKey) string { return string(key) }

// UserPartition is the partition of a user in Users and Subscriptions.
func UserPartition(name domain.UserName) string { return string(name) }

// SessionPartition hashes the token, so that a reader of the table cannot sign in with
// what it holds.
func SessionPartition(token string) string { return Hash("session", token) }

// SignUpPartition is the partition in Sessions of the idempotency key of a sign-up.
func SignUpPartition(key string) string { return Hash("sign-up", key) }

// InvitationRow hashes the secret of an invitation, for the reason that SessionPartition hashes a token.
func InvitationRow(secret string) string { return Invitation.Row(Hash("invitation", secret)) }

// ThrottlePartition is the partition of what is counted about a user or a client address.
func ThrottlePartition(what, who string) string { return what + "!" + Hash(what, who) }

// AddressRow is the row of an address in the partition of what is counted about a user.
func AddressRow(address string) string { return AddressFailures.Row(Hash("address", address)) }

// The gates of an incarnation.
func OpenGateRow(i domain.Incarnation) string     { return OpenGate.Row(string(i)) }
func ReservedGateRow(i domain.Incarnation) string { return ReservedGate.Row(string(i)) }
func ShutGateRow(i domain.Incarnation) string     { return ShutGate.Row(string(i)) }

// IsGate reports whether a row of Blogs is a gate.
func IsGate(row string) bool { return strings.HasPrefix(row, GatePrefix) }

// BlogRow is the row of a post.
func BlogRow(id domain.BlogID) string { return Blog.Row(string(id)) }

// BlogIDOf is the inverse of BlogRow.
func BlogIDOf(row string) domain.BlogID { return domain.BlogID(strings.TrimPrefix(row, Blog.Prefix())) }

// BlogRange returns the range of row keys of the posts that were made from since, inclusive,
// to until, exclusive. A zero time leaves that side open. A newer post has a smaller key, so
// that until gives the start of the range.
func BlogRange(since, until time.Time) (from, to string) {
	from, to = Blog.Range()
	if !until.IsZero() {
		from = Blog.Prefix() + domain.RecentFirst(lastTickBefore(until))
	}
	if !since.IsZero() {
		to = Blog.Prefix() + domain.RecentFirst(lastTickBefore(since))
	}
	return from, to
}

// lastTickBefore returns the last storable instant before t.
func lastTickBefore(t time.Time) time.Time { return domain.Storable(t.Add(-time.Nanosecond)) }

// OnceRow hashes the pair, since a client's idempotency key may hold any character.
func OnceRow(owner, key string) string { return Once.Row(Hash(owner, key)) }

// RateRow is the row of a post in the index by rating.
func RateRow(rating int64, id domain.BlogID) string { return Rate.Row(inverted(rating), string(id)) }

// ParseRateRow is the inverse of RateRow.
func ParseRateRow(row string) (rating int64, id domain.BlogID, ok bool) {
	digits, rest, found := strings.Cut(strings.TrimPrefix(row, Rate.Prefix()), "!")
	rating, err := ParseInverted(digits)
	return rating, domain.BlogID(rest), found && err == nil
}

// RatedRange returns the range of row keys that index the posts of one rating, from inclusive
// and to exclusive.
func RatedRange(rating int64) (from, to string) {
	from = Rate.Prefix() + inverted(rating) + "!"
	return from, PrefixEnd(from)
}

func inverted(rating int64) string { return fmt.Sprintf("%0*d", ratingDigits, maxRating-rating) }

// ParseInverted reads the rating in a key.
func ParseInverted(digits string) (rating int64, err error) {
	n, err := strconv.ParseInt(digits, 10, 64)
	return maxRating - n, err
}

// The two rows of a subscriber in the channel's partition.
func SubRow(user domain.UserName) string  { return Sub.Row(string(user)) }
func JoinRow(user domain.UserName) string { return Join.Row(string(user)) }

// SubscriberOf returns the user of a sub! or join! row; ok is false for other rows.
func SubscriberOf(row string) (user domain.UserName, ok bool) {
	kind, name, _ := strings.Cut(row, "!")
	return domain.UserName(name), kind == "sub" || kind == "join"
}

// VoteRow is the row of a vote.
func VoteRow(id domain.BlogID, user domain.UserName) string { return VotesOf(id) + string(user) }

// VotesOf returns the common prefix of all votes on a post.
func VotesOf(id domain.BlogID) string { return Vote.Prefix() + string(id) + "!" }

// VotedOn returns the post of a vote.
func VotedOn(row string) domain.BlogID {
	rest := strings.TrimPrefix(row, Vote.Prefix())
	return domain.BlogID(rest[:max(strings.LastIndexByte(rest, '!'), 0)])
}

// ReplyRow is the row of a reply.
func ReplyRow(post domain.BlogID, id domain.ReplyID) string { return RepliesTo(post) + string(id) }

// RepliesTo returns the common prefix of all replies to a post.
func RepliesTo(post domain.BlogID) string { return Reply.Prefix() + string(post) + "!" }

// ParseReply returns the post and the reply that the row of a reply names, or that of its author's list, without the
// prefix of its kind.
func ParseReply(key string) (post domain.BlogID, id domain.ReplyID) {
	i := max(strings.LastIndexByte(key, '!'), 0)
	return domain.BlogID(key[:i]), domain.ReplyID(strings.TrimPrefix(key[i:], "!"))
}

// RepliedRow is the row of a reply on the list of its author.
func RepliedRow(post domain.BlogID, id domain.ReplyID) string {
	return Replied.Row(string(post), string(id))
}

// RefRow names an incarnation of a channel in a partition of others: of a user's
// subscriptions, and of the index of open deletions.
func RefRow(ref domain.ChannelRef) string {
	return Subscription.Row(string(ref.Key), string(ref.Incarnation))
}

// ParseRefRow is the inverse of RefRow. Neither part can hold an exclamation mark.
func ParseRefRow(row string) domain.ChannelRef {
	key, incarnation, _ := strings.Cut(row, "!")
	return domain.ChannelRef{Key: domain.ChannelKey(key), Incarnation: domain.Incarnation(incarnation)}
}

// OpenBlogRow names a post of an incarnation on the index of open deletions.
func OpenBlogRow(ref domain.ChannelRef, id domain.BlogID) string {
	return OpenBlog.Row(string(ref.Key), string(ref.Incarnation), string(id))
}

// ParseOpenBlogRow is the inverse of OpenBlogRow; ok is false for other rows of the index.
func ParseOpenBlogRow(row string) (ref domain.ChannelRef, id domain.BlogID, ok bool) {
	key, rest, _ := strings.Cut(row, "!")
	incarnation, post, ok := strings.Cut(rest, "!")
	return domain.ChannelRef{Key: domain.ChannelKey(key), Incarnation: domain.Incarnation(incarnation)}, domain.BlogID(post), ok
}

// DeletionRow is the row of the deletion of a channel or of an account.
func DeletionRow(i domain.Incarnation) string { return Deletion.Row(string(i)) }

// OpenPrefix is how the partitions of the index of open deletions begin.
const OpenPrefix = "open!"

// OpenPartition spreads the index of open deletions over 16 partitions. A scan reads them all.
func OpenPartition(key domain.ChannelKey) string {
	return fill(OpenDeletion.Partition, []string{Hash("open", string(key))[:1]})
}

// ActivePartitions is over how many partitions the index of active channels is spread at most.
const ActivePartitions = 16

// ActivePartition is the partition of a channel in that index, if it is spread over n.
func ActivePartition(n int, key domain.ChannelKey) string {
	digit, _ := strconv.ParseUint(Hash("active", string(key))[:1], 16, 8) // a hexadecimal digit
	return ActivePartitionAt(int(digit) % n)
}

// ActivePartitionAt is one of those partitions, counted from 0.
func ActivePartitionAt(i int) string {
	return fill(Active.Partition, []string{strconv.FormatInt(int64(i), 16)})
}

// ActiveRow is the row of a channel with a post at that time: the row of the hour.
func ActiveRow(on time.Time, key domain.ChannelKey) string {
	return Active.Row(domain.RecentFirst(on.Truncate(time.Hour)), string(key))
}

// ParseActiveRow is the inverse of ActiveRow.
func ParseActiveRow(row string) (hour time.Time, key domain.ChannelKey, err error) {
	digits, rest, _ := strings.Cut(row, "!")
	hour, err = domain.ParseRecentFirst(digits)
	return hour, domain.ChannelKey(rest), err
}

// PoisonRow is the row of a message with that text. A message that is delivered again has the same row.
func PoisonRow(text string) string { return Poison.Row(Hash("poison", text)) }

// RequestedRow is the row of a deletion on the list of who asked for it.
func RequestedRow(on time.Time, ref domain.ChannelRef) string {
	return Requested.Row(domain.RecentFirst(on), string(ref.Key), string(ref.Incarnation))
}

// ParseRequestedRow is the inverse of RequestedRow.
func ParseRequestedRow(row string) (on time.Time, ref domain.ChannelRef, err error) {
	digits, rest, _ := strings.Cut(strings.TrimPrefix(row, Requested.Prefix()), "!")
	on, err = domain.ParseRecentFirst(digits)
	return on, ParseRefRow(rest), err
}

// OwnedRow is the row of a channel on the list of its owner.
func OwnedRow(key domain.ChannelKey) string { return Owned.Row(string(key)) }

// OwnedKey is the inverse of OwnedRow.
func OwnedKey(row string) domain.ChannelKey {
	return domain.ChannelKey(strings.TrimPrefix(row, Owned.Prefix()))
}

// PostingRuleRow is the row that says who may post, while the rule has that revision.
func PostingRuleRow(revision string) string { return PostingRule.Row(revision) }

// WroteRow is the row of a post on the list of its author.
func WroteRow(id domain.BlogID) string { return Wrote.Row(string(id)) }

// VotedRow is the row of a post on the list of who voted on it.
func VotedRow(id domain.BlogID) string { return Voted.Row(string(id)) }

// Hash hashes a list of parts. Each part's length is hashed too, so that ("ab", "c") and
// ("a", "bc") differ.
func Hash(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// PrefixEnd returns the end, exclusive, of the range of keys that start with the prefix. It
// need not be a valid key. An empty prefix has no end.
func PrefixEnd(prefix string) string {
	if prefix == "" {
		return ""
	}
	last := len(prefix) - 1
	return prefix[:last] + string(prefix[last]+1)
}

// LeadsToChannel reports whether a channel can be asked for by this key.
func LeadsToChannel(ref domain.ChannelRef) bool {
	return driver.CheckPartition(ChannelPartition(ref.Key)) == nil
}
