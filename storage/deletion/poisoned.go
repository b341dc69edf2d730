package deletion

import (
	"context"
	"fmt"

	"microblogging/domain"
)

// Poisoned returns the deletions that wait for an operator, up to so many in no particular order. A message that cannot be
// decoded is empty.
func (s *Deletions) Poisoned(ctx context.Context, limit int) (waiting []domain.Message, err error) {
	for m, err := range (Steps{s}).PoisonMessages(ctx) {
		if err != nil {
			return nil, fmt.Errorf("listing what waits for an operator: %w", err)
		}
		if waiting = append(waiting, m.Message); len(waiting) == limit {
			break
		}
	}
	return waiting, nil
}
