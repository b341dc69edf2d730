package telemetry

import "fmt"

// A spanData is a span of the OpenTelemetry protocol in its encoding as JSON: identities in
// hexadecimal digits, enumerations as numbers, and integers of 64 bits as strings. It has those of the
// protocol's fields that are sent, as the types below do.
type spanData struct {
	spanID
	ParentSpanID string      `json:"parentSpanId,omitempty"`
	Name         string      `json:"name"`
	Kind         spanKind    `json:"kind"`
	Start        int64       `json:"startTimeUnixNano,string"`
	End          int64       `json:"endTimeUnixNano,string"`
	Attributes   []attribute `json:"attributes,omitempty"`
	Events       []event     `json:"events,omitempty"`
	Links        []spanID    `json:"links,omitempty"`
	Status       *status     `json:"status,omitempty"`
}

// A spanID names a span. A link is one of another trace.
type spanID struct {
	TraceID string `json:"traceId"`
	SpanID  string `json:"spanId"`
}

type event struct {
	Time       int64       `json:"timeUnixNano,string"`
	Name       string      `json:"name"`
	Attributes []attribute `json:"attributes"`
}

type status struct {
	Code    int    `json:"code"` // 2 is an error
	Message string `json:"message"`
}

type spanKind int

const (
	kindInternal spanKind = 1
	kindServer   spanKind = 2
	kindClient   spanKind = 3
	kindConsumer spanKind = 5
)

type attribute struct {
	Key string `json:"key"`
	// Value has one member, whose name says its type.
	Value map[string]any `json:"value"`
}

// attributes makes attributes of a key and a value by turns.
func attributes(pairs ...any) []attribute {
	var told []attribute
	for i := 0; i+1 < len(pairs); i += 2 {
		var value map[string]any
		switch v := pairs[i+1].(type) {
		case int, int64:
			value = map[string]any{"intValue": fmt.Sprint(v)}
		case bool:
			value = map[string]any{"boolValue": v}
		default:
			value = map[string]any{"stringValue": fmt.Sprint(v)}
		}
		told = append(told, attribute{fmt.Sprint(pairs[i]), value})
	}
	return told
}
