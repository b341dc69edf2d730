package storage

import (
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// A row that is read and then written conditionally carries the revision of its last
// write, and a short history. A writer whose write "conflicts" reads the row again
// and looks for its own revision. If the revision is there, the conflict was the
// echo of its own write, whose reply was lost. The history is for the case that
// others wrote to the row after it.
const (
	// revisionHistory is the largest number of revisions in the history.
	revisionHistory = 8
)

// stamp returns the properties that add a new revision to a row's history.
func stamp(row driver.Properties, revision domain.Revision) driver.Properties {
	history := strings.Fields(row.String(schema.PropRevisions))
	history = append(history, string(revision))
	if excess := len(history) - revisionHistory; excess > 0 {
		history = history[excess:]
	}
	return driver.Properties{
		driver.String(schema.PropRevision, revision),
		driver.String(schema.PropRevisions, strings.Join(history, " ")),
	}
}

// bears tells whether one of the row's last writes, as far as its history goes, had
// this revision.
func bears(row driver.Properties, revision domain.Revision) bool {
	return strings.Contains(row.String(schema.PropRevisions), string(revision))
}
