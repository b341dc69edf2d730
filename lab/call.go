package lab

import (
	"errors"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
)

// A Call is one request of an actor, as a value.
type Call struct {
	driver.Call
	// stack is where the call was made, if calls are traced.
	stack []uintptr
}

// sum tells calls apart, to notice code that does not make the same call twice.
func (c *Call) sum() mem.Sum {
	var d mem.Digest
	for _, text := range []string{string(c.Method), c.Target, c.Partition, c.Row, c.From, c.To, c.Paging.Continuation,
		c.Message.ID, c.Message.Receipt, c.Message.Text} {
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

// An Answer is what a call returns.
type Answer struct {
	driver.Answer
	Err error
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
