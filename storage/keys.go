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

// This file is the only code that builds a partition key or a row key.
//
// The rows of a Blogs partition, in key order; rows of different kinds share
// the partition so that one transaction can span them:
//
//	blog!<id>                          a post, newest first
//	gate!open!<incarnation>            the fence: posts may be made
//	gate!reserved!<incarnation>        the reservation of a gate (gate.go)
//	gate!shut!<incarnation>            the fence: rows may be swept
//	join!<user>                        who is about to subscribe
//	once!<hash>                        an idempotency key and the post it made
//	rate!<inverted rating>!<id>        index of posts, most popular first
//	sub!<user>                         who subscribes
//	vote!<id>!<user>                   one vote of one user on one post
const (
	prefixBlog = "blog!"
	prefixGate = "gate!"
	prefixJoin = "join!"
	prefixOnce = "once!"
	prefixRate = "rate!"
	prefixSub  = "sub!"
	prefixVote = "vote!"

	prefixOpen     = prefixGate + "open!"
	prefixReserved = prefixGate + "reserved!"
	// prefixSeed is what reservations were called before. A few may be left of
	// creations that died; only a repair meets them.
	prefixSeed = prefixGate + "seed!"
	prefixShut = prefixGate + "shut!"
)

// The rows of a Users partition:
//
//	(empty)                            the account
//	owns!                              the tally of the claims (channel_claim.go)
//	owns!<channel key>!<claim>         a claim to one channel
const (
	prefixClaim = "owns!"
	tallyRow    = prefixClaim
)

// singleRow is the row key where a partition is one row, and that of an account.
const singleRow = ""

const (
	// maxRating makes ratings sort in reverse as fixed-width decimals.
	maxRating    = 9_999_999_999
	ratingDigits = 10
)

func partitionOf(key domain.ChannelKey) string { return string(key) }

func userPartition(name domain.UserName) string { return string(name) }

func deletionRow(i domain.Incarnation) string { return string(i) }

func openGateRow(i domain.Incarnation) string { return prefixOpen + string(i) }

func reservedGateRow(i domain.Incarnation) string { return prefixReserved + string(i) }

func shutGateRow(i domain.Incarnation) string { return prefixShut + string(i) }

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

// ratedRange is the range of row keys of the index rows of one rating.
func ratedRange(rating int64) (from, to string) {
	from = fmt.Sprintf("%s%0*d!", prefixRate, ratingDigits, maxRating-rating)
	return from, prefixEnd(from)
}

func subRow(user domain.UserName) string { return prefixSub + string(user) }

func joinRow(user domain.UserName) string { return prefixJoin + string(user) }

// subscriberOf is the user of a sub! or join! row.
func subscriberOf(row string) (user domain.UserName, ok bool) {
	kind, name, _ := strings.Cut(row, "!")
	return domain.UserName(name), kind+"!" == prefixSub || kind+"!" == prefixJoin
}

func voteRow(id domain.BlogID, user domain.UserName) string { return votesOf(id) + string(user) }

// votesOf is the common prefix of all votes on a post.
func votesOf(id domain.BlogID) string { return prefixVote + string(id) + "!" }

// votedOn is the post of a vote! row.
func votedOn(row string) domain.BlogID {
	rest := strings.TrimPrefix(row, prefixVote)
	return domain.BlogID(rest[:max(strings.LastIndexByte(rest, '!'), 0)])
}

func subscriptionRow(ref domain.ChannelRef) string {
	return string(ref.Key) + "!" + string(ref.Incarnation)
}

// parseSubscriptionRow is the inverse of subscriptionRow. Neither part holds
// an exclamation mark.
func parseSubscriptionRow(row string) domain.ChannelRef {
	key, incarnation, _ := strings.Cut(row, "!")
	return domain.ChannelRef{Key: domain.ChannelKey(key), Incarnation: domain.Incarnation(incarnation)}
}

func claimRow(key domain.ChannelKey, claim domain.Revision) string {
	return prefixClaim + string(key) + "!" + string(claim)
}

// claimedChannel is the channel of a claim. A channel key holds no exclamation mark.
func claimedChannel(row string) domain.ChannelKey {
	key, _, _ := strings.Cut(strings.TrimPrefix(row, prefixClaim), "!")
	return domain.ChannelKey(key)
}

// onceRow hashes the pair, since a key of the client's may hold anything.
func onceRow(owner, key string) string { return prefixOnce + hashHex(owner, key) }

// sessionPartition is the hash of a token, so that who reads the table cannot
// sign in with what is there.
func sessionPartition(token string) string { return hashHex("session", token) }

func throttlePartition(what, who string) string { return what + "!" + hashHex(what, who) }

// throttleRow names the window of the given length that now lies in.
func throttleRow(now time.Time, window time.Duration) string {
	return fmt.Sprintf("%019d", now.Truncate(window).Unix())
}

// hashHex hashes its parts so that no two lists of parts collide by joining.
func hashHex(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// successor is the first valid key after key: a space is the least character
// that a key may hold.
func successor(key string) string { return key + " " }

// prefixEnd is the first key after all that start with the prefix. It is meant
// as the end of a range and need not be a valid key.
func prefixEnd(prefix string) string {
	if prefix == "" {
		return ""
	}
	last := len(prefix) - 1
	return prefix[:last] + string(prefix[last]+1)
}

// blogRange is the range of row keys of the posts made from since, inclusive,
// until until, exclusive; a zero time leaves that side open. The newer end has
// the smaller key, so that until makes the start of the range.
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

// lastTickBefore is the greatest storable instant that is less than t.
func lastTickBefore(t time.Time) time.Time { return domain.Storable(t.Add(-time.Nanosecond)) }
