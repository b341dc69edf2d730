package web_test

import (
	"context"
	"runtime"
	"sync"

	"microblogging/storage/storagetest"
)

// calls counts what is asked of the store meanwhile, by table and method.
func (s *site) calls(request func()) map[string]int {
	var mu sync.Mutex
	counts := make(map[string]int)
	s.breakStore(func(ctx context.Context, call storagetest.Call, send storagetest.Send) error {
		mu.Lock()
		counts[call.Target+" "+call.Method]++
		mu.Unlock()
		return send(ctx)
	})
	defer s.mendStore()
	request()
	return counts
}

// A gauge sees how many calls of the store there are at once.
type gauge struct {
	mu            sync.Mutex
	now, greatest int
}

// hook holds each read of a range for a moment, so that others can catch up.
func (g *gauge) hook(ctx context.Context, call storagetest.Call, send storagetest.Send) error {
	if call.Target+" "+call.Method != "Blogs Range" {
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

// hanging never answers.
func hanging(ctx context.Context, _ storagetest.Call, _ storagetest.Send) error {
	<-ctx.Done()
	return ctx.Err()
}

// everyCall fails each call of the store.
func everyCall(err error) storagetest.Hook {
	return func(context.Context, storagetest.Call, storagetest.Send) error { return err }
}
