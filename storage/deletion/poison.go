package deletion

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// A message that failed too often, or that a worker cannot decode, waits for an operator. Its row in
// Deletions says so and is authoritative: Requeue reads rows. The poison queue gets a copy, whose count
// is a metric with an alert (Backlog). There may be several copies, or none if a worker died.
//
// The row is the deletion's record. If the message cannot be decoded, or the store refuses to read or
// write the record, the row has the message's text, and the partition schema.UndecodablePartition.

// The text is quoted as in a Go program, so that a string property can hold it whatever it is, and is cut
// into parts that fit: Text0, Text1 and so on.
const textPart = 30_000 // of at most 32,768 characters

// requeueLease is how long Requeue keeps the copies invisible while it handles the rows.
const requeueLease = time.Minute

// Poison takes a message off the queue, where it would be tried without end. The order of writes
// is: the row, the copy, the end of the message. If the process dies in between, the next
// delivery begins again. A message whose lease was lost is domain.ErrLeaseLost.
func (s Steps) Poison(ctx context.Context, m driver.Message) error {
	message, err := domain.DecodeMessage(m.Text)
	if err == nil {
		err = s.recordPoisoned(ctx, message)
	}
	if err != nil && !errors.Is(err, domain.ErrUnavailable) { // the store answered
		err = s.recordUndecodable(ctx, m)
	}
	if err != nil {
		return err
	}
	//lab: Send a copy to the poison queue, for people who look there.
	err = s.poison.Send(ctx, m.Text)
	if err != nil && !errors.Is(err, domain.ErrLimit) { // another program sent what we may not
		return fmt.Errorf("sending to the poison queue: %w", err)
	}
	//lab: Take the message off the queue.
	return s.queue.Delete(ctx, m)
}

// recordPoisoned records that a deletion waits for an operator. A row that is not there is
// inserted in that state: in another, a post would look unfinished if the process died in
// between.
func (s Steps) recordPoisoned(ctx context.Context, m domain.Message) error {
	inserted, err := s.insertDeletion(ctx, m, domain.DeletionPoisoned)
	if err != nil || inserted {
		return err
	}
	return s.UpdateRecord(ctx, m, func(d *domain.Deletion) bool {
		if d.Outdates(m) { // to requeue it would end the time to undo
			return false
		}
		d.State, d.Attempts, d.WaitingSince = domain.DeletionPoisoned, m.Attempts, time.Time{}
		return true
	})
}

// recordUndecodable records a message by its text. Its row stays when the message was queued again, so
// that a late delivery finds it.
func (s Steps) recordUndecodable(ctx context.Context, m driver.Message) error {
	properties := driver.Properties{
		driver.String(schema.PropState, domain.DeletionPoisoned),
		driver.Time(schema.PropUpdatedOn, domain.Now()),
	}
	text := strconv.QuoteToASCII(m.Text)
	for i := 0; i*textPart < len(text); i++ {
		part := text[i*textPart : min((i+1)*textPart, len(text))]
		properties = append(properties, driver.String(textProperty(i), part))
	}
	if _, err := s.insertRecord(ctx, schema.UndecodablePartition, schema.UndecodableRow(m.ID, m.Text), properties); err != nil {
		return fmt.Errorf("recording the text of a message: %w", err)
	}
	return nil
}

func textProperty(i int) string { return schema.PropText + strconv.Itoa(i) }

// UndecodableText returns the text of a message that is recorded by its text, and reports whether it waits
// for an operator. The text of one that does not is gone. The error is about a text that is not quoted.
func UndecodableText(row driver.Entity) (text string, waits bool, err error) {
	if row.Properties.String(schema.PropState) != string(domain.DeletionPoisoned) {
		return "", false, nil
	}
	for i := 0; ; i++ {
		part := row.Properties.String(textProperty(i))
		if part == "" {
			break
		}
		text += part
	}
	text, err = strconv.Unquote(text)
	return text, true, err
}

// Requeue queues again what waits for an operator, and returns how many messages. It queues
// those of one channel, or all if the key is empty. Their count of attempts starts again at 0.
// A message that is recorded by its text is queued unchanged: by then a newer worker may decode it, or the
// damaged record is deleted. One that cannot be decoded is of no channel. What is poisoned again meanwhile
// stays poisoned. A message that another program sent and that our queue refuses stays in its row; the error
// is domain.ErrLimit then, and all else is queued.
func (s Steps) Requeue(ctx context.Context, only domain.ChannelKey) (requeued int, err error) {
	scans := []driver.Scan{{}}
	if only != "" {
		scans = []driver.Scan{partition(schema.ChannelPartition(only)), partition(schema.UndecodablePartition)}
	}
	wait, err := s.readWaiting(ctx, func(m domain.Message, _ error) bool { return only == "" || m.Channel == only }, scans...)
	if err != nil {
		return 0, err
	}
	var refused error
	for _, d := range wait.deletions {
		if err := s.requeueRecord(ctx, d); err != nil {
			return requeued, fmt.Errorf("requeueing: %w", err)
		}
		requeued++
	}
	for _, row := range wait.texts {
		text, _, err := UndecodableText(row)
		if err != nil {
			continue // a check names it
		}
		err = s.queue.Send(ctx, text)
		if err == nil {
			err = s.setHandled(ctx, row)
		}
		switch {
		case err == nil:
			requeued++
		case errors.Is(err, domain.ErrLimit):
			refused = err
		default:
			return requeued, fmt.Errorf("requeueing: %w", err)
		}
	}
	return requeued, errors.Join(refused, s.dropCopies(ctx, wait))
}

// DropUndecodable drops the messages that cannot be decoded and that wait for an operator, and
// returns how many. It drops no deletion.
func (s Steps) DropUndecodable(ctx context.Context) (dropped int, err error) {
	wait, err := s.readWaiting(ctx, func(_ domain.Message, undecodable error) bool { return undecodable != nil },
		partition(schema.UndecodablePartition))
	if err != nil {
		return 0, err
	}
	for _, row := range wait.texts {
		if err := s.setHandled(ctx, row); err != nil {
			return dropped, err
		}
		dropped++
	}
	return dropped, s.dropCopies(ctx, wait)
}

// waiting is what waits for an operator.
type waiting struct {
	// selects reports whether the operator means a message, of which the error says why it cannot be decoded.
	selects func(domain.Message, error) bool
	// copies are all, selected or not.
	copies    []driver.Message
	deletions []domain.Deletion
	texts     []driver.Entity
}

// readWaiting returns what waits for an operator: all deletions of the scans, and those messages with a
// recorded text that selects selects. It is read whole before anything is queued: a worker that immediately
// poisons each message again would keep Requeue going without end. The rows are read after the copies, so
// each copy that a row represents can be handled with it.
func (s Steps) readWaiting(ctx context.Context, selects func(domain.Message, error) bool, scans ...driver.Scan) (waiting, error) {
	copies, err := s.receiveCopies(ctx)
	if err != nil {
		return waiting{}, err
	}
	wait := waiting{selects: selects, copies: copies}
	for _, scan := range scans {
		//lab: Read the records: which deletions wait for an operator?
		for row, err := range s.deletions.All(ctx, scan) {
			if err != nil {
				return waiting{}, fmt.Errorf("reading the deletions: %w", err)
			}
			switch schema.Of(schema.TableDeletions, row.Partition, row.Row) {
			case schema.Deletion, schema.BlogDeletion:
				if d := Decode(row); d.State == domain.DeletionPoisoned {
					wait.deletions = append(wait.deletions, d)
				}
			case schema.Undecodable:
				if text, waits, _ := UndecodableText(row); waits && selects(domain.DecodeMessage(text)) {
					wait.texts = append(wait.texts, row)
				}
			}
		}
	}
	return wait, nil
}

func partition(key string) driver.Scan { return driver.Scan{From: key, To: driver.Successor(key)} }

// requeueRecord sends the message before it changes the row: without a delay, because a worker has
// received the message before, so the time to undo is over. If the process dies in between,
// the deletion can be queued once more. A state that a worker has recorded meanwhile stays.
func (s Steps) requeueRecord(ctx context.Context, d domain.Deletion) error {
	message := d.Message()
	if err := s.enqueueAfter(ctx, message, 0); err != nil {
		return err
	}
	return s.UpdateRecord(ctx, message, func(d *domain.Deletion) bool {
		if d.State != domain.DeletionPoisoned {
			return false
		}
		d.State, d.Attempts, d.LastDelivery = domain.DeletionQueued, 0, 0
		d.WaitingSince, d.RetryOn = time.Time{}, time.Time{}
		return true
	})
}

// setHandled records that an undecodable message was queued again, or dropped. Its text is not needed
// any more. If the row has changed, another operator was faster.
func (s Steps) setHandled(ctx context.Context, row driver.Entity) error {
	err := s.deletions.Transact(ctx, schema.UndecodablePartition, driver.Replace(row.Row, driver.Match(row.ETag),
		driver.String(schema.PropState, domain.DeletionDone), driver.Time(schema.PropUpdatedOn, domain.Now())))
	if err != nil && !optimistic.Raced(err) {
		return fmt.Errorf("recording what became of a message: %w", err)
	}
	return nil
}

// receiveCopies makes the copies invisible on the poison queue, for a while, and returns them.
func (s Steps) receiveCopies(ctx context.Context) (copies []driver.Message, err error) {
	known := map[string]bool{}
	for {
		messages, err := s.poison.Receive(ctx, driver.MaxReceive, requeueLease)
		if err != nil {
			return nil, fmt.Errorf("reading the poison queue: %w", err)
		}
		before := len(known)
		for _, m := range messages {
			known[m.ID] = true
		}
		if copies = append(copies, messages...); len(known) == before { // the first lease may have ended
			return copies, nil
		}
	}
}

// dropCopies deletes the copies of what was handled, and shows the others again. A copy whose lease
// was lost is another operator's.
func (s Steps) dropCopies(ctx context.Context, wait waiting) error {
	for _, m := range wait.copies {
		var err error
		if wait.selects(domain.DecodeMessage(m.Text)) {
			err = s.poison.Delete(ctx, m)
		} else {
			_, err = s.poison.Update(ctx, m, m.Text, 0)
		}
		if err != nil && !errors.Is(err, domain.ErrLeaseLost) && !errors.Is(err, domain.ErrLimit) {
			return fmt.Errorf("clearing the poison queue: %w", err)
		}
	}
	return nil
}
