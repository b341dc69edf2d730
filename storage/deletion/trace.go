package deletion

import (
	"encoding/json"
	"fmt"
	"time"

	"microblogging/domain"
)

// A traceItem is a record of a Trace as it is stored. Times are in microseconds: At is
// since the deletion was asked for, Took is since At. At is negative if the worker's clock is
// behind the clock of the web role.
type traceItem struct {
	Step     domain.Step       `json:"step"`
	Worker   int               `json:"worker"`
	Delivery int64             `json:"delivery"`
	At       int64             `json:"at"`
	Took     int64             `json:"took,omitempty"`
	Rows     int64             `json:"rows,omitempty"`
	Result   domain.StepResult `json:"result,omitempty"`
	Count    int               `json:"count,omitempty"` // 0 is 1
}

func encodeTrace(t domain.Trace, asked time.Time) string {
	items := make([]traceItem, len(t))
	for i, r := range t {
		items[i] = traceItem{
			Step: r.Step, Worker: r.Worker, Delivery: r.Delivery, At: r.Began.Sub(asked).Microseconds(),
			Rows: r.Rows, Result: r.Result,
		}
		if r.Result != domain.StepUnderWay {
			items[i].Took = r.Ended.Sub(r.Began).Microseconds()
		}
		if r.Count > 1 {
			items[i].Count = r.Count
		}
	}
	text, err := json.Marshal(items)
	if err != nil {
		panic(fmt.Sprintf("encoding a trace: %v", err)) // strings and integers always marshal
	}
	return string(text)
}

// decodeTrace reads what encodeTrace wrote. A text that it cannot read gives no trace: it
// is a report, and the deletion goes on without it.
func decodeTrace(text string, asked time.Time) domain.Trace {
	var items []traceItem
	if text == "" || json.Unmarshal([]byte(text), &items) != nil {
		return nil
	}
	trace := make(domain.Trace, len(items))
	for i, item := range items {
		began := asked.Add(time.Duration(item.At) * time.Microsecond)
		trace[i] = domain.StepRecord{
			Step: item.Step, Worker: item.Worker, Delivery: item.Delivery, Began: began,
			Rows: item.Rows, Result: item.Result, Count: max(item.Count, 1),
		}
		if item.Result != domain.StepUnderWay {
			trace[i].Ended = began.Add(time.Duration(item.Took) * time.Microsecond)
		}
	}
	return trace
}
