package main

import (
	"context"

	"microblogging/cmd/microblogging/traces"
	"microblogging/storage/azure"
	"microblogging/storage/driver"
	"microblogging/web"
	"microblogging/worker"
)

// observers are told what happens in this process, for metrics and traces. The zero value
// tells nobody, and costs nothing. Of several, the first begins first and ends last.
type observers struct {
	calls      []driver.Observer
	tries      []func(context.Context, azure.Try)
	requests   []web.Observer
	deliveries []worker.Observer
	// traces is nil if there are none.
	traces *traces.Traces
}

// tried returns what tells each try to all of them, or nil if there is none.
func (o observers) tried() func(context.Context, azure.Try) {
	switch len(o.tries) {
	case 0:
		return nil
	case 1:
		return o.tries[0]
	}
	return func(ctx context.Context, try azure.Try) {
		for _, tell := range o.tries {
			tell(ctx, try)
		}
	}
}
