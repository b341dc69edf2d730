package load

import (
	"encoding/json"
	"io"
	"time"
)

type resultJSON struct {
	Channels   int             `json:"channels"`
	Duration   float64         `json:"duration"`
	Operations []operationJSON `json:"operations"`
	Targets    Targets         `json:"targets"`
	// The others are absent if there is nothing to tell.
	Unsent      int64 `json:"unsent,omitempty"`
	Interrupted bool  `json:"interrupted,omitempty"`
}

type operationJSON struct {
	Name      string  `json:"name"`
	Requests  int64   `json:"requests"`
	Entities  int64   `json:"entities"`
	Throttled int64   `json:"throttled"`
	Retried   int64   `json:"retried,omitempty"`
	Failed    int64   `json:"failed"`
	P50       float64 `json:"p50"`
	P95       float64 `json:"p95"`
	P99       float64 `json:"p99"`
	Max       float64 `json:"max"`
}

// WriteJSON writes a result as one JSON object in one line. Durations are in seconds, and
// the others are counts of the whole run.
func WriteJSON(w io.Writer, r Result) error {
	out := resultJSON{
		Channels: r.Channels, Duration: seconds(r.Elapsed), Targets: AzureTargets(),
		Unsent: r.Unsent, Interrupted: r.Interrupted,
		Operations: make([]operationJSON, 0, len(r.Operations)),
	}
	for _, o := range r.Operations {
		out.Operations = append(out.Operations, operationJSON{
			Name: o.Name, Requests: o.Requests, Entities: o.Entities,
			Throttled: o.Throttled, Retried: o.Retried, Failed: o.Failed,
			P50: seconds(o.P50), P95: seconds(o.P95), P99: seconds(o.P99), Max: seconds(o.Max),
		})
	}
	return json.NewEncoder(w).Encode(out)
}

// seconds is a duration to the microsecond. Duration.Seconds adds, and so has more digits.
func seconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e6 }
