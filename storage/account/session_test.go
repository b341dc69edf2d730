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
	t.Run("token that no client was given is no session", bubble(unknownTokenIsNoSession))
	t.Run("ends with its time", bubble(sessionExpires))
	t.Run("is ended again without error, and of no session nothing is written", bubble(unknownSessionEnds))
	t.Run("ends with all of its user, or of everybody, and so do links", sessionsEndTogether)
	t.Run("is the oldest that ends when its user has more than fifty", bubble(fiftySessionsLast))
	t.Run("is found, whichever user is likely, in one round trip if that is right", bubble(sessionIsFound))
	t.Run("is followed when it is carried to a new epoch between two reads", bubble(carriedSessionIsFound))
}

func unknownTokenIsNoSession(t *testing.T, w *world) {
	w.user("ada")
	token := w.signedIn("ada", right)
	for _, other := range []string{"", "x", token + "A", token[1:], "/\\#?'\x00", "\xff"} {
		w.mustNotBeSignedIn(other)
	}
	// What is stored in the table is no token either.
	for _, row := range w.Rows("Sessions") {
		if row.Partition == token {
			t.Error("the token itself is stored")
		}
		w.mustNotBeSignedIn(row.Partition)
	}
}

func unknownSessionEnds(t *testing.T, w *world) {
	w.user("ada")
	token := w.signedIn("ada", right)
	w.SleepClosed(account.SessionLifetime + time.Hour)
	_, err := w.Store.Operator.Expire(t.Context())
	w.OK(err)
	for _, token := range []string{token, "unknown"} {
		w.OK(w.Store.Accounts.SignOut(t.Context(), token))
	}
	if rows := w.Rows("Sessions"); len(rows) > 0 {
		t.Errorf("rows are left: %v", rows)
	}
}

func sessionExpires(_ *testing.T, w *world) {
	w.user("ada")
	token := w.signedIn("ada", right)
	w.SleepClosed(account.SessionLifetime - time.Nanosecond)
	w.mustBeSignedIn(token, "ada")
	time.Sleep(time.Nanosecond)
	w.mustNotBeSignedIn(token)
}

// An address of a digest ends with everybody's alone.
func sessionsEndTogether(t *testing.T) {
	for what, everybody := range map[string]bool{"of one user": false, "of everybody": true} {
		t.Run(what, bubble(func(t *testing.T, w *world) {
			w.user("ada")
			w.user("grace")
			for range 2 { // in the first epoch, and in a later one
				one, two, grace := w.signedIn("ada", right), w.signedIn("ada", right), w.signedIn("grace", right)
				link, secret := w.link(), w.digestAddress()
				if everybody {
					if n, err := w.Store.Operator.EndAllSessions(t.Context()); err != nil || n != 2 {
						t.Errorf("%d users (%v)", n, err)
					}
					w.mustNotBeSignedIn(grace)
				} else {
					w.OK(w.Store.Accounts.EndSessions(t.Context(), "ada"))
					w.mustBeSignedIn(grace, "grace")
				}
				w.mustNotBeSignedIn(one)
				w.mustNotBeSignedIn(two)
				w.mustBeDead("that ended", link)
				w.mustBeDigestAddress(secret, !everybody)
			}
			w.mustBeSignedIn(w.signedIn("ada", right), "ada")
		}))
	}
}

func fiftySessionsLast(t *testing.T, w *world) {
	w.user("ada")
	w.user("grace")
	grace, first, second := w.signedIn("grace", right), w.signedIn("ada", right), w.signedIn("ada", right)
	for range 48 {
		w.signedIn("ada", right)
	}
	w.mustBeSignedIn(first, "ada")
	linked, _, err := w.Store.Accounts.FollowSignInLink(t.Context(), w.link())
	w.OK(err)
	last := w.signedIn("ada", right)
	w.mustNotBeSignedIn(first)
	for _, token := range []string{second, linked, last} {
		w.mustBeSignedIn(token, "ada")
	}
	w.mustBeSignedIn(grace, "grace")
}

func sessionIsFound(t *testing.T, w *world) {
	w.OverNetwork()
	w.user("ada")
	w.user("eve")
	token := w.signedIn("ada", right)
	for likely, want := range map[domain.UserName]time.Duration{"": 2, "eve": 3, "norman": 3, "ada": 1} {
		w.Arm(func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
			time.Sleep(time.Second)
			return send(ctx)
		})
		began := time.Now()
		if session, err := w.Faulty.Accounts.Session(t.Context(), token, likely); err != nil || session.User != "ada" {
			t.Errorf("%+v, %v", session, err)
		}
		if took := time.Since(began); took != want*time.Second {
			t.Errorf("with %q: %s, want %d s", likely, took, want)
		}
	}
}

// The user's row is read before a password changes, and the session's row after that.
func carriedSessionIsFound(t *testing.T, w *world) {
	w.OverNetwork()
	w.user("ada")
	token := w.signedIn("ada", right)
	w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Sessions" && call.Seq <= 2 {
			time.Sleep(time.Second)
			w.OK(w.Store.Accounts.ChangePassword(t.Context(), token, attempt("ada", right), "another long password"))
		}
		return send(ctx)
	})
	if session, err := w.Faulty.Accounts.Session(t.Context(), token, "ada"); err != nil || session.User != "ada" {
		t.Errorf("%+v, %v", session, err)
	}
}

func TestSignInLink(t *testing.T) {
	t.Run("link is followed once within its hour", bubble(linkIsFollowedOnce))
}

// link makes a sign-in link for ada.
func (w *world) link() string {
	w.T.Helper()
	link, err := w.Store.Operator.SignInLink(w.T.Context(), "ada")
	w.OK(err)
	return link
}

// mustBeDead fails the test if a link signs anybody in.
func (w *world) mustBeDead(what, link string) {
	w.T.Helper()
	if _, _, err := w.Store.Accounts.FollowSignInLink(w.T.Context(), link); !errors.Is(err, domain.ErrNotSignedIn) {
		w.T.Errorf("a link %s is answered %v", what, err)
	}
}

func linkIsFollowedOnce(t *testing.T, w *world) {
	w.user("ada")
	link := w.link()
	w.mustNotBeSignedIn(link) // a link is no session
	time.Sleep(time.Hour - 1)
	token, session, err := w.Store.Accounts.FollowSignInLink(t.Context(), link)
	if err != nil || session.User != "ada" {
		t.Fatalf("followed: %+v, %v", session, err)
	}
	late := w.link()
	time.Sleep(time.Hour)
	for what, link := range map[string]string{"used": link, "expired": late, "that is a session": token, "made up": "x", "empty": ""} {
		w.mustBeDead(what, link)
	}
	w.mustBeSignedIn(token, "ada")
	if _, err := w.Store.Operator.SignInLink(t.Context(), "norman"); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("a link of a user who is not there: %v", err)
	}
}

func TestDigestAddress(t *testing.T) {
	t.Run("works until it is replaced, revoked or the password changes", bubble(digestAddressEnds))
}

func (w *world) mustBeDigestAddress(secret string, want bool) {
	w.T.Helper()
	err := w.Store.Accounts.CheckDigestAddress(w.T.Context(), "ada", secret)
	if err != nil && !errors.Is(err, domain.ErrNotFound) || (err == nil) != want {
		w.T.Errorf("the secret works: %v, want %t", err, want)
	}
}

func (w *world) digestAddress() string {
	w.T.Helper()
	secret, err := w.Store.Accounts.NewDigestAddress(w.T.Context(), "ada")
	w.OK(err)
	return secret
}

func digestAddressEnds(t *testing.T, w *world) {
	w.user("ada")
	first := w.digestAddress()
	w.mustBeDigestAddress(first, true)
	second := w.digestAddress()
	w.mustBeDigestAddress(first, false)
	w.mustBeDigestAddress(second, true)
	for range 2 {
		w.OK(w.Store.Accounts.RevokeDigestAddress(t.Context(), "ada"))
	}
	w.mustBeDigestAddress(second, false)
	third := w.digestAddress()
	w.OK(w.Store.Accounts.ChangePassword(t.Context(), w.signedIn("ada", right), attempt("ada", right), "another horse"))
	w.mustBeDigestAddress(third, false)
	if user, err := w.Store.Accounts.Get(t.Context(), "ada"); err != nil || user.HasDigest {
		t.Errorf("the user has an address: %t, %v", user.HasDigest, err)
	}
	w.mustBeDigestAddress("", false)
	if err := w.Store.Accounts.RevokeDigestAddress(t.Context(), "norman"); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("an unknown user: %v", err)
	}
}

// expiryMargin is how long after their end rows are removed.
const expiryMargin = 5 * time.Minute

func TestExpire(t *testing.T) {
	t.Run("each row goes when its time and the margin have passed", bubble(rowsGoInTime))
	t.Run("at most eight rows go concurrently, and none that changes after it was read", bubble(rowsGoTogether))
}

func rowsGoInTime(t *testing.T, w *world) {
	w.user("ada")
	w.ended(1)
	token, out := w.signedIn("ada", right), w.signedIn("ada", right)
	w.OK(w.Store.Accounts.SignOut(t.Context(), out))
	w.link()
	w.fail(w.Store, "ada", limit) // in two rows, one of which is a known address
	for _, step := range []struct {
		after time.Duration
		gone  int
	}{
		{0, 1}, {window + expiryMargin - 1, 0}, {1, 1}, {time.Hour - window - 1, 0}, {1, 1},
		{account.SessionLifetime - time.Hour - 1, 0}, {1, 2}, {known - account.SessionLifetime, 1},
	} {
		w.SleepClosed(step.after)
		if n := w.expire(); n != step.gone {
			t.Errorf("after %s more, %d rows went, want %d", step.after, n, step.gone)
		}
	}
	w.mustNotBeSignedIn(token)
	if rows := append(w.Rows("Sessions"), w.Rows("Throttle")...); len(rows) != 0 || len(w.Rows("Users")) != 1 {
		t.Errorf("left: %v", rows)
	}
}

// ended writes rows of addresses that may be removed now.
func (w *world) ended(n int) {
	w.T.Helper()
	for i := range n {
		w.OK(w.Table("Throttle").Transact(w.T.Context(), "user!a", driver.Insert(fmt.Sprintf("address!%d", i),
			driver.Int64("Failures", 1), driver.Time("ExpiresOn", time.Now().Add(-expiryMargin)))))
	}
}

func writesTo(table string) func(drivertest.Call) bool {
	return func(call drivertest.Call) bool { return call.Writes() && call.Target == table }
}

// Three counters are raised while the pass is at it.
func rowsGoTogether(t *testing.T, w *world) {
	w.ended(20)
	var mu sync.Mutex
	now, most := 0, 0
	w.Arm(drivertest.Only(writesTo("Throttle"), func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		mu.Lock()
		for i := 0; most == 0 && i < 3; i++ {
			w.OK(w.Table("Throttle").Transact(ctx, "user!a",
				driver.Merge(fmt.Sprintf("address!%d", i), driver.Exists, driver.Time("ExpiresOn", time.Now().Add(time.Hour)))))
		}
		now++
		most = max(most, now)
		mu.Unlock()
		time.Sleep(time.Second) // in the bubble: every transaction that can start has started
		mu.Lock()
		now--
		mu.Unlock()
		return send(ctx)
	}))
	if n, err := w.Faulty.Operator.Expire(t.Context()); err != nil || n != 17 || most != 8 || len(w.Rows("Throttle")) != 3 {
		t.Errorf("%d rows went, %d concurrently, %v; want 17, and 8 concurrently", n, most, err)
	}
}
