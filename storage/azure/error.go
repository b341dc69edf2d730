package azure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// errUnreadable is in the chain of an error about a row that this package cannot read.
var errUnreadable = errors.New("a row cannot be read")

// errRefused is the error of a refusal that has no error in package domain.
var errRefused = errors.New("refused")

// A requestError is the error of a request. It wraps its meaning and the SDK's error. Its text is one
// line, with the service's own id of the request; the SDK's is a dump of the reply.
type requestError struct {
	line string
	// code is in the answer; without one it is empty.
	code string
	// meaning is an error of package domain. It is nil for a row that cannot be read, and for a
	// refusal that should not happen: the limits of package driver have a gap, or this package a
	// mistake.
	meaning, cause error
}

func (e *requestError) Error() string { return e.line }

func (e *requestError) Unwrap() []error { return []error{e.meaning, e.cause} }

// briefly returns the first line of the error. It leaves out the URL, which is long and may hold a
// signature.
func briefly(err error) string {
	var inURL *url.Error
	if errors.As(err, &inURL) {
		err = inURL.Err
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// failure gives an error of the SDK its meaning. It returns nil for nil. It names the operation
// that made a transaction fail, unless the transaction failed as a whole.
func failure(ctx context.Context, action driver.Method, target string, cause error) error {
	if cause == nil {
		return nil
	}
	// Without an answer, or with one that cannot be understood, whether the request took effect is
	// unknown: the connection failed, time ran out, or the context ended.
	e := &requestError{meaning: domain.ErrUnavailable, cause: cause}
	status, operation := 0, -1
	var response *azcore.ResponseError
	var f *batchFailure
	detail := briefly(cause)
	switch {
	case errors.Is(cause, errNoToken): // with the reason of each credential that was tried
		e.meaning, detail = domain.ErrConfiguration, strings.Join(strings.Fields(cause.Error()), " ")
	case errors.Is(cause, errUnreadable):
		e.meaning = nil
	case errors.As(cause, &f):
		status, e.code, operation = f.status, f.code, f.operation
	case errors.As(cause, &response):
		status, e.code = response.StatusCode, response.ErrorCode
	}
	if status > 0 {
		e.meaning, detail = meaningOf(status, e.code), strings.TrimSpace(fmt.Sprintf("%d %s", status, e.code))
	}
	if id := requestOf(ctx).id; id != "" {
		detail += ", request " + id
	}
	e.line = fmt.Sprintf("azure: %s %s: %v (%s)", action, target, cmp.Or(e.meaning, errRefused), detail)
	if operation >= 0 && e.meaning != nil && !errors.Is(e.meaning, domain.ErrUnavailable) {
		return &driver.OperationError{Index: operation, Err: e}
	}
	return e
}

// meanings are by code ("Table service error codes", "Queue service error codes", "Common REST API
// error codes").
var meanings = map[string]error{
	"ResourceNotFound": domain.ErrNotFound, "EntityNotFound": domain.ErrNotFound,
	"EntityAlreadyExists":         domain.ErrExists,
	"UpdateConditionNotSatisfied": domain.ErrConflict, "ConditionNotMet": domain.ErrConflict,
	"PopReceiptMismatch": domain.ErrLeaseLost, "MessageNotFound": domain.ErrLeaseLost,
	"TableNotFound": domain.ErrMissing, "QueueNotFound": domain.ErrMissing,
	"TableBeingDeleted": domain.ErrMissing, "QueueBeingDeleted": domain.ErrMissing,
}

// meaningOf decides by the code where a wrong guess does harm: the 404 of a proxy must
// not mean that a row is gone.
func meaningOf(status int, code string) error {
	switch {
	case meanings[code] != nil:
		return meanings[code]
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return domain.ErrConfiguration
	case mayPass(status), status < 400, status == http.StatusNotFound, status == http.StatusConflict:
		return domain.ErrUnavailable
	}
	return nil
}

// mayPass reports whether a service that answers with a status may answer otherwise soon.
func mayPass(status int) bool {
	return status >= 500 || status == http.StatusRequestTimeout || status == http.StatusTooManyRequests
}

// accepted is the error of a call, unless it has one of the codes, which say that there was
// nothing to do.
func accepted(err error, codes ...string) error {
	var e *requestError
	if errors.As(err, &e) && slices.Contains(codes, e.code) {
		return nil
	}
	return err
}

// guarded makes a call on the SDK. A panic there becomes an error: whether a request
// took effect is unknown, as without a reply. The stack is logged here and is not in
// the error, so that it is logged once.
func (c *Client) guarded(ctx context.Context, action driver.Method, target string, call func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			c.log.ErrorContext(ctx, "panic in a storage library", "action", action, "target", target,
				"panic", fmt.Sprint(value), "stack", string(debug.Stack()))
			err = failure(ctx, action, target, fmt.Errorf("panic: %v", value))
		}
	}()
	return failure(ctx, action, target, call())
}
