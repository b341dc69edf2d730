package storage

import (
	"context"
	"time"
)

// EncodeCursor lets a test forge a cursor. Anybody can, since its checksum is no
// secret.
func EncodeCursor(list, position string) string { return encodeCursor(list, position) }

// HashSignIn and HashSignUp do work in a slot of password hashing, as a sign-in or a
// sign-up does.
func (s *Store) HashSignIn(ctx context.Context, work func()) error {
	return s.hashing.signingIn(ctx, work)
}

func (s *Store) HashSignUp(ctx context.Context, work func()) error {
	late := time.NewTimer(signUpWait)
	defer late.Stop()
	return s.hashing.signingUp(ctx, late.C, work)
}

// HashAttempt does work as HashSignIn does, alone.
func (s *Store) HashAttempt(ctx context.Context, a Attempt, work func()) error {
	return s.hashing.alone(ctx, a, func() error { return s.hashing.signingIn(ctx, work) })
}

// MaxCounts bounds Counts.
const MaxCounts = maxCounts

// Counts is how many numbers of subscribers the store keeps.
func (s *Store) Counts() int { return len(s.counts.kept) }

// VotedPosts is how many posts are being voted on.
func (s *Store) VotedPosts() int {
	s.votes.mu.Lock()
	defer s.votes.mu.Unlock()
	return len(s.votes.posts)
}
