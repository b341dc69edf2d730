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
