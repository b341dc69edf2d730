package deletion

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// A message that failed too often, or that a worker cannot decode, waits for an operator. It has a row with
// its text in the partition schema.PoisonPartition of Deletions, which holds nothing else. If the
// message asks for the deletion of a channel or of an account, the record says that it is poisoned: for
// people, and so that no reconciling pass sends another message.
//
// While a record says poisoned, such a row must exist, or no operator could end the deletion:
//
//   - A worker reads the record. Then it writes the row, which gives that a new version. Then it writes
//     the record in the version that it read. Then it deletes the message.
//   - Only an operator deletes rows. Requeue reads the row. Then it writes the record, which gives that a
//     new version: poisoned becomes queued, and any other state stays. (A record that is over, or
//     has another undo count, is not written: no worker poisons it for this message.) Then it sends the
//     message. Then it deletes the row in the version that it read.
//
// If a worker wrote the row after Requeue read it, the deletion of the row fails. If before, there are two
// cases. The worker's write of the record came before that of Requeue: then the record says queued. Or
// that of Requeue came first: then the worker's write fails, and it begins again, with the row.
//
// A message is on the queue or has a row, whichever process dies:
//
//   - The key of a row is a hash of the text without its counts. So a message that is delivered again
//     because a worker died has the same row, and so has the message that Requeue sends.
//   - If the process of an operator dies, or two operators requeue concurrently, a message may be sent
//     twice. A delayed duplicate of the write of a row may bring the row back, and then an operator sends
//     the message once more. Both do no harm, because each step of a deletion may be repeated (I6).
//   - A delayed duplicate of the deletion of a row, or of a write of a record, names a version that is
//     gone, and fails.
//
// If a deletion has ended by another message, or was undone later, its row is left until an operator
// requeues it. Then a worker finds nothing to do.

// The text is quoted as in a Go program, so that a string property can hold it whatever it is, and is cut
// into parts that fit: Text0, Text1 and so on.
const textPart = 30_000 // of at most 32,768 characters

// Poison takes a message off the queue, where it would be tried without end, and leaves it to an operator.
// If its deletion is over, or has another message of its own, it only takes it off the queue. If the process
// dies in between, the next delivery begins again. A message whose lease was lost is domain.ErrLeaseLost.
// If there is no record, or the store answers and refuses to read or write it, the row is enough.
func (s Steps) Poison(ctx context.Context, m driver.Message) error {
	message, err := domain.DecodeMessage(m.Text)
	switch {
	case err != nil:
		err = s.recordText(ctx, m.Text)
	case message.Kind == domain.MessageBlog:
		err = s.RecordPoison(ctx, message)
	default:
		err = s.recordPoisoned(ctx, message)
		if err != nil && !errors.Is(err, domain.ErrUnavailable) { // the store answered
			err = s.RecordPoison(ctx, message)
		}
	}
	if err != nil {
		return err
	}
	//lab: Take the message off the queue.
	return s.queue.Delete(ctx, m)
}

// recordPoisoned records that a deletion waits for an operator, with the row of its message. A deletion
// without a record is domain.ErrNotFound.
func (s Steps) recordPoisoned(ctx context.Context, m domain.Message) error {
	return s.updateRecord(ctx, m, func(d *domain.Deletion) (bool, error) {
		if d.Outdates(m) { // the deletion has a message of its own
			return false, nil
		}
		d.State, d.Attempts, d.WaitingSince = domain.DeletionPoisoned, m.Attempts, time.Time{}
		return true, s.RecordPoison(ctx, m)
	})
}

// RecordPoison writes the row of a message.
func (s Steps) RecordPoison(ctx context.Context, m domain.Message) error {
	return s.recordText(ctx, textOf(m))
}

// textOf is the text of a message as it is sent first: without its counts and the time.
func textOf(m domain.Message) string {
	m.QueuedOn, m.Attempts, m.Waits, m.Accounted = time.Time{}, 0, 0, 0
	return m.Encode()
}

// recordText writes the row of a message.
func (s Steps) recordText(ctx context.Context, text string) error {
	properties := poisonProperties(text, domain.Now())
	//lab: Record the message, for an operator.
	err := s.deletions.Transact(ctx, schema.PoisonPartition, driver.Replace(schema.PoisonRow(text), driver.Upsert, properties...))
	if err != nil {
		return fmt.Errorf("recording a message that waits for an operator: %w", err)
	}
	return nil
}

func poisonProperties(text string, on time.Time) driver.Properties {
	properties := driver.Properties{driver.Time(schema.PropUpdatedOn, on)}
	quoted := strconv.QuoteToASCII(text)
	for i := 0; i*textPart < len(quoted); i++ {
		part := quoted[i*textPart : min((i+1)*textPart, len(quoted))]
		properties = append(properties, driver.String(textProperty(i), part))
	}
	return properties
}

// EncodePoison returns the row that a worker writes if it poisons a message with that text at that time.
func EncodePoison(text string, on time.Time) driver.Entity {
	if m, err := domain.DecodeMessage(text); err == nil {
		text = textOf(m)
	}
	return driver.Entity{Partition: schema.PoisonPartition, Row: schema.PoisonRow(text), Properties: poisonProperties(text, on)}
}

func textProperty(i int) string { return schema.PropText + strconv.Itoa(i) }

// A PoisonMessage waits for an operator.
type PoisonMessage struct {
	// Message is what it asks for, unless Undecodable says why it cannot be decoded.
	domain.Message
	Undecodable error
	Text        string

	row driver.Entity
}

// DecodePoison reads the row of a message that waits for an operator. A text that is not quoted, which no
// operation writes, is Undecodable and empty.
func DecodePoison(row driver.Entity) PoisonMessage {
	m := PoisonMessage{row: row}
	if m.Text, m.Undecodable = PoisonText(row); m.Undecodable == nil {
		m.Message, m.Undecodable = domain.DecodeMessage(m.Text)
	}
	return m
}

// PoisonText returns the text of such a message. The error is about one that is not quoted.
func PoisonText(row driver.Entity) (string, error) {
	quoted := ""
	for i := 0; ; i++ {
		part := row.Properties.String(textProperty(i))
		if part == "" {
			return strconv.Unquote(quoted)
		}
		quoted += part
	}
}

// PoisonMessages reads the messages that wait for an operator. One that is poisoned meanwhile may be missing.
func (s Steps) PoisonMessages(ctx context.Context) iter.Seq2[PoisonMessage, error] {
	return func(yield func(PoisonMessage, error) bool) {
		//lab: Read which messages wait for an operator.
		for row, err := range s.deletions.Within(ctx, driver.Range{Partition: schema.PoisonPartition}) {
			if err != nil {
				err = fmt.Errorf("reading the poison messages: %w", err)
			}
			if !yield(DecodePoison(row), err) || err != nil {
				return
			}
		}
	}
}

// Requeue queues again what waits for an operator, and returns how many messages: those of one channel, or
// all if the key is empty. Their count of attempts starts again at 0. A message that cannot be decoded
// is of no channel, and is queued unchanged: by then a newer worker may decode it. What is poisoned again
// meanwhile stays poisoned. A message that another program sent and that our queue refuses stays, and so
// does one whose record cannot be read or written. The error says why then, and all else is queued.
//
// It ends although a worker may poison each message again, because that message has the same row.
func (s Steps) Requeue(ctx context.Context, only domain.ChannelKey) (requeued int, err error) {
	var refused error
	for m, err := range s.PoisonMessages(ctx) {
		if err != nil {
			return requeued, fmt.Errorf("requeueing: %w", err)
		}
		if only != "" && (m.Undecodable != nil || m.Channel != only) {
			continue
		}
		switch err := s.requeue(ctx, m); {
		case err == nil:
			requeued++
		case ctx.Err() != nil, errors.Is(err, domain.ErrUnavailable):
			return requeued, fmt.Errorf("requeueing: %w", err)
		default: // the store answered
			refused = fmt.Errorf("message %.100q is not requeued: %w", m.Text, err)
		}
	}
	return requeued, refused
}

// requeue makes the writes of Requeue for one message, in their order. The message has no delay, because a
// worker has received it before, so the time to undo is over.
func (s Steps) requeue(ctx context.Context, m PoisonMessage) error {
	err := s.recordRequeued(ctx, m)
	if err != nil {
		return err
	}
	if m.Undecodable == nil {
		err = s.enqueueAfter(ctx, m.Message, 0)
	} else {
		//lab: Send the message again.
		err = s.queue.Send(ctx, m.Text)
	}
	if err != nil {
		return err
	}
	return s.deletePoison(ctx, m)
}

// DropUndecodable drops the messages that cannot be decoded and that wait for an operator, and
// returns how many. It drops no deletion.
func (s Steps) DropUndecodable(ctx context.Context) (dropped int, err error) {
	for m, err := range s.PoisonMessages(ctx) {
		if err == nil && m.Undecodable == nil {
			continue
		}
		if err == nil {
			err = s.deletePoison(ctx, m)
		}
		if err != nil {
			return dropped, fmt.Errorf("dropping: %w", err)
		}
		dropped++
	}
	return dropped, nil
}

// deletePoison deletes the row of a message in the version that was read. If that is gone, a worker has
// poisoned the message again, or another operator was faster.
func (s Steps) deletePoison(ctx context.Context, m PoisonMessage) error {
	//lab: Delete the row of the message.
	err := s.deletions.Transact(ctx, schema.PoisonPartition, driver.Delete(m.row.Row, driver.Match(m.row.ETag)))
	return optimistic.UnlessRaced(err)
}

// recordRequeued records that a poisoned deletion is queued, and first puts it on the index again
// (updateRecord). A record in another state that is not over keeps it. If there is no record, a worker
// inserts it.
func (s Steps) recordRequeued(ctx context.Context, m PoisonMessage) error {
	if m.Undecodable != nil || m.Kind == domain.MessageBlog { // these have no record
		return nil
	}
	err := s.UpdateRecord(ctx, m.Message, func(d *domain.Deletion) bool {
		if d.State == domain.DeletionPoisoned {
			d.State, d.Attempts, d.LastDelivery = domain.DeletionQueued, 0, 0
		}
		return true
	})
	if errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	return err
}
