package account_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/account"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestSession(t *testing.T) {
	t.Run("token that nobody was given is no session", unknownTokenIsNoSession)
	t.Run("session ends with its time", sessionExpires)
	t.Run("sign-out ends one session alone", signOutEndsOneSession)
	t.Run("new epoch ends every session of its user", newEpochEndsAllSessions)
	t.Run("of everybody end together, with links and addresses", everybodysSessionsEnd)
	t.Run("late copy of a request undoes no sign-out", lateCopyUndoesNoSignOut)
	t.Run("ended session is removed when its time has come", endedSessionIsRemoved)
}

func unknownTokenIsNoSession(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		token := w.signedIn("ada", right)
		for _, other := range []string{"", "x", token + "A", token[1:], "/\\#?'\x00", "\xff"} {
			w.mustNotBeSignedIn(other)
		}
		// What is stored in the table is no token either.
		for _, row := range w.rows("Sessions") {
			if row.Partition == token {
				t.Error("the token itself is stored")
			}
			w.mustNotBeSignedIn(row.Partition)
		}
	})
}

func sessionExpires(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		token := w.signedIn("ada", right)
		time.Sleep(account.SessionLifetime - time.Nanosecond)
		w.mustBeSignedIn(token, "ada")
		time.Sleep(time.Nanosecond)
		w.mustNotBeSignedIn(token)
	})
}

func signOutEndsOneSession(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		one, two := w.signedIn("ada", right), w.signedIn("ada", right)
		for range 2 {
			w.ok(w.store.SignOut(t.Context(), one))
		}
		w.mustNotBeSignedIn(one)
		w.mustBeSignedIn(two, "ada")
	})
}

func newEpochEndsAllSessions(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		w.account("grace")
		tokens := []string{w.signedIn("ada", right), w.signedIn("ada", right)}
		stranger := w.signedIn("grace", right)
		w.ok(w.store.EndSessions(t.Context(), "ada"))
		for _, token := range tokens {
			w.mustNotBeSignedIn(token)
		}
		w.mustBeSignedIn(stranger, "grace")
		w.mustBeSignedIn(w.signedIn("ada", right), "ada")
	})
}

func everybodysSessionsEnd(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		w.account("grace")
		tokens := []string{w.signedIn("ada", right), w.signedIn("grace", right)}
		link, err := w.store.SignInLink(t.Context(), "ada")
		w.ok(err)
		secret := w.digestAddress()
		if n, err := w.store.EndAllSessions(t.Context()); err != nil || n != 2 {
			t.Errorf("%d users (%v)", n, err)
		}
		for _, token := range tokens {
			w.mustNotBeSignedIn(token)
		}
		if _, _, err := w.store.FollowSignInLink(t.Context(), link); !errors.Is(err, domain.ErrNotSignedIn) {
			t.Errorf("the link: %v", err)
		}
		w.mustBeDigestAddress(secret, false)
		w.mustBeSignedIn(w.signedIn("ada", right), "ada")
	})
}

func endedSessionIsRemoved(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		token := w.signedIn("ada", right)
		w.ok(w.store.SignOut(t.Context(), token))
		time.Sleep(account.SessionLifetime + expiryMargin)
		_, err := w.store.Expire(t.Context())
		w.ok(err)
		if rows := w.rows("Sessions"); len(rows) != 0 {
			t.Errorf("%d rows are left", len(rows))
		}
	})
}

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

func TestSignInLink(t *testing.T) {
	t.Run("link is followed once within its hour", linkIsFollowedOnce)
	t.Run("end of all sessions ends the link", endOfSessionsEndsLink)
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

// Each call of a change of the password and of a sign-out arrives once more after the user
// signed out. The lab explores sign-ins and links so.
func lateCopyUndoesNoSignOut(t *testing.T) {
	eachLateDelivery(t, func(w *world, arrive func()) {
		w.account("ada")
		token := w.signedIn("ada", right)
		_ = w.faulty.ChangePassword(w.t.Context(), token, attempt("ada", right), "another horse") // it may fail
		_ = w.faulty.SignOut(w.t.Context(), token)                                                // it may fail
		w.ok(w.store.SignOut(w.t.Context(), token))
		arrive()
		w.mustNotBeSignedIn(token)
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
	if _, err := w.store.SignInLink(t.Context(), "nobody"); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("a link of a user who is not there: %v", err)
	}
}

// expiryMargin is how long after their end rows are removed.
const expiryMargin = 5 * time.Minute

func TestExpire(t *testing.T) {
	t.Run("each row goes when its time and the margin have passed", rowsGoInTime)
	t.Run("at most eight rows go at once", rowsGoAtOnce)
	t.Run("row that changes after it was read is spared", changedRowIsSpared)
	t.Run("failure is reported, and the next call removes what is left", failedExpiryIsRepeated)
}

func rowsGoInTime(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.account("ada")
		w.ended(1) // of an earlier version
		token := w.signedIn("ada", right)
		_, err := w.store.SignInLink(t.Context(), "ada")
		w.ok(err)
		w.fail(w.store, "ada", limit) // in two rows, one of which is a known address
		for _, step := range []struct {
			after time.Duration
			gone  int
		}{
			{0, 1}, {window + expiryMargin - 1, 0}, {1, 1}, {time.Hour - window - 1, 0}, {1, 1},
			{account.SessionLifetime - time.Hour - 1, 0}, {1, 1}, {known - account.SessionLifetime, 1},
		} {
			time.Sleep(step.after)
			if n := w.expire(); n != step.gone {
				t.Errorf("after %s more, %d rows went, want %d", step.after, n, step.gone)
			}
		}
		w.mustNotBeSignedIn(token)
		if rows := append(w.rows("Sessions"), w.rows("Throttle")...); len(rows) != 0 || len(w.rows("Users")) != 1 {
			t.Errorf("left: %v", rows)
		}
	})
}

// ended writes rows that may be removed now.
func (w *world) ended(n int) {
	w.t.Helper()
	for i := range n {
		w.ok(w.table("Throttle").Transact(w.t.Context(), "user!a", driver.Insert(fmt.Sprintf("%019d", i),
			driver.Int64("Failures", 1), driver.Time("ExpiresOn", time.Now().Add(-expiryMargin)))))
	}
}

func writesTo(table string) func(drivertest.Call) bool {
	return func(call drivertest.Call) bool { return call.Writes() && call.Target == table }
}

func rowsGoAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.ended(20)
		var mu sync.Mutex
		now, most := 0, 0
		w.arm(drivertest.Only(writesTo("Throttle"), func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Second) // in the bubble: every transaction that can start has started
			mu.Lock()
			now--
			mu.Unlock()
			return send(ctx)
		}))
		if n, err := w.faulty.Expire(t.Context()); err != nil || n != 20 || most != 8 {
			t.Errorf("%d rows went, %d at once, %v; want 20, and 8 at once", n, most, err)
		}
	})
}

// A session is carried to another epoch, or a counter is raised, while the pass is at it.
func changedRowIsSpared(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.ended(3)
		var once sync.Once
		w.arm(drivertest.Only(writesTo("Throttle"), func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
			once.Do(func() {
				for i := range 3 {
					w.ok(w.table("Throttle").Transact(ctx, "user!a",
						driver.Merge(fmt.Sprintf("%019d", i), driver.Exists, driver.Time("ExpiresOn", time.Now().Add(time.Hour)))))
				}
			})
			return send(ctx)
		}))
		if n, err := w.faulty.Expire(t.Context()); err != nil || n != 0 || len(w.rows("Throttle")) != 3 {
			t.Errorf("%d rows that have changed went, %v", n, err)
		}
	})
}

func failedExpiryIsRepeated(t *testing.T) {
	eachFault(t, func(w *world) {
		w.ended(3)
		if _, err := w.faulty.Expire(w.t.Context()); err != nil && !errors.Is(err, domain.ErrUnavailable) {
			w.t.Error(err)
		}
		w.expire()
		if left := w.rows("Throttle"); len(left) != 0 {
			w.t.Errorf("%d rows are left", len(left))
		}
	})
}
