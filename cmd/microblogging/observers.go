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
	calls      []driver.Around
	deliveries []worker.Observer
	// requests and tries are for metrics, and nil without them. Traces are put around the web
	// role, and the Azure SDK makes its own.
	requests web.Observer
	tries    func(context.Context, azure.Try)
	// traces is nil if there are none.
	traces *traces.Traces
}
