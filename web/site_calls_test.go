package web_test

import (
	"context"
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

// hanging answers only when the context ends.
func hanging(ctx context.Context, _ drivertest.Call, _ drivertest.Send) error {
	<-ctx.Done()
	return ctx.Err()
}

// everyCall fails each call of the store.
func everyCall(err error) drivertest.Hook {
	return func(context.Context, drivertest.Call, drivertest.Send) error { return err }
}
