package domain

import (
	"crypto/rand"
	"strings"
)

// An Incarnation is the identity of a channel between its creation and its
// deletion. A channel that is created again under the same name has another one.
// It is random, made once, and safe in keys, URLs and ETags.
type Incarnation string

// NewIncarnation makes an incarnation that no channel has had before.
func NewIncarnation() Incarnation { return Incarnation(newRandomID()) }

// A Revision is the identity of one version of a row. Unlike the store's ETag, the
// writer chooses it: a writer that lost the reply reads the row again and
// recognises its own revision.
type Revision string

// NewRevision makes a revision that no row has had before.
func NewRevision() Revision { return Revision(newRandomID()) }

// newRandomID makes 26 characters of A-Z and 2-7 with 130 bits of randomness.
func newRandomID() string { return rand.Text() }

// isRandomID reports whether newRandomID could have made s. Text from outside must pass it
// before it becomes part of a key.
func isRandomID(s string) bool {
	return len(s) == 26 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// ParseIncarnation accepts only what NewIncarnation can make, and returns
// ErrNotFound for anything else.
func ParseIncarnation(s string) (Incarnation, error) {
	if !isRandomID(s) {
		return "", ErrNotFound
	}
	return Incarnation(s), nil
}
