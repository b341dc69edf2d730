package storetest

import (
	"time"

	"microblogging/domain"
)

// Patience is how long a deletion may make no progress, in these tests.
const Patience = 90 * time.Second

// Forget requests the deletion of a channel, and loses the message.
func (w *World) Forget(channel domain.Channel) domain.ChannelRef {
	w.T.Helper()
	ref := w.Ask(channel)
	w.Messages()
	return ref
}

// AnyIncarnation accepts every incarnation of a channel.
var AnyIncarnation = domain.Any[domain.Incarnation]()

// Ask requests the deletion of a channel in its owner's name.
func (w *World) Ask(channel domain.Channel) domain.ChannelRef {
	w.T.Helper()
	asked, err := w.Store.Deletions.Request(w.T.Context(), channel.Key(), domain.By(channel.Owner), AnyIncarnation)
	w.OK(err)
	return asked.Ref()
}

// SetDone records that a deletion is done.
func (w *World) SetDone(ref domain.ChannelRef) {
	w.T.Helper()
	w.OK(w.Store.Operator.UpdateRecord(w.T.Context(), MessageAbout(ref), done))
}

func done(d *domain.Deletion) bool {
	d.State, d.FinishedOn = domain.DeletionDone, domain.Now()
	return true
}
