package templates

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"microblogging/domain"
)

// stepName says the step in words.
func stepName(s domain.StepRecord) string {
	for _, step := range deletionSteps() {
		if step.key == s.Step {
			return step.name
		}
	}
	switch s.Step {
	case "receive":
		return "A worker takes the message"
	case "several":
		return counted(s.Count, "more step") + " of several workers"
	}
	return ""
}

// remark says how the step ended, unless it is done.
func (v Deletion) remark(s domain.StepRecord) string {
	switch s.Result {
	case "overtaken":
		return "Another worker was further."
	case "failed":
		return "It failed."
	case "waiting":
		return "The storage did not answer."
	case "stopped":
		return "The worker stopped, and gave the message back."
	case "lost":
		return "The worker lost its lease."
	case "":
		if v.State == domain.DeletionRunning && s.Worker == v.Trace[len(v.Trace)-1].Worker {
			return "Under way."
		}
		return "The worker said nothing more."
	}
	return ""
}

// offset says how long after the request the step began.
func (v Deletion) offset(s domain.StepRecord) string {
	return "+" + brief(max(s.Began.Sub(v.RequestedOn), 0))
}

// stepTook says how long the step took.
func stepTook(s domain.StepRecord) string {
	if s.Ended.IsZero() {
		return "–"
	}
	return brief(s.Ended.Sub(s.Began))
}

// stepBy says which worker it was, and how often its message had been delivered.
func stepBy(s domain.StepRecord) string {
	return fmt.Sprintf("%d (delivery %d)", s.Worker, s.Delivery)
}

// sentence tells the whole record, for those who play it back.
func (v Deletion) sentence(s domain.StepRecord) string {
	said := string(s.Step) + ": " + stepName(s) + ". Worker " + strconv.Itoa(s.Worker) + ", " + v.offset(s) + " after the request"
	if !s.Ended.IsZero() {
		said += ", for " + stepTook(s)
	}
	if s.Rows > 0 {
		said += ", " + rowCount(s.Rows) + " removed"
	}
	said += "."
	if remark := v.remark(s); remark != "" {
		said += " " + remark
	}
	return said
}

// rowCount says how many rows there are: "1 row", "6,001 rows".
func rowCount(n int64) string {
	if n == 1 {
		return "1 row"
	}
	return count(n) + " rows"
}

// brief writes a short time so that 40 ms can be told from 4: "0.3 ms", "41 ms",
// "1.2 s", "3 min 20 s".
func brief(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case ms < 0.05:
		return "under 0.1 ms"
	case ms < 9.95:
		return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
	case ms < 999.5:
		return strconv.FormatFloat(math.Round(ms), 'f', 0, 64) + " ms"
	case d < 59950*time.Millisecond:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	d = d.Round(time.Second)
	if d < time.Hour {
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
}
