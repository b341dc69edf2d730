package worker

import (
	"context"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestConclude(t *testing.T) {
	t.Run("a record that gets no answer leaves time to hide the message, or to give it back", bubble(silentRecordLeavesTime))
	t.Run("no outcome takes longer than the time to conclude", bubble(silentConclusionEnds))
}

// silentAfterRefusal refuses the work. From then on the calls that match get no answer.
func silentAfterRefusal(match func(drivertest.Call) bool) drivertest.Hook {
	silent := false
	return serial(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		switch {
		case sweeps(call):
			silent = true
			return errRefused
		case silent && match(call):
			<-ctx.Done()
			return ctx.Err()
		}
		return send(ctx)
	})
}

func ofDeletions(call drivertest.Call) bool { return call.Target == "Deletions" }

// The table with the records is silent, and the queues answer.
func silentRecordLeavesTime(t *testing.T) {
	for _, test := range []struct {
		attempts int // at most
		shutdown bool
		want     domain.Message
	}{
		{5, false, domain.Message{Attempts: 1}},
		{1, false, domain.Message{Attempts: 1, Waits: 1}}, // was to be poisoned
		{5, true, domain.Message{}},
	} {
		w := newWorld(t, 5)
		w.options.MaxAttempts = test.attempts
		w.hook = silentAfterRefusal(ofDeletions)
		w.mustAsk()
		job := New(w.faulty, w.options).newJob(w.receive(), nil)
		cause := job.do(t.Context())
		result := classify(t.Context(), cause)
		if test.shutdown {
			result = outcomeShutdown
		}
		job.conclude(t.Context(), result, cause)
		w.mustBeHidden(test.want)
		if n := w.copies(); n != 0 {
			t.Errorf("%d copies are on the poison queue", n)
		}
	}
}

// mustBeHidden checks that the message was written again with these counts, and is
// visible after its first pause at the latest, which is shorter than the lease.
func (w *world) mustBeHidden(counts domain.Message) {
	w.t.Helper()
	time.Sleep(2 * time.Second)
	if w.visible() != 1 {
		w.t.Fatal("the message is not visible after its pause")
	}
	m, err := domain.DecodeMessage(w.receive().Text)
	w.ok(err)
	if m.Attempts != counts.Attempts || m.Waits != counts.Waits || m.Accounted == 0 {
		w.t.Errorf("the message reads %+v, want %d attempts and %d waits", m, counts.Attempts, counts.Waits)
	}
}

func silentConclusionEnds(t *testing.T) {
	everything := func(drivertest.Call) bool { return true }
	for _, result := range []outcome{
		outcomeDone, outcomeRetry, outcomePermanent, outcomePanic, outcomeShutdown, outcomeWait, outcomeLost,
	} {
		for _, attempts := range []int{1, 5} {
			w := newWorld(t, 5)
			w.options.MaxAttempts = attempts
			w.hook = silentAfterRefusal(everything)
			w.mustAsk()
			job := New(w.faulty, w.options).newJob(w.receive(), nil)
			cause := job.do(t.Context())
			began := time.Now()
			job.conclude(t.Context(), result, cause)
			if took := time.Since(began); took > concludeTime {
				t.Errorf("%s took %s of silence, want at most %s", result, took, concludeTime)
			}
		}
	}
}
