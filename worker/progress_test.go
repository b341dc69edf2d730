package worker

import (
	"testing"

	"microblogging/domain"
)

func TestProgress(t *testing.T) {
	t.Run("counts the rows removed", bubble(countsTheRowsRemoved))
}

func countsTheRowsRemoved(t *testing.T) {
	w := newWorld(t, enoughPosts)
	w.mustAsk()
	w.finish()
	d := w.deletion()
	if want := int64(3*enoughPosts + 1); d.RowsDeleted != want || d.Step != domain.StepRelease || d.FinishedOn.IsZero() {
		t.Errorf("deletion reads %+v, want %d rows, the last step and an end", d, want)
	}
}
