package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

// askDeletion asks for the deletion of a channel. If it is asked for again while it runs, the
// answer is the same.
func (s *server) askDeletion(c echo.Context, v visitor) error {
	at := apiTarget(c)
	if at.err != nil {
		return at.err
	}
	channel, err := s.store.AskDeletion(c.Request().Context(), at.Key, v.User, at.Expected)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, apiChannelPath(channel.Name)+"/deletions/"+string(channel.Incarnation))
	return c.NoContent(http.StatusAccepted)
}

func (s *server) deleteChannelForm(c echo.Context, v visitor) error {
	channel, err := s.ownedChannel(c, v)
	view := templates.DeleteChannel{Channel: channel, Teach: s.Teach, Undo: s.Undo}
	if err == nil {
		view.Posts, view.People, view.More, err = s.store.Extent(c.Request().Context(), channel.Ref())
	}
	return show(s, c, v, err, templates.DeleteChannelPage, view)
}

// deleteChannel asks for the deletion of the incarnation that the form was shown for, and
// of no other.
func (s *server) deleteChannel(c echo.Context, v visitor, form url.Values) error {
	at := pageTarget(c, form)
	if at.err != nil {
		return at.err
	}
	ask := s.store.AskDeletion
	if s.Teach && form.Get("pause") != "" {
		ask = s.store.AskLesson
	}
	channel, err := ask(c.Request().Context(), at.Key, v.User, at.Expected)
	if errors.Is(err, domain.ErrConflict) {
		return explain(err, "Another channel has the name now",
			"The channel that you meant is gone, and a new one was created under its name. Nothing was deleted.",
			templates.Link{Label: "The channel as it is now", URL: templates.ChannelPath(domain.ChannelName(pathParam(c, "name")))})
	}
	if err != nil {
		return err
	}
	return seeOther(c, templates.DeletionPath(channel.Name, channel.Incarnation))
}

// namedIncarnation is the incarnation whose deletion the path names.
func namedIncarnation(c echo.Context) (domain.ChannelRef, error) {
	name, err := channelName(c)
	if err != nil {
		return domain.ChannelRef{}, err
	}
	i, err := domain.ParseIncarnation(pathParam(c, "incarnation"))
	return domain.ChannelRef{Key: name.Key(), Incarnation: i}, err
}

// namedDeletion reads the deletion that the path names. For anybody but the user who
// asked for the deletion it returns domain.ErrForbidden.
func (s *server) namedDeletion(ctx context.Context, c echo.Context, v visitor) (domain.Deletion, error) {
	ref, err := namedIncarnation(c)
	if err != nil {
		return domain.Deletion{}, err
	}
	return s.store.Deletion(ctx, ref, v.User)
}

func (s *server) undo(c echo.Context, v visitor) error {
	ref, err := namedIncarnation(c)
	if err != nil {
		return err
	}
	channel, err := s.store.Undo(c.Request().Context(), ref, v.User)
	return s.respondChannel(c, err, http.StatusOK, channel)
}

// undoByForm undoes the deletion that the form names: on its own page, or on the list.
func (s *server) undoByForm(c echo.Context, v visitor, form url.Values) error {
	if form.Get("action") != "undo" {
		return unknownAction()
	}
	name, err := domain.ParseChannelName(form.Get("channel"))
	if err != nil {
		return err
	}
	ref := domain.ChannelRef{Key: name.Key()}
	if ref.Incarnation, err = domain.ParseIncarnation(form.Get("incarnation")); err != nil {
		return err
	}
	_, err = s.store.Undo(c.Request().Context(), ref, v.User)
	if errors.Is(err, domain.ErrTooLate) {
		return explain(err, "It is too late to undo this", "A worker has begun to remove the channel.",
			templates.Link{Label: "See how far it has come", URL: templates.DeletionPath(name, ref.Incarnation)})
	}
	return s.done(c, err, noticeUndone, templates.ChannelPath(name))
}

func (s *server) actOnDeletion(c echo.Context, v visitor, form url.Values) error {
	if s.Teach && form.Get("action") != "undo" {
		return s.orderLesson(c, v, form)
	}
	return s.undoByForm(c, v, form)
}

// deletionPage reads what the page of a deletion shows.
func (s *server) deletionPage(ctx context.Context, c echo.Context, v visitor) (view templates.Deletion, err error) {
	if s.Teach {
		// A worker that pauses writes the row of the lesson last. Read in the other order, its
		// two writes are one change of the page.
		if view.Lesson, err = s.lesson(ctx, c); err != nil {
			return view, err
		}
	}
	view.Now = time.Now()
	view.Deletion, err = s.namedDeletion(ctx, c, v)
	return view, err
}

func (s *server) showDeletion(c echo.Context, v visitor) error {
	view, err := s.deletionPage(c.Request().Context(), c, v)
	return show(s, c, v, err, templates.DeletionPage, view)
}

// lesson reads the lesson of a deletion, or returns nil if it is none.
func (s *server) lesson(ctx context.Context, c echo.Context) (*domain.Lesson, error) {
	ref, err := namedIncarnation(c)
	if err != nil {
		return nil, err
	}
	lesson, err := s.store.Lesson(ctx, ref)
	if errors.Is(err, domain.ErrNotFound) {
		return nil, nil
	}
	return &lesson, err
}

// orderLesson does what a button of a lesson says. An order for a worker that does not wait there
// any more was sent twice, or comes too late, and does nothing.
func (s *server) orderLesson(c echo.Context, v visitor, form url.Values) error {
	ctx := c.Request().Context()
	d, err := s.namedDeletion(ctx, c, v)
	if err != nil {
		return err
	}
	if err := s.obey(ctx, d, form); err != nil {
		return err
	}
	// Without a fragment: a page that reloads itself would only go to the fragment.
	return seeOther(c, templates.DeletionPath(d.Name, d.Channel.Incarnation))
}

func (s *server) obey(ctx context.Context, d domain.Deletion, form url.Values) error {
	states := map[string]domain.LessonState{"next": domain.LessonWorks, "kill": domain.LessonKilled}
	switch action := form.Get("action"); action {
	case "next", "kill":
		worker, err := strconv.Atoi(form.Get("worker"))
		if err != nil {
			return unknownAction()
		}
		return s.store.UpdateLesson(ctx, d.Channel, func(l *domain.Lesson) bool {
			return l.Order(worker, domain.Step(form.Get("step")), states[action])
		})
	case "again":
		_, err := s.store.DeliverAgain(ctx, d)
		return err
	case "free":
		return s.store.UpdateLesson(ctx, d.Channel, func(l *domain.Lesson) bool {
			goesOn := l.Over == domain.LessonGoesOn
			if goesOn {
				l.Over = domain.LessonFreed
			}
			return goesOn
		})
	}
	return unknownAction()
}

type deletionJSON struct {
	Channel     domain.ChannelName   `json:"channel"`
	State       domain.DeletionState `json:"state"`
	Step        domain.Step          `json:"step"`
	RowsDeleted int64                `json:"rowsDeleted"`
	Attempts    int                  `json:"attempts"`
	RequestedOn apiTime              `json:"requestedOn"`
	FinishedOn  apiTime              `json:"finishedOn"`
	// UndoableUntil is absent unless the deletion can be undone.
	UndoableUntil apiTime `json:"undoableUntil,omitzero"`
	// WaitingSince is absent unless a worker waits for the storage.
	WaitingSince apiTime    `json:"waitingSince,omitzero"`
	Steps        []stepJSON `json:"steps"`
}

// stepJSON says when one worker took one step.
type stepJSON struct {
	Step     domain.Step `json:"step"`
	Worker   int         `json:"worker"`
	Delivery int64       `json:"delivery"`
	BeganOn  apiTime     `json:"beganOn"`
	// EndedOn is null while the step is under way, or if the worker died.
	EndedOn apiTime           `json:"endedOn"`
	Rows    int64             `json:"rows"`
	Result  domain.StepResult `json:"result"`
	Count   int               `json:"count"`
}

func (s *server) readDeletion(c echo.Context, v visitor) error {
	d, err := s.namedDeletion(c.Request().Context(), c, v)
	answer := deletionJSON{
		d.Name, d.State, d.Step, d.RowsDeleted, d.Attempts,
		apiTime(d.RequestedOn), apiTime(d.FinishedOn), undoableUntil(d), apiTime(d.WaitingSince), make([]stepJSON, len(d.Trace)),
	}
	for i, r := range d.Trace {
		answer.Steps[i] = stepJSON{r.Step, r.Worker, r.Delivery, apiTime(r.Began), apiTime(r.Ended), r.Rows, r.Result, r.Count}
	}
	return respond(c, err, http.StatusOK, answer)
}

// showDeletions lists the deletions that the visitor asked for: their channels are
// gone, and lead nowhere.
func (s *server) showDeletions(c echo.Context, v visitor) error {
	after := c.QueryParam("after")
	page, err := s.store.DeletionsOf(c.Request().Context(), v.User, after, pageSize)
	view := templates.Deletions{Items: page.Items, Part: templates.Part{After: after, Next: page.Next}}
	return show(s, c, v, err, templates.DeletionsPage, view)
}

// listedDeletionJSON is a deletion in a list. The whole is at
// /channels/{channel}/deletions/{incarnation}.
type listedDeletionJSON struct {
	Channel     domain.ChannelName   `json:"channel"`
	Incarnation domain.Incarnation   `json:"incarnation"`
	State       domain.DeletionState `json:"state"`
	RowsDeleted int64                `json:"rowsDeleted"`
	RequestedOn apiTime              `json:"requestedOn"`
	FinishedOn  apiTime              `json:"finishedOn"`
	// UndoableUntil is as in the whole.
	UndoableUntil apiTime `json:"undoableUntil,omitzero"`
}

func undoableUntil(d domain.Deletion) (until apiTime) {
	if d.State == domain.DeletionPending {
		until = apiTime(d.UndoableUntil)
	}
	return until
}

func newListedDeletion(d domain.Deletion) listedDeletionJSON {
	return listedDeletionJSON{d.Name, d.Channel.Incarnation, d.State, d.RowsDeleted, apiTime(d.RequestedOn), apiTime(d.FinishedOn), undoableUntil(d)}
}
