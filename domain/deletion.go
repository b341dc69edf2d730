package domain

import "time"

// DeletionState is how far a deletion has come, as its requester sees it.
type DeletionState string

// The states of a deletion. DeletionDone is final, and so is DeletionUndone for its request.
const (
	DeletionPending  DeletionState = "pending"
	DeletionUndone   DeletionState = "undone"
	DeletionQueued   DeletionState = "queued"
	DeletionRunning  DeletionState = "running"
	DeletionDone     DeletionState = "done"
	DeletionPoisoned DeletionState = "poisoned"
)

// A Step is one stage of the deletion of a channel or an account.
type Step string

// The steps of the cascade in their order. Each is idempotent.
const (
	// StepPivot passes the point of no return: the deletion can no longer be undone.
	StepPivot Step = "pivot"
	// StepShut replaces the open gate with the shut one: the store accepts no more posts.
	StepShut Step = "shut"
	// StepSweep deletes the rows of the partition behind the shut gate, until a
	// fresh read shows nothing but gates.
	StepSweep Step = "sweep"
	// StepRemoveGate deletes the shut gate: after that, a late sweep can delete nothing.
	StepRemoveGate Step = "remove-gate"
	// StepRelease deletes the channel's row, so the name can be taken again.
	StepRelease Step = "release"
)

// The steps that delete an account, between StepPivot and StepRelease. Each is idempotent.
const (
	// StepChannels asks for the deletion of each channel of the user.
	StepChannels Step = "channels"
	// StepFence replaces the posting rule of each channel where the user has posted or voted, so
	// that requests of theirs that were sent before fail.
	StepFence Step = "fence"
	// StepPosts removes their posts in the channels of others, or their name from them.
	StepPosts Step = "posts"
	// StepVotes removes their votes.
	StepVotes Step = "votes"
	// StepSubscriptions ends their subscriptions.
	StepSubscriptions Step = "subscriptions"
)

// A Deletion is the progress and the audit of deleting one incarnation of a channel, or one account. It
// outlives them. The deletion of a post has none.
type Deletion struct {
	Channel ChannelRef
	// KeepPosts is of the deletion of an account. See Erasure.
	KeepPosts bool
	Name      ChannelName
	// RequestedBy is the owner of the channel, or whose account it is.
	RequestedBy UserName
	// ByOperator is the operator of the site who asked for it. It is empty if the user did.
	ByOperator  UserName
	RequestedOn time.Time
	// UndoCount tells the requests to delete one incarnation apart. See Message.
	UndoCount int64
	// UndoableUntil is zero if the deletion never could be undone. It is by the clock of the process
	// that accepted the request. An undo after it succeeds if no worker has passed the pivot.
	UndoableUntil time.Time
	State         DeletionState
	// Step is the current step. It is empty before the first.
	Step Step
	// RowsDeleted is a lower bound on the number of rows removed, of all kinds. It misses
	// the rows that a killed worker had not recorded yet. If two workers run concurrently,
	// it has the count of the one that removed more.
	RowsDeleted int64
	// Attempts counts the attempts that failed and made no progress.
	Attempts int
	// UpdatedOn is the time of the last progress. The reconciling pass sends a new
	// message for a deletion without progress for three leases.
	UpdatedOn time.Time
	// WaitingSince is when a worker first found that the store did not answer,
	// since the deletion last got further. It is zero if nothing is waited for.
	WaitingSince time.Time
	// RetryOn is when the message of a handling that failed becomes visible again.
	// Until then, no sign of life can be expected.
	RetryOn time.Time
	// LastDelivery is the highest number of a delivery that removed rows. Deliveries
	// up to it do not count against the limit of deliveries.
	LastDelivery int64
	// FinishedOn is zero until the deletion is done.
	FinishedOn time.Time
	// StepLog says when each worker took each step.
	StepLog StepLog
}

// Over reports whether nothing more becomes of the deletion.
func (d Deletion) Over() bool { return d.State == DeletionDone || d.State == DeletionUndone }

// UndoableBy reports whether an actor may undo the deletion: who asked for it, and each operator if one has.
func (d Deletion) UndoableBy(by Actor) bool {
	if d.ByOperator != "" {
		return by.Operator
	}
	return by.User != "" && by.User == d.RequestedBy
}

// Outdates reports whether the message is of another request, earlier or later, than the one on record,
// which can still be undone and has a message of its own. A damaged record has no time and no such message.
func (d Deletion) Outdates(m Message) bool {
	return d.State == DeletionPending && !m.UndoableUntil.IsZero() && !d.RequestedOn.IsZero() && !d.RequestedOn.Equal(m.RequestedOn)
}

// Message returns a message that asks for the deletion.
func (d Deletion) Message() Message {
	m := Message{
		Kind:        MessageChannel,
		Channel:     d.Channel.Key,
		Incarnation: d.Channel.Incarnation,
		Name:        d.Name,
		RequestedBy: d.RequestedBy,
		RequestedOn: d.RequestedOn,

		UndoCount: d.UndoCount, UndoableUntil: d.UndoableUntil, ByOperator: d.ByOperator,
	}
	if d.Channel.Key.AccountOf() != "" {
		m.Kind, m.KeepPosts = MessageAccount, d.KeepPosts
	}
	return m
}
