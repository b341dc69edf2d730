package azure_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"microblogging/storage/azure"
)

var errReplyLost = errors.New("reply lost")

// A fault decides what happens to one try of a request.
type fault func(*policy.Request) (*http.Response, error)

func (f fault) Do(req *policy.Request) (*http.Response, error) { return f(req) }

// answers is a service, or a proxy in its place, that gives one answer.
func answers(status int, header http.Header, body string) fault {
	return func(req *policy.Request) (*http.Response, error) {
		reply := &http.Response{
			Status: http.StatusText(status), StatusCode: status, Header: header.Clone(),
			Body: io.NopCloser(strings.NewReader(body)), Request: req.Raw(),
		}
		_, err := runtime.Payload(reply) // buffers the body, as the SDK does
		return reply, err
	}
}

// with returns a configuration that retries immediately.
func with(account string, f ...policy.Policy) azure.Config {
	return azure.Config{
		ConnectionString: account,
		PerRetry:         f,
		Retry:            &policy.RetryOptions{MaxRetries: 3, RetryDelay: time.Millisecond},
	}
}
