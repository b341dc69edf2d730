package domain

import (
	"strings"
	"time"
)

// A User is an account.
type User struct {
	Name      UserName
	CreatedOn time.Time
	// Ends is until when the deletion of the account can be undone. It is zero unless the account is being deleted.
	Ends time.Time
	// Closed reports whether an operator has asked for that, so that the user cannot sign in to undo it.
	Closed bool
	// ResetBy is the operator with whose link the password was last set, on ResetOn. It is empty if the user has set it.
	ResetBy UserName
	ResetOn time.Time
	// HasDigest reports whether the user has a personal feed.
	HasDigest bool
}

// Leaves reports whether the account is being deleted, which can be undone.
func (u User) Leaves() bool { return !u.Ends.IsZero() }

// An Invitation makes one account, unless it is taken back or ends before.
type Invitation struct {
	// ID names it to operators. It does not give its secret.
	ID string
	// By is the operator who made it. It is empty if it was made on the command line.
	By                   UserName
	CreatedOn, ExpiresOn time.Time
	// UsedBy is the name for which it was used. It is empty while it can be used.
	UsedBy UserName
}

// DeletedUser is the author of a post whose author is gone and let it stay. No account can have
// the name, because it contains a space.
const DeletedUser UserName = "deleted user"

// Handle is how a user is shown: "@ada".
func (n UserName) Handle() string {
	if n == DeletedUser {
		return string(n)
	}
	return "@" + string(n)
}

// NameKept is for how long no other account can have the name of one that was deleted.
const NameKept = 30 * 24 * time.Hour

// OfFormerAccount reports whether what was done in a name at one time was done by an account that had
// the name before the present one, which was made at another. For NameKept between the two, no account
// had the name. Half of that is for clocks that differ.
func OfFormerAccount(on, made time.Time) bool { return on.Before(made.Add(-NameKept / 2)) }

// AccountState reports whether an account can be used.
type AccountState string

// The states of an account. AccountPending can be undone; AccountErasing is past the point of no
// return (the pivot). Of an account that is gone, the name and the epoch are left.
const (
	AccountActive  AccountState = ""
	AccountPending AccountState = "pending"
	AccountErasing AccountState = "erasing"
	AccountGone    AccountState = "gone"
)

// An Erasure is the request to delete an account with all that its user has made.
type Erasure struct {
	User UserName
	// ID tells the requests of one name apart. It is empty without one.
	ID    Incarnation
	State AccountState
	// RequestedOn is when it was asked for. UndoableUntil is until when no worker takes the account past
	// the pivot; it is the same time if the deletion cannot be undone.
	RequestedOn, UndoableUntil time.Time
	// KeepPosts reports whether posts in the channels of others stay, as those of DeletedUser.
	KeepPosts bool
	// ByOperator is the operator of the site who asked for it. It is empty if the user did.
	ByOperator UserName
}

// Ref names the request as that to delete a channel is named. No channel has such a key.
func (e Erasure) Ref() ChannelRef {
	return ChannelRef{Key: accountKey + ChannelKey(e.User), Incarnation: e.ID}
}

// Message asks for the deletion.
func (e Erasure) Message() Message {
	m := Message{Kind: MessageAccount, Channel: e.Ref().Key, Incarnation: e.ID, RequestedBy: e.User, RequestedOn: e.RequestedOn, KeepPosts: e.KeepPosts, ByOperator: e.ByOperator}
	if e.UndoableUntil.After(e.RequestedOn) {
		m.UndoableUntil = e.UndoableUntil
	}
	return m
}

// UndoableBy reports whether an actor may undo it: its user, and each operator if one of them has asked for it.
func (e Erasure) UndoableBy(by Actor) bool {
	if e.ByOperator != "" {
		return by.Operator
	}
	return by.User != "" && by.User == e.User
}

// accountKey is how the key of an account begins, among those of channels.
const accountKey = "@"

// AccountOf is the user whose account has this key. It is empty if that is a channel's.
func (k ChannelKey) AccountOf() UserName {
	name, is := strings.CutPrefix(string(k), accountKey)
	if parsed, err := ParseUserName(name); is && err == nil && string(parsed) == name {
		return parsed
	}
	return ""
}

// A Session is one sign-in of a user.
type Session struct {
	User      UserName
	ExpiresOn time.Time
	// Ends is from when on the account may be gone. It is zero unless its deletion was asked for,
	// which can be undone until then.
	Ends time.Time
}

// A WrongPasswordError says that a password was wrong of an account that exists. Which
// account is for the log alone: a client that tries to sign in must not learn which names exist.
type WrongPasswordError struct {
	User UserName
	// Told is what the client is told: ErrNotSignedIn, or ErrKeyReused for the key of
	// a sign-up.
	Told error
}

func (e *WrongPasswordError) Error() string {
	return "wrong password of " + string(e.User)
}

// Unwrap returns ErrNotSignedIn.
func (e *WrongPasswordError) Unwrap() error { return e.Told }
