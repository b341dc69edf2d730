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
	// Posts is the choice that was sent with a refused form, "delete" or "keep".
	Posts string
	// Ends is until when it can be undone. It is zero if the reader has not asked for it.
	Ends time.Time
	// Undo is for how long it can be undone.
	Undo time.Duration
	// Progress is how far a deletion has come, for a visitor who has its address. It is nil without one.
	Progress *domain.Deletion
}

// ErasurePath is where a user who is signed out sees how far the deletion of their account has
// come.
func ErasurePath(e domain.Erasure) string {
	return EraseAccountPath + "?of=" + string(e.User) + "." + string(e.ID)
}

// underWay reports whether the page will soon say something else.
func (v Erasure) underWay() bool {
	return v.Progress != nil && (v.Progress.State == domain.DeletionQueued || v.Progress.State == domain.DeletionRunning)
}

// headline says in a few words how far the deletion has come.
func (v Erasure) headline() string {
	return map[domain.DeletionState]string{
		domain.DeletionPending: "Your account will be deleted", domain.DeletionUndone: "Your account stays",
		domain.DeletionDone: "Your account is gone", domain.DeletionPoisoned: "The deletion has stopped",
	}[v.Progress.State]
}

// step says what is being removed.
func (v Erasure) step() string {
	return map[domain.Step]string{
		domain.StepChannels: "your channels", domain.StepFence: "what is still under way", domain.StepPosts: "your posts",
		domain.StepVotes: "your votes", domain.StepSubscriptions: "your subscriptions", domain.StepRelease: "your account",
	}[v.Progress.Step]
}

func (v Erasure) undoable() string {
	if v.Undo > 0 {
		return "Every session ends immediately. For " + wait(v.Undo) + " you can sign in and undo this. Meanwhile no page shows your channels and posts; posts that you keep are shown without your name. After that, all but the posts that you keep is gone for good."
	}
	return "Every session ends immediately, and all but the posts that you keep is gone for good. It cannot be undone."
}

// removed says how much has gone.
func (v Erasure) removed() string {
	switch of := v.Progress; {
	case of.State == domain.DeletionPoisoned:
		return "The work has stopped. The operator of this site has to restart it."
	case v.underWay() && v.step() != "":
		return "Now: " + v.step() + "."
	case of.State == domain.DeletionDone:
		return "With it went your channels, your votes and your subscriptions. " + nameKept(of.RequestedBy)
	case of.State == domain.DeletionUndone:
		return "Nothing of yours was touched."
	}
	return ""
}

func nameKept(name domain.UserName) string {
	return "No other user can take the name " + string(name) + " for " + strconv.Itoa(int(domain.NameKept.Hours()/24)) + " days."
}
