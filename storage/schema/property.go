package schema

import "microblogging/storage/driver"

// The names of properties. A name means the same in each kind of row that has it.
const (
	PropAttempts     = "Attempts"
	PropBlog         = "Blog"
	PropBody         = "Body" // a hash of what was sent
	PropCopies       = "Copies"
	PropCreatedOn    = "CreatedOn"
	PropDescription  = "Description"
	PropDigestSecret = "DigestSecret"
	PropEditedOn     = "EditedOn"
	PropEnded        = "Ended"
	// PropEpoch is a number of the account that grows, which ends all sessions that have
	// another.
	PropEpoch        = "Epoch"
	PropExpiresOn    = "ExpiresOn"
	PropFailures     = "Failures"
	PropFinishedOn   = "FinishedOn"
	PropIncarnation  = "Incarnation"
	PropKnownUntil   = "KnownUntil"
	PropLastDelivery = "LastDelivery"
	PropLink         = "Link"
	PropName         = "Name"
	// PropOnce is the hash of the idempotency key that made the row.
	PropOnce        = "Once"
	PropOver        = "Over"
	PropOwner       = "Owner"
	PropPassword    = "Password"
	PropRating      = "Rating"
	PropRequestedBy = "RequestedBy"
	PropRequestedOn = "RequestedOn"
	PropRetryOn     = "RetryOn"
	// PropRevision is the identity of the row's last write. PropRevisions are the last few,
	// oldest first, separated by spaces.
	PropRevision     = "Revision"
	PropRevisions    = "Revisions"
	PropRole         = "Role"
	PropRowsDeleted  = "RowsDeleted"
	PropSignIns      = "SignIns"
	PropState        = "State"
	PropStep         = "Step"
	PropSubscribedOn = "SubscribedOn"
	// PropText is also how the properties of an unread message begin: Text0, Text1 and so on.
	PropText        = "Text"
	PropTitle       = "Title"
	PropTrace       = "Trace"
	PropTraceParent = "TraceParent"
	PropUpdatedOn   = "UpdatedOn"
	PropUsedBy      = "UsedBy"
	PropUser        = "User"
	PropUserID      = "UserId"
	// PropWaiting tells whether the time in PropWaitingSince counts: a merge cannot take a
	// property away.
	PropWaiting      = "Waiting"
	PropWaitingSince = "WaitingSince"
	PropWindowEnds   = "WindowEnds"
	PropWorkers      = "Workers"
	PropWrittenOn    = "WrittenOn"
)

func texts(names ...string) []Property    { return typed(driver.KindString, names) }
func numbers(names ...string) []Property  { return typed(driver.KindInt64, names) }
func instants(names ...string) []Property { return typed(driver.KindDateTime, names) }
func truths(names ...string) []Property   { return typed(driver.KindBoolean, names) }

func hashes(names ...string) []Property {
	properties := texts(names...)
	for i := range properties {
		properties[i].Hashed = true
	}
	return properties
}

func typed(kind driver.Kind, names []string) []Property {
	var properties []Property
	for _, name := range names {
		properties = append(properties, Property{Name: name, Type: kind})
	}
	return properties
}

func optional(properties []Property) []Property {
	for i := range properties {
		properties[i].Optional = true
	}
	return properties
}
