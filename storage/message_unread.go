package storage

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Properties of an unread message's row, besides the state and the time. The text is
// quoted as in a Go program, so that a string property can hold it whatever it is, and
// is cut into parts that fit: Text0, Text1 and so on.
const (
	textPart = 30_000 // of at most 32,768 characters
)

// An unreadMessage is a poisoned message that could not be decoded.
type unreadMessage struct {
	row  driver.Entity
	text string
}

// poisonUnread moves a message that cannot be decoded. The order of writes is: the
// record with the text, the copy. After it, the message is deleted.
//
//   - The process dies before the record, or the tables are away: nothing has
//     happened, and the next delivery starts again.
//   - It dies after the record: there may be no copy. The next delivery finds the record
//     and only deletes the message. Requeue queues a new one from the record.
//
// Only one delivery inserts the record, and only that one sends the copy. The record
// stays after Requeue, so that a late delivery, or a late copy of the insert, finds it.
func (s *Store) poisonUnread(ctx context.Context, m driver.Message) error {
	inserted, err := s.insertUnread(ctx, m)
	if err != nil {
		return err
	}
	if inserted {
		//lab: Send a copy to the queue of the operator.
		err := s.poison.SendOnce(ctx, m.Text)
		if err != nil && !errors.Is(err, domain.ErrLimit) { // another program sent what we may not: it stays in the record
			return fmt.Errorf("sending to the poison queue: %w", err)
		}
	}
	//lab: Take the message off the queue, since an operator has it.
	return s.queue.Delete(ctx, m)
}

// insertUnread inserts the record of an unread message, and reports whether it did.
func (s *Store) insertUnread(ctx context.Context, m driver.Message) (inserted bool, err error) {
	properties := driver.Properties{
		driver.String(schema.PropState, domain.DeletionPoisoned),
		driver.Time(schema.PropUpdatedOn, domain.Now()),
	}
	text := strconv.QuoteToASCII(m.Text)
	for i := 0; i*textPart < len(text); i++ {
		part := text[i*textPart : min((i+1)*textPart, len(text))]
		properties = append(properties, driver.String(textProperty(i), part))
	}
	inserted, err = s.insertRecord(ctx, schema.UnreadPartition, schema.UnreadRow(m.ID, m.Text), properties)
	if err != nil {
		return false, fmt.Errorf("recording a message that cannot be read: %w", err)
	}
	return inserted, nil
}

func textProperty(i int) string { return schema.PropText + strconv.Itoa(i) }

// decodeUnread reads the record of an unread message, and reports whether the message
// waits for an operator. The text of one that does not is gone. The error is about a text
// that is not quoted.
func decodeUnread(row driver.Entity) (m unreadMessage, waits bool, err error) {
	if domain.DeletionState(row.Properties.String(schema.PropState)) != domain.DeletionPoisoned {
		return unreadMessage{}, false, nil
	}
	var quoted string
	for i := 0; ; i++ {
		part := row.Properties.String(textProperty(i))
		if part == "" {
			break
		}
		quoted += part
	}
	text, err := strconv.Unquote(quoted)
	return unreadMessage{row: row, text: text}, true, err
}

// unread returns the messages that could not be decoded and wait for an operator, by text.
func (s *Store) unread(ctx context.Context) (map[string][]unreadMessage, error) {
	waiting := map[string][]unreadMessage{}
	for row, err := range s.deletions.Within(ctx, driver.Range{Partition: schema.UnreadPartition}) {
		if err != nil {
			return nil, fmt.Errorf("reading the messages that cannot be read: %w", err)
		}
		if m, waits, err := decodeUnread(row); waits && err == nil { // a check names the others
			waiting[m.text] = append(waiting[m.text], m)
		}
	}
	return waiting, nil
}

// DropUnread drops the messages that could not be decoded and wait for an operator, and
// returns how many. It first deletes their copies: if the process dies then, the records are
// left, and the next call finds them.
func (s *Store) DropUnread(ctx context.Context) (dropped int, err error) {
	poisoned, err := s.receivePoisoned(ctx)
	if err != nil {
		return 0, err
	}
	texts := map[string]bool{}
	for _, m := range poisoned {
		if _, unread := domain.DecodeMessage(m.Text); unread == nil {
			_, err = s.poison.Update(ctx, m, m.Text, 0) // so that Requeue finds it at once
		} else if err = s.poison.Delete(ctx, m); err == nil {
			texts[m.Text] = true
		}
		if err != nil && !errors.Is(err, domain.ErrLeaseLost) && !errors.Is(err, domain.ErrLimit) {
			return len(texts), fmt.Errorf("dropping messages: %w", err)
		}
	}
	for row, err := range s.deletions.Within(ctx, driver.Range{Partition: schema.UnreadPartition}) {
		if err != nil {
			return len(texts), fmt.Errorf("reading the messages that cannot be read: %w", err)
		}
		m, waits, unquoted := decodeUnread(row)
		if !waits {
			continue
		}
		if err := s.setHandled(ctx, m); err != nil {
			return len(texts), err
		}
		if unquoted != nil {
			m.text = row.Row
		}
		texts[m.text] = true
	}
	return len(texts), nil
}

// setHandled records that an unread message was queued again, or dropped. Its text is not needed
// any more. If the record has changed, another operator was faster.
func (s *Store) setHandled(ctx context.Context, m unreadMessage) error {
	err := s.deletions.Transact(ctx, schema.UnreadPartition, driver.Replace(m.row.Row, driver.Match(m.row.ETag),
		driver.String(schema.PropState, domain.DeletionDone), driver.Time(schema.PropUpdatedOn, domain.Now())))
	if err != nil && !optimistic.Raced(err) {
		return fmt.Errorf("recording what became of a message: %w", err)
	}
	return nil
}
