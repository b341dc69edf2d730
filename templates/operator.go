package templates

import (
	"time"

	"microblogging/domain"
)

// An Operating is the page of accounts at [OperatorPath], which only operators see. Its forms post action=link, close or
// open, user and, to close, posts to that path.
type Operating struct {
	Form
	Accounts []domain.User
	// Contains is the part of the names that was asked for.
	Contains  string
	Operators domain.Operators
	// Undo is for how long the closing of an account can be undone.
	Undo time.Duration
	// Waiting are deletions that wait for an operator, at most MaxWaiting of them.
	Waiting []domain.Message
	// Backups reports whether this program makes backups. LastBackup is zero if there was none.
	Backups    bool
	LastBackup time.Time
	Part
}

// MaxWaiting is how many deletions that wait for an operator are shown.
const MaxWaiting = 20

// mayAct reports whether an operator can do something to an account on this page: open one that is closed, and else not
// to that of an operator, nor to one that its user deletes.
func (v Operating) mayAct(u domain.User) bool {
	return u.Closed || !v.Operators.Has(u.Name) && !u.Leaves()
}

// ends says what becomes of an account that is closed.
func (v Operating) ends() string {
	if v.Undo == 0 {
		return "The account and its channels will be deleted. This cannot be undone."
	}
	return "For " + wait(v.Undo) + ", operators can open it again. Then the account and its channels are deleted."
}

func (v Operating) path() string { return with(OperatorPath, "contains", v.Contains) }

// Invitations is the page at [OperatorInvitationsPath]. Its forms post action=invite, or action=revoke and id, to that
// path.
type Invitations struct {
	Items []domain.Invitation
	// Link is one that was just made, and works until Until. It is shown once.
	Link  string
	Until time.Time
	Part
}

// A PasswordLink is a link for a user, which is shown once.
type PasswordLink struct {
	For   domain.UserName
	Link  string
	Until time.Time
}

// failed says what a deletion is of.
func failed(m domain.Message) string {
	switch m.Kind {
	case domain.MessageAccount:
		return "the account of " + string(m.RequestedBy)
	case domain.MessageBlog:
		return "a post in " + string(m.Name)
	case domain.MessageChannel:
		return string(m.Name)
	}
	return "a message that cannot be read"
}
