package worker

import (
	"testing"
	"time"
)

func TestReconcile(t *testing.T) {
	t.Run("finds a deletion that the queue forgot", bubble(findsForgottenDeletion))
}

func findsForgottenDeletion(t *testing.T) {
	w := newWorld(t, 5)
	w.mustAsk()
	forgotten, err := w.sound.Messages().Receive(t.Context(), 1, time.Second)
	if err == nil {
		err = w.sound.Messages().Delete(t.Context(), forgotten[0])
	}
	if err != nil {
		t.Fatal(err)
	}
	w.finish()
	w.mustBeDeleted()
}
