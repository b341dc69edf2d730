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
)

// A batchReply is what the service says about a batch. Either all operations are
// confirmed, or one of them failed, and then none took effect.
type batchReply struct {
	// confirmed is the number of operations that the service confirms; zero if one
	// failed.
	confirmed int
	// failure is the answer to the operation that failed, or nil.
	failure *batchFailure
}

// A batchFailure is the answer to one operation of a batch. As an error, it wraps the
// SDK's.
type batchFailure struct {
	status int
	code   string
	// operation is its index, or -1 if the service does not say.
	operation int
	cause     error
}

func (f *batchFailure) Error() string { return fmt.Sprintf("%d %s", f.status, f.code) }

func (f *batchFailure) Unwrap() error { return f.cause }

// errNotBatch is in the chain of an error about a reply that is no answer to a
// batch, or only a part of one. What became of the batch is unknown.
var errNotBatch = errors.New("not the whole answer to a batch")

// readBatchReply reads the body of a reply with a success status. It is a multipart
// body with one part, the changeset. That is a multipart body too, with one HTTP
// response for each operation, or the one response of the operation that failed
// ("Performing entity group transactions"). A body whose changeset has no end is an
// error: more may have followed. The end of the outer body matters to nobody.
func readBatchReply(contentType string, body []byte) (batchReply, error) {
	outer, err := multipartReader(contentType, bytes.NewReader(body))
	if err != nil {
		return batchReply{}, err
	}
	changeset, err := outer.NextPart()
	if err != nil {
		return batchReply{}, fmt.Errorf("%w: %w", errNotBatch, err)
	}
	inner, err := multipartReader(changeset.Header.Get("Content-Type"), changeset)
	if err != nil {
		return batchReply{}, err
	}
	var r batchReply
	for {
		part, err := inner.NextPart()
		if err == io.EOF { //nolint:errorlint // it wraps io.EOF if the body ends too soon
			return r, r.check()
		}
		if err == nil {
			err = r.add(part)
		}
		if err != nil {
			return batchReply{}, fmt.Errorf("%w: %w", errNotBatch, err)
		}
	}
}

func multipartReader(contentType string, body io.Reader) (*multipart.Reader, error) {
	_, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotBatch, err)
	}
	if parameters["boundary"] == "" {
		return nil, fmt.Errorf("%w: no boundary", errNotBatch)
	}
	return multipart.NewReader(body, parameters["boundary"]), nil
}

// add counts the response to one operation.
func (r *batchReply) add(part io.Reader) error {
	response, err := http.ReadResponse(bufio.NewReader(part), nil)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // it holds nothing
	switch {
	case response.StatusCode >= http.StatusBadRequest:
		if r.failure != nil {
			return errors.New("two failures")
		}
		r.failure, err = readBatchFailure(response)
		return err
	case response.StatusCode >= http.StatusOK && response.StatusCode < http.StatusMultipleChoices:
		r.confirmed++
		return nil
	default:
		return fmt.Errorf("status %d", response.StatusCode)
	}
}

// check returns an error if the reply contradicts itself.
func (r *batchReply) check() error {
	if r.failure != nil && r.confirmed > 0 {
		return fmt.Errorf("%w: a failure beside %d confirmations", errNotBatch, r.confirmed)
	}
	return nil
}

// readBatchFailure reads why an operation failed. The message starts with the
// operation's index and a colon ("Performing entity group transactions", sample error
// response).
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
	f := &batchFailure{status: response.StatusCode, code: said.Error.Code, operation: -1}
	index, _, _ := strings.Cut(said.Error.Message.Value, ":")
	if n, err := strconv.Atoi(index); err == nil && n >= 0 {
		f.operation = n
	}
	return f, nil
}
