package account

import "context"

// HashSignIn and HashSignUp do work in a slot of password hashing, as a sign-in or a
// sign-up does.
func (a *Accounts) HashSignIn(ctx context.Context, work func()) error {
	return a.hashing.inSlot(ctx, work)
}

func (a *Accounts) HashSignUp(ctx context.Context, work func()) error {
	return a.hashing.alone(ctx, func() error { return a.hashing.inSlot(ctx, work) }, signingUp)
}

// HashAttempt does work as HashSignIn does, alone.
func (a *Accounts) HashAttempt(ctx context.Context, t Attempt, work func()) error {
	return a.hashing.alone(ctx, func() error { return a.hashing.inSlot(ctx, work) }, "address "+t.Address, "account "+throttleName(t.Name))
}
