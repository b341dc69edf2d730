package load

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/storage"
)

func TestNamespace(t *testing.T) {
	for sentence, test := range map[string]func(*testing.T){
		"a namespace leaves nothing behind, and all of the site":       leavesNothing,
		"what was killed is removed by the next, once it is sure":      removesKilled,
		"what another load is using is left alone, however long":       leavesRunning,
		"a beat that gets no answer does not hold up the next":         beatsOn,
		"a namespace that was removed half is found and removed whole": removesHalf,
		"an interruption while it is opened leaves nothing behind":     interruptedOpening,
		"a removal that fails names the tables":                        namesWhatIsLeft,
		"every name is one that Azure takes":                           takesNames,
	} {
		t.Run(sentence, func(t *testing.T) { synctest.Test(t, test) })
	}
}

// opened opens a namespace with the tables and queues of a site in it.
func opened(t *testing.T, a *account) Ground {
	t.Helper()
	ground, err := OpenNamespace(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	prepare(t, storage.New(ground, storage.Options{}))
	return ground
}

func prepare(t *testing.T, store *storage.Store) {
	t.Helper()
	if err := store.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func leavesNothing(t *testing.T) {
	a := newAccount()
	prepare(t, storage.New(a, storage.Options{}))
	site := a.all()
	ground := opened(t, a)
	if now := a.all(); len(now) != 2*len(site)+1 {
		t.Errorf("with a load the account has %q", now)
	}
	time.Sleep(time.Minute)
	if err := ground.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Minute) // no heartbeat creates its table again
	if now := a.all(); !slices.Equal(now, site) {
		t.Errorf("after the load the account has %q, want %q", now, site)
	}
}

// killed makes a namespace whose process has died.
func killed(t *testing.T, a *account) {
	t.Helper()
	n := newNamespace(a)
	if err := n.firstBeat(t.Context()); err != nil {
		t.Fatal(err)
	}
	prepare(t, storage.New(n.backend(), storage.Options{}))
}

func find(t *testing.T, a *account) Leftovers {
	t.Helper()
	found, err := FindLeftovers(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// removes requires that so many leftovers are removed.
func removes(t *testing.T, found Leftovers, want int) {
	t.Helper()
	time.Sleep(found.Wait())
	removed, err := found.Remove(t.Context())
	if err != nil || removed != want {
		t.Errorf("%d were removed (%v), want %d", removed, err, want)
	}
}

func removesKilled(t *testing.T) {
	a := newAccount()
	prepare(t, storage.New(a, storage.Options{}))
	site := a.all()
	if found := find(t, a); found.Wait() != 0 {
		t.Errorf("without leftovers the load waits for %s", found.Wait())
	}
	killed(t, a)
	killed(t, a)
	found := find(t, a)
	ground := opened(t, a)
	removes(t, found, 2)
	if err := ground.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now := a.all(); !slices.Equal(now, site) {
		t.Errorf("the account has %q, want %q", now, site)
	}
}

func leavesRunning(t *testing.T) {
	a := newAccount()
	ground := opened(t, a)
	before := a.all()
	killed(t, a)
	found := find(t, a)
	removes(t, found, 1)
	time.Sleep(time.Hour)
	removes(t, found, 0)
	if now := a.all(); !slices.Equal(now, before) {
		t.Errorf("the other load has %q left of %q", now, before)
	}
	if err := ground.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func beatsOn(t *testing.T) {
	a := newAccount()
	ground := opened(t, a)
	a.silent.Store(true)
	time.Sleep(2 * beatEvery) // one beat is under way, and gets no answer
	a.silent.Store(false)
	found := find(t, a)
	removes(t, found, 0)
	if err := ground.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func removesHalf(t *testing.T) {
	a := newAccount()
	killed(t, a)
	for _, table := range a.names(a.tables, "") {
		if err := a.DropTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
	}
	removes(t, find(t, a), 1) // only its queues are there
	if now := a.all(); len(now) > 0 {
		t.Errorf("the account still has %q", now)
	}
}

func interruptedOpening(t *testing.T) {
	a := newAccount()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	ground, err := OpenNamespace(ctx, a)
	if err != nil {
		t.Fatalf("%v, and the account has %q", err, a.all())
	}
	if err := ground.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := a.all(); len(left) > 0 {
		t.Errorf("the account has %q", left)
	}
}

func namesWhatIsLeft(t *testing.T) {
	a := newAccount()
	ground := opened(t, a)
	a.down = true
	err := ground.Remove(t.Context())
	if err == nil || !strings.Contains(err.Error(), tableMark) || !strings.Contains(err.Error(), queueMark) {
		t.Errorf("the error is %v", err)
	}
	a.down = false
	removes(t, find(t, a), 1)
}

func takesNames(t *testing.T) {
	a := newAccount()
	killed(t, a)
	for _, table := range a.names(a.tables, "") {
		if len(table) < 3 || len(table) > 63 || strings.Trim(strings.ToLower(table), "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			t.Errorf("%s is no name of a table", table)
		}
	}
	for _, queue := range a.names(a.queues, "") {
		if len(queue) < 3 || len(queue) > 63 || strings.Trim(queue, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || strings.Contains(queue, "--") {
			t.Errorf("%s is no name of a queue", queue)
		}
	}
	if id, ok := namespaceOf("Channels"); ok {
		t.Errorf("the site's table belongs to the load %s", id)
	}
}
