package main

import (
	"fmt"
	"sync"
)

// A history is what the users of one site were told. Each method records one
// answer, and accuses the site if that contradicts another.
type history struct {
	site    string
	moments *moments

	mu           sync.Mutex
	violations   []string
	incarnations map[string][]*incarnation // by channel
	posts        map[string]*post          // by id, with the replies
	byChannel    map[string][]*post
	// drafts are all posts and replies that a user ever asked for: from the first word of the
	// text to the channel, or to the path of the post that is replied to.
	drafts map[string]string
	// refused are the creations that were told that the name is taken.
	refused map[string]bool
	// ruled are the channels in which some user may not have been allowed to post.
	ruled map[string]bool
	// hidden are the leavers whose posts may not be in lists.
	hidden map[string]bool
	twins  []twin
	// left are the leavers whose accounts must be gone in the end.
	left []leaver
	// deleting is the channel whose deletion was accepted last.
	deleting string
}

// moments tell the faults that a user is about to ask for a deletion, and that one
// was accepted.
type moments struct{ asking, accepted chan struct{} }

func tell(moment chan<- struct{}) {
	select {
	case moment <- struct{}{}:
	default:
	}
}

func newHistory(site string) *history {
	return &history{
		site: site, moments: &moments{make(chan struct{}), make(chan struct{})},
		incarnations: map[string][]*incarnation{}, posts: map[string]*post{}, byChannel: map[string][]*post{},
		drafts: map[string]string{}, refused: map[string]bool{}, ruled: map[string]bool{}, hidden: map[string]bool{},
	}
}

// lock begins a look at the history, which the function that it returns ends.
func (l *history) lock() (unlock func()) {
	l.mu.Lock()
	return l.mu.Unlock
}

// accuse records a violation.
func (l *history) accuse(format string, args ...any) {
	defer l.lock()()
	l.accuseLocked(format, args...)
}

func (l *history) accuseLocked(format string, args ...any) {
	l.violations = append(l.violations, l.site+": "+fmt.Sprintf(format, args...))
}
