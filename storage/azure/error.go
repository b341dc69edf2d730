package azure

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"

	"microblogging/domain"
)

// The error codes that have a meaning here ("Table service error codes", "Queue
// service error codes", "Common REST API error codes").
const (
	conditionNotMet             = "ConditionNotMet"
	entityAlreadyExists         = "EntityAlreadyExists"
	entityNotFound              = "EntityNotFound"
	messageNotFound             = "MessageNotFound"
	popReceiptMismatch          = "PopReceiptMismatch"
	queueAlreadyExists          = "QueueAlreadyExists"
	queueBeingDeleted           = "QueueBeingDeleted"
	queueNotFound               = "QueueNotFound"
	resourceNotFound            = "ResourceNotFound"
	tableAlreadyExists          = "TableAlreadyExists"
	tableBeingDeleted           = "TableBeingDeleted"
	tableNotFound               = "TableNotFound"
	updateConditionNotSatisfied = "UpdateConditionNotSatisfied"
)

// A requestError is the error of a request. It wraps its meaning and the SDK's error,
// which is an *azcore.ResponseError if there was an answer. Its text is one line; the
// SDK's is a dump of the reply.
type requestError struct {
	// action and target say what failed: "read a row of", "Channels".
	action, target string
	// meaning is an error of package domain, or nil for a refusal that should not
	// happen: the limits of package driver have a gap, or this package a mistake.
	meaning error
	// status and code are in the answer; without one they are 0 and empty.
	status int
	code   string
	// operation is the index in a transaction, or -1.
	operation int
	cause     error
}

func (e *requestError) Error() string {
	meaning := "refused"
	if e.meaning != nil {
		meaning = e.meaning.Error()
	}
	detail := strings.TrimSpace(fmt.Sprintf("%d %s", e.status, e.code))
	if e.status == 0 {
		detail = briefly(e.cause)
	}
	return fmt.Sprintf("azure: %s %s: %s (%s)", e.action, e.target, meaning, detail)
}

func (e *requestError) Unwrap() []error {
	if e.meaning == nil {
		return []error{e.cause}
	}
	return []error{e.meaning, e.cause}
}

// briefly returns the first line of the error, because credentials explain failures
// at length. It leaves out the URL, which is long and may hold a signature.
func briefly(err error) string {
	var inURL *url.Error
	if errors.As(err, &inURL) {
		err = inURL.Err
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// failure gives an error of the SDK its meaning. It returns nil for nil.
func failure(action, target string, cause error) error {
	if cause == nil {
		return nil
	}
	e := &requestError{action: action, target: target, operation: -1, cause: cause}
	var response *azcore.ResponseError
	if !errors.As(cause, &response) {
		// No answer, or none that can be understood: the connection failed, time ran
		// out, or the context ended. Whether the request took effect is unknown.
		e.meaning = domain.ErrUnavailable
		return e
	}
	e.status, e.code = response.StatusCode, response.ErrorCode
	var f *batchFailure
	if errors.As(cause, &f) {
		e.status, e.code, e.operation = f.status, f.code, f.operation
	}
	e.meaning = meaningOf(e.status, e.code)
	return e
}

// meaningOf decides by the code where a wrong guess does harm: the 404 of a proxy must
// not mean that a row is gone.
func meaningOf(status int, code string) error {
	switch code {
	case resourceNotFound, entityNotFound:
		return domain.ErrNotFound
	case entityAlreadyExists:
		return domain.ErrExists
	case updateConditionNotSatisfied, conditionNotMet:
		return domain.ErrConflict
	case popReceiptMismatch, messageNotFound:
		return domain.ErrLeaseLost
	}
	switch {
	case status >= 500, status < 400:
		return domain.ErrUnavailable
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return domain.ErrUnavailable // keys or roles that are being changed
	case status == http.StatusNotFound, status == http.StatusConflict:
		return domain.ErrUnavailable // a table or queue that is missing or being deleted
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests:
		return domain.ErrUnavailable
	default:
		return nil
	}
}

func hasCode(err error, code string) bool {
	var e *requestError
	return errors.As(err, &e) && e.code == code
}
