package worker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestProgress(t *testing.T) {
	t.Run("records when each step began and ended", bubble(recordsEachStep))
	t.Run("records each worker that takes part", bubble(recordsEachWorker))
	t.Run("numbers a worker whose first record failed", bubble(numbersLateWorker))
}

// told is the trace in a few words: worker, delivery, step and result of each record.
func told(trace domain.StepLog) (records []string) {
	for _, r := range trace {
		records = append(records, fmt.Sprintf("%d/%d %s %s", r.Worker, r.Delivery, r.Step, r.Result))
	}
	return records
}

var allSteps = []string{
	"1/1 receive done", "1/1 pivot done", "1/1 shut done", "1/1 sweep done", "1/1 remove-gate done", "1/1 release done",
}

func recordsEachStep(t *testing.T) {
	w := newWorld(t, enoughPosts)
	w.mustAsk()
	// Each transaction of the worker takes a second, so that the times differ.
	w.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == "Transact" {
			time.Sleep(time.Second)
		}
		return send(ctx)
	}
	w.finishOn(w.faulty)
	d := w.deletion()
	if got := told(d.StepLog); !slices.Equal(got, allSteps) {
		t.Fatalf("the trace tells %q", got)
	}
	w.mustCountEveryRow(enoughPosts)
	for i, r := range d.StepLog {
		if i > 0 && (r.Began.Before(d.StepLog[i-1].Ended) || r.Ended.Before(r.Began)) {
			t.Errorf("record %d, %+v, comes after %+v", i, r, d.StepLog[i-1])
		}
	}
	if sweep := d.StepLog[3]; sweep.Rows != d.RowsDeleted || sweep.Ended.Sub(sweep.Began) < 2*time.Second || d.Step != domain.StepRelease {
		t.Errorf("the sweep is %+v, and the deletion %+v", sweep, d)
	}
	if last := d.StepLog[len(d.StepLog)-1]; last.Ended.After(d.FinishedOn) {
		t.Errorf("the last step ends at %s, the deletion at %s", last.Ended, d.FinishedOn)
	}
}

// The first worker meets a store that does not answer, the second one that refuses. The
// third completes the deletion.
func recordsEachWorker(t *testing.T) {
	w := newWorld(t, 10) // one transaction
	w.mustAsk()
	sweeping := 0
	w.hook = drivertest.Only(sweeps, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		switch sweeping++; sweeping {
		case 1:
			return drivertest.ErrInjected
		case 2:
			return fmt.Errorf("refused")
		default:
			return send(ctx)
		}
	})
	w.finishOn(w.faulty)
	want := []string{
		"1/1 receive done", "1/1 pivot done", "1/1 shut done", "1/1 sweep waiting",
		"2/2 receive done", "2/2 pivot done", "2/2 shut done", "2/2 sweep failed",
	}
	for _, step := range allSteps {
		want = append(want, strings.Replace(step, "1/1", "3/3", 1))
	}
	if got := told(w.deletion().StepLog); !slices.Equal(got, want) {
		t.Errorf("the trace tells %q", got)
	}
	w.mustCountEveryRow(10)
	w.mustBeDeleted()
}

func numbersLateWorker(t *testing.T) {
	w := newWorld(t, 1)
	w.mustAsk()
	reads := 0 // the first is whether there is a record
	w.hook = drivertest.Only(func(call drivertest.Call) bool {
		return call.Target == "Deletions" && call.Method == "Get"
	}, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		if reads++; reads == 2 {
			return drivertest.ErrInjected
		}
		return send(ctx)
	})
	w.finishOn(w.faulty)
	if got := told(w.deletion().StepLog); len(got) != 7 || got[0] != "1/1 receive done" || got[1] != "2/2 receive done" {
		t.Errorf("the trace tells %q", got)
	}
}

// mustCountEveryRow checks that the rows of a channel with so many posts are counted exactly.
func (w *world) mustCountEveryRow(posts int64) {
	w.t.Helper()
	var traced int64
	d := w.deletion()
	for _, r := range d.StepLog {
		traced += r.Rows
	}
	if want := 3*posts + 2; d.RowsDeleted != want || traced != want {
		w.t.Errorf("%d rows are counted, %d in the trace, want %d", d.RowsDeleted, traced, want)
	}
}
