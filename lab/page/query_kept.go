package page

import (
	"context"
	"errors"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"microblogging/domain"
)

const (
	// maxKeptQueries is how many answers are kept. One takes some KB.
	maxKeptQueries = 64
	// queryFresh is how long an answer is shown without asking again. It is shown for longer
	// if the store must not be asked.
	queryFresh = time.Minute
)

// keptQueries keeps the answers to the questions that were asked last, for all readers. It is
// safe for concurrent use.
type keptQueries struct {
	// answers are never changed.
	answers *lru.Cache[asked, *queryView]
}

// asked is what a form asks for. What the form leaves open is empty.
type asked struct {
	channel domain.ChannelKey
	user    domain.UserName
	since   int64
}

func (f *queryForm) asked() asked { return asked{f.key, f.user, f.since.Unix()} }

func newKeptQueries() keptQueries {
	answers, err := lru.New[asked, *queryView](maxKeptQueries)
	if err != nil {
		panic(err) // the size is constant and positive
	}
	return keptQueries{answers}
}

// find returns the answer that is kept for the form, or nil. It reads the channel's row again:
// once a deletion was accepted, no page shows the channel (I4).
func (k keptQueries) find(ctx context.Context, tables PresentTables, form queryForm) (*queryView, error) {
	kept, ok := k.answers.Get(form.asked())
	if !ok {
		return nil, nil
	}
	channel := kept.chosen.channel
	row, err := tables.Get(ctx, channelsTable, string(channel.Key), "")
	switch {
	case err != nil && !errors.Is(err, domain.ErrNotFound):
		return nil, err
	case err != nil, !isActive(row), row.Properties.String(propIncarnation) != string(channel.Incarnation):
		k.answers.Remove(form.asked())
		return nil, nil
	}
	v := *kept
	v.form = form
	return &v, nil
}

// keep keeps an answer about a channel that is there.
func (k keptQueries) keep(v *queryView) {
	if v.missing == nil {
		k.answers.Add(v.form.asked(), v)
	}
}
