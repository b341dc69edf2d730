package account_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/account"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
	"microblogging/storage/schema"
)

func TestInvitation(t *testing.T) {
	t.Run("makes one account, and its secret is not stored", bubble(invitationMakesOneAccount))
	t.Run("is unused after a sign-up that was refused", bubble(refusedSignUpLeavesInvitation))
	t.Run("makes no account once it is over, was taken back, or for a secret that is none", bubble(invitationEnds))
	t.Run("that was used cannot be taken back", bubble(usedInvitationStays))
	t.Run("is listed until it ends, the newest first, and then removed", bubble(invitationsAreListed))
	t.Run("is refused once there are a thousand", bubble(invitationsAreBounded))
	t.Run("ends when all sessions of a restored store end", bubble(invitationsEndWithSessions))
	for _, fault := range storetest.CallFaults {
		eachCall(t, fault.Name+": a sign-up that is sent again makes its account", func(w *world, n int) {
			secret := w.invitation("ada")
			w.Arm(fault.At(n))
			if _, _, err := w.invited(w.Faulty, secret, "bob", "k"); err != nil && !errors.Is(err, domain.ErrUnavailable) {
				w.T.Error(err)
			}
			_, _, err := w.invited(w.Store, secret, "bob", "k")
			w.OK(err)
			w.signedIn("bob", right)
		})
	}
}

// invitation makes one, and returns its secret.
func (w *world) invitation(by domain.UserName) string {
	w.T.Helper()
	secret, _, err := w.Store.Accounts.Invite(w.T.Context(), by)
	w.OK(err)
	return secret
}

// invited signs up with an invitation and a key.
func (w *world) invited(s *storage.Parts, secret, name, key string) (domain.User, bool, error) {
	return s.Accounts.Create(w.T.Context(), storage.SignUpRequest{Attempt: attempt(name, right), Key: key, Invitation: secret})
}

// invitations are those on the list.
func (w *world) invitations() []domain.Invitation {
	w.T.Helper()
	page, err := w.Store.Accounts.ListInvitations(w.T.Context(), "", 100)
	w.OK(err)
	return page.Items
}

func (w *world) mustBeOver(what, secret, name, key string) {
	w.T.Helper()
	if _, _, err := w.invited(w.Store, secret, name, key); !errors.Is(err, domain.ErrInvitationOver) || !errors.Is(err, domain.ErrGone) {
		w.T.Errorf("%s: %v, want %v", what, err, domain.ErrInvitationOver)
	}
	if _, err := w.Store.Accounts.Invitation(w.T.Context(), secret); !errors.Is(err, domain.ErrInvitationOver) {
		w.T.Errorf("%s: it can be used: %v", what, err)
	}
}

func invitationMakesOneAccount(t *testing.T, w *world) {
	secret := w.invitation("ada")
	for range 2 { // to look at it does not use it
		read, err := w.Store.Accounts.Invitation(t.Context(), secret)
		if want := time.Now().Add(account.InvitationLifetime); err != nil || read.By != "ada" || read.UsedBy != "" || !read.ExpiresOn.Equal(domain.Storable(want)) {
			t.Errorf("the invitation is %+v, %v", read, err)
		}
	}
	for _, row := range w.Rows("Sessions") {
		if strings.Contains(fmt.Sprint(row), secret) {
			t.Errorf("its secret is in %v", row)
		}
	}
	_, made, err := w.invited(w.Store, secret, "Bob", "k")
	if err != nil || !made {
		t.Fatalf("signed up: %t, %v", made, err)
	}
	if _, made, err := w.invited(w.Store, secret, "bob", "k"); err != nil || made {
		t.Errorf("sent again: made %t, %v", made, err)
	}
	w.mustBeOver("another name", secret, "carl", "other")
	w.mustBeOver("another name and no key", secret, "carl", "")
	w.mustBeOver("another key", secret, "bob", "other")
	if list := w.invitations(); len(list) != 1 || list[0].UsedBy != "bob" {
		t.Errorf("the list is %+v", list)
	}
	w.MustBeSound()
}

func refusedSignUpLeavesInvitation(t *testing.T, w *world) {
	w.user("ada")
	secret := w.invitation("")
	if _, _, err := w.invited(w.Store, secret, "ada", "k"); !errors.Is(err, domain.ErrExists) {
		t.Errorf("a name in use: %v", err)
	}
	w.OK(w.signUpFrom(w.Store, 1, "first"))
	_, _, err := w.Store.Accounts.Create(t.Context(), storage.SignUpRequest{Attempt: from(1, "bob", right), PerHour: 1, Invitation: secret})
	if !isThrottled(err) {
		t.Errorf("too many accounts from an address: %v", err)
	}
	_, _, err = w.invited(w.Store, secret, "bob", "k")
	w.OK(err)
}

func invitationEnds(t *testing.T, w *world) {
	old, late, back := w.invitation("ada"), w.invitation("ada"), w.invitation("ada")
	for range 2 {
		w.OK(w.Store.Accounts.RevokeInvitation(t.Context(), w.idOf(back)))
	}
	w.mustBeOver("taken back", back, "bob", "k")
	for _, garbage := range []string{"x", old + "A", old[1:], "/\\#?'\x00", "\xff", w.idOf(old)} {
		w.mustBeOver("no secret", garbage, "bob", "k")
	}
	_, _, err := w.invited(w.Store, late, "late", "k2")
	w.OK(err)
	w.SleepClosed(account.InvitationLifetime)
	w.mustBeOver("expired", old, "bob", "k")
	for _, id := range []string{w.idOf(old), "", "x", "!", "\x00", "/\\#?"} {
		if err := w.Store.Accounts.RevokeInvitation(t.Context(), id); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("%q is taken back: %v", id, err)
		}
	}
	if len(w.Rows("Users")) != 1 {
		t.Errorf("accounts: %v", w.Rows("Users"))
	}
}

// idOf is the id of the invitation with that secret.
func (w *world) idOf(secret string) string {
	return schema.InvitationRow(secret)
}

func usedInvitationStays(t *testing.T, w *world) {
	secret := w.invitation("ada")
	_, _, err := w.invited(w.Store, secret, "bob", "k")
	w.OK(err)
	if err := w.Store.Accounts.RevokeInvitation(t.Context(), w.idOf(secret)); !errors.Is(err, domain.ErrInvitationOver) {
		t.Errorf("it is taken back: %v", err)
	}
	// The operator was faster than the request, which has read the invitation before.
	late := w.invitation("ada")
	w.Arm(drivertest.Only(drivertest.Writes, storetest.Before(1, func() {
		w.OK(w.Store.Accounts.RevokeInvitation(context.WithoutCancel(t.Context()), w.idOf(late)))
	})))
	if _, _, err := w.invited(w.Faulty, late, "carl", ""); !errors.Is(err, domain.ErrInvitationOver) {
		t.Errorf("taken back meanwhile: %v", err)
	}
}

func invitationsAreListed(t *testing.T, w *world) {
	var want []string
	for i := range 5 {
		secret := w.invitation("ada")
		if i == 1 {
			w.OK(w.Store.Accounts.RevokeInvitation(t.Context(), w.idOf(secret)))
		} else {
			want = append([]string{w.idOf(secret)}, want...)
		}
		w.SleepClosed(time.Hour)
	}
	var got []string
	for _, page := range storetest.Pages(w.World, 3, storetest.Nothing, func(after string) (storage.Page[domain.Invitation], error) {
		return w.Store.Accounts.ListInvitations(t.Context(), after, 3)
	}) {
		for _, i := range page {
			got = append(got, i.ID)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the list is %v, want %v", got, want)
	}
	if _, err := w.Store.Accounts.ListInvitations(t.Context(), "x", 3); err == nil {
		t.Error("a cursor of another list is taken")
	}
	w.SleepClosed(account.InvitationLifetime - 4*time.Hour)
	if list := w.invitations(); len(list) != 3 {
		t.Errorf("on the list are %+v", list)
	}
	w.SleepClosed(4*time.Hour + expiryMargin)
	if w.expire(); len(w.invitations()) != 0 || len(w.Rows("Sessions")) != 0 {
		t.Errorf("rows are left: %v", w.Rows("Sessions"))
	}
}

func invitationsAreBounded(t *testing.T, w *world) {
	w.invitation("ada")
	w.SleepClosed(time.Hour)
	for range 999 {
		w.invitation("ada")
	}
	_, _, err := w.Store.Accounts.Invite(t.Context(), "ada")
	var throttled *domain.ThrottledError
	if !errors.As(err, &throttled) || throttled.RetryAfter != account.InvitationLifetime-time.Hour || throttled.Limit != 1000 {
		t.Fatalf("one more: %v", err)
	}
	w.SleepClosed(throttled.RetryAfter)
	w.invitation("ada")
}

func invitationsEndWithSessions(t *testing.T, w *world) {
	open, used := w.invitation("ada"), w.invitation("ada")
	_, _, err := w.invited(w.Store, used, "bob", "k")
	w.OK(err)
	if _, err := w.Store.Operator.EndAllSessions(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.mustBeOver("made before the backup", open, "carl", "k2")
}
