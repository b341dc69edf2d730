package account_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/drivertest"
)

func TestSignInLink(t *testing.T) {
	t.Run("link is followed once within its hour", linkIsFollowedOnce)
	t.Run("one of many follows the link", oneOfManyFollowsLink)
	t.Run("fault does not let the link be followed twice", linkFaultNeverFollowsTwice)
	t.Run("echo of a call does not burn the link", linkEchoBurnsNoLink)
	t.Run("late copy of a request brings no used link back", lateCopyBringsNoLinkBack)
	t.Run("end of all sessions ends the link", endOfSessionsEndsLink)
	t.Run("new password ends the link", newPasswordEndsLink)
	t.Run("link of an unknown user is not made", linkOfUnknownUserIsNotMade)
}

func linkIsFollowedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		link, err := w.store.SignInLink(t.Context(), "ada")
		w.ok(err)
		w.mustNotBeSignedIn(link) // a link is no session
		time.Sleep(time.Hour - 1)
		token, session, err := w.store.FollowSignInLink(t.Context(), link)
		if err != nil || session.User != "ada" {
			t.Fatalf("followed: %+v, %v", session, err)
		}
		w.mustBeSignedIn(token, "ada")
		late, err := w.store.SignInLink(t.Context(), "ada")
		w.ok(err)
		time.Sleep(time.Hour)
		for what, link := range map[string]string{"used": link, "expired": late, "that is a session": token, "made up": "x", "empty": ""} {
			if _, _, err := w.store.FollowSignInLink(t.Context(), link); !errors.Is(err, domain.ErrNotSignedIn) {
				t.Errorf("a link %s: %v", what, err)
			}
		}
		w.mustBeSignedIn(token, "ada")
	})
}

func oneOfManyFollowsLink(t *testing.T) {
	w := newWorld(t)
	w.account("ada")
	link, err := w.store.SignInLink(t.Context(), "ada")
	w.ok(err)
	var mu sync.Mutex
	var tokens []string
	atOnce(16, func(int) {
		token, _, err := w.store.FollowSignInLink(t.Context(), link)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			tokens = append(tokens, token)
		} else if !errors.Is(err, domain.ErrNotSignedIn) {
			t.Error(err)
		}
	})
	if len(tokens) != 1 {
		t.Fatalf("%d followed the link", len(tokens))
	}
	w.mustBeSignedIn(tokens[0], "ada")
}

func linkFaultNeverFollowsTwice(t *testing.T) {
	eachFault(t, func(w *world) {
		w.account("ada")
		link, err := w.store.SignInLink(w.t.Context(), "ada")
		w.ok(err)
		token, _, err := w.faulty.FollowSignInLink(w.t.Context(), link)
		again, _, againErr := w.store.FollowSignInLink(w.t.Context(), link)
		switch {
		case err == nil && againErr == nil:
			w.t.Error("the link was followed twice")
		case err == nil:
			w.mustBeSignedIn(token, "ada")
		case againErr == nil:
			w.mustBeSignedIn(again, "ada")
		}
	})
}

// The SDK sends a call twice, and the first answer is lost. Nobody else follows the link.
func linkEchoBurnsNoLink(t *testing.T) {
	eachCall(t, "is sent twice", func(w *world, n int) {
		w.account("ada")
		link, err := w.store.SignInLink(w.t.Context(), "ada")
		w.ok(err)
		w.arm(drivertest.SentTwice(n))
		token, _, err := w.faulty.FollowSignInLink(w.t.Context(), link)
		w.ok(err)
		w.mustBeSignedIn(token, "ada")
	})
}

func lateCopyBringsNoLinkBack(t *testing.T) {
	eachLateDelivery(t, func(w *world, arrive func()) {
		w.account("ada")
		link, err := w.faulty.SignInLink(w.t.Context(), "ada")
		if err != nil {
			return // then nobody has the link
		}
		_, _, first := w.faulty.FollowSignInLink(w.t.Context(), link)
		_, _, second := w.store.FollowSignInLink(w.t.Context(), link)
		arrive()
		_, _, third := w.store.FollowSignInLink(w.t.Context(), link)
		if second == nil && first == nil || third == nil {
			w.t.Errorf("followed: %v, %v and %v", first, second, third)
		}
	})
}

// mustBeDead fails the test if a link signs anybody in.
func (w *world) mustBeDead(link string) {
	w.t.Helper()
	if _, _, err := w.store.FollowSignInLink(w.t.Context(), link); !errors.Is(err, domain.ErrNotSignedIn) {
		w.t.Errorf("the link is answered %v", err)
	}
}

func endOfSessionsEndsLink(t *testing.T) {
	w := newWorld(t)
	w.account("ada")
	for range 2 { // in the first epoch, and in a later one
		before, err := w.store.SignInLink(t.Context(), "ada")
		w.ok(err)
		w.ok(w.store.EndSessions(t.Context(), "ada"))
		w.mustBeDead(before)
	}
	after, err := w.store.SignInLink(t.Context(), "ada")
	w.ok(err)
	token, _, err := w.store.FollowSignInLink(t.Context(), after)
	w.ok(err)
	w.mustBeSignedIn(token, "ada")
}

func newPasswordEndsLink(t *testing.T) {
	w := newWorld(t)
	w.account("ada")
	link, err := w.store.SignInLink(t.Context(), "ada")
	w.ok(err)
	token := w.signedIn("ada", right)
	w.ok(w.store.ChangePassword(t.Context(), token, account.Attempt{Name: "ada", Password: right}, "another password"))
	w.mustBeDead(link)
	w.mustBeSignedIn(token, "ada")
}

func linkOfUnknownUserIsNotMade(t *testing.T) {
	w := newWorld(t)
	if _, err := w.store.SignInLink(t.Context(), "nobody"); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}
