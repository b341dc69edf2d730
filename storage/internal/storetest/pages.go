package storetest

import (
	"context"
	"strings"

	"microblogging/storage/driver"
)

// halt is the prefix of the continuation of an empty page.
const halt = "halt "

// HaltingPages answers each read first with an empty page and a continuation, and then with
// a page of one row at most. Azure may do so: it ends a page after a time limit, or at a
// partition's boundary.
func HaltingPages(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
	if c.Method != driver.CallRange && c.Method != driver.CallScan {
		return next(ctx)
	}
	if !strings.HasPrefix(c.Paging.Continuation, halt) {
		c.Page = driver.Page{Continuation: halt + c.Paging.Continuation}
		return nil
	}
	c.Paging.Limit, c.Paging.Continuation = 1, strings.TrimPrefix(c.Paging.Continuation, halt)
	return next(ctx)
}
