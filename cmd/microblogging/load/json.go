package load

import (
	"encoding/json"
	"io"
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
		Channels: r.Channels, Duration: r.Elapsed.Seconds(), Targets: AzureTargets(),
		Unsent: r.Unsent, Interrupted: r.Interrupted,
		Operations: make([]operationJSON, 0, len(r.Operations)),
	}
	for _, o := range r.Operations {
		out.Operations = append(out.Operations, operationJSON{
			Name: o.Name, Requests: o.Requests, Entities: o.Entities,
			Throttled: o.Throttled, Retried: o.Retried, Failed: o.Failed,
			P50: o.P50.Seconds(), P95: o.P95.Seconds(), P99: o.P99.Seconds(), Max: o.Max.Seconds(),
		})
	}
	return json.NewEncoder(w).Encode(out)
}
