package azure

import (
	"context"
	"fmt"
	"runtime/debug"
)

// guarded makes a call on the SDK. A panic there becomes an error: whether a request
// took effect is unknown, as without a reply. The stack is logged here and is not in
// the error, so that it is logged once.
func (c *Client) guarded(ctx context.Context, action, target string, call func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			c.log.ErrorContext(ctx, "panic in a storage library", "action", action, "target", target,
				"panic", fmt.Sprint(value), "stack", string(debug.Stack()))
			err = failure(action, target, fmt.Errorf("panic: %v", value))
		}
	}()
	return failure(action, target, call())
}
