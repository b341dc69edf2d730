package web_test

import (
	"context"
	"runtime"
	"sync"

	"microblogging/storage/drivertest"
)

// calls counts the calls of the store during a request, by table and method.
func (s *site) calls(request func()) map[string]int {
	var mu sync.Mutex
	counts := make(map[string]int)
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		mu.Lock()
		counts[call.Target+" "+string(call.Method)]++
		mu.Unlock()
		return send(ctx)
	})
	defer s.mendStore()
	request()
	return counts
}

// A gauge counts the calls of the store that run at once.
type gauge struct {
	mu            sync.Mutex
	now, greatest int
}

// hook delays each read of a range a little, so that other reads can start.
func (g *gauge) hook(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
	if call.Target+" "+string(call.Method) != "Blogs Range" {
		return send(ctx)
	}
	g.add(1)
	defer g.add(-1)
	for range 100 {
		runtime.Gosched()
	}
	return send(ctx)
}

func (g *gauge) add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now += n
	g.greatest = max(g.greatest, g.now)
}

func (g *gauge) most() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.greatest
}

// hanging answers only when the context ends.
func hanging(ctx context.Context, _ drivertest.Call, _ drivertest.Send) error {
	<-ctx.Done()
	return ctx.Err()
}

// everyCall fails each call of the store.
func everyCall(err error) drivertest.Hook {
	return func(context.Context, drivertest.Call, drivertest.Send) error { return err }
}
