package domain

import "time"

// A User is an account.
type User struct {
	Name      UserName
	CreatedOn time.Time
}

// A Session is one sign-in of a user.
type Session struct {
	User      UserName
	ExpiresOn time.Time
}

// A WrongPasswordError says that a password was wrong of an account that exists. Which
// account is for the log alone: whoever tries to sign in must not learn which names exist.
type WrongPasswordError struct {
	User UserName
	// Told is what whoever tried it is told: ErrNotSignedIn, or ErrKeyReused for the key of
	// a sign-up.
	Told error
}

func (e *WrongPasswordError) Error() string {
	return "wrong password of " + string(e.User)
}

// Unwrap returns ErrNotSignedIn.
func (e *WrongPasswordError) Unwrap() error { return e.Told }
