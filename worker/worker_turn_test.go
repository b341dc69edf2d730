package worker

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"microblogging/lab/mem"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestTurn(t *testing.T) {
	t.Run("several workers make one pass at each interval", bubble(workersShareThePasses))
	t.Run("message that is lost is sent again", bubble(lostTurnIsSentAgain))
	t.Run("several messages become one", bubble(severalTurnsBecomeOne))
	t.Run("worker that dies or sleeps with the message is replaced", bubble(takenTurnIsTakenOver))
	t.Run("worker that stops gives the message back", bubble(stoppedWorkerGivesTurnBack))
	t.Run("text that nobody can read begins anew", bubble(unreadableTurnBegins))
	t.Run("deletions come before what has expired, and that before the audit", bubble(passHasItsOrder))
	t.Run("a clock that was ahead does not keep what has expired", bubble(aheadTurnExpires))
	t.Run("audit goes on where it was, once a day, whichever worker makes it", bubble(auditIsShared))
	t.Run("100,000 healthy channels cost less than 20 requests a minute", bubble(healthyChannelsCostLittle))
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
	c.calls[call.Method+" "+call.Target]++
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

// startMany runs workers of several processes until stop is called.
func (w *world) startMany(n int) (stop func()) {
	stops := make([]func(), n)
	for i := range stops {
		stops[i] = w.start(w.faulty)
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// turnMessages is how many messages the queue of turns has.
func (w *world) turnMessages() int64 {
	w.t.Helper()
	n, err := w.sound.Turns().Length(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

func (w *world) sendTurn(text string) {
	w.t.Helper()
	if err := w.sound.Turns().Send(w.t.Context(), text); err != nil {
		w.t.Fatal(err)
	}
}

func workersShareThePasses(t *testing.T) {
	w := newWorld(t, 0)
	c := newCounted()
	w.hook = c.hook
	defer w.startMany(5)()
	time.Sleep(time.Hour)
	if n := c.of("Scan Deletions"); n < 45 || n > 65 || w.turnMessages() != 1 {
		t.Errorf("in an hour, five workers made %d passes and left %d messages", n, w.turnMessages())
	}
}

func lostTurnIsSentAgain(t *testing.T) {
	w := newWorld(t, 0)
	c := newCounted()
	w.hook = c.hook
	defer w.startMany(3)()
	time.Sleep(10 * time.Minute)
	q := w.sound.Turns()
	w.until("the message is received", func() bool {
		messages, err := q.Receive(t.Context(), 32, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			if err := q.Delete(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
		return len(messages) > 0
	})
	before := c.of("Scan Deletions")
	time.Sleep(12 * time.Minute)
	if n := c.of("Scan Deletions") - before; n < 3 || w.turnMessages() != 1 {
		t.Errorf("after the loss, there were %d passes, and there are %d messages", n, w.turnMessages())
	}
}

// The messages are visible at different times, so that no worker receives two of them at
// once.
func severalTurnsBecomeOne(t *testing.T) {
	w := newWorld(t, 0)
	c := newCounted()
	w.hook = c.hook
	defer w.startMany(3)()
	for range 5 {
		w.sendTurn(turn{}.encode())
		time.Sleep(11 * time.Second)
	}
	time.Sleep(6 * time.Hour)
	before := c.of("Scan Deletions")
	time.Sleep(time.Hour)
	if n := c.of("Scan Deletions") - before; n > 65 || w.turnMessages() != 1 {
		t.Errorf("there are %d passes an hour, and %d messages", n, w.turnMessages())
	}
}

// A worker takes the message and is not heard of for ten minutes. Then it makes its pass, and
// gives back what is not its own any more.
func takenTurnIsTakenOver(t *testing.T) {
	w := newWorld(t, 0)
	w.sendTurn(turn{}.encode())
	sleeper := &turns{Worker: New(w.sound, w.options), queue: w.sound.Turns()}
	m, found, err := sleeper.receive(t.Context())
	if err != nil || !found {
		t.Fatal(found, err)
	}
	c := newCounted()
	w.hook = c.hook
	defer w.startMany(2)()
	time.Sleep(10 * time.Minute)
	if n := c.of("Scan Deletions"); n < 5 || w.turnMessages() != 1 {
		t.Errorf("beside a worker that sleeps, there were %d passes, and there are %d messages", n, w.turnMessages())
	}
	if _, err := sleeper.take(t.Context(), m); err != nil || w.turnMessages() != 1 {
		t.Errorf("the worker that slept reports %v, and there are %d messages", err, w.turnMessages())
	}
}

func stoppedWorkerGivesTurnBack(t *testing.T) {
	w := newWorld(t, 0)
	inPass := make(chan struct{})
	once := sync.OnceFunc(func() { close(inPass) })
	w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Deletions" {
			once()
			<-ctx.Done()
			return ctx.Err()
		}
		return send(ctx)
	}
	stop := w.start(w.faulty)
	<-inPass
	stop()
	messages, err := w.sound.Turns().Receive(t.Context(), 32, time.Second)
	if err != nil || len(messages) != 1 {
		t.Errorf("after the worker stopped, %d messages are visible (%v)", len(messages), err)
	}
}

func unreadableTurnBegins(t *testing.T) {
	w := newWorld(t, 0)
	c := newCounted()
	w.hook = c.hook
	w.sendTurn("of another program")
	defer w.start(w.faulty)()
	time.Sleep(10 * time.Minute)
	if n := c.of("Scan Deletions"); n < 5 || w.turnMessages() != 1 {
		t.Errorf("there were %d passes, and there are %d messages", n, w.turnMessages())
	}
}

func passHasItsOrder(t *testing.T) {
	w := newWorld(t, 0)
	var mu sync.Mutex
	var order []string
	w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == "Scan" {
			mu.Lock()
			order = append(order, call.Target)
			mu.Unlock()
		}
		return send(ctx)
	}
	stop := w.start(w.faulty)
	time.Sleep(90 * time.Second)
	stop()
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(order, " "); !strings.HasPrefix(got, "Deletions Sessions Throttle Channels") {
		t.Errorf("the pass reads %s", got)
	}
}

func aheadTurnExpires(t *testing.T) {
	w := newWorld(t, 0)
	c := newCounted()
	w.hook = c.hook
	w.sendTurn(turn{ExpireOn: time.Now().Add(24 * time.Hour)}.encode())
	defer w.startMany(1)()
	time.Sleep(15 * time.Minute)
	// Each tenth pass, and the audit has read the sessions once.
	if n := c.of("Scan Sessions"); n != 3 {
		t.Errorf("in 15 minutes, the sessions were read %d times, want 3", n)
	}
}

func auditIsShared(t *testing.T) {
	w := newWorld(t, 0)
	c := newCounted()
	w.hook = c.hook
	ctx := t.Context()
	for day := range 2 {
		stop := w.startMany(1) // each day a new process
		time.Sleep(24 * time.Hour)
		stop()
		// A page for the marked channels, and one for the gates.
		if n := c.of("Scan Channels"); n < 2*day+1 || n > 2*(day+1)+1 {
			t.Errorf("after %d days, there were %d pages of channels", day+1, n)
		}
	}
	if _, err := w.sound.Channel(ctx, w.victim.Key()); err != nil {
		t.Error(err)
	}
}

// healthy is a backend with this many channels that need nothing.
func healthy(t *testing.T, channels int) *mem.DB {
	t.Helper()
	rows, gates := make([]driver.Entity, channels), make([]driver.Entity, channels)
	for i := range rows {
		key, incarnation := fmt.Sprintf("c%06d", i), fmt.Sprintf("HEALTHYAAAAAAAAAAAAA%06d", i)
		rows[i] = driver.Entity{Partition: key, ETag: "1", Properties: driver.Properties{
			driver.String("Name", key), driver.String("Incarnation", incarnation), driver.String("State", "active")}}
		gates[i] = driver.Entity{Partition: key, Row: "gate!open!" + incarnation, ETag: "1"}
	}
	filled, err := mem.Snapshot{}.WithRows("Channels", rows)
	if err == nil {
		filled, err = filled.WithRows("Blogs", gates)
	}
	if err != nil {
		t.Fatal(err)
	}
	return mem.Open(filled, "worker.")
}

// Three workers are idle. Every request counts: also the looks at the queue of deletions,
// and the audit, which has seen none of the channels before.
func healthyChannelsCostLittle(t *testing.T) {
	db := healthy(t, 100_000)
	c := newCounted()
	faults := drivertest.NewFaults(db, db, c.hook)
	s := storage.New(faults, faults)
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
