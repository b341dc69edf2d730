package check

import (
	"context"

	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
)

// secondRule is I11: a channel has one row that says who may post. The first is the one that is
// read. It may have gone before the second came: then that has taken its place.
func (p *partitionCheck) secondRule(ctx context.Context, row driver.Entity) error {
	first := p.rule
	if p.rule = row; first.ETag == "" {
		return nil
	}
	still, err := optimistic.Unchanged(ctx, p.store.blogs, first)
	if err != nil || !still {
		return err
	}
	p.rule = first
	return p.misplaced(ctx, "I11", p.channel, row, "a second row says who may post")
}
