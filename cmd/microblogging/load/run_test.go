package load

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/lab/mem"
	"microblogging/storage/driver"
)

func TestRun(t *testing.T) {
	for sentence, test := range map[string]func(*testing.T){
		"each operation costs what it costs the site, and is counted": countsEntities,
		"tries are counted for the operation whose call they are of":  countsTries,
	} {
		t.Run(sentence, func(t *testing.T) { synctest.Test(t, test) })
	}
}

func memory() *mem.DB { return mem.Open(mem.Snapshot{}, "test") }

// steady makes 100 operations of each kind, about, over these channels.
func steady(channels int) Plan {
	return Plan{Channels: channels, Fill: 50, Mix: Mix{1, 1, 1, 1}, Workers: 4, Rate: 100, Duration: 4 * time.Second}
}

func ran(t *testing.T, ctx context.Context, backend driver.Backend, p Plan) Result {
	t.Helper()
	r, err := Run(ctx, backend, p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func countsEntities(t *testing.T) {
	r := ran(t, t.Context(), memory(), steady(2))
	if r.All.Requests != 400 || r.All.Failed != 0 || r.Failure != nil || len(r.Operations) != operations {
		t.Fatalf("%+v (%v)", r.All, r.Failure)
	}
	// docs/scale.md: a post is a row of a list and a transaction of 4, and a vote reads who may act, is a row of a list, reads
	// the post and writes 6. The first in a channel puts up who may act. A
	// page reads the channel and one post more than it shows; a feed also the user's row, the
	// subscription, and the key of each post before the post.
	for i, want := range []int64{Post: 5, Read: 22, Feed: 44, Vote: 9} {
		if o := r.Operations[i]; o.Requests < 50 || o.Entities < want*o.Requests || o.Entities > want*o.Requests+20 {
			t.Errorf("%d %ss had %d entities, want %d each", o.Requests, o.Name, o.Entities, want)
		}
	}
}

// tried is a backend whose client is throttled once for each point read.
type tried struct{ *mem.DB }

func (b tried) Do(ctx context.Context, c *driver.Call) error {
	if c.Method == driver.CallGet {
		Throttled(ctx)
	}
	return b.DB.Do(ctx, c)
}

func countsTries(t *testing.T) {
	db := mem.Open(mem.Snapshot{}, "test")
	p := steady(1)
	p.Mix = Mix{Post: 1, Vote: 1}
	r := ran(t, t.Context(), tried{db}, p)
	post, vote := r.Operations[0], r.Operations[1]
	if post.Throttled != 0 || vote.Throttled < 2*vote.Requests || vote.Throttled > 2*vote.Requests+10 || vote.Failed != 0 || r.All.Throttled != vote.Throttled {
		t.Errorf("%+v and %+v, want none for posts, which read nothing, and 2 for each vote", post, vote)
	}
}
