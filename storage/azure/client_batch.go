package azure

import (
	"context"
	"fmt"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
)

// A batchPolicy reads the reply to a batch before the SDK does (aztables v1.4.1). The
// SDK does not count: it takes a reply that confirms fewer operations than were sent
// for success, and so a failure that was cut off. An empty body makes it panic. The
// policy comes before the retries, so it sees the last reply.
type batchPolicy struct{}

// operationsSent is the key of a context value: the number of operations in a batch.
type operationsSent struct{}

// withOperations tells the batchPolicy that the requests of ctx are one batch of n
// operations.
func withOperations(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, operationsSent{}, n)
}

// Do implements policy.Policy. A failed operation is a *batchFailure. A reply that
// does not say what became of the batch is an error, as if there were no reply.
func (batchPolicy) Do(req *policy.Request) (*http.Response, error) {
	reply, err := req.Next()
	sent, isBatch := req.Raw().Context().Value(operationsSent{}).(int)
	if err != nil || !isBatch || reply.StatusCode >= http.StatusMultipleChoices {
		return reply, err
	}
	body, err := runtime.Payload(reply)
	if err != nil {
		return reply, err
	}
	said, err := readBatchReply(reply.Header.Get("Content-Type"), body)
	switch {
	case err != nil:
		return reply, err
	case said.failure != nil && said.failure.operation >= sent:
		return reply, fmt.Errorf("%w: operation %d of %d failed", errNotBatch, said.failure.operation, sent)
	case said.failure != nil:
		said.failure.cause = runtime.NewResponseError(reply)
		return reply, said.failure
	case said.confirmed != sent:
		return reply, fmt.Errorf("%w: it confirms %d of %d operations", errNotBatch, said.confirmed, sent)
	}
	return reply, nil
}
