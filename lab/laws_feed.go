package lab

import "slices"

// fed compares what a feed has shown with what was acknowledged before its reader asked for
// it.
func fed(v View, actor, at int, f Fact, breach func(law, format string, args ...any)) {
	before, ok := v.lookedAt(actor, at)
	if !ok {
		return
	}
	for _, k := range before {
		switch {
		case k.Kind == Accepted && k.Channel == f.Channel:
			breach("I4", "a feed shows a channel, and its deletion was accepted before (%s)", string(f.Channel.Incarnation))
		case k.Kind == Left && k.Channel == f.Channel && k.User == f.User && !undone(v, k.actor, k.at, k.Fact, Joining, Subscribed):
			breach("I8", "a feed shows a channel that its reader had left before")
		case k.Kind == Posted && follows(v, before, f, k) && !slices.Contains(feedOf(f), k.Blog) && !v.askedBlog(k.Blog) && !asked(v, k.Channel):
			breach("I3", "a feed does not show a post that was acknowledged before, in a channel that its reader subscribes to")
		}
	}
}

// follows tells whether the reader of a feed certainly subscribed to the channel of a post.
func follows(v View, before []known, f Fact, post known) bool {
	return slices.ContainsFunc(before, func(k known) bool {
		return k.Kind == Subscribed && k.User == f.User && k.Channel == post.Channel && !undone(v, k.actor, k.at, k.Fact, Leaving, Left)
	})
}
