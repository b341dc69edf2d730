package web

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

// lesson reads the lesson of a deletion, or returns nil if it is none. Without --teach
// nothing is read.
func (h *deletionPages) lesson(ctx context.Context, ref domain.ChannelRef) (*templates.Lesson, error) {
	if !h.teach {
		return nil, nil
	}
	lesson, err := h.store.Lesson(ctx, ref)
	if errors.Is(err, domain.ErrNotFound) {
		return nil, nil
	}
	return lessonOf(lesson, time.Now()), err
}

// view is what the page of a deletion shows.
func (h *deletionPages) view(ctx context.Context, d domain.Deletion) (templates.Deletion, error) {
	view := deletionOf(d)
	var err error
	view.Lesson, err = h.lesson(ctx, d.Channel)
	return view, err
}

// leaseSlack is how long after the end of its lease a worker that waits is taken for gone:
// its row may be older than its latest renewal.
const leaseSlack = 2 * time.Second

func lessonOf(l domain.Lesson, now time.Time) *templates.Lesson {
	view := &templates.Lesson{Over: string(l.Over), Copies: l.Copies, CopiesLeft: domain.MaxLessonCopies - l.Copies}
	for _, w := range l.Workers {
		shown := templates.LessonWorker{
			Number: w.Number, Delivery: w.Delivery, State: string(w.State), Step: string(w.Step),
			LeaseOver: now.After(w.LeaseUntil.Add(leaseSlack)), Last: string(w.Last), Result: string(w.Result), Rows: w.Rows,
		}
		if w.State == domain.LessonKilled {
			shown.LeaseUntil, shown.LeaseOver = w.LeaseUntil, now.After(w.LeaseUntil)
		}
		view.Workers = append(view.Workers, shown)
	}
	return view
}

// order does what a button of a lesson says. An order for a worker that does not wait there
// any more was sent twice, or comes too late, and does nothing. Without --teach there is no
// such thing.
func (h *deletionPages) order(c echo.Context, v visitor) error {
	if err := h.sessions.takeWrite(c, v); err != nil {
		return err
	}
	if !h.teach {
		return echo.ErrNotFound
	}
	d, err := namedDeletion(c, h.store, v)
	if err != nil {
		return err
	}
	form, err := readForm(c)
	if err != nil {
		return err
	}
	if err := h.obey(c.Request().Context(), d, form); err != nil {
		return err
	}
	// Without a fragment: a page that reloads itself would only go to the fragment.
	return seeOther(c, templates.DeletionPath(string(d.Name), string(d.Channel.Incarnation)))
}

func (h *deletionPages) obey(ctx context.Context, d domain.Deletion, form url.Values) error {
	states := map[string]domain.LessonState{"next": domain.LessonWorks, "kill": domain.LessonKilled}
	switch action := form.Get("action"); action {
	case "next", "kill":
		worker, err := strconv.Atoi(form.Get("worker"))
		if err != nil {
			return unknownAction()
		}
		return h.store.UpdateLesson(ctx, d.Channel, func(l *domain.Lesson) bool {
			return l.Order(worker, domain.Step(form.Get("step")), states[action])
		})
	case "again":
		_, err := h.store.DeliverAgain(ctx, d)
		return err
	case "free":
		return h.store.UpdateLesson(ctx, d.Channel, func(l *domain.Lesson) bool {
			if l.Over != domain.LessonGoesOn {
				return false
			}
			l.Over = domain.LessonFreed
			return true
		})
	}
	return unknownAction()
}
