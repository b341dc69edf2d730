package check

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/reader"
	"microblogging/storage/schema"
)

// paired reports a sub! row of the channel without the user's row: the channel then
// counts a subscriber who does not know it. The user's row is written before the sub! row and, except by
// a sweep, deleted after it.
func (p *partitionCheck) paired(ctx context.Context, row driver.Entity) error {
	user, _ := schema.SubscriberOf(row.Row)
	//lab: Read the other row of a subscription: is it there?
	_, err := p.store.subscriptions.Get(ctx, schema.UserPartition(user), schema.RefRow(p.channel.Ref()))
	if !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	if steady, err := p.steady(ctx, row); err != nil || !steady {
		return err
	}
	return p.misplaced(ctx, "I8", p.channel, row, "a subscriber without a subscription")
}

// strayJoin handles a join! row. A young one may belong to a user who is just
// subscribing. An old one is left of a request that died. It counts for nothing and
// is no violation. A repair deletes it once it is older than Patience. That is safe at
// any age: a request that still needed it starts over.
func (p *partitionCheck) strayJoin(ctx context.Context, row driver.Entity) error {
	if domain.Recent(row.Properties.Time(schema.PropSubscribedOn), p.Patience) {
		return nil
	}
	return p.drop(ctx, p.store.blogs, row)
}

// repairSubscription handles a user's row. A dangling one (package reader) is no
// violation, since the next reader removes it. A repair removes it now.
func (c *Checker) repairSubscription(ctx context.Context, row driver.Entity) error {
	_, err := c.try(func() (string, error) {
		_, err := c.store.RepairSubscription(ctx, reader.Decode(row), domain.UserName(row.Partition))
		return "", err
	})
	return err
}
