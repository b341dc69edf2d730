package domain

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// What the failure of an operation can mean. A storage driver or an operation
// makes each error once and wraps one of these. The web maps it once to a status
// and a page. Test for them with errors.Is.
var (
	// ErrNotFound: there is no such row, channel, post, user or session.
	ErrNotFound = errors.New("not found")
	// ErrExists: the row, or the name, is already taken.
	ErrExists = errors.New("already exists")
	// ErrStillDeleting: the name is taken by a channel whose deletion has not
	// finished. It is an ErrExists.
	ErrStillDeleting = fmt.Errorf("%w: still being deleted", ErrExists)
	// ErrOperatorName: an operator has the name, so no visitor can sign up with it. It is an ErrExists.
	ErrOperatorName = fmt.Errorf("%w: the name of an operator", ErrExists)
	// ErrConflict: a condition on an ETag or a revision did not hold.
	ErrConflict = errors.New("changed in between")
	// ErrTooLate: the deletion cannot be undone any more.
	ErrTooLate = errors.New("too late to undo")
	// ErrGone: the channel is being deleted.
	ErrGone = errors.New("gone")
	// ErrPostGone: this idempotency key made a post that has been deleted, or the post that a reply
	// answers is not there. It is an ErrGone.
	ErrPostGone = fmt.Errorf("%w: the post was deleted since", ErrGone)
	// ErrReplyGone: this idempotency key made a reply that has been deleted. It is an ErrGone.
	ErrReplyGone = fmt.Errorf("%w: the reply was deleted since", ErrGone)
	// ErrChannelGone: this idempotency key made a channel that has been deleted. It
	// is an ErrGone.
	ErrChannelGone = fmt.Errorf("%w: the channel was deleted since", ErrGone)
	// ErrInvitationOver: the invitation was used, was taken back, has ended or never was. It is an ErrGone.
	ErrInvitationOver = fmt.Errorf("%w: the invitation was used, or is over", ErrGone)
	// ErrKeyReused: the idempotency key was used before, for another body.
	ErrKeyReused = errors.New("idempotency key used for another request")
	// ErrNotSignedIn: the caller has not signed in, or the credentials are wrong.
	ErrNotSignedIn = errors.New("not signed in")
	// ErrForbidden: the caller is known but may not do this.
	ErrForbidden = errors.New("permission denied")
	// ErrOwnerPosts: only the owner posts to the channel. It is an ErrForbidden.
	ErrOwnerPosts = fmt.Errorf("%w: only the owner posts there", ErrForbidden)
	// ErrMembersPost: only the owner and the channel's members post to it. It is an ErrForbidden.
	ErrMembersPost = fmt.Errorf("%w: only members post there", ErrForbidden)
	// ErrBlocked: the owner of the channel has blocked the caller there. It is an ErrForbidden.
	ErrBlocked = fmt.Errorf("%w: blocked there by the owner", ErrForbidden)
	// ErrAccountEnds: the account of the caller is being deleted. It is an ErrForbidden.
	ErrAccountEnds = fmt.Errorf("%w: the account is being deleted", ErrForbidden)
	// ErrAccountClosed: an operator of the site has closed the account. It is an ErrForbidden.
	ErrAccountClosed = fmt.Errorf("%w: an operator has closed the account", ErrForbidden)
	// ErrLimit: the request breaks a limit of Azure Storage. No driver saw it, and
	// nothing was written.
	ErrLimit = errors.New("storage limit")
	// ErrLeaseLost: the message has been deleted, or its lease ran out and another
	// worker received it. The caller must stop working on it.
	ErrLeaseLost = errors.New("lease lost")
	// ErrBusy: too many others do the same at this moment. Nothing was done.
	ErrBusy = errors.New("too busy")
	// ErrUnavailable: the store did not answer, or answered that it cannot serve
	// now. A write may have taken effect or not.
	ErrUnavailable = errors.New("storage unavailable")
	// ErrConfiguration: the store refuses the key, the credential or the role of this program. It
	// lasts until an operator changes that. It is an ErrUnavailable.
	ErrConfiguration error = kindOf{"wrong configuration: the account refuses the key, or the credential lacks its roles", ErrUnavailable}
	// ErrMissing: the table or the queue does not exist. It is an ErrConfiguration.
	ErrMissing error = kindOf{"no such table or queue", ErrConfiguration}
)

// A kindOf is an error that is of another as well, and does not say what that does.
type kindOf struct {
	text string
	of   error
}

func (e kindOf) Error() string { return e.text }

func (e kindOf) Unwrap() error { return e.of }

// FieldError says what is wrong with one field of a request.
type FieldError struct {
	Field  string `json:"field"`
	Detail string `json:"detail"`
}

// InvalidError says that input breaks a rule. Its details are written for the
// person who typed the input.
type InvalidError struct {
	Fields []FieldError
}

func (e *InvalidError) Error() string {
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = f.Field + ": " + f.Detail
	}
	return "invalid: " + strings.Join(parts, "; ")
}

// Invalid makes an InvalidError of one field.
func Invalid(field, format string, args ...any) error {
	return &InvalidError{Fields: []FieldError{{Field: field, Detail: fmt.Sprintf(format, args...)}}}
}

// JoinInvalid makes one InvalidError with the fields of all InvalidErrors in
// errs, so that a form shows everything that is wrong together. If errs has an
// error of another kind, JoinInvalid returns the first of those. It returns nil if
// all are nil.
func JoinInvalid(errs ...error) error {
	var all InvalidError
	for _, err := range errs {
		var invalid *InvalidError
		switch {
		case err == nil:
		case errors.As(err, &invalid):
			all.Fields = append(all.Fields, invalid.Fields...)
		default:
			return err
		}
	}
	if len(all.Fields) == 0 {
		return nil
	}
	return &all
}

// PendingError is an ErrGone of a channel whose deletion may still be undone.
type PendingError struct {
	// Channel is as its row says. The deletion's record, which decides, may say an earlier time of undo if a
	// request died and the user asked again.
	Channel Channel
}

func (e *PendingError) Error() string { return "is being deleted, unless that is undone" }

// Unwrap returns ErrGone.
func (e *PendingError) Unwrap() error { return ErrGone }

// StaleError refuses an edit or a deletion of a revision that is no longer the
// current one. It is an ErrConflict and holds the post as it is now.
type StaleError struct {
	Current Blog
}

func (e *StaleError) Error() string { return "the post was edited in between" }

// Unwrap makes a StaleError an ErrConflict.
func (e *StaleError) Unwrap() error { return ErrConflict }

// ReplacedError refuses a request that was made for another incarnation of a channel's
// name than the one that has it now. It is an ErrNotFound, since the incarnation is gone,
// and an ErrConflict, since the name belongs to another.
type ReplacedError struct {
	// Current is the channel that has the name now.
	Current Channel
}

func (e *ReplacedError) Error() string { return "another channel has the name now" }

// Unwrap makes a ReplacedError an ErrNotFound and an ErrConflict.
func (e *ReplacedError) Unwrap() []error { return []error{ErrNotFound, ErrConflict} }

// TooManyChannelsError refuses a channel to an owner who has as many as allowed. Nothing
// was created.
type TooManyChannelsError struct {
	Limit int
}

func (e *TooManyChannelsError) Error() string {
	return fmt.Sprintf("the owner has %d channels, and may have no more", e.Limit)
}

// ThrottledError refuses an attempt to sign in because too many failed before, or to
// sign up because too many accounts were made.
type ThrottledError struct {
	// RetryAfter is the time until the next attempt is allowed.
	RetryAfter time.Duration
	// Limit is how many attempts are allowed in Window.
	Limit  int64
	Window time.Duration
	// SignUps reports whether too many accounts were made. Otherwise too many sign-ins failed.
	SignUps bool
}

func (e *ThrottledError) Error() string {
	return fmt.Sprintf("too many attempts, try again in %s", e.RetryAfter.Round(time.Second))
}
