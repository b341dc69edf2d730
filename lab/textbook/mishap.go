package textbook

import (
	"context"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
)

// Mishaps has scenarios in which the order of calls alone does no harm: one fault of the
// right kind does.
func Mishaps() []lab.Scenario {
	return []lab.Scenario{
		{
			Name: "twice", About: "somebody posts, and tries again when no answer comes", Faults: 1,
			Setup:  creator,
			Actors: []lab.Actor{{Name: "ann", Run: stubborn}},
			Laws:   onePost(),
		},
		{
			Name: "lost-message", About: "the owner is told that the deletion was accepted, and the queue may forget", Faults: 1, Forgets: true,
			Setup:  creator,
			Actors: []lab.Actor{{Name: "olga", Run: asker}, {Name: "w1", Run: worker}},
			Laws:   itEnds(),
		},
		{
			Name: "late-copy", About: "the owner posts and then deletes the channel, and a request may land late", Faults: 1,
			Straggles: func(*lab.Call) bool { return true },
			Setup:     creator,
			Laws:      noOrphan(),
			Actors: []lab.Actor{
				{Name: "olga", Run: func(ctx context.Context, c *lab.Client) {
					poster(ctx, c)
					asker(ctx, c)
				}},
				{Name: "w1", Run: worker},
			},
		},
	}
}

// stubborn posts, and tries again if no answer comes. Nothing tells the store that both
// tries are one request.
func stubborn(ctx context.Context, c *lab.Client) {
	for range 2 {
		if post(ctx, c) {
			return
		}
	}
}

// A promise is the one invariant of package domain that a scenario is about, as far as the
// textbook version has what it is about.
type promise lab.Law

func noOrphan() promise {
	return promise{"I1", "no orphan", "When all is at rest, no post is left of a channel that is gone.", lab.AtRest}
}

func itEnds() promise {
	return promise{"I5", "it ends", "Each deletion that was accepted is done in the end.", lab.AtRest}
}

func onePost() promise {
	return promise{"I7", "one post", "A request that is sent twice makes one post.", lab.Always}
}

// List implements lab.Laws.
func (p promise) List() []lab.Law { return []lab.Law{lab.Law(p)} }

// Step finds nothing: the promises are about states.
func (promise) Step([]lab.Fact, *lab.Call, []mem.Change) []domain.Breach { return nil }

// State is I7. In its scenario nobody means to post twice.
func (p promise) State(v lab.View) []domain.Breach {
	posts := 0
	for range v.DB.Rows(blogs) {
		posts++
	}
	if p == onePost() && posts > 1 {
		return []domain.Breach{{Invariant: p.Name, Detail: "one request made two posts"}}
	}
	return nil
}

// Rest is I1 and I5, after fresh workers have handled the messages on the queue.
func (p promise) Rest(v lab.View) lab.Outcome {
	outcome := settle(v.DB, p.Name)
	if p == itEnds() && outcome.Unfinished {
		return outcome
	}
	v.DB = outcome.DB
	outcome.Breaches = append(p.State(v), p.settled(v)...)
	return outcome
}

// settled is I1 and I5 of what fresh workers leave.
func (p promise) settled(v lab.View) (breaches []domain.Breach) {
	breach := func(detail string) { breaches = append(breaches, domain.Breach{Invariant: p.Name, Detail: detail}) }
	channel, err := v.DB.Get(channels, news, "")
	if p == noOrphan() && err != nil {
		for range v.DB.Rows(blogs) {
			breach("a post is left of a channel that is gone")
		}
	}
	each(v, func(_ int, f lab.Fact) {
		if p == itEnds() && f.Kind == lab.Accepted && err == nil {
			breach("the deletion was accepted, the channel is " + channel.Properties.String("State") + ", and nobody will ever delete it")
		}
	})
	return breaches
}
