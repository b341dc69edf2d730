package account_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
	"microblogging/storage/schema"
)

func TestUserList(t *testing.T) {
	t.Run("people are found by part of their name while their account is active", bubble(activePeopleAreFound))
	t.Run("what a user has made hides no other user", bubble(muchHidesNoUser))
}

// people reads the pages of a list, and returns the names, and in how many pages they were.
func (w *world) people(text string, limit int) ([]domain.UserName, int) {
	w.T.Helper()
	pages := storetest.Pages(w.World, limit, storetest.Nothing, func(after string) (storage.Page[domain.UserName], error) {
		return w.Faulty.Accounts.List(w.T.Context(), text, after, limit)
	})
	return slices.Concat(pages...), len(pages)
}

func activePeopleAreFound(t *testing.T, w *world) {
	w.Faulty = storage.New(w.DB, storage.Options{UndoAccount: time.Hour})
	for _, name := range []domain.UserName{"ada", "adam", "grace", "nadia"} {
		w.user(name)
	}
	for text, want := range map[string][]domain.UserName{"ad": {"ada", "adam", "nadia"}, "nadia": {"nadia"}, "_": nil, "grace!": nil} {
		for _, limit := range []int{1, 2, 9} {
			if got, pages := w.people(text, limit); !slices.Equal(got, want) || pages != max(1, (len(want)+limit-1)/limit) {
				t.Errorf("%q finds %q in %d pages of %d, want %q", text, got, pages, limit, want)
			}
		}
	}
	_, err := w.Faulty.Accounts.Delete(t.Context(), attempt("adam", right), false)
	w.OK(err)
	if got, _ := w.people("ada", 9); !slices.Equal(got, []domain.UserName{"ada"}) {
		t.Errorf("with an account that is being deleted, %q are found", got)
	}
	_, err = w.Faulty.Accounts.Undo(t.Context(), "adam", domain.By("adam"))
	w.OK(err)
	if got, _ := w.people("ada", 9); len(got) != 2 {
		t.Errorf("after it was undone, %q are found", got)
	}
}

func muchHidesNoUser(t *testing.T, w *world) {
	for _, name := range []domain.UserName{"busy", "lazy", "zoe"} {
		w.user(name)
	}
	users := w.Table(schema.TableUsers)
	for _, name := range []string{"busy", "lazy"} {
		for i := range 15 {
			var rows []driver.Operation
			for j := range 100 {
				rows = append(rows, driver.Insert(fmt.Sprintf("wrote!%02d%02d", i, j)))
			}
			w.OK(users.Transact(t.Context(), name, rows...))
		}
	}
	w.Arm(drivertest.Pass)
	if got, pages := w.people("z", 9); !slices.Equal(got, []domain.UserName{"lazy", "zoe"}) || pages != 1 || w.Calls.Load() != 3 {
		t.Errorf("%d calls in %d pages find %q", w.Calls.Load(), pages, got)
	}
}
