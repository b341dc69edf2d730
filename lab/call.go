package lab

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
)

// A Call is one request of an actor, as a value.
type Call struct {
	driver.Call
	// sent is the message that it sends, if it does.
	sent SentMessage
	// stack is where the call was made, if calls are traced.
	stack []uintptr
}

// equals tells calls apart, to notice code that does not make the same call twice.
func (c *Call) equals(other *Call) bool {
	return c.Method == other.Method && c.Target == other.Target && c.Partition == other.Partition && c.Row == other.Row && c.From == other.From &&
		c.To == other.To && c.Paging.Continuation == other.Paging.Continuation && c.Message.ID == other.Message.ID &&
		c.Message.Receipt == other.Message.Receipt && c.Message.Text == other.Message.Text &&
		slices.EqualFunc(c.Operations, other.Operations, func(a, b driver.Operation) bool {
			mine, _ := a.If.ETag()
			its, _ := b.If.ETag()
			return a.Action == b.Action && a.Row == b.Row && mine == its && slices.Equal(a.Properties, b.Properties)
		})
}

// difference shows the first of the values that equals tells two calls apart by.
func (c *Call) difference(then *Call) string {
	first, second := c.values(), then.values()
	for i := range min(len(first), len(second)) {
		if first[i] != second[i] {
			return first[i] + ", then " + second[i]
		}
	}
	return fmt.Sprintf("%d values, then %d", len(first), len(second))
}

// values are the values that equals tells calls apart by, with their names.
func (c *Call) values() []string {
	values := []string{
		"method = " + string(c.Method), "target = " + c.Target, "partition = " + c.Partition, "row = " + c.Row, "from = " + c.From, "to = " + c.To,
		"continuation = " + c.Paging.Continuation, "message = " + c.Message.ID, "receipt = " + c.Message.Receipt, "text = " + c.Message.Text,
	}
	for _, op := range c.Operations {
		etag, _ := op.If.ETag()
		values = append(values, fmt.Sprintf("operation = %s %s", op.Action, op.Row), fmt.Sprintf("ETag of %s = %s", nameRow(c.Target, op.Row), etag))
		for _, p := range op.Properties {
			values = append(values, fmt.Sprintf("%s of %s = %s", p.Name, nameRow(c.Target, op.Row), Clip(p.Value.String())))
		}
	}
	return values
}

// A Result is what a call returns.
type Result struct {
	driver.Result
	Err error
	// clock is what the actor's clock shows when it gets the answer.
	clock clock
}

// sum tells answers apart: an actor that gets answers with the same sums makes the
// same next call.
func (a *Result) sum() mem.Sum {
	var d mem.Digest
	d.Int(uint64(a.clock.at + a.clock.ahead))
	if a.Err != nil {
		digestError(&d, a.Err)
		return d.Done()
	}
	d.Entity(a.Entity)
	d.Int(uint64(len(a.Page.Rows)))
	for _, row := range a.Page.Rows {
		d.Entity(row)
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

func digestError(d *mem.Digest, err error) {
	var failed *driver.OperationError
	if errors.As(err, &failed) {
		d.Int(uint64(failed.Index))
	}
	for i, meaning := range []error{domain.ErrNotFound, domain.ErrExists, domain.ErrConflict, domain.ErrLeaseLost, domain.ErrUnavailable} {
		if errors.Is(err, meaning) {
			d.Int(uint64(i) + 1)
			return
		}
	}
	d.Text(err.Error())
}

// Pretty shortens tokens: a canonical name becomes its actor and a number, and the
// token of a fresh worker becomes three dots.
func (s *Scenario) Pretty(text string) string {
	return replaceTokens(text, func(token string) string {
		actor, number, ok := parseName(token)
		if !ok {
			return "…"
		}
		return fmt.Sprintf("%s.%d", s.actorName(actor), number)
	})
}

// shortRow shortens the timestamps and the hashes in a row key.
func shortRow(row string) string {
	if row == "" {
		return `""`
	}
	parts := strings.Split(row, "!")
	for i, part := range parts {
		switch {
		case len(part) == 19 && strings.Trim(part, "0123456789") == "":
			parts[i] = "…"
		case len(part) == 64:
			parts[i] = part[:4] + "…"
		}
	}
	return strings.Join(parts, "!")
}

// nameRow is a short name of a row. Some tables have one row in each partition.
func nameRow(table, row string) string {
	if row == "" {
		return "the " + table + " row"
	}
	return shortRow(row)
}

// DescribeViolation is a violation in one line, with the row that shows it, if one does.
func (s *Scenario) DescribeViolation(b domain.Violation) string {
	text := b.Detail
	switch {
	case b.RowKey != "":
		text = b.Table + ", " + shortRow(b.RowKey) + ": " + text
	case b.Table != "":
		text = nameRow(b.Table, b.RowKey) + ": " + text
	}
	return s.Pretty(b.Invariant + ": " + text)
}

// describeCall is what a call asks for, in one line.
func describeCall(c *Call) string {
	switch c.Method {
	case driver.CallGet:
		if c.Row == "" {
			return fmt.Sprintf("%s: read %s", c.Target, shortRow(c.Partition))
		}
		return fmt.Sprintf("%s: read %s", c.Target, shortRow(c.Row))
	case driver.CallRange:
		return fmt.Sprintf("%s: list %s", c.Target, strings.TrimSpace(c.Partition+" "+strings.TrimSuffix(c.From, "!")))
	case driver.CallScan:
		return fmt.Sprintf("%s: scan", c.Target)
	case driver.CallLength:
		return "queue: count the messages"
	case driver.CallSend:
		return "queue: send " + describeMessage(c.Message.Text)
	case driver.CallReceive:
		return "queue: receive"
	case driver.CallUpdate:
		return "queue: give the message back"
	case driver.CallDelete:
		return "queue: delete the message"
	}
	parts := make([]string, len(c.Operations))
	for i, op := range c.Operations {
		parts[i] = describeOperation(c.Partition, op)
	}
	return fmt.Sprintf("%s: %s", c.Target, strings.Join(parts, "; "))
}

func describeOperation(partition string, op driver.Operation) string {
	row := shortRow(op.Row)
	if op.Row == "" {
		row = shortRow(partition)
	}
	text := string(op.Action) + " " + row
	if op.If.AllowsAbsent() && op.Action != driver.ActionInsert {
		text = "upsert " + row
	}
	if state := op.Properties.String("State"); state != "" {
		text += " (" + state + ")"
	}
	if etag, ok := op.If.ETag(); ok && op.Action != driver.ActionInsert {
		text += " if still " + string(etag)
	}
	return text
}

func describeMessage(text string) string {
	m, err := domain.DecodeMessage(text)
	switch {
	case err != nil:
		return Clip(text)
	case m.Kind == domain.MessageBlog:
		return "delete post " + shortRow(string(m.Blog))
	default:
		return fmt.Sprintf("delete %s %s", m.Channel, m.Incarnation)
	}
}

// mostShown is how many bytes of a value are shown.
const mostShown = 300

// Clip is a value as a line shows it: if it is long, its beginning and its length.
func Clip(value string) string {
	if len(value) <= mostShown {
		return value
	}
	return fmt.Sprintf("%s… (%s)", strings.ToValidUTF8(value[:mostShown/4], ""), Count(len(value), "byte"))
}

// Count is a number with its noun.
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Grouped(n) + " " + noun
}

// Grouped is a number with commas between the thousands.
func Grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", Grouped(n/1000), n%1000)
}

// describeResult describes the result of a call in a few words.
func describeResult(c *Call, a *Result) string {
	var failed *driver.OperationError
	switch {
	case a.Err == nil && c.Method == driver.CallGet:
		return describeEntity(a.Entity)
	case a.Err == nil && (c.Method == driver.CallRange || c.Method == driver.CallScan):
		return Count(len(a.Page.Rows), "row")
	case a.Err == nil && c.Method == driver.CallLength:
		return Count(int(a.Length), "message")
	case a.Err == nil && c.Method == driver.CallReceive:
		return describeMessage(a.Messages[0].Text)
	case a.Err == nil:
		return "ok"
	case errors.As(a.Err, &failed) && len(c.Operations) > 1:
		return fmt.Sprintf("%v: %s", failed.Err, describeOperation(c.Partition, c.Operations[failed.Index]))
	case errors.As(a.Err, &failed):
		return failed.Err.Error()
	default:
		return a.Err.Error()
	}
}

func describeEntity(e driver.Entity) string {
	text := e.Properties.String("State")
	if incarnation := e.Properties.String("Incarnation"); incarnation != "" && !strings.Contains(e.Row, incarnation) {
		text += " " + incarnation
	}
	if text == "" {
		return "there"
	}
	return strings.TrimSpace(text)
}
