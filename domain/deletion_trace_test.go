package domain_test

import (
	"slices"
	"testing"
	"time"

	"microblogging/domain"
)

func TestTrace(t *testing.T) {
	t.Run("a record takes the place of the former one", recordTakesPlaceOfFormer)
	t.Run("an older record does not open a step again", olderRecordDoesNotReopen)
	t.Run("a long trace keeps its first and last records and every row", longTraceKeepsEnds)
	t.Run("a record that stands in another is not added again", foldedRecordStays)
}

func at(seconds int) time.Time {
	return time.Date(2026, time.March, 4, 5, 0, 0, 0, time.UTC).Add(time.Duration(seconds) * time.Second)
}

func traced(step domain.Step, worker, began int, rows int64) domain.StepRecord {
	return domain.StepRecord{Step: step, Worker: worker, Delivery: int64(worker), Began: at(began), Rows: rows, Count: 1}
}

func rowsOf(trace domain.Trace) (rows int64, records int) {
	for _, r := range trace {
		rows += r.Rows
		records += r.Count
	}
	return rows, records
}

func recordTakesPlaceOfFormer(t *testing.T) {
	trace := domain.Trace{}.With(traced(domain.StepSweep, 1, 0, 99)).With(traced(domain.StepPivot, 2, 1, 0))
	trace = trace.With(traced(domain.StepSweep, 1, 0, 198))
	if rows, _ := rowsOf(trace); len(trace) != 2 || rows != 198 || trace.Workers() != 2 {
		t.Errorf("the trace is %+v", trace)
	}
}

func olderRecordDoesNotReopen(t *testing.T) {
	ended := traced(domain.StepSweep, 1, 0, 198)
	ended.Ended, ended.Result = at(3), domain.StepDone
	trace := domain.Trace{}.With(ended).With(traced(domain.StepSweep, 1, 0, 99))
	if got := trace[0]; len(trace) != 1 || got != ended {
		t.Errorf("the record is %+v, want %+v", got, ended)
	}
}

func longTraceKeepsEnds(t *testing.T) {
	var trace domain.Trace
	const all = 500
	for i := range all {
		trace = trace.With(traced(domain.StepSweep, i+1, i, 1))
	}
	rows, records := rowsOf(trace)
	if len(trace) != domain.MaxTrace || rows != all || records != all || trace.Workers() != all {
		t.Fatalf("%d records that stand for %d, with %d rows and %d workers", len(trace), records, rows, trace.Workers())
	}
	if trace[0].Worker != 1 || trace[len(trace)-1].Worker != all {
		t.Errorf("the trace begins with worker %d and ends with worker %d", trace[0].Worker, trace[len(trace)-1].Worker)
	}
	for i := 1; i < len(trace); i++ {
		if trace[i].Began.Before(trace[i-1].Began) {
			t.Errorf("record %d began before the one before it", i)
		}
	}
}

func foldedRecordStays(t *testing.T) {
	var trace domain.Trace
	for i := range 100 {
		trace = trace.With(traced(domain.StepSweep, i+1, i, 1))
	}
	if again := trace.With(traced(domain.StepSweep, 50, 49, 11)); !slices.Equal(again, trace) {
		t.Errorf("the trace is %+v", again)
	}
}
