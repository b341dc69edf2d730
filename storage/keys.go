package storage

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"microblogging/domain"
)

// This file is the only code that builds a partition key or a row key. What each kind of
// row is for is told to people in templates/row_kind.go.
//
// The tables, as a storage explorer lists them. <key> is a channel key: the
// folded name, such as "garden".
//
//	table          PartitionKey    RowKey              note
//	Blogs          <key>           see below
//	Channels       <key>           (empty)
//	Deletions      <key>           <incarnation>
//	Deletions      <key>           <incarnation>!lesson  with --teach: who pauses where
//	Deletions      unread!         <hash>              a poisoned message that nobody could read
//	Deletions      open!<digit>    <key>!<incarnation>  a deletion that may be open
//	Sessions       <hash>          (empty)             <hash> of the token, or of the
//	                                                   idempotency key of a sign-up
//	Subscriptions  <user>          <key>!<incarnation>
//	Throttle       address!<hash>  <time>              failures from one address
//	Throttle       session!<hash>  <time>              failures in the sessions of one user
//	Throttle       sign-up!<hash>  <time>              sign-ups from one address, by the hour
//	Throttle       user!<hash>     <time>              failures for one user name from strangers
//	Throttle       user!<hash>     <time>!<hash>       failures for it from one address
//	Throttle       user!<hash>     known!<hash>        an address that the user signed in from
//	Users          <user>          (empty)             the account
//	Users          <user>          made!<hash>         the channel that a key made
//	Users          <user>          once!<hash>         an idempotency key for channels
//
// The rows of one Blogs partition, in key order. Rows of different kinds share
// the partition so that one transaction can span them. Each row carries its
// channel's incarnation in the property Incarnation.
//
//	RowKey                       what it is                further properties
//	blog!<id>                    a post, newest first      Title, Text, UserId, Rating, CreatedOn,
//	                                                       EditedOn, Revision, Revisions
//	gate!open!<incarnation>      fence: posts may be made
//	gate!reserved!<incarnation>  a gate's reservation
//	gate!shut!<incarnation>      fence: rows may be swept
//	join!<user>                  who is about to join      SubscribedOn
//	once!<hash>                  an idempotency key        Blog, Body
//	rate!<inverted>!<id>         a post, best rated first
//	sub!<user>                   a subscriber              SubscribedOn
//	vote!<id>!<user>             a user's vote on a post
//
// In the row key of a Blogs row, each variable part has a fixed width or ends the
// key, so that the keys sort as they are meant to:
//
//	<hash>         64 hex digits: SHA-256
//	<id>           19 digits that count down with time, "!", 26 random characters
//	<incarnation>  26 random characters of A-Z and 2-7
//	<inverted>     10 digits: 9999999999 minus the rating
//	<time>         19 digits: the start of a window of 15 minutes or an hour, in Unix seconds
//	<user>         a user name in lower case
const (
	prefixBlog = "blog!"
	prefixGate = "gate!"
	prefixJoin = "join!"
	prefixMade = "made!"
	prefixOnce = "once!"
	prefixRate = "rate!"
	prefixSub  = "sub!"
	prefixVote = "vote!"

	prefixOpen     = prefixGate + "open!"
	prefixReserved = prefixGate + "reserved!"
	// prefixSeed is the former prefix of reservations. Creations that died may
	// have left a few of them. Only a check reads them.
	prefixSeed = prefixGate + "seed!"
	prefixShut = prefixGate + "shut!"

	// prefixKnown is of the table Throttle.
	prefixKnown = "known!"
)

// The rows of a Users partition:
//
//	(empty)                            the account
//	owned!<channel key>                a channel that the user has or had (channel_owned.go)
//	asked!<time>!<channel key>!<incarnation>  a deletion that the user asked for (deletion_list.go)
//
// Rows of owns! and listed! are of an earlier version. Nothing reads them.
const (
	prefixOwned = "owned!"
	prefixAsked = "asked!"
)

// singleRow is the row key of an account, and in tables whose partitions hold one row
// each.
const singleRow = ""

const (
	// A rating is subtracted from maxRating, so that the highest sorts first.
	maxRating    = 9_999_999_999
	ratingDigits = 10
)

func partitionOf(key domain.ChannelKey) string { return string(key) }

func userPartition(name domain.UserName) string { return string(name) }

func deletionRow(i domain.Incarnation) string { return string(i) }

// prefixOpenDeletion is the prefix of the partitions of the index of open deletions.
const prefixOpenDeletion = "open!"

// openPartition spreads the index over 16 partitions. A scan reads them all.
func openPartition(key domain.ChannelKey) string {
	return prefixOpenDeletion + hashHex("open", string(key))[:1]
}

func isOpenPartition(partition string) bool { return strings.HasPrefix(partition, prefixOpenDeletion) }

func openRow(ref domain.ChannelRef) string { return subscriptionRow(ref) }

// parseOpenRow is the inverse of openRow.
func parseOpenRow(row string) domain.ChannelRef { return parseSubscriptionRow(row) }

const lessonSuffix = "!lesson"

// lessonRow is the row key of a lesson in Deletions. A post has digits where it says
// lesson.
func lessonRow(i domain.Incarnation) string { return string(i) + lessonSuffix }

func isLesson(row string) bool { return strings.HasSuffix(row, lessonSuffix) }

// deletionRowOf returns the key of the Deletions row about what a message asks for:
// an incarnation, or one revision of one of its posts.
func deletionRowOf(m domain.Message) string {
	row := deletionRow(m.Incarnation)
	if m.Kind == domain.MessageBlog {
		row += "!" + string(m.Blog) + "!" + string(m.Revision)
	}
	return row
}

// parseDeletionRow is the inverse of deletionRowOf. The post is empty if the row is
// about a channel.
func parseDeletionRow(row string) (i domain.Incarnation, id domain.BlogID, r domain.Revision) {
	incarnation, post, _ := strings.Cut(row, "!")
	at := max(strings.LastIndexByte(post, '!'), 0)
	return domain.Incarnation(incarnation), domain.BlogID(post[:at]), domain.Revision(strings.TrimPrefix(post[at:], "!"))
}

func openGateRow(i domain.Incarnation) string { return prefixOpen + string(i) }

func reservedGateRow(i domain.Incarnation) string { return prefixReserved + string(i) }

func shutGateRow(i domain.Incarnation) string { return prefixShut + string(i) }

// onceUserRow and madeUserRow are rows of a user's partition in Users, for an idempotency
// key that is hashed already.
func onceUserRow(hash string) string { return prefixOnce + hash }

func madeUserRow(hash string) string { return prefixMade + hash }

// signUpPartition is the partition in Sessions of the idempotency key of a sign-up.
func signUpPartition(key string) string { return hashHex("sign-up", key) }

func isGate(row string) bool { return strings.HasPrefix(row, prefixGate) }

func blogRow(id domain.BlogID) string { return prefixBlog + string(id) }

func blogIDOf(row string) domain.BlogID { return domain.BlogID(strings.TrimPrefix(row, prefixBlog)) }

func rateRow(rating int64, id domain.BlogID) string {
	return fmt.Sprintf("%s%0*d!%s", prefixRate, ratingDigits, maxRating-rating, id)
}

// parseRateRow is the inverse of rateRow.
func parseRateRow(row string) (rating int64, id domain.BlogID, ok bool) {
	digits, rest, found := strings.Cut(strings.TrimPrefix(row, prefixRate), "!")
	inverted, err := strconv.ParseInt(digits, 10, 64)
	return maxRating - inverted, domain.BlogID(rest), found && err == nil
}

// ratedRange returns the range of row keys that index the posts of one rating,
// from inclusive and to exclusive.
func ratedRange(rating int64) (from, to string) {
	from = fmt.Sprintf("%s%0*d!", prefixRate, ratingDigits, maxRating-rating)
	return from, prefixEnd(from)
}

func subRow(user domain.UserName) string { return prefixSub + string(user) }

func joinRow(user domain.UserName) string { return prefixJoin + string(user) }

// subscriberOf returns the user of a sub! or join! row; ok is false for other rows.
func subscriberOf(row string) (user domain.UserName, ok bool) {
	kind, name, _ := strings.Cut(row, "!")
	return domain.UserName(name), kind+"!" == prefixSub || kind+"!" == prefixJoin
}

func voteRow(id domain.BlogID, user domain.UserName) string { return votesOf(id) + string(user) }

// votesOf returns the common prefix of all votes on a post.
func votesOf(id domain.BlogID) string { return prefixVote + string(id) + "!" }

// votedOn returns the post of a vote! row.
func votedOn(row string) domain.BlogID {
	rest := strings.TrimPrefix(row, prefixVote)
	return domain.BlogID(rest[:max(strings.LastIndexByte(rest, '!'), 0)])
}

func subscriptionRow(ref domain.ChannelRef) string {
	return string(ref.Key) + "!" + string(ref.Incarnation)
}

// parseSubscriptionRow is the inverse of subscriptionRow. Neither part can hold
// an exclamation mark.
func parseSubscriptionRow(row string) domain.ChannelRef {
	key, incarnation, _ := strings.Cut(row, "!")
	return domain.ChannelRef{Key: domain.ChannelKey(key), Incarnation: domain.Incarnation(incarnation)}
}

func ownedRow(key domain.ChannelKey) string { return prefixOwned + string(key) }

// ownedKey is the inverse of ownedRow.
func ownedKey(row string) domain.ChannelKey {
	return domain.ChannelKey(strings.TrimPrefix(row, prefixOwned))
}

// onceRow hashes the pair, since a client's idempotency key may hold any character.
func onceRow(owner, key string) string { return prefixOnce + hashHex(owner, key) }

// sessionPartition hashes the token, so that somebody who reads the table cannot
// sign in with what it holds.
func sessionPartition(token string) string { return hashHex("session", token) }

func throttlePartition(what, who string) string { return what + "!" + hashHex(what, who) }

// throttleRow names the window that contains now. All windows of a kind of counter have
// one length.
func throttleRow(now time.Time, window time.Duration) string {
	return fmt.Sprintf("%019d", now.Truncate(window).Unix())
}

// pairRow names what is counted for one user from one address in a window, which
// throttleRow names.
func pairRow(window, address string) string { return window + "!" + hashHex("address", address) }

func knownRow(address string) string { return prefixKnown + hashHex("address", address) }

// hashHex hashes a list of parts. Each part's length is hashed too, so that
// ("ab", "c") and ("a", "bc") differ.
func hashHex(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// successor returns the first valid key after key. A space is the least character
// that a key may hold.
func successor(key string) string { return key + " " }

// prefixEnd returns the end, exclusive, of the range of keys that start with the
// prefix. It need not be a valid key. An empty prefix has no end.
func prefixEnd(prefix string) string {
	if prefix == "" {
		return ""
	}
	last := len(prefix) - 1
	return prefix[:last] + string(prefix[last]+1)
}

// blogRange returns the range of row keys of the posts that were made from since,
// inclusive, to until, exclusive. A zero time leaves that side open. A newer post
// has a smaller key, so that until gives the start of the range.
func blogRange(since, until time.Time) (from, to string) {
	from, to = prefixBlog, prefixEnd(prefixBlog)
	if !until.IsZero() {
		from = prefixBlog + domain.RecentFirst(lastTickBefore(until))
	}
	if !since.IsZero() {
		to = prefixBlog + domain.RecentFirst(lastTickBefore(since))
	}
	return from, to
}

// lastTickBefore returns the last storable instant before t.
func lastTickBefore(t time.Time) time.Time { return domain.Storable(t.Add(-time.Nanosecond)) }
