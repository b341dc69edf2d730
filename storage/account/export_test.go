package account

import (
	"context"
	"time"
)

// HashSignIn and HashSignUp do work in a slot of password hashing, as a sign-in or a
// sign-up does.
func (s *Accounts) HashSignIn(ctx context.Context, work func()) error {
	return s.hashing.signingIn(ctx, work)
}

func (s *Accounts) HashSignUp(ctx context.Context, work func()) error {
	late := time.NewTimer(signUpWait)
	defer late.Stop()
	return s.hashing.signingUp(ctx, late.C, work)
}

// HashAttempt does work as HashSignIn does, alone.
func (s *Accounts) HashAttempt(ctx context.Context, a Attempt, work func()) error {
	return s.hashing.alone(ctx, a, func() error { return s.hashing.signingIn(ctx, work) })
}
