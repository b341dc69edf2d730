package channel_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/internal/storetest"
)

func TestRows(t *testing.T) {
	t.Run("shows the owner every row, as it is in the store", bubble(showsOwnerEveryRow))
	t.Run("shows a channel's rows to its owner alone, unless every reader may see them", bubble(showsRowsToNobodyElse))
	t.Run("shows a deletion from the message to what is left", bubble(showsDeletionFromMessageToRecord))
	t.Run("shows who asked for a deletion nothing of the next channel", bubble(showsNothingOfNextChannel))
	t.Run("shows the owner no row of another incarnation, unless everybody may", bubble(showsNoOtherIncarnation))
}

func rowsOf(channel domain.Channel, by domain.UserName) storage.RowsQuery {
	return storage.RowsQuery{Key: channel.Key(), By: by, Limit: 50}
}

func (w *world) shown(q storage.RowsQuery) storage.ChannelRows {
	w.T.Helper()
	rows, err := w.Store.Channels.Rows(w.T.Context(), q)
	w.OK(err)
	return rows
}

func rowKeys(rows []storage.Row) (keys []string) {
	for _, row := range rows {
		keys = append(keys, row.Row)
	}
	return keys
}

// busy is a channel with a row of each kind that a living channel has.
func (w *world) busy() domain.Channel {
	w.T.Helper()
	channel := w.Create("garden", ada)
	blog := w.Post(channel, grace, "one")
	w.Vote(blog, 0, 2)
	w.OK(w.Store.Subscriptions.Create(w.T.Context(), channel, eve))
	w.Insert(channel.Key(), "join!late", channel.Incarnation)
	return channel
}

func showsOwnerEveryRow(t *testing.T, w *world) {
	channel := w.busy()
	rows := w.shown(rowsOf(channel, ada))
	stored := w.Rows("Blogs")
	if !reflect.DeepEqual(rows.Rows, stored) {
		t.Errorf("the rows are shown as %+v, and stored as %+v", rows.Rows, stored)
	}
	if got := rowKeys(rows.Gates); !slices.Equal(got, []string{storetest.OpenGateRow(channel.Incarnation)}) {
		t.Errorf("the gates are %q", got)
	}
	if rows.Channel.Incarnation != channel.Incarnation || len(rows.Channels) != 1 || len(rows.Deletions)+len(rows.Messages) != 0 || rows.Next != "" {
		t.Errorf("besides: %+v", rows)
	}
}

func showsRowsToNobodyElse(t *testing.T, w *world) {
	channel := w.busy()
	for _, by := range []domain.UserName{grace, eve, ""} {
		if rows, err := w.Store.Channels.Rows(t.Context(), rowsOf(channel, by)); !errors.Is(err, domain.ErrForbidden) || len(rows.Rows) > 0 {
			t.Errorf("%q sees %+v (%v)", by, rows, err)
		}
		q := rowsOf(channel, by)
		q.Everybody = true
		if rows := w.shown(q); len(rows.Rows) < 9 {
			t.Errorf("everybody may see %d rows", len(rows.Rows))
		}
	}
	none := storage.RowsQuery{Key: "nothing", By: ada, Limit: 5}
	for _, none.Everybody = range []bool{false, true} {
		if _, err := w.Store.Channels.Rows(t.Context(), none); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("of no channel: %v", err)
		}
	}
	w.CarryOut(w.askedMessage(channel))
	if _, err := w.Store.Channels.Rows(t.Context(), rowsOf(channel, grace)); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("grace sees what is left: %v", err)
	}
}

// askedMessage asks for the deletion of a channel and takes its message.
func (w *world) askedMessage(channel domain.Channel) []domain.Message {
	w.T.Helper()
	w.Ask(channel)
	return w.Messages()
}

func showsDeletionFromMessageToRecord(t *testing.T, w *world) {
	channel := w.busy()
	ref := w.Ask(channel)
	w.Ask(w.Create("elsewhere", ada))
	rows := w.shown(rowsOf(channel, ada))
	if len(rows.Messages) != 1 || rows.Messages[0].Deliveries != 0 || rows.Messages[0].Incarnation != channel.Incarnation || rows.Messages[0].Text == "" {
		t.Fatalf("the messages are %+v", rows.Messages)
	}
	if rows.Channel.State != domain.ChannelDeleting || rows.Deletion.State != domain.DeletionQueued || len(rows.Deletions) != 1 {
		t.Errorf("after the request: %+v", rows)
	}
	received := w.Receive()
	message, err := domain.DecodeMessage(received.Text)
	w.OK(err)
	if rows = w.shown(rowsOf(channel, ada)); len(rows.Messages) != 0 {
		t.Errorf("a leased message is shown: %+v", rows.Messages)
	}
	w.OK(w.Store.Operator.RecordDeletion(t.Context(), message))
	gates := []string{}
	for _, step := range storetest.Cascade(w.Store, ref) {
		w.OK(step(t.Context()))
		gates = append(gates, strings.Join(rowKeys(w.shown(rowsOf(channel, ada)).Gates), " "))
	}
	open, shut := storetest.OpenGateRow(ref.Incarnation), storetest.ShutGateRow(ref.Incarnation)
	if want := []string{open, shut, shut, "", ""}; !slices.Equal(gates, want) {
		t.Errorf("the gates are %q after the steps, want %q", gates, want)
	}
	w.SetDone(ref)
	rows = w.shown(rowsOf(channel, ada))
	if len(rows.Rows)+len(rows.Channels)+len(rows.Messages) != 0 || rows.Deletion.State != domain.DeletionDone || rows.Channel.Name != "" {
		t.Errorf("at the end there is %+v", rows)
	}
}

func showsNothingOfNextChannel(t *testing.T, w *world) {
	old := w.Create("garden", ada)
	w.CarryOut(w.askedMessage(old))
	w.Insert(old.Key(), storetest.ReservedGateRow(domain.NewIncarnation()), domain.NewIncarnation())
	if rows := w.shown(rowsOf(old, ada)); len(rows.Rows)+len(rows.Gates) != 0 || len(rows.Deletions) != 1 {
		t.Errorf("a creation under way is shown: %+v", rows)
	}
	next := w.Create("garden", grace)
	if _, err := w.Store.Channels.Rows(t.Context(), rowsOf(next, ada)); !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("ada sees the channel of grace: %v", err)
	}
	if rows := w.shown(rowsOf(next, grace)); len(rows.Deletions) != 0 || len(rows.Channels) != 1 {
		t.Errorf("grace sees %+v", rows)
	}
	w.CarryOut(w.askedMessage(next))
	for _, channel := range []domain.Channel{old, next} { // duplicates of their messages
		m := storetest.MessageAbout(channel.Ref())
		m.RequestedBy, m.RequestedOn = channel.Owner, domain.Now()
		w.OK(w.Store.Operator.Messages().Send(t.Context(), m.Encode()))
	}
	for _, by := range []domain.UserName{ada, grace} {
		if got := w.shown(rowsOf(old, by)).Messages; len(got) != 1 || got[0].RequestedBy != by {
			t.Errorf("%s sees the messages %+v", by, got)
		}
	}
	third := w.Create("garden", grace)
	m := storetest.MessageAbout(third.Ref()) // an author deletes their post
	m.RequestedBy, m.RequestedOn = eve, domain.Now()
	w.OK(w.Store.Operator.Messages().Send(t.Context(), m.Encode()))
	for by, want := range map[domain.UserName]int{grace: 2, "": 3} {
		q := rowsOf(third, by)
		q.Everybody = by == ""
		if got := w.shown(q).Messages; len(got) != want {
			t.Errorf("%q sees the messages %+v, want %d", by, got, want)
		}
	}
}

// The rows are read after the channel's. By then its name may be another user's.
func showsNoOtherIncarnation(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	other := domain.NewIncarnation()
	w.Insert(channel.Key(), storetest.OpenGateRow(other), other)
	mine := []string{storetest.OpenGateRow(channel.Incarnation)}
	rows := w.shown(rowsOf(channel, ada))
	if got := rowKeys(rows.Rows); !slices.Equal(got, append(mine, "sub!ada")) {
		t.Errorf("the owner is shown %q", got)
	}
	if got := rowKeys(rows.Gates); !slices.Equal(got, mine) {
		t.Errorf("the gates are %q", got)
	}
	q := rowsOf(channel, "")
	if q.Everybody = true; len(w.shown(q).Rows) != 3 {
		t.Error("the store is not shown as it is where everybody may see it")
	}
}
