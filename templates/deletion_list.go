package templates

import "microblogging/domain"

// Deletions is the list of the deletions that the reader asked for, the newest first.
type Deletions struct {
	Items []domain.Deletion
	// After is the continuation token where this page starts. It is empty on the first.
	After string
	// Next is the continuation token of the next page. It is empty on the last.
	Next string
}

// deletionState says in a word or two how far the deletion has come.
func deletionState(d domain.Deletion) string {
	switch d.State {
	case domain.DeletionDone:
		return "Deleted"
	case domain.DeletionPoisoned:
		return "Stopped"
	case domain.DeletionQueued:
		return "Waiting for a worker"
	}
	return "Under way"
}
