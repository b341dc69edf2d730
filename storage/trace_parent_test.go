package storage_test

import (
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
)

const someTraceParent domain.TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestTraceParent(t *testing.T) {
	t.Run("of a channel's deletion is in its message and its row, and in what is queued again", bubble(traceParentOfAChannel))
	t.Run("of a post's deletion is in its message, and in its row once it is poisoned", bubble(traceParentOfAPost))
}

func traceParentOfAChannel(t *testing.T, w *world) {
	channel := w.create("Garden", ada)
	_, err := w.store.AskDeletion(storage.WithTraceParent(t.Context(), someTraceParent), channel.Key(), ada, anyIncarnation)
	w.ok(err)
	if messages := w.messages(); len(messages) != 1 || messages[0].TraceParent != someTraceParent {
		t.Errorf("queued %+v", messages)
	}
	w.ok(w.store.UpdateDeletion(t.Context(), channel.Ref(), func(d *domain.Deletion) bool { d.State = domain.DeletionRunning; return true }))
	if d := w.deletion(channel.Ref()); d.TraceParent != someTraceParent {
		t.Errorf("recorded %+v", d)
	}
	time.Sleep(time.Hour) // of the bubble
	done, err := w.store.Reconcile(t.Context(), time.Minute, domain.Now())
	w.ok(err)
	if messages := w.messages(); done.Requeued != 1 || len(messages) != 1 || messages[0].TraceParent != someTraceParent {
		t.Errorf("queued again %+v, %+v", done, messages)
	}
}

func traceParentOfAPost(t *testing.T, w *world) {
	channel := w.create("Garden", ada)
	blog := w.post(channel, ada, "hello")
	w.ok(w.store.DeleteBlog(storage.WithTraceParent(t.Context(), someTraceParent), channel, blog.ID, ada, anyRevision))
	received, err := w.store.Messages().Receive(t.Context(), 1, time.Minute)
	w.ok(err)
	m, err := domain.DecodeMessage(received[0].Text)
	w.ok(err)
	if m.TraceParent != someTraceParent {
		t.Errorf("queued %+v", m)
	}
	w.ok(w.store.Poison(t.Context(), received[0]))
	requeued, err := w.store.Requeue(t.Context(), "")
	w.ok(err)
	if messages := w.messages(); len(messages) != 1 || messages[0].TraceParent != someTraceParent {
		t.Errorf("queued again %v %+v", requeued, messages)
	}
}
