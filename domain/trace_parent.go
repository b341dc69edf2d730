package domain

import "strings"

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
