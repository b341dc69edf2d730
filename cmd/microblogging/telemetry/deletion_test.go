package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/worker"
)

// TestDeletion follows a deletion from the click to the last row over a redelivery.
func TestDeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		traces := kept(t)
		var sweeps atomic.Int32
		fail := func(ctx context.Context, call *driver.Call, next func(context.Context) error) error {
			if call.Method == driver.CallTransact && call.Target == "Blogs" && len(call.Operations) > 10 && sweeps.Add(1) == 2 {
				return domain.ErrUnavailable
			}
			return next(ctx)
		}
		store := storage.New(mem.Open(mem.Snapshot{}, "test"), storage.Options{Around: append(traces.Store(), fail)})
		channel := fill(t, store)
		click := httptest.NewRequest("DELETE", "/api/v1/channels/garden", nil)
		ctx, answered := traces.Request(t.Context(), click, "/api/v1/channels/:name")
		if _, err := store.Deletions.Request(ctx, channel.Key(), "ada", domain.Any[domain.Incarnation]()); err != nil {
			t.Error(err)
		}
		answered(http.StatusAccepted)
		sweeps.Store(0)
		w := worker.New(store.Steps, worker.Options{
			Lease: time.Minute, Reconcile: time.Minute, Concurrency: 1, MaxAttempts: 5, Log: slog.New(slog.DiscardHandler), Observer: traces,
		})
		for _, fails := range []bool{true, false} {
			time.Sleep(5 * time.Second) // of the bubble: the message is invisible for a moment
			messages, err := store.Operator.Messages().Receive(t.Context(), 1, time.Minute)
			if err != nil || len(messages) != 1 {
				t.Fatalf("received %v, %v", messages, err)
			}
			if err := w.Handle(t.Context(), messages[0]); (err != nil) != fails {
				t.Fatal(err)
			}
		}
		all := traces.spans()
		tellsOfTheClick(t, all)
		tellsOfTheDeliveries(t, all)
	})
}

func fill(t *testing.T, store *storage.Parts) domain.Channel {
	t.Helper()
	channel, err := domain.NewChannel("Garden", domain.About{}, "ada")
	if err == nil {
		err = store.Operator.Prepare(t.Context())
	}
	if err == nil {
		channel, _, err = store.Channels.Create(t.Context(), channel, "", 0)
	}
	for i := range 150 {
		if err == nil {
			_, _, err = store.Posts.Create(t.Context(), storage.NewPost{Channel: channel, By: "ada", Key: fmt.Sprint(i), Draft: domain.Draft{Text: "a"}})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return channel
}

const clickName = "DELETE /api/v1/channels/:name"

func tellsOfTheClick(t *testing.T, all story) {
	click := all.one(t, clickName)
	for key, want := range map[string]string{
		"http.route": "/api/v1/channels/:name", "http.request.method": "DELETE", "http.response.status_code": "202",
	} {
		if got := value(click, key); got != want {
			t.Errorf("the request's %s is %q, want %q", key, got, want)
		}
	}
	request := all.of(click)
	for _, name := range []string{"send " + domain.QueueName, "transaction Deletions", "transaction Channels"} {
		if found := request.named(name); len(found) == 0 || !request.below(found[0], click) {
			t.Errorf("no %q below the request in %v", name, request.names())
		}
	}
}

func tellsOfTheDeliveries(t *testing.T, all story) {
	click, deliveries := all.one(t, clickName), all.named("process "+domain.QueueName)
	if len(deliveries) != 2 {
		t.Fatalf("%d deliveries in %v", len(deliveries), all.names())
	}
	if deliveries[0].TraceID == deliveries[1].TraceID || deliveries[0].TraceID == click.TraceID {
		t.Error("a delivery is in the trace of another")
	}
	for i, want := range []struct{ outcome, steps string }{
		{"wait", "pivot shut sweep"},
		{"done", "pivot shut sweep remove-gate release"},
	} {
		d := deliveries[i]
		if len(d.Links) != 1 || d.Links[0] != click.spanID {
			t.Errorf("delivery %d links to %v, and not to the request", i+1, d.Links)
		}
		if value(d, "microblogging.delivery") != fmt.Sprint(i+1) || value(d, "microblogging.outcome") != want.outcome ||
			value(d, "microblogging.channel") != "garden" || (d.Status != nil) != (want.outcome != "done") {
			t.Errorf("delivery %d says %s", i+1, d)
		}
		if rows := value(d, "microblogging.rows.removed"); rows == "" || rows == "0" {
			t.Errorf("delivery %d removed %q rows", i+1, rows)
		}
		tellsOfTheSteps(t, all.of(d), d, want.steps)
	}
}

// tellsOfTheSteps looks for the steps of a delivery, in their order, and for what each asks
// of the store.
func tellsOfTheSteps(t *testing.T, trace story, delivery *spanData, steps string) {
	t.Helper()
	var taken []string
	for _, span := range trace {
		if step, ok := strings.CutPrefix(span.Name, "step "); ok {
			taken = append(taken, step)
		}
		if span != delivery && !trace.below(span, delivery) {
			t.Errorf("%q is not below its delivery", span.Name)
		}
	}
	if strings.Join(taken, " ") != steps {
		t.Errorf("the steps are %v, want %s", taken, steps)
	}
	if failed := slices.ContainsFunc(trace, func(call *spanData) bool {
		return call.Name == "transaction Blogs" && value(call, "error.type") == "unavailable"
	}); failed != (delivery.Status != nil) {
		t.Errorf("a call has failed: %t, and the delivery says %v", failed, delivery.Status)
	}
}
