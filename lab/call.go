package lab

import (
	"errors"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
)

// Method is the method of the backend that a call invokes.
type Method uint8

// The methods of driver.Tables and driver.Queues that an actor may call. Settle is
// Queues.Delete.
const (
	Get Method = iota + 1
	Range
	Scan
	Length
	Transact
	Send
	Receive
	Update
	Settle
)

// A Call is one request of an actor, as a value. The method decides which fields
// count.
type Call struct {
	Method Method
	// Target is the table or the queue.
	Target         string
	Partition, Row string
	Range          driver.Range
	Scan           driver.Scan
	Operations     []driver.Operation
	// Message is what an Update or a Settle names, and the text of a Send.
	Message driver.Message
	// Hidden tells that an Update keeps the message from others for longer.
	Hidden bool
	// stack is where the call was made, if calls are traced.
	stack []uintptr
}

// Writes tells whether the call may have an effect.
func (c *Call) Writes() bool { return c.Method >= Transact }

// sum tells calls apart, to notice code that does not make the same call twice.
func (c *Call) sum() mem.Sum {
	var d mem.Digest
	d.Int(uint64(c.Method))
	for _, text := range []string{c.Target, c.Partition, c.Row, c.Range.Partition, c.Range.From, c.Range.To,
		c.Range.Continuation, c.Scan.From, c.Scan.To, c.Scan.Continuation, c.Message.ID, c.Message.Receipt, c.Message.Text} {
		d.Text(text)
	}
	for _, op := range c.Operations {
		etag, _ := op.If.ETag()
		d.Int(uint64(op.Action))
		d.Text(op.Row)
		d.Text(string(etag))
		digestProperties(&d, op.Properties)
	}
	return d.Done()
}

func digestProperties(d *mem.Digest, properties driver.Properties) {
	d.Int(uint64(len(properties)))
	for _, p := range properties {
		d.Text(p.Name)
		d.Int(uint64(p.Value.Number()))
		d.Text(p.Value.Text())
	}
}

// An Answer is what a call returns. The method decides which fields count.
type Answer struct {
	Entity   driver.Entity
	Page     driver.Page
	Messages []driver.Message
	Receipt  string
	Length   int64
	Err      error
}

// sum tells answers apart: an actor that gets answers with the same sums makes the
// same next call.
func (a *Answer) sum() mem.Sum {
	var d mem.Digest
	if a.Err != nil {
		digestError(&d, a.Err)
		return d.Done()
	}
	digestEntity(&d, a.Entity)
	d.Int(uint64(len(a.Page.Rows)))
	for _, row := range a.Page.Rows {
		digestEntity(&d, row)
	}
	d.Text(a.Page.Continuation)
	for _, m := range a.Messages {
		d.Text(m.Receipt)
		d.Text(m.Text)
	}
	d.Text(a.Receipt)
	d.Int(uint64(a.Length))
	return d.Done()
}

func digestEntity(d *mem.Digest, e driver.Entity) {
	d.Text(e.Partition)
	d.Text(e.Row)
	d.Text(string(e.ETag))
	digestProperties(d, e.Properties)
}

// meanings are the errors that a backend answers with.
func meanings() []error {
	return []error{domain.ErrNotFound, domain.ErrExists, domain.ErrConflict, domain.ErrLeaseLost, domain.ErrUnavailable}
}

func digestError(d *mem.Digest, err error) {
	var failed *driver.OperationError
	if errors.As(err, &failed) {
		d.Int(uint64(failed.Index))
	}
	for i, meaning := range meanings() {
		if errors.Is(err, meaning) {
			d.Int(uint64(i) + 1)
			return
		}
	}
	d.Text(err.Error())
}
