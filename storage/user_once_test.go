package storage_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
)

func TestSignUpOnce(t *testing.T) {
	t.Run("one key makes one account", oneKeyMakesOneAccount)
	t.Run("fault does not keep the user from the name", signUpOnceFaultKeepsName)
	t.Run("many with one key get the same account", manyWithOneKeyGetOneAccount)
}

func oneKeyMakesOneAccount(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		first, made, err := w.store.SignUpOnce(t.Context(), storage.SignUpRequest{Attempt: storage.Attempt{Name: "ada", Password: right}, Key: "k"})
		if err != nil || !made {
			t.Fatalf("signed up: %t, %v", made, err)
		}
		time.Sleep(time.Second)
		again, made, err := w.store.SignUpOnce(t.Context(), storage.SignUpRequest{Attempt: storage.Attempt{Name: "Ada", Password: right}, Key: "k"})
		if err != nil || made || again != first {
			t.Errorf("signed up %+v again as %+v, %t, %v", first, again, made, err)
		}
		for what, try := range map[string]struct {
			name, password, key string
			want                error
		}{
			"another password": {"ada", wrong, "k", domain.ErrKeyReused},
			"another name":     {"grace", right, "k", domain.ErrKeyReused},
			"another key":      {"ada", right, "k2", domain.ErrExists},
			"no key":           {"ada", right, "", domain.ErrExists},
		} {
			if _, _, err := w.store.SignUpOnce(t.Context(), storage.SignUpRequest{Attempt: storage.Attempt{Name: try.name, Password: try.password}, Key: try.key}); !errors.Is(err, try.want) {
				t.Errorf("%s: %v, want %v", what, err, try.want)
			}
		}
		if _, made, err := w.store.SignUpOnce(t.Context(), storage.SignUpRequest{Attempt: storage.Attempt{Name: "grace", Password: right}, Key: "k2"}); err != nil || !made {
			t.Errorf("a key that was refused because the name was taken: %t, %v", made, err)
		}
		time.Sleep(24 * time.Hour)
		if _, err := w.store.Reconcile(t.Context(), time.Hour, time.Now()); err != nil || len(w.rows("Sessions")) != 0 {
			t.Errorf("after a day, %d rows of keys are left (%v)", len(w.rows("Sessions")), err)
		}
		if _, made, err := w.store.SignUpOnce(t.Context(), storage.SignUpRequest{Attempt: storage.Attempt{Name: "ada", Password: right}, Key: "k"}); err != nil || made {
			t.Errorf("the same key and body after a day: %t, %v", made, err)
		}
	})
}

func signUpOnceFaultKeepsName(t *testing.T) {
	eachFault(t, func(w *world) {
		_, _, err := w.faulty.SignUpOnce(w.t.Context(), storage.SignUpRequest{Attempt: storage.Attempt{Name: "ada", Password: right}, Key: "k"})
		if _, _, againErr := w.store.SignUpOnce(w.t.Context(), storage.SignUpRequest{Attempt: storage.Attempt{Name: "ada", Password: right}, Key: "k"}); againErr != nil {
			w.t.Errorf("told %v, and then %v", err, againErr)
		}
		w.signedIn("ada", right)
	})
}

func manyWithOneKeyGetOneAccount(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	makers := 0
	atOnce(4, func(int) {
		_, made, err := w.store.SignUpOnce(t.Context(), storage.SignUpRequest{Attempt: storage.Attempt{Name: "ada", Password: right}, Key: "k"})
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			t.Error(err)
		}
		if made {
			makers++
		}
	})
	if makers != 1 {
		t.Errorf("%d made the account", makers)
	}
}
