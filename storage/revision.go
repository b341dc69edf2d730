package storage

import (
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Rows that are changed by reading and writing conditionally carry the revision
// of their last write and a short history. A writer whose conditional write
// "conflicts" reads again and looks for the revision that it minted: finding it
// means that the conflict was the echo of its own write, whose reply was lost.
// The history covers others who wrote after it.
const (
	propRevision    = "Revision"
	propRevisions   = "Revisions"
	revisionHistory = 8
)

// stamp is the properties that record a new revision on top of a row's history.
func stamp(row driver.Properties, revision domain.Revision) driver.Properties {
	history := strings.Fields(row.String(propRevisions))
	history = append(history, string(revision))
	if excess := len(history) - revisionHistory; excess > 0 {
		history = history[excess:]
	}
	return driver.Properties{
		driver.String(propRevision, revision),
		driver.String(propRevisions, strings.Join(history, " ")),
	}
}

// bears tells whether the row was written, not long ago, under the revision.
func bears(row driver.Properties, revision domain.Revision) bool {
	return strings.Contains(row.String(propRevisions), string(revision))
}
