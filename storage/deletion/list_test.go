package deletion_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/internal/storetest"
)

func TestDeletionsOf(t *testing.T) {
	t.Run("lists a user's own, the newest first, page by page", bubble(listsOwnDeletionsNewestFirst))
	t.Run("leaves out a row that names no deletion", bubble(leavesOutRowWithoutDeletion))
}

// deletionsListed are the names of all deletions of a user, in the order of their pages.
func (w *world) deletionsListed(user domain.UserName, limit int) (names []string) {
	w.T.Helper()
	for _, d := range slices.Concat(storetest.Pages(w.World, limit, storetest.Nothing, func(after string) (storage.Page[domain.Deletion], error) {
		return w.Store.Deletions.List(w.T.Context(), user, after, limit)
	})...) {
		if d.RequestedBy != user {
			w.T.Errorf("%s has the deletion %+v", user, d)
		}
		names = append(names, string(d.Name))
	}
	return names
}

func listsOwnDeletionsNewestFirst(t *testing.T, w *world) {
	var want []string
	for i := range 5 {
		name := fmt.Sprintf("c%d", i)
		w.Ask(w.Create(name, ada))
		w.Ask(w.Create("of-grace-"+name, grace))
		want = append([]string{name}, want...)
		time.Sleep(time.Minute)
	}
	w.CarryOut(w.Messages())
	w.Ask(w.Create("c0", ada)) // the same name again
	want = append([]string{"c0"}, want...)
	for _, limit := range []int{1, 2, 6, 100} {
		if got := w.deletionsListed(ada, limit); !slices.Equal(got, want) {
			t.Errorf("with pages of %d: %q, want %q", limit, got, want)
		}
	}
	if got := w.deletionsListed(eve, 10); len(got) != 0 {
		t.Errorf("eve asked for nothing and has %q", got)
	}
}

func leavesOutRowWithoutDeletion(t *testing.T, w *world) {
	ref := w.Ask(w.Create("kept", ada))
	again := fmt.Sprintf("requested!%s!%s!%s", domain.RecentFirst(domain.Now().Add(-time.Second)), ref.Key, ref.Incarnation)
	stray := fmt.Sprintf("requested!%s!gone!%s", domain.RecentFirst(domain.Now()), domain.NewIncarnation())
	nameless := fmt.Sprintf("requested!%s!", domain.RecentFirst(domain.Now()))
	w.OK(w.Table("Users").Transact(t.Context(), string(ada), driver.Insert(stray), driver.Insert(again), driver.Insert(nameless)))
	if got := w.deletionsListed(ada, 1); !slices.Equal(got, []string{"kept"}) {
		t.Errorf("the list is %q", got)
	}
}
