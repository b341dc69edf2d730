package azure

import (
	"context"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"microblogging/storage/driver"
)

// tryTimeout is how long one try may take.
const tryTimeout = 5 * time.Second

// DefaultRetry returns short retries, because people wait. A call fails after about
// 2 s if nothing listens, after 8 s if packets are dropped, and after 22 s if the
// service accepts requests but does not answer; a context can end it earlier. The
// pauses are about 150, 450 and 1050 ms, with jitter.
func DefaultRetry() policy.RetryOptions { return Retry(3, 150*time.Millisecond, 2*time.Second) }

// Retry returns retries by the table of docs/operating.md. The SDK makes the pause before the try
// after try number n from the shortest: (2^n - 1) * shortest * random(0.8, 1.3), and at most
// longest. With 0 retries, each request is sent once. Both pauses are more than 0.
func Retry(retries int, shortest, longest time.Duration) policy.RetryOptions {
	if retries == 0 {
		retries = -1 // 0 is the SDK's default
	}
	return policy.RetryOptions{
		MaxRetries:    int32(retries),
		RetryDelay:    shortest,
		MaxRetryDelay: longest,
		TryTimeout:    tryTimeout,
	}
}

// A Try is one request that the SDK has sent. A call of a Client is one request, and the
// SDK sends it again after some failures (DefaultRetry).
type Try struct {
	// Number is 1 for the first try of a request.
	Number int
	// Status is that of the answer. It is 0 if there was none.
	Status int
}

// Throttled reports whether the service refused the try because there are too many: it is
// busy, or a partition or the account is over its target.
func (t Try) Throttled() bool {
	return t.Status == http.StatusServiceUnavailable || t.Status == http.StatusTooManyRequests
}

// A request is what the policies must know of one request of a call.
type request struct {
	// method is that of the call.
	method driver.Method
	// operations are those of a batch, and 0 of any other request.
	operations int
	// tries is how often it was sent.
	tries int
	// id is what the service calls it in its own log (x-ms-request-id): that of the last try, or
	// empty if that had no answer.
	id string
}

type requestKey struct{}

// requestOf returns the request of a context, which the SDK tries one time after another. It is a new
// one if no call makes it: it may be for a token, or drop a table.
func requestOf(ctx context.Context) *request {
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		return r
	}
	return &request{}
}
