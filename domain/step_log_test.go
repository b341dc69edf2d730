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
	t.Run("a full log keeps its first and its latest records", longLogKeepsEnds)
}

func at(seconds int) time.Time {
	return time.Date(2026, time.March, 4, 5, 0, 0, 0, time.UTC).Add(time.Duration(seconds) * time.Second)
}

func stepRecord(step domain.Step, worker, began int, rows int64) domain.StepRecord {
	return domain.StepRecord{Step: step, Worker: worker, Delivery: int64(worker), Began: at(began), Rows: rows}
}

func recordTakesPlaceOfFormer(t *testing.T) {
	log := domain.StepLog{}.With(stepRecord(domain.StepSweep, 1, 0, 99)).With(stepRecord(domain.StepPivot, 2, 1, 0))
	log = log.With(stepRecord(domain.StepSweep, 1, 0, 198))
	if len(log) != 2 || log[0].Rows != 198 || log.Workers() != 2 {
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
	const all, head = 100, 8
	for i := range all {
		log = log.With(stepRecord(domain.StepSweep, i+1, i, 1))
	}
	for i, r := range log {
		want := i + 1
		if i >= head {
			want += all - domain.MaxStepLog
		}
		if r.Worker != want || log.Workers() != all {
			t.Fatalf("record %d is of worker %d of %d, want %d", i, r.Worker, log.Workers(), want)
		}
	}
	if again := log.With(stepRecord(domain.StepSweep, 50, 49, 11)); len(log) != domain.MaxStepLog || !slices.Equal(again, log) {
		t.Errorf("with a record from between, the log is %+v", again)
	}
}
