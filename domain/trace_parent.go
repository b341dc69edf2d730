package domain

import (
	"context"
	"strings"
)

// A TraceParent names a request in a distributed trace, as the header traceparent does
// (W3C Trace Context, version 00). It is empty if nothing is traced. It is a report: no
// operation depends on it.
type TraceParent string

// Valid reports whether the value is one that the header can have.
func (t TraceParent) Valid() bool {
	const zeros = "00000000000000000000000000000000"
	if len(t) != len("00-")+32+1+16+1+2 || t[:3] != "00-" || t[35] != '-' || t[52] != '-' {
		return false
	}
	trace, span, flags := string(t[3:35]), string(t[36:52]), string(t[53:])
	return strings.Trim(trace+span+flags, "0123456789abcdef") == "" && trace != zeros && span != zeros[:16]
}

// traceParentKey is the key of a context value: what WithTraceParent says.
type traceParentKey struct{}

// WithTraceParent returns a context for the operations of a request that is traced. A
// deletion that is requested with it carries the value in its message and in its Deletions
// row, so that whatever is done for it later can name the request.
func WithTraceParent(ctx context.Context, of TraceParent) context.Context {
	return context.WithValue(ctx, traceParentKey{}, of)
}

// TraceParentOf returns what WithTraceParent said, or nothing.
func TraceParentOf(ctx context.Context) TraceParent {
	of, _ := ctx.Value(traceParentKey{}).(TraceParent)
	return of
}
