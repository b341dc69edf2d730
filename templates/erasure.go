package templates

import (
	"strconv"
	"time"

	"microblogging/domain"
)

// An Erasure is the page on which a reader deletes their account, or undoes that. It posts
// action=delete, password and posts, or action=undo, to [EraseAccountPath].
type Erasure struct {
	Form
	// Ends is until when it can be undone. It is zero if the reader has not asked for it.
	Ends time.Time
	// Undo is for how long it can be undone.
	Undo time.Duration
}

func (v Erasure) undoable() string {
	if v.Undo > 0 {
		return "Every session ends at once. For " + wait(v.Undo) + " it can be undone by signing in. After that, all is gone for good."
	}
	return "Every session ends at once, and all is gone for good. It cannot be undone."
}

func nameKept(name domain.UserName) string {
	return "Nobody else can have the name " + string(name) + " for " + strconv.Itoa(int(domain.NameKept.Hours()/24)) + " days."
}
