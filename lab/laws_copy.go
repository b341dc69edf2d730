package lab

import (
	"context"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
)

// Moved are the laws of a store that is copied: what holds of the old one, and in the end
// of the new one alone. At rest an operator runs the copy again until it has ended, and then
// nobody uses the old store any more. So whatever a client was told must hold in the new one.
type Moved struct{ Shipped }

// Rest implements Laws.
func (l Moved) Rest(v View) Outcome {
	content, err := copiedWhole(v.DB)
	if err != nil {
		return Outcome{DB: v.DB, Unfinished: true, Breaches: []domain.Breach{breachOf("I5", "the copy: %v", err)}}
	}
	v.DB = content
	return l.Shipped.Rest(v)
}

// inTurns is a backend whose calls are made one by one.
type inTurns struct{ *mem.DB }

// LastFirst implements driver.OneByOne.
func (inTurns) LastFirst() bool { return false }

// copiedWhole is the content of the new store after an operator has run the copy to its end.
// The leases of workers that died have run out by then.
func copiedWhole(s mem.Snapshot) (mem.Snapshot, error) {
	for _, queue := range []string{domain.QueueName, domain.PoisonQueueName} {
		for _, m := range s.Messages(queue) {
			var err error
			if s, _, err = s.Update(queue, m, time.Time{}); err != nil {
				return s, fmt.Errorf("a lease that runs out: %w", err)
			}
		}
	}
	db := inTurns{mem.Open(s, "copy.")}
	if _, err := copyStore(context.Background(), db, noPause); err != nil {
		return s, err
	}
	return newStore(db.Snapshot())
}
