package traces

import (
	"context"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/tracing"
	"github.com/Azure/azure-sdk-for-go/sdk/tracing/azotel"
	"go.opentelemetry.io/otel/trace"
)

// attributeURL is where the SDK puts the URL of a request.
const attributeURL = "http.url"

// Azure returns what makes spans of the calls of Azure's SDK: one for each method, and below
// it one for each try. A call outside of any span has none. It is zero if there are no
// traces.
func (t *Traces) Azure() tracing.Provider {
	if t == nil {
		return tracing.Provider{}
	}
	spans := azotel.NewTracingProvider(t.provider, nil)
	return tracing.NewProvider(func(module, version string) tracing.Tracer {
		tracer := spans.NewTracer(module, version)
		return tracing.NewTracer(func(ctx context.Context, name string, o *tracing.SpanOptions) (context.Context, tracing.Span) {
			if !trace.SpanContextFromContext(ctx).IsValid() {
				return ctx, tracing.Span{}
			}
			ctx, span := tracer.Start(ctx, name, &tracing.SpanOptions{Kind: o.Kind, Attributes: withoutKeys(o.Attributes)})
			return ctx, withoutTexts(span)
		}, &tracing.TracerOptions{SpanFromContext: tracer.SpanFromContext})
	}, nil)
}

// withoutKeys leaves the query and the keys of rows out of the URL: keys may hold hashes of
// addresses, and a query a signature.
func withoutKeys(attributes []tracing.Attribute) []tracing.Attribute {
	harmless := make([]tracing.Attribute, len(attributes))
	for i, a := range attributes {
		if text, ok := a.Value.(string); ok && a.Key == attributeURL {
			text, _, _ = strings.Cut(text, "?")
			a.Value, _, _ = strings.Cut(text, "(")
		}
		harmless[i] = a
	}
	return harmless
}

// withoutTexts keeps the first line of a failure, which is the type of the error or the
// status of the reply. The rest, and an error that holds a URL, are left out.
func withoutTexts(span tracing.Span) tracing.Span {
	return tracing.NewSpan(tracing.SpanImpl{
		End:           span.End,
		SetAttributes: span.SetAttributes,
		AddEvent:      span.AddEvent,
		SetStatus: func(status tracing.SpanStatus, text string) {
			text, _, _ = strings.Cut(text, "\n")
			if strings.Contains(text, "://") {
				text = "no answer"
			}
			span.SetStatus(status, strings.TrimSuffix(text, ":"))
		},
	})
}
