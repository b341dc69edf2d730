package worker

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"microblogging/lab/mem"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestReconcile(t *testing.T) {
	t.Run("finds a deletion that the queue forgot", bubble(findsForgottenDeletion))
	t.Run("removes what has expired at the start and once a day", bubble(expiresOnceADay))
	t.Run("removes what has expired a minute later if the store did not answer", bubble(expiresAgainAfterFailure))
	t.Run("100,000 healthy channels cost less than 20 requests a minute", bubble(healthyChannelsCostLittle))
}

func findsForgottenDeletion(t *testing.T) {
	w := newWorld(t, 5)
	w.mustAsk()
	forgotten, err := w.sound.Messages().Receive(t.Context(), 1, time.Second)
	if err == nil {
		err = w.sound.Messages().Delete(t.Context(), forgotten[0])
	}
	w.ok(err)
	w.finish()
	w.mustBeDeleted()
}

func expiresOnceADay(t *testing.T) {
	w := newWorld(t, 0)
	c := newCounted()
	w.hook = c.hook
	defer w.start(w.faulty)()
	for day := range 3 {
		time.Sleep(10 * time.Minute)
		if sessions, passes := c.of("Scan Sessions"), c.of("Scan Deletions"); sessions != day+1 || passes < 8*(day+1) {
			t.Errorf("on day %d, the sessions were read %d times in %d passes", day, sessions, passes)
		}
		time.Sleep(24*time.Hour - 10*time.Minute)
	}
}

func expiresAgainAfterFailure(t *testing.T) {
	w := newWorld(t, 0)
	c := newCounted()
	w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if err := c.hook(ctx, call, send); call.Target != "Sessions" || c.of("Scan Sessions") > 2 {
			return err
		}
		return drivertest.ErrInjected
	}
	defer w.start(w.faulty)()
	time.Sleep(time.Hour)
	if n := c.of("Scan Sessions"); n != 3 {
		t.Errorf("after two failures, the sessions were read %d times, want 3", n)
	}
}

// counted counts calls by what they are.
type counted struct {
	mu    sync.Mutex
	calls map[string]int
	all   int
}

func newCounted() *counted { return &counted{calls: map[string]int{}} }

func (c *counted) hook(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
	c.mu.Lock()
	c.calls[string(call.Method)+" "+call.Target]++
	c.all++
	c.mu.Unlock()
	return send(ctx)
}

func (c *counted) of(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[what]
}

// snapshot returns how many calls there were, and of what.
func (c *counted) snapshot() (all int, calls map[string]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all, maps.Clone(c.calls)
}

// healthy is a backend with this many channels that need nothing.
func healthy(t *testing.T, channels int) *mem.DB {
	t.Helper()
	db := mem.Open(mem.Snapshot{}.WithTable("Channels").WithTable("Blogs"), "worker.")
	for i := range channels {
		key, incarnation := fmt.Sprintf("c%06d", i), fmt.Sprintf("HEALTHYAAAAAAAAAAAAA%06d", i)
		err := db.Transact(t.Context(), "Channels", key, []driver.Operation{driver.Insert("",
			driver.String("Name", key), driver.String("Incarnation", incarnation), driver.String("State", "active"))})
		if err == nil {
			err = db.Transact(t.Context(), "Blogs", key, []driver.Operation{driver.Insert("gate!open!" + incarnation)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// Three workers are idle. Every request counts: also the looks at the queue of deletions.
func healthyChannelsCostLittle(t *testing.T) {
	db := healthy(t, 2_000) // a pass that read each of them would make some requests of 1,000 rows
	c := newCounted()
	faults := drivertest.NewFaults(drivertest.Far(db), c.hook)
	s := storage.New(faults, storage.Options{})
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for range 3 {
		running.Go(func() { New(s, testOptions).Run(ctx) })
	}
	defer running.Wait()
	defer cancel()
	time.Sleep(10 * time.Minute)
	before, _ := c.snapshot()
	const minutes = 60
	time.Sleep(minutes * time.Minute)
	after, calls := c.snapshot()
	if n := after - before; n >= 20*minutes {
		t.Errorf("%.1f requests a minute: %v", float64(n)/minutes, calls)
	}
}
