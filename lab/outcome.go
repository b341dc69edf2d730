package lab

import (
	"microblogging/domain"
	"microblogging/lab/mem"
)

// An Outcome is what fresh workers do and leave when no actor can go on, and the verdict.
type Outcome struct {
	// DB is what they leave.
	DB mem.Snapshot
	// Deeds are what they did, in order.
	Deeds []Deed
	// Breaches are the laws that are broken then.
	Breaches []domain.Breach
	// Unfinished tells that they came to no end. Then most laws were not judged.
	Unfinished bool
}

// A Deed is one thing that a fresh worker did.
type Deed struct {
	// Message is the text of the message that it handled. It is empty if the worker made a
	// reconciling pass.
	Message string
	// Err is why it failed, if it did. Then the message stays on the queue.
	Err error
}

// DescribeDeed says in one line what a fresh worker did.
func (s *Scenario) DescribeDeed(d Deed) string {
	text := "looks for deletions without a message"
	if d.Message != "" {
		text = "handles: " + describeMessage(d.Message)
	}
	if d.Err != nil {
		text += "; " + d.Err.Error()
	}
	return s.Pretty(text)
}
