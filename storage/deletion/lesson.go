package deletion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// AskLesson is AskDeletion of a deletion whose workers pause before each step, if they
// teach. The row of the lesson is written before the message is sent, so that no worker
// misses it. If the process dies in between, the row is left, and does nothing until the
// deletion is asked for again.
func (s *Deletions) AskLesson(ctx context.Context, key domain.ChannelKey, by domain.UserName,
	expected domain.Precondition[domain.Incarnation],
) (domain.Channel, error) {
	row, err := s.ReadActive(ctx, domain.ChannelAddress{Key: key, Expected: expected})
	if err == nil && row.Owner == by { // otherwise AskDeletion says what is wrong
		err := s.deletions.Transact(ctx, schema.ChannelPartition(key),
			driver.Insert(schema.LessonRow(row.Incarnation), encodeLesson(row.Ref(), domain.Lesson{})...))
		if err != nil && !errors.Is(err, domain.ErrExists) {
			return domain.Channel{}, fmt.Errorf("beginning the lesson of channel %s: %w", key, err)
		}
	}
	return s.AskDeletion(ctx, key, by, expected)
}

// Lesson reads the lesson of a deletion. One that is no lesson is domain.ErrNotFound.
func (s *Deletions) Lesson(ctx context.Context, ref domain.ChannelRef) (domain.Lesson, error) {
	row, err := s.deletions.Get(ctx, schema.ChannelPartition(ref.Key), schema.LessonRow(ref.Incarnation))
	if err != nil {
		return domain.Lesson{}, fmt.Errorf("lesson of channel %s: %w", ref.Key, err)
	}
	return decodeLesson(row)
}

// UpdateLesson reads the row of a lesson, lets change modify it, and writes it. If change
// returns false, nothing is written. The change is applied once, even if a reply is lost;
// it may be called several times before that.
func (s *Deletions) UpdateLesson(ctx context.Context, ref domain.ChannelRef, change func(*domain.Lesson) bool) error {
	row := schema.LessonRow(ref.Incarnation)
	err := s.pause.Change(ctx, s.deletions, schema.ChannelPartition(ref.Key), row, func(now driver.Entity) (driver.Properties, error) {
		if now.ETag == "" {
			return nil, domain.ErrNotFound
		}
		lesson, err := decodeLesson(now)
		if err != nil || !change(&lesson) {
			return nil, err
		}
		return encodeLesson(ref, lesson), nil
	})
	if err != nil {
		return fmt.Errorf("lesson of channel %s: %w", ref.Key, err)
	}
	return nil
}

// DeliverAgain sends one more copy of the message of a lesson, and reports whether it did:
// domain.MaxLessonCopies is the most. It counts the copy first. If the process dies in
// between, there is a copy less.
func (s *Deletions) DeliverAgain(ctx context.Context, d domain.Deletion) (sent bool, err error) {
	err = s.UpdateLesson(ctx, d.Channel, func(l *domain.Lesson) bool {
		if sent = l.Copies < domain.MaxLessonCopies; sent {
			l.Copies++
		}
		return sent
	})
	if err != nil || !sent {
		return false, err
	}
	if err := s.Enqueue(ctx, d.Message()); err != nil {
		return false, fmt.Errorf("sending the message about channel %s again: %w", d.Channel.Key, err)
	}
	return true, nil
}

func encodeLesson(ref domain.ChannelRef, l domain.Lesson) driver.Properties {
	workers, err := json.Marshal(l.Workers)
	if err != nil {
		panic(fmt.Sprintf("encoding a lesson: %v", err)) // strings, numbers and times of this age always marshal
	}
	return driver.Properties{
		driver.String(schema.PropIncarnation, ref.Incarnation),
		driver.String(schema.PropOver, l.Over),
		driver.Int64(schema.PropCopies, int64(l.Copies)),
		driver.String(schema.PropWorkers, string(workers)),
	}
}

func decodeLesson(row driver.Entity) (domain.Lesson, error) {
	p := row.Properties
	l := domain.Lesson{Over: domain.LessonEnd(p.String(schema.PropOver)), Copies: int(p.Int64(schema.PropCopies))}
	if err := json.Unmarshal([]byte(p.String(schema.PropWorkers)), &l.Workers); err != nil {
		return domain.Lesson{}, fmt.Errorf("the workers of a lesson are not JSON: %w", err)
	}
	return l, nil
}
