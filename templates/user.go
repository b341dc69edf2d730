package templates

import (
	"time"

	"microblogging/domain"
)

// A User is the public page of a user, at [UserPath].
type User struct {
	domain.User
	// Channels are the channels that the user owns.
	Channels []domain.Channel
	// After is the continuation token where this page starts. It is empty on the
	// first page.
	After string
	// Next is the continuation token of the next page. It is empty on the last.
	Next string
}

func (v User) frame() frame {
	path := UserPath(v.Name)
	if v.After != "" {
		path = continued(path, v.After)
	}
	return frame{Title: "@" + string(v.Name), About: "@" + string(v.Name) + " writes here since " + dateOf(v.CreatedOn) + ". These are their channels.", Path: path}
}

// dateOf is the day of an instant in words, in UTC.
func dateOf(t time.Time) string { return t.UTC().Format("2 January 2006") }
