package prove

import (
	"fmt"
	"slices"
)

// A story says on which scenario of the shipped code that of another version is told, and
// which guard refuses it.
type story struct {
	about, shipped, guard string
	// by is the call that the guard is in, and who begins the names of the actors that make
	// it. They are empty if no actor of the story makes it.
	who string
	by  milestone
	// others has actors of the shipped code that do a part of what one of the textbook does,
	// by the name of that one. again has those that go on when that one has ended.
	others map[string]otherActor
	again  map[string]string
	// same tells that the two versions are the same code, so that the schedule is taken as
	// it is.
	same bool
}

// An otherActor makes the calls for these milestones.
type otherActor struct {
	name  string
	calls []milestone
}

// actor is who does on the shipped code what an actor of the textbook does with a call.
func (s story) actor(textbook string, call milestone) string {
	if other, ok := s.others[textbook]; ok && slices.Contains(other.calls, call) {
		return other.name
	}
	return textbook
}

// stories are about the textbook version.
func stories() []story {
	return []story{
		{about: "A1", shipped: "post", guard: "open-gate", who: "ann", by: insertsPost},
		{about: "A2", shipped: "again", guard: "incarnation", who: "w", by: readsChannel},
		{about: "A3", shipped: "web-dies", guard: "queue-first", who: "olga", by: sends},
		{about: "A4", shipped: "creators", guard: "look", who: "ann", by: readsChannel},
		{about: "twice", shipped: "one-key", guard: "once", who: "ann", by: insertsPost,
			again: map[string]string{"ann": "ann2"}},
		{about: "lost-message", shipped: "forgotten", guard: "reconcile"},
		{about: "late-copy", shipped: "stalled", guard: "open-gate", who: "olga", by: insertsPost,
			others: map[string]otherActor{"olga": {"olga2", []milestone{marks, sends}}}},
	}
}

// storyOf is the story about a scenario.
func storyOf(name string) (story, error) {
	list := stories()
	if at := slices.IndexFunc(list, func(s story) bool { return s.about == name }); at >= 0 {
		return list[at], nil
	}
	if c, err := Find(name); err == nil && c.Part == Ablated {
		return story{about: name, shipped: c.Of, guard: name, same: true}, nil
	}
	return story{}, fmt.Errorf("%w: %q", ErrNoStory, name)
}
