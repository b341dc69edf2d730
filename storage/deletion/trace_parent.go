package deletion

import (
	"context"

	"microblogging/domain"
)

// traceParentKey is the key of a context value: what WithTraceParent says.
type traceParentKey struct{}

// WithTraceParent returns a context for the operations of a request that is traced. A
// deletion that the request asks for carries the value in its message and in its Deletions
// row, so that whatever is done for it later can name the request.
func WithTraceParent(ctx context.Context, of domain.TraceParent) context.Context {
	return context.WithValue(ctx, traceParentKey{}, of)
}

// TraceParentOf returns what WithTraceParent said, or nothing.
func TraceParentOf(ctx context.Context) domain.TraceParent {
	of, _ := ctx.Value(traceParentKey{}).(domain.TraceParent)
	return of
}
