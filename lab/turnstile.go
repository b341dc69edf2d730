package lab

import (
	"context"
	"errors"

	"microblogging/storage/driver"
)

// turnstile submits each call as a value. It ignores when contexts end: whether a caller gives up
// is a fate, which the scheduler decides. The tables and the queues are there. A Receive waits
// until the scheduler delivers a message, which it may do at any time: so a lease has no effect
// but on what is shown.
func (s *session) turnstile(ctx context.Context, c *driver.Call, _ func(context.Context) error) error {
	switch c.Method {
	case driver.CallCreateTable, driver.CallCreateQueue, driver.CallPing:
		return nil
	case driver.CallPeek:
		return errors.New("no actor of the lab peeks, since none may depend on what is on the queue")
	}
	call := Call{Call: *c}
	call.Answer = driver.Answer{}
	call.stack, _ = ctx.Value(stackKey{}).([]uintptr)
	if c.Method == driver.CallDelete {
		call.Message = driver.Message{ID: c.Message.ID, Receipt: c.Message.Receipt} // no matter what it says
	}
	a := s.submit(call)
	c.Answer = a.Answer
	return a.Err
}

type stackKey struct{}

// traced keeps where each call is made, also if an Around sends it later.
func traced(ctx context.Context, _ *driver.Call, next func(context.Context) error) error {
	return next(context.WithValue(ctx, stackKey{}, stackOfCaller()))
}
