package account_test

import (
	"slices"
	"testing"
	"time"

	"microblogging/domain"
)

func TestListNewest(t *testing.T) {
	t.Run("has each account that is not gone once, the newest first, whatever the pages", bubble(newestFirst))
}

func newestFirst(t *testing.T, w *world) {
	for _, name := range []domain.UserName{"zoe", "ada", "bob", "ann"} {
		w.user(name)
		time.Sleep(time.Second)
	}
	_, err := w.Store.Accounts.Close(t.Context(), "bob", otto, true)
	w.OK(err)
	for text, want := range map[string][]domain.UserName{"": {"ann", "bob", "ada", "zoe"}, "A": {"ann", "ada"}, "none": nil} {
		var names []domain.UserName
		for after := ""; ; {
			page, err := w.Store.Accounts.ListNewest(t.Context(), text, after, 1)
			w.OK(err)
			for _, u := range page.Items {
				names = append(names, u.Name)
				if u.Closed != (u.Name == "bob") || u.CreatedOn.IsZero() {
					t.Errorf("it lists %+v", u)
				}
			}
			if after = page.Next; after == "" {
				break
			}
		}
		if !slices.Equal(names, want) {
			t.Errorf("with %q: %v, want %v", text, names, want)
		}
	}
}
