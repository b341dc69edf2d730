package schema

import (
	"fmt"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// The names of properties. A name means the same in each kind of row that has it.
const (
	PropAttempts = "Attempts"
	PropBlocked  = "Blocked" // as EncodeAccounts writes them
	PropBlog     = "Blog"
	PropBody     = "Body" // a hash of what was sent
	// PropByOperator is the operator who asked for a deletion, or who made a link.
	PropByOperator   = "ByOperator"
	PropChannel      = "Channel" // its key
	PropCreatedOn    = "CreatedOn"
	PropDigestSecret = "DigestSecret"
	PropEditedOn     = "EditedOn"
	PropDueOn        = "DueOn"
	PropEnded        = "Ended"
	// PropEpoch is a number of the account that grows, which ends all sessions that have
	// another.
	PropEpoch        = "Epoch"
	PropExpiresOn    = "ExpiresOn"
	PropFailures     = "Failures"
	PropFinishedOn   = "FinishedOn"
	PropIncarnation  = "Incarnation"
	PropInvitedBy    = "InvitedBy"
	PropKeepPosts    = "KeepPosts"
	PropKnownUntil   = "KnownUntil"
	PropLastDelivery = "LastDelivery"
	PropLink         = "Link"
	PropMembers      = "Members" // as EncodeAccounts writes them
	PropName         = "Name"
	// PropOnce is the hash of the idempotency key that made the row.
	PropOnce     = "Once"
	PropOwner    = "Owner"
	PropPassword = "Password"
	PropPosting  = "Posting"
	PropRating   = "Rating"
	// PropRepliedOn is when a post was last replied to, and PropReply the reply that a key has made.
	PropRepliedOn   = "RepliedOn"
	PropReply       = "Reply"
	PropRequestedBy = "RequestedBy"
	PropRequestedOn = "RequestedOn"
	// PropResetBy is the operator with whose link the password was set. It is empty if its user has set it.
	PropResetBy = "ResetBy"
	PropResetOn = "ResetOn"
	PropRetryOn = "RetryOn"
	// PropRevision is the identity of the row's last write that has one: of a post its last edit, and
	// not a vote. PropRevisions are the last few,
	// oldest first, separated by spaces.
	PropRevision     = "Revision"
	PropRevisions    = "Revisions"
	PropRole         = "Role"
	PropRowsDeleted  = "RowsDeleted"
	PropSignIns      = "SignIns"
	PropState        = "State"
	PropStep         = "Step"
	PropSubscribedOn = "SubscribedOn"
	// PropText is also how the properties of a poison message begin: Text0, Text1 and so on.
	PropText  = "Text"
	PropSteps = "Steps"
	// PropUndoableUntil counts in a channel only while that is pending. PropUndoCount is how many
	// undos it had; in a record, before the request that it is about.
	PropUndoableUntil = "UndoableUntil"
	PropUndoCount     = "UndoCount"
	PropUpdatedOn     = "UpdatedOn"
	PropUser          = "User"
	PropUserID        = "UserId"
	PropVersion       = "Version"
	// PropWaiting reports whether the time in PropWaitingSince counts: a merge cannot take a
	// property away.
	PropWaiting      = "Waiting"
	PropWaitingSince = "WaitingSince"
	PropWindowEnds   = "WindowEnds"
	PropWrittenOn    = "WrittenOn"
)

// always are properties that no row of a kind lacks.
func always(names ...string) []Property { return properties(names, false) }

// sometimes are properties that a row of a kind may lack.
func sometimes(names ...string) []Property { return properties(names, true) }

// written are the properties with what a person writes. The first so many were always there: a row
// that is older than a later field lacks it.
func written(fields []domain.Field, first int) (list []Property) {
	for i, field := range fields {
		list = append(list, Property{FieldProperty(field), driver.KindString, i >= first})
	}
	return list
}

// EncodeFields returns the properties that hold fields.
func EncodeFields(fields []domain.Field) driver.Properties {
	p := make(driver.Properties, 0, len(fields)+8) // with room for the others of a row
	for _, field := range fields {
		p = append(p, driver.String(FieldProperty(field), *field.Text))
	}
	return p
}

// DecodeFields reads fields from the properties that hold them.
func DecodeFields(p driver.Properties, fields []domain.Field) {
	for _, field := range fields {
		*field.Text = p.String(FieldProperty(field))
	}
}

// EncodeAccounts writes accounts into one text. It says of each when it was made, since another may have its
// name later. One that was never made has no time.
func EncodeAccounts(accounts []domain.User) string {
	words := make([]string, len(accounts))
	for i, account := range accounts {
		words[i] = string(account.Name)
		if !account.CreatedOn.IsZero() {
			words[i] += "@" + account.CreatedOn.Format(time.RFC3339Nano)
		}
	}
	return strings.Join(words, " ")
}

// DecodeAccounts reads what EncodeAccounts wrote. The error is an ErrUnknownWord.
func DecodeAccounts(text string) (accounts []domain.User, err error) {
	for word := range strings.FieldsSeq(text) {
		var account domain.User
		name, since, made := strings.Cut(word, "@")
		if account.Name = domain.UserName(name); made {
			if account.CreatedOn, err = time.Parse(time.RFC3339Nano, since); err != nil {
				return nil, fmt.Errorf("%w %q: %w", ErrUnknownWord, word, err)
			}
		}
		accounts = append(accounts, account)
	}
	return accounts, nil
}

// FieldProperty is the property that holds a field.
func FieldProperty(field domain.Field) string {
	return strings.ToUpper(field.Name[:1]) + field.Name[1:]
}

func properties(names []string, optional bool) []Property {
	list := make([]Property, len(names))
	for i, name := range names {
		list[i] = Property{name, typeOf(name), optional}
	}
	return list
}

// typeOf is the type of a property. It is the same in each kind of row. A name that ends in On is of a time.
func typeOf(name string) driver.Kind {
	switch name {
	case PropAttempts, PropEpoch, PropFailures, PropLastDelivery, PropRating, PropRowsDeleted, PropSignIns, PropUndoCount:
		return driver.KindInt64
	case PropEnded, PropKeepPosts, PropLink, PropWaiting:
		return driver.KindBoolean
	case PropKnownUntil, PropUndoableUntil, PropWaitingSince, PropWindowEnds:
		return driver.KindDateTime
	case PropBlocked, PropBlog, PropBody, PropByOperator, PropChannel, PropDigestSecret, PropIncarnation, PropInvitedBy, PropMembers, PropName, PropOnce, PropOwner,
		PropPassword, PropPosting, PropReply, PropRequestedBy, PropResetBy, PropRevision, PropRevisions, PropRole, PropState, PropStep, PropSteps, PropText,
		PropUser, PropUserID, PropVersion:
		return driver.KindString
	}
	if strings.HasSuffix(name, "On") {
		return driver.KindDateTime
	}
	panic("schema: nothing says what type the property " + name + " has: add it to typeOf in property.go")
}
