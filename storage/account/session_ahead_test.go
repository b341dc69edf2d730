package account_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/drivertest"
)

func TestSessionAhead(t *testing.T) {
	t.Run("reads both rows at once for the user who is likely", likelyUserIsReadBeside)
	t.Run("finds the session whoever is likely", anyLikelyUserFindsTheSession)
	t.Run("opens no session that has ended", aheadOpensNoEndedSession)
	t.Run("follows a session that is carried to a new epoch between its two reads", aheadFollowsCarriedSession)
}

func (w *world) ahead(token string, likely domain.UserName) (domain.Session, error) {
	return w.faulty.SessionAhead(w.t.Context(), token, likely)()
}

func likelyUserIsReadBeside(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.overNetwork()
		w.account("ada")
		token := w.signedIn("ada", right)
		for likely, want := range map[domain.UserName]time.Duration{"": 2 * time.Second, "ada": time.Second} {
			w.arm(func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
				time.Sleep(time.Second)
				return send(ctx)
			})
			began := time.Now()
			wait := w.faulty.SessionAhead(t.Context(), token, likely)
			for range 2 {
				if session, err := wait(); err != nil || session.User != "ada" {
					t.Errorf("%+v, %v", session, err)
				}
			}
			if took := time.Since(began); took != want || w.calls.Load() != 2 {
				t.Errorf("with %q: %s and %d calls, want %s and 2", likely, took, w.calls.Load(), want)
			}
		}
	})
}

func anyLikelyUserFindsTheSession(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		w.account("eve")
		token := w.signedIn("ada", right)
		for _, likely := range []domain.UserName{"", "ada", "eve", "nobody"} {
			if session, err := w.ahead(token, likely); err != nil || session.User != "ada" {
				t.Errorf("with %q: %+v, %v", likely, session, err)
			}
		}
	})
}

func aheadOpensNoEndedSession(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		out, epoch, expired := w.signedIn("ada", right), w.signedIn("ada", right), w.signedIn("ada", right)
		w.ok(w.store.SignOut(t.Context(), out))
		refuse := func(what, token string) {
			t.Helper()
			for _, likely := range []domain.UserName{"", "ada", "eve"} {
				if session, err := w.ahead(token, likely); !errors.Is(err, domain.ErrNotSignedIn) {
					t.Errorf("%s, with %q: %+v, %v", what, likely, session, err)
				}
			}
		}
		refuse("signed out", out)
		refuse("unknown", "unknown")
		w.ok(w.store.EndSessions(t.Context(), "ada"))
		refuse("all ended", epoch)
		time.Sleep(account.SessionLifetime)
		refuse("expired", expired)
	})
}

// The user's row is read before a password changes, and the session's row after that.
func aheadFollowsCarriedSession(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.overNetwork()
		w.account("ada")
		token := w.signedIn("ada", right)
		w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Target == "Sessions" && call.Seq <= 2 {
				time.Sleep(time.Second)
				w.ok(w.store.ChangePassword(t.Context(), token, account.Attempt{Name: "ada", Password: right}, "another long password"))
			}
			return send(ctx)
		})
		if session, err := w.ahead(token, "ada"); err != nil || session.User != "ada" {
			t.Errorf("%+v, %v", session, err)
		}
	})
}
