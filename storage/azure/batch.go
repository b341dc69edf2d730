package azure

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
)

// A batchFailure is the answer to one operation of a batch.
type batchFailure struct {
	status int
	code   string
	// operation is its index, or -1 if the service does not say.
	operation int
}

func (f *batchFailure) Error() string { return fmt.Sprintf("%d %s", f.status, f.code) }

// NonRetriable tells the SDK that the service has decided: the batch is not sent again.
func (f *batchFailure) NonRetriable() {}

// errNotBatch is in the chain of an error about a reply that is no answer to a
// batch, or only a part of one. What became of the batch is unknown.
var errNotBatch = errors.New("not the whole answer to a batch")

// readBatchReply reads the body of a reply with a success status, and returns how many
// operations it confirms, or which one failed. Then it confirms none, and none took effect.
// The body is a multipart body with one part, the changeset. That is a multipart body too,
// with one HTTP response for each operation, or the one response of the operation that failed
// ("Performing entity group transactions"). A body whose changeset has no end is an
// error: more may have followed. The end of the outer body is not checked.
func readBatchReply(contentType string, body []byte) (confirmed int, failed *batchFailure, err error) {
	defer func() {
		if err != nil {
			confirmed, failed, err = 0, nil, fmt.Errorf("%w: %w", errNotBatch, err)
		}
	}()
	outer, err := multipartReader(contentType, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	changeset, err := outer.NextPart()
	if err != nil {
		return 0, nil, err
	}
	inner, err := multipartReader(changeset.Header.Get("Content-Type"), changeset)
	if err != nil {
		return 0, nil, err
	}
	for {
		part, err := inner.NextPart()
		if err == io.EOF && failed != nil && confirmed > 0 { //nolint:errorlint // it wraps io.EOF if the body ends too soon
			return 0, nil, fmt.Errorf("a failure after %d confirmations", confirmed)
		}
		if err == io.EOF { //nolint:errorlint // as above
			return confirmed, failed, nil
		}
		if err != nil {
			return 0, nil, err
		}
		response, err := http.ReadResponse(bufio.NewReader(part), nil)
		switch {
		case err != nil:
			return 0, nil, err
		case response.StatusCode >= http.StatusBadRequest && failed != nil:
			return 0, nil, errors.New("two failures")
		case response.StatusCode >= http.StatusBadRequest:
			if failed, err = readBatchFailure(response); err != nil {
				return 0, nil, err
			}
		case response.StatusCode >= http.StatusOK && response.StatusCode < http.StatusMultipleChoices:
			confirmed++
		default:
			return 0, nil, fmt.Errorf("status %d", response.StatusCode)
		}
	}
}

func multipartReader(contentType string, body io.Reader) (*multipart.Reader, error) {
	_, parameters, err := mime.ParseMediaType(contentType)
	if err == nil && parameters["boundary"] == "" {
		err = errors.New("no boundary")
	}
	return multipart.NewReader(body, parameters["boundary"]), err
}

// readBatchFailure reads why an operation failed. The message starts with the
// operation's index and a colon ("Performing entity group transactions", sample error
// response), but often not if the batch has one operation (answers_test.go).
func readBatchFailure(response *http.Response) (*batchFailure, error) {
	var said struct {
		Error struct {
			Code    string
			Message struct{ Value string }
		} `json:"odata.error"`
	}
	if err := json.NewDecoder(response.Body).Decode(&said); err != nil {
		return nil, err
	}
	if said.Error.Code == "" {
		return nil, errors.New("a failure without a code")
	}
	f := &batchFailure{status: response.StatusCode, code: said.Error.Code, operation: -1}
	index, _, _ := strings.Cut(said.Error.Message.Value, ":")
	if n, err := strconv.Atoi(index); err == nil && n >= 0 {
		f.operation = n
	}
	return f, nil
}

// A tryPolicy is told of each try, comes after the retries, and reads a reply before the SDK does
// (aztables v1.4.1). The SDK does not count what the reply to a batch confirms: it takes fewer
// operations than were sent for success, and so a failure that was cut off. An empty body makes it
// panic. And it sends a batch again only if the status of the whole tells it to, which is 202 also if
// it failed.
type tryPolicy struct {
	clock *clock
	// tell is Config.Tried.
	tell func(Try)
}

// Do implements policy.Policy. A failed operation is a *batchFailure. A reply that does not say what
// became of the call is an error, as if there were no reply. After that, and after a failure that may
// pass, the SDK sends the request again.
func (p tryPolicy) Do(req *policy.Request) (*http.Response, error) {
	r := requestOf(req.Raw().Context())
	r.tries++
	reply, err := req.Next()
	try, sent := Try{Number: r.tries}, r.operations
	if r.id = ""; err == nil {
		try.Status, r.id = reply.StatusCode, reply.Header.Get("X-Ms-Request-Id")
		p.clock.read(reply.Header)
	}
	if p.tell != nil {
		p.tell(try)
	}
	if err != nil || r.method == "" || reply.StatusCode >= http.StatusMultipleChoices {
		return reply, err
	}
	body, err := runtime.Payload(reply)
	if err == nil {
		err = checkAnswer(r.method, reply, body)
	}
	if err != nil || sent == 0 {
		return reply, err
	}
	confirmed, failed, err := readBatchReply(reply.Header.Get("Content-Type"), body)
	if failed != nil && failed.operation < 0 && sent == 1 {
		failed.operation = 0 // Azure, unlike Azurite, gives the index only if there are several
	}
	switch {
	case err != nil:
		return reply, err
	case failed != nil && failed.operation >= sent:
		return reply, fmt.Errorf("%w: operation %d of %d failed", errNotBatch, failed.operation, sent)
	case failed != nil && mayPass(failed.status):
		return reply, errors.New(failed.Error())
	case failed != nil:
		return reply, failed
	case confirmed != sent:
		return reply, fmt.Errorf("%w: it confirms %d of %d operations", errNotBatch, confirmed, sent)
	}
	return reply, nil
}
