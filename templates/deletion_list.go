package templates

import "time"

// A DeletionItem is an item of the list of one's own deletions.
type DeletionItem struct {
	Channel     string
	Incarnation string
	// State is one of queued, running, done and poisoned.
	State       string
	RowsDeleted int64
	RequestedOn time.Time
}

// Deletions is the list of the deletions that the reader asked for, the newest first.
type Deletions struct {
	Items []DeletionItem
	// After is the continuation token where this page starts. It is empty on the first.
	After string
	// Next is the continuation token of the next page. It is empty on the last.
	Next string
}

// state says in a word or two how far the deletion has come.
func (i DeletionItem) state() string {
	switch i.State {
	case DeletionDone:
		return "Deleted"
	case DeletionPoisoned:
		return "Stopped"
	case DeletionQueued:
		return "Waiting for a worker"
	}
	return "Under way"
}
