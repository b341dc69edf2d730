package domain_test

import (
	"slices"
	"testing"
	"time"

	"microblogging/domain"
)

func TestStepLog(t *testing.T) {
	t.Run("a record takes the place of the former one", recordTakesPlaceOfFormer)
	t.Run("an older record does not open a step again", olderRecordDoesNotReopen)
	t.Run("a long log keeps its first and last records and every row", longLogKeepsEnds)
	t.Run("a record that another includes is not added again", foldedRecordStays)
}

func at(seconds int) time.Time {
	return time.Date(2026, time.March, 4, 5, 0, 0, 0, time.UTC).Add(time.Duration(seconds) * time.Second)
}

func stepRecord(step domain.Step, worker, began int, rows int64) domain.StepRecord {
	return domain.StepRecord{Step: step, Worker: worker, Delivery: int64(worker), Began: at(began), Rows: rows, Count: 1}
}

func rowsOf(log domain.StepLog) (rows int64, records int) {
	for _, r := range log {
		rows += r.Rows
		records += r.Count
	}
	return rows, records
}

func recordTakesPlaceOfFormer(t *testing.T) {
	log := domain.StepLog{}.With(stepRecord(domain.StepSweep, 1, 0, 99)).With(stepRecord(domain.StepPivot, 2, 1, 0))
	log = log.With(stepRecord(domain.StepSweep, 1, 0, 198))
	if rows, _ := rowsOf(log); len(log) != 2 || rows != 198 || log.Workers() != 2 {
		t.Errorf("the log is %+v", log)
	}
}

func olderRecordDoesNotReopen(t *testing.T) {
	ended := stepRecord(domain.StepSweep, 1, 0, 198)
	ended.Ended, ended.Result = at(3), domain.StepDone
	log := domain.StepLog{}.With(ended).With(stepRecord(domain.StepSweep, 1, 0, 99))
	if got := log[0]; len(log) != 1 || got != ended {
		t.Errorf("the record is %+v, want %+v", got, ended)
	}
}

func longLogKeepsEnds(t *testing.T) {
	var log domain.StepLog
	const all = 500
	for i := range all {
		log = log.With(stepRecord(domain.StepSweep, i+1, i, 1))
	}
	rows, records := rowsOf(log)
	if len(log) != domain.MaxStepLog || rows != all || records != all || log.Workers() != all {
		t.Fatalf("%d records that summarise %d, with %d rows and %d workers", len(log), records, rows, log.Workers())
	}
	if log[0].Worker != 1 || log[len(log)-1].Worker != all {
		t.Errorf("the log begins with worker %d and ends with worker %d", log[0].Worker, log[len(log)-1].Worker)
	}
	for i := 1; i < len(log); i++ {
		if log[i].Began.Before(log[i-1].Began) {
			t.Errorf("record %d began before the one before it", i)
		}
	}
}

func foldedRecordStays(t *testing.T) {
	var log domain.StepLog
	for i := range 100 {
		log = log.With(stepRecord(domain.StepSweep, i+1, i, 1))
	}
	if again := log.With(stepRecord(domain.StepSweep, 50, 49, 11)); !slices.Equal(again, log) {
		t.Errorf("the log is %+v", again)
	}
}
