package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

// askForDeletion asks for the deletion of the channel that a request is for. If it is asked for again
// while it runs, the answer is the same.
func (s *server) askForDeletion(c echo.Context, v visitor, form url.Values) (domain.Channel, error) {
	at, err := address(c, form)
	if err != nil {
		return domain.Channel{}, err
	}
	channel, err := s.store.Deletions.Request(c.Request().Context(), at.Key, v.actor(), at.Expected)
	if err == nil && channel.State == domain.ChannelActive { // else it was asked for before
		s.actedOn(c, "close channel", v, channel)
	}
	return channel, err
}

func (s *server) requestDeletion(c echo.Context, v visitor) error {
	channel, err := s.askForDeletion(c, v, nil)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, apiChannelPath(channel.Name)+"/deletions/"+string(channel.Incarnation))
	return c.NoContent(http.StatusAccepted)
}

func (s *server) deleteChannelForm(c echo.Context, v visitor, in domain.Channel) (err error) {
	view := templates.DeleteChannel{Channel: in, Undo: s.Undo}
	view.Posts, view.People, view.More, err = s.store.Posts.Count(c.Request().Context(), in.Ref())
	return show(s, c, v, err, templates.DeleteChannelPage, view)
}

// deleteChannel asks for the deletion of the incarnation that the form was shown for, and
// of no other.
func (s *server) deleteChannel(c echo.Context, v visitor, form url.Values) error {
	channel, err := s.askForDeletion(c, v, form)
	if replacedNow(err) {
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
	return s.store.Deletions.Get(ctx, ref, v.actor())
}

func (s *server) undo(c echo.Context, v visitor) error {
	ref, err := namedIncarnation(c)
	if err != nil {
		return err
	}
	channel, err := s.undoDeletion(c, v, ref)
	return s.respondChannel(c, err, http.StatusOK, channel)
}

func (s *server) undoDeletion(c echo.Context, v visitor, ref domain.ChannelRef) (domain.Channel, error) {
	channel, err := s.store.Deletions.Undo(c.Request().Context(), ref, v.actor())
	if err == nil {
		s.actedOn(c, "open channel", v, channel)
	}
	return channel, err
}

// undoByForm undoes the deletion that the path names or, on the list of deletions, the form.
func (s *server) undoByForm(c echo.Context, v visitor, form url.Values) error {
	if form.Get("action") != "undo" {
		return unknownAction()
	}
	name, err := domain.ParseChannelName(cmp.Or(pathParam(c, "name"), form.Get("channel")))
	if err != nil {
		return domain.ErrNotFound
	}
	ref := domain.ChannelRef{Key: name.Key()}
	if ref.Incarnation, err = domain.ParseIncarnation(cmp.Or(pathParam(c, "incarnation"), form.Get("incarnation"))); err != nil {
		return err
	}
	_, err = s.undoDeletion(c, v, ref)
	if errors.Is(err, domain.ErrTooLate) {
		return explain(err, "It is too late to undo this", "A worker has begun to remove the channel.",
			templates.Link{Label: "See how far it has come", URL: templates.DeletionPath(name, ref.Incarnation)})
	}
	return s.done(c, err, "undone", templates.ChannelPath(name))
}

func (s *server) showDeletion(c echo.Context, v visitor) error {
	d, err := s.namedDeletion(c.Request().Context(), c, v)
	return show(s, c, v, err, templates.DeletionPage, templates.Deletion{Deletion: d, By: v.actor()})
}

// deletionJSON is a deletion. In a list it has no steps.
type deletionJSON struct {
	Channel     domain.ChannelName   `json:"channel"`
	Incarnation domain.Incarnation   `json:"incarnation"`
	State       domain.DeletionState `json:"state"`
	Step        domain.Step          `json:"step"`
	RowsDeleted int64                `json:"rowsDeleted"`
	Attempts    int                  `json:"attempts"`
	RequestedOn apiTime              `json:"requestedOn"`
	FinishedOn  apiTime              `json:"finishedOn"`
	// ByOperator is absent unless an operator has asked for it, so that only operators can undo it.
	ByOperator bool `json:"byOperator,omitempty"`
	// UndoableUntil is absent unless the deletion can be undone.
	UndoableUntil apiTime `json:"undoableUntil,omitzero"`
	// WaitingSince is absent unless a worker waits for the storage.
	WaitingSince apiTime    `json:"waitingSince,omitzero"`
	Steps        []stepJSON `json:"steps,omitzero"`
}

func newDeletionJSON(d domain.Deletion) deletionJSON {
	j := deletionJSON{
		Channel: d.Name, Incarnation: d.Channel.Incarnation, State: d.State, Step: d.Step, RowsDeleted: d.RowsDeleted, Attempts: d.Attempts,
		RequestedOn: apiTime(d.RequestedOn), FinishedOn: apiTime(d.FinishedOn), WaitingSince: apiTime(d.WaitingSince),
		ByOperator: d.ByOperator != "",
	}
	if d.State == domain.DeletionPending {
		j.UndoableUntil = apiTime(d.UndoableUntil)
	}
	return j
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
}

func (s *server) readDeletion(c echo.Context, v visitor) error {
	d, err := s.namedDeletion(c.Request().Context(), c, v)
	answer := newDeletionJSON(d)
	answer.Steps = make([]stepJSON, len(d.StepLog))
	for i, r := range d.StepLog {
		answer.Steps[i] = stepJSON{r.Step, r.Worker, r.Delivery, apiTime(r.Began), apiTime(r.Ended), r.Rows, r.Result}
	}
	return respond(c, err, http.StatusOK, answer)
}

// showDeletions lists the deletions that the visitor asked for: their channels are
// gone, and lead nowhere.
func (s *server) showDeletions(c echo.Context, v visitor) error {
	after := c.QueryParam("after")
	page, err := s.store.Deletions.List(c.Request().Context(), v.User, after, pageSize)
	view := templates.Deletions{Items: page.Items, Part: templates.Part{After: after, Next: page.Next}}
	return show(s, c, v, err, templates.DeletionsPage, view)
}
