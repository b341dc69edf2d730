package domain

import (
	"slices"
	"time"
)

// StepReceive is no step of the cascade. It begins the records of each worker: the
// worker has received a message and records that the deletion is running.
const StepReceive Step = "receive"

// A StepResult says how a worker came to the end of a step.
type StepResult string

// The results of a step.
const (
	// StepUnderWay: the step goes on, or its worker died and said nothing more.
	StepUnderWay StepResult = ""
	StepDone     StepResult = "done"
	// StepOvertaken: the worker found that another worker is further.
	StepOvertaken StepResult = "overtaken"
	// StepFailed: the store refused something, or the program has a bug.
	StepFailed StepResult = "failed"
	// StepWaiting: the store did not answer.
	StepWaiting StepResult = "waiting"
	// StepStopped: the process stops, and has given the message back.
	StepStopped StepResult = "stopped"
	// StepLost: the worker has lost its lease.
	StepLost StepResult = "lost"
)

// A StepRecord says when one worker took one step of a deletion. It is a report: no
// operation depends on it.
type StepRecord struct {
	Step Step `json:"step"`
	// Worker tells the handlings of one deletion apart. It counts from 1.
	Worker int `json:"worker"`
	// Delivery says how often the worker's message had been delivered.
	Delivery int64     `json:"delivery"`
	Began    time.Time `json:"began"`
	// Ended is zero unless Result says how the step ended.
	Ended time.Time `json:"ended,omitzero"`
	// Rows counts the rows that the worker removed.
	Rows   int64      `json:"rows,omitempty"`
	Result StepResult `json:"result,omitempty"`
}

// MaxStepLog is the most records of a StepLog. A full one keeps its first eight records and the
// latest.
const (
	MaxStepLog  = 32
	stepLogHead = 8
)

// A StepLog has the records of a deletion in the order in which they were begun.
type StepLog []StepRecord

// Workers returns how many workers have begun the deletion.
func (t StepLog) Workers() (n int) {
	for _, r := range t {
		n = max(n, r.Worker)
	}
	return n
}

// With returns a StepLog with the record, which replaces the former record of this worker and
// step. A full log leaves out the record after its first ones.
func (t StepLog) With(r StepRecord) StepLog {
	t = slices.Clone(t)
	at := slices.IndexFunc(t, func(o StepRecord) bool { return o.Worker == r.Worker && o.Step == r.Step })
	if at >= 0 {
		if t[at].Result != StepUnderWay { // an older record must not open it again
			r.Ended, r.Result = t[at].Ended, t[at].Result
		}
		r.Rows = max(r.Rows, t[at].Rows)
		t[at] = r
		return t
	}
	t = append(t, r)
	slices.SortStableFunc(t, func(a, b StepRecord) int { return a.Began.Compare(b.Began) })
	if len(t) > MaxStepLog {
		t = slices.Delete(t, stepLogHead, stepLogHead+1)
	}
	return t
}
