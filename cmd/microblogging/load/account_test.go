package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/lab/mem"
	"microblogging/storage"
	"microblogging/storage/driver"
)

func TestNamespace(t *testing.T) {
	for sentence, test := range map[string]func(*testing.T, *account){
		"a load removes its tables and queues, and what killed ones have left": removesKilled,
		"a removal that fails names the tables, and a later load removes them": namesWhatIsLeft,
	} {
		t.Run(sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &account{DB: memory(), tables: map[string]bool{}, queues: map[string]bool{}}
				prepare(t, storage.New(a, storage.Options{}))
				test(t, a)
			})
		})
	}
}

func prepare(t *testing.T, store *storage.Store) {
	t.Helper()
	if err := store.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// opened opens a namespace for an hour, with the tables and queues of a site in it.
func opened(t *testing.T, a *account) Namespace {
	t.Helper()
	n, err := OpenAccount(t.Context(), a, time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	prepare(t, storage.New(n.Backend(), storage.Options{}))
	return n
}

func removesKilled(t *testing.T, a *account) {
	site := a.all()
	opened(t, a) // killed
	running := opened(t, a)
	if n := len(a.all()); n != 3*len(site) {
		t.Errorf("with two loads the account has %d tables and queues, and %d are the site's", n, len(site))
	}
	time.Sleep(time.Hour)
	if err := running.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(clocksDiffer + time.Minute)
	last := opened(t, a)
	for _, name := range a.all() {
		table, queue := strings.HasPrefix(name, tableMark), strings.HasPrefix(name, queueMark)
		if len(name) > 63 || (table || queue) && !strings.Contains(name, last.id) {
			t.Errorf("%s is there", name)
		}
	}
	if err := last.Remove(t.Context()); err != nil || !slices.Equal(a.all(), site) {
		t.Errorf("at last the account has %q (%v), want %q", a.all(), err, site)
	}
}

func namesWhatIsLeft(t *testing.T, a *account) {
	site, n := a.all(), opened(t, a)
	a.down = true
	if err := n.Remove(t.Context()); err == nil || !strings.Contains(err.Error(), tableMark+n.id) {
		t.Errorf("says %v", err)
	}
	a.down = false
	time.Sleep(3 * time.Hour)
	if err := opened(t, a).Remove(t.Context()); err != nil || !slices.Equal(a.all(), site) {
		t.Errorf("the account has %q (%v), want %q", a.all(), err, site)
	}
}

func TestPrint(t *testing.T) {
	ms := func(n int) Time { return Time(time.Duration(n) * time.Millisecond) }
	measured := func(name string, n int64) Measured {
		return Measured{Name: name, Requests: n, Entities: 4 * n, Throttled: 3, Failed: 1, P50: ms(2), P95: ms(30), P99: ms(400), Max: ms(5000)}
	}
	one := Result{
		Plan: Plan{Duration: 10 * time.Second, Workers: 8, Rate: 50, Mix: Mix{Post: 1}}, Channels: 1, Elapsed: ms(20_000),
		Operations: []Measured{measured("post", 1000)}, All: measured("all", 1000), Targets: azureTargets(),
		Busiest: 4000, Unsent: 7, Interrupted: true, Failure: errors.New("<nothing> answers"),
	}
	two := one
	two.Channels, two.All = 2, measured("all", 2000)
	var table, report bytes.Buffer
	text, err := json.Marshal(one)
	if err := errors.Join(err, WriteTable(&table, one), WriteReport(&report, Report{Results: []Result{one, two}})); err != nil {
		t.Fatal(err)
	}
	for got, says := range map[string][]string{
		string(text): {`{"channels":1,"duration":20,"operations":[{"name":"post","requests":1000,"entities":4000,"throttled":3,"failed":1,` +
			`"p50":0.002,"p95":0.03,"p99":0.4,"max":5}],"targets":{"partition":2000,"partition2011":500,"account":20000},"unsent":7,"interrupted":true}`},
		table.String(): {
			"channels: 1, 20.00 s, open loop, 50 requests/s due, workers: 8, ended early", "50.0", "2.00 ms", "30 ms", "400 ms", "5.00 s",
			"200 entities/s: 10 % of Azure's target of 2000", "40 % of the 500", "1 % of the 20000", "7 requests", "ended 10.00 s after", "<nothing> answers",
		},
		report.String(): {`width="50.00"`, `width="100.00"`, "channels: 2, ended early", "&lt;nothing&gt; answers", "post=1"},
	} {
		for _, want := range says {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
	}
	if remarks := (Result{}).Remarks(); len(remarks) != 1 || remarks[0] != "Nothing was measured." {
		t.Errorf("of nothing it says %q", remarks)
	}
}

// An account is a shared backend that knows which tables and queues it has.
type account struct {
	*mem.DB
	mu     sync.Mutex
	tables map[string]bool
	queues map[string]bool
	// down makes every call fail that drops something.
	down bool
}

func (a *account) Do(ctx context.Context, c *driver.Call) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch c.Method {
	case driver.CallCreateTable:
		a.tables[c.Target] = true // a call that is cut off may take effect
	case driver.CallCreateQueue:
		a.queues[c.Target] = true
	}
	return a.DB.Do(ctx, c)
}

func (a *account) names(of map[string]bool, prefix string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var names []string
	for name, there := range of {
		if there && strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (a *account) TableNames(_ context.Context, prefix string) ([]string, error) {
	return a.names(a.tables, prefix), nil
}

func (a *account) QueueNames(_ context.Context, prefix string) ([]string, error) {
	return a.names(a.queues, prefix), nil
}

func (a *account) drop(of map[string]bool, name string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.down {
		return errors.New("down")
	}
	of[name] = false
	return nil
}

func (a *account) DropTable(_ context.Context, table string) error { return a.drop(a.tables, table) }

func (a *account) DropQueue(_ context.Context, queue string) error { return a.drop(a.queues, queue) }

// all returns the names of everything that is there.
func (a *account) all() []string { return append(a.names(a.tables, ""), a.names(a.queues, "")...) }

// slowly is a backend whose transactions take time.
func slowly(backend driver.Backend, take time.Duration) driver.Backend {
	return driver.Wrap(backend, func(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
		if c.Method == driver.CallTransact {
			time.Sleep(take)
		}
		return next(ctx)
	})
}
