package main

import (
	"context"
	"log/slog"
	"net/http"

	"microblogging/cmd/microblogging/traces"
	"microblogging/storage/driver"
	"microblogging/web"
	"microblogging/worker"
)

// startTraces starts traces if the variables OTEL_* ask for them. The caller stops them.
// Without traces, there are no observers.
func (f storageFlags) startTraces(ctx context.Context, log *slog.Logger) (observers, error) {
	started, err := traces.Start(ctx, traces.Options{Version: buildVersion(), Storage: f.Storage, Log: log})
	switch {
	case err != nil:
		return observers{}, cannotRunError{err}
	case started == nil:
		return observers{}, nil
	}
	return observers{
		calls:      []driver.Around{started.Store},
		deliveries: []worker.Observer{started.Worker()},
		traces:     started,
	}, nil
}

// traced puts traces, if there are any, around the web role.
func (f webFlags) traced(handler http.Handler, t *traces.Traces) http.Handler {
	return t.Handler(handler, traces.HandlerOptions{Path: web.LoggedPath, Trusted: f.TrustProxy.trusts})
}
