package domain

import "crypto/rand"

// An Incarnation tells one life of a channel name from the next. It is random,
// minted once, and safe in keys, URLs and ETags.
type Incarnation string

// NewIncarnation mints an incarnation that never was before.
func NewIncarnation() Incarnation { return Incarnation(newToken()) }

// A Revision tells one version of a row from the next, independently of the
// store's ETag: whoever wrote a row and lost the reply recognises its own
// revision when it reads again.
type Revision string

// NewRevision mints a revision that never was before.
func NewRevision() Revision { return Revision(newToken()) }

// newToken is 26 characters of A-Z and 2-7 with 130 bits of randomness.
func newToken() string { return rand.Text() }

// isToken tells whether s could have come from newToken. Rows and URLs from
// elsewhere are checked with it before they become part of a key.
func isToken(s string) bool {
	if len(s) != 26 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'A' || c > 'Z') && (c < '2' || c > '7') {
			return false
		}
	}
	return true
}

// ParseIncarnation accepts only what NewIncarnation can mint.
func ParseIncarnation(s string) (Incarnation, error) {
	if !isToken(s) {
		return "", ErrNotFound
	}
	return Incarnation(s), nil
}
