package web_test

import (
	"context"
	"net/url"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
	"microblogging/web"
)

func TestLesson(t *testing.T) {
	t.Run("without --teach there is none", noLessonWithoutTeach)
	t.Run("a deletion that is no lesson has no buttons", noLessonHasNoButtons)
	t.Run("an order that is not understood does nothing", strangeOrderDoesNothing)
}

func newTeachingSite(t testing.TB) *site {
	return newSiteWith(t, web.Options{Version: "test", Teach: true})
}

// pupil puts a worker that waits into the lesson, as a worker does.
func (s *site) pupil(ref domain.ChannelRef, number int, step domain.Step) {
	s.Helper()
	err := s.store.UpdateLesson(s.Context(), ref, func(l *domain.Lesson) bool {
		if !l.Set(number, func(w *domain.LessonWorker) { w.State, w.Step = domain.LessonWaits, step }) {
			l.Join(domain.LessonWorker{Number: number, Delivery: 1, State: domain.LessonWaits, Step: step, LeaseUntil: domain.Now().Add(12 * time.Second)})
		}
		return true
	})
	ok(s, err)
}

func (s *site) lessonState(ref domain.ChannelRef, number int) domain.LessonState {
	s.Helper()
	l, err := s.store.Lesson(s.Context(), ref)
	ok(s, err)
	w, _ := l.Worker(number)
	return w.State
}

// lesson asks for the deletion of a channel as a lesson, in the browser.
func (b *browser) lesson(channel domain.Channel) page {
	b.Helper()
	return b.open("/channels/Engines/delete").says("Pause before each step").
		form("Delete this channel and all its posts").fill("pause", "1").press().
		at("/channels/Engines/deletions/"+string(channel.Incarnation)).says("Step by step", "pauses before each step")
}

func noLessonWithoutTeach(t *testing.T) {
	s, b, channel := enginesBrowser(t, "ada")
	b.open("/channels/Engines/delete").saysNot("Pause before each step")
	reads := 0
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Deletions" {
			reads++
		}
		return send(ctx)
	})
	form := url.Values{"incarnation": {string(channel.Incarnation)}, "pause": {"1"}}
	path := "/channels/Engines/deletions/" + string(channel.Incarnation)
	b.send("POST", "/channels/Engines/delete", posted(form)).at(path).saysNot("Step by step")
	if reads != 3 {
		t.Errorf("%d calls to Deletions to ask for a deletion and to show it, want 3", reads)
	}
	b.send("POST", path, posted(url.Values{"action": {"again"}})).want(400)
	if _, err := s.store.Lesson(t.Context(), channel.Ref()); err == nil {
		t.Error("there is a lesson")
	}
}

func noLessonHasNoButtons(t *testing.T) {
	s := newTeachingSite(t)
	b := s.signedIn("ada")
	channel := s.channel("Engines", "ada")
	s.askDeletion(channel)
	path := "/channels/Engines/deletions/" + string(channel.Incarnation)
	b.open(path).saysNot("Step by step")
	b.send("POST", path, posted(url.Values{"action": {"again"}})).want(404)
	if n, err := s.store.Messages().Length(t.Context()); err != nil || n != 1 {
		t.Errorf("%d messages (%v), want one", n, err)
	}
}

func strangeOrderDoesNothing(t *testing.T) {
	s := newTeachingSite(t)
	b := s.signedIn("ada")
	channel := s.channel("Engines", "ada")
	b.lesson(channel)
	s.pupil(channel.Ref(), 1, domain.StepMark)
	path := "/channels/Engines/deletions/" + string(channel.Incarnation)
	for _, form := range []url.Values{{}, {"action": {"dance"}}, {"action": {"next"}, "worker": {"one"}}} {
		b.send("POST", path, posted(form)).want(400)
	}
	for _, late := range []url.Values{
		{"action": {"kill"}, "worker": {"7"}, "step": {"mark"}}, {"action": {"kill"}, "worker": {"1"}, "step": {"sweep"}},
	} {
		b.send("POST", path, posted(late)).want(200)
	}
	if got := s.lessonState(channel.Ref(), 1); got != domain.LessonWaits {
		t.Errorf("the worker %s", got)
	}
}
