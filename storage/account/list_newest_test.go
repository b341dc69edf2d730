package account_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestListNewest(t *testing.T) {
	t.Run("has each account that is not gone once, the newest first, whatever the pages", bubble(newestFirst))
	t.Run("sorts 10,000 accounts, and with one more asks for a part of the name that fewer have", drivertest.Long(bubble(newestIsBounded)))
}

func newestIsBounded(t *testing.T, w *world) {
	all := 0
	for n := range 10_001 {
		if n == 10_000 {
			page, err := w.Store.Accounts.ListNewest(t.Context(), "", "", 10)
			w.OK(err)
			all = len(page.Items)
		}
		w.user(domain.UserName(fmt.Sprintf("user%d", n)))
	}
	_, err := w.Store.Accounts.ListNewest(t.Context(), "", "", 10)
	if invalid, is := errors.AsType[*domain.InvalidError](err); !is || invalid.Fields[0].Field != "contains" {
		t.Errorf("10,001 accounts: %v", err)
	}
	page, err := w.Store.Accounts.ListNewest(t.Context(), "10000", "", 10)
	if w.OK(err); len(page.Items) != 1 || all != 10 {
		t.Errorf("10,000 accounts: %d of them; of 10,001 those with 10000: %v", all, page.Items)
	}
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
