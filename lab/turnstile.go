package lab

import (
	"context"
	"errors"

	"microblogging/storage/driver"
)

// turnstile is a backend that turns each call into a value and submits it. It ignores when
// contexts end: whether a caller gives up is a fate, which the scheduler decides. The tables
// and the queues are there. A Receive waits until the scheduler delivers a message, which it
// may do at any time: so a lease has no effect but on what is shown.
func turnstile(submit func(Call) Answer) driver.Backend {
	return driver.Wrap(nil, func(ctx context.Context, c *driver.Call, _ func(context.Context) error) error {
		call := Call{Target: c.Target}
		switch c.Method {
		case driver.CallGet:
			call.Method, call.Partition, call.Row = Get, c.Partition, c.Row
		case driver.CallRange:
			call.Method = Range
			call.Range = driver.Range{Partition: c.Partition, From: c.From, To: c.To, Paging: c.Paging}
		case driver.CallScan:
			call.Method = Scan
			call.Scan = driver.Scan{From: c.From, To: c.To, Paging: c.Paging}
		case driver.CallTransact:
			call.Method, call.Partition, call.Operations = Transact, c.Partition, c.Operations
		case driver.CallSend:
			call.Method, call.Message = Send, c.Message
		case driver.CallReceive:
			call.Method = Receive
		case driver.CallUpdate:
			call.Method, call.Message, call.Hidden = Update, c.Message, c.Lease > 0
		case driver.CallDelete:
			call.Method, call.Message = Settle, driver.Message{ID: c.Message.ID, Receipt: c.Message.Receipt}
		case driver.CallLength:
			call.Method = Length
		case driver.CallPeek:
			return errors.New("no actor of the lab peeks, since none may depend on what is on the queue")
		default:
			return nil
		}
		a := submit(call)
		c.Answer = driver.Answer{Entity: a.Entity, Page: a.Page, Messages: a.Messages, Receipt: a.Receipt, Length: a.Length}
		return a.Err
	})
}
