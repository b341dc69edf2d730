package domain

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// The meanings that an operation's failure can have. An error is born once, at
// a storage driver or in an operation, wraps one of these, and is mapped once,
// to a status and a page. Test for them with errors.Is.
var (
	// ErrNotFound: there is no such row, channel, post, user or session.
	ErrNotFound = errors.New("not found")
	// ErrExists: the row, or the name, is already taken.
	ErrExists = errors.New("already exists")
	// ErrStillDeleting: the name is taken by a channel whose deletion has not
	// finished. It is an ErrExists.
	ErrStillDeleting = fmt.Errorf("%w: still being deleted", ErrExists)
	// ErrConflict: a condition on an ETag or a revision did not hold.
	ErrConflict = errors.New("changed in between")
	// ErrGone: the channel is being deleted.
	ErrGone = errors.New("gone")
	// ErrPostGone: the post that this idempotency key made has been deleted
	// since. It is an ErrGone.
	ErrPostGone = fmt.Errorf("%w: the post was deleted since", ErrGone)
	// ErrKeyReused: the idempotency key was used before, for another body.
	ErrKeyReused = errors.New("idempotency key used for another request")
	// ErrNotSignedIn: the caller must sign in, or did so with wrong credentials.
	ErrNotSignedIn = errors.New("not signed in")
	// ErrForbidden: the caller is known, and this is not theirs to do.
	ErrForbidden = errors.New("not yours")
	// ErrLimit: a request breaks a limit of Azure Storage. It was refused before
	// any driver saw it; nothing was written.
	ErrLimit = errors.New("storage limit")
	// ErrLeaseLost: the message has been settled, or its lease ran out and it
	// was handed to somebody else. Whoever sees this must stop working on it.
	ErrLeaseLost = errors.New("lease lost")
	// ErrUnavailable: the store did not answer, or answered that it cannot now.
	// Whether a write took effect is unknown.
	ErrUnavailable = errors.New("storage unavailable")
)

// FieldError says what is wrong with one field of a request.
type FieldError struct {
	Field  string `json:"field"`
	Detail string `json:"detail"`
}

// InvalidError is input that breaks a rule. Its details are written for the
// person who typed it.
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

// JoinInvalid gathers the fields of all InvalidErrors among errs into one, so
// that a form shows everything that is wrong at once. It returns the first
// error of another kind instead if there is one, and nil if all are nil.
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

// StaleError is an edit or a deletion that named a revision which no longer
// stands. It is an ErrConflict and carries the post as it is now.
type StaleError struct {
	Current Blog
}

func (e *StaleError) Error() string { return "the post was edited in between" }

// Unwrap makes a StaleError an ErrConflict.
func (e *StaleError) Unwrap() error { return ErrConflict }

// TooManyChannelsError refuses a channel to an owner who has as many as allowed. Nothing
// was created.
type TooManyChannelsError struct {
	Limit int
}

func (e *TooManyChannelsError) Error() string {
	return fmt.Sprintf("the owner has %d channels, and may have no more", e.Limit)
}

// ThrottledError refuses a sign-in attempt because too many failed before.
type ThrottledError struct {
	// RetryAfter is how long it takes until an attempt is counted afresh.
	RetryAfter time.Duration
}

func (e *ThrottledError) Error() string {
	return fmt.Sprintf("too many failed attempts, try again in %s", e.RetryAfter.Round(time.Second))
}
