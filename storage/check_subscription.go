package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// paired reports a channel's sub! row without the user's row: the channel counts
// a subscriber who cannot know it. The user's row comes first and goes last.
func (p *partitionCheck) paired(ctx context.Context, row driver.Entity) error {
	user, _ := subscriberOf(row.Row)
	_, err := p.store.subscriptions.Get(ctx, userPartition(user), subscriptionRow(p.channel.Ref()))
	if !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	if stands, err := p.stands(ctx, row); err != nil || !stands {
		return err
	}
	return p.breach(ctx, "I8", row, "a subscriber without a subscription")
}

// strayJoin is the join! row of a subscriber who died, or of one who is at it if it
// is young. It counts for nothing and is no breach; repairing removes what is old,
// which is safe at any age: who was at it after all will start over.
func (p *partitionCheck) strayJoin(ctx context.Context, row driver.Entity) error {
	if time.Since(row.Properties.Time(propSubscribedOn)) < p.Patience {
		return nil
	}
	_, err := p.delete(ctx, p.store.blogs, row)
	return err
}

// checkSubscriptions finds the users' rows without a channel's. They are garbage
// that any reader removes, and no breach; repairing removes them now.
func (c *Checker) checkSubscriptions(ctx context.Context) error {
	for row, err := range c.store.subscriptions.All(ctx, driver.Scan{}) {
		if err != nil {
			return fmt.Errorf("reading the subscriptions: %w", err)
		}
		c.counts.Rows++
		if !c.Repair {
			continue
		}
		if _, err := c.store.tidySubscription(ctx, decodeSubscription(row), domain.UserName(row.Partition)); err != nil {
			return fmt.Errorf("repairing: %w", err)
		}
	}
	return nil
}
