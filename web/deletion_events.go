package web

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"reflect"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

const (
	// watchInterval is how often a watched deletion is read. A worker records its
	// progress as often.
	watchInterval = time.Second
	// lessonInterval is how often it is read while somebody steps through it.
	lessonInterval = 300 * time.Millisecond
	// watchLifetime bounds a stream. A browser that is still interested opens a new
	// one.
	watchLifetime = 5 * time.Minute
)

// events streams the progress of a deletion to the user who asked for it. It sends
// an event "progress" after each change, "end" when the deletion is done, and "again"
// when the session has ended, or the stream has lasted so long that the browser is to
// open a new one.
func (h *deletionPages) events(c echo.Context, v visitor) error {
	leave, err := h.streams.enter(h.guard.clientAddress(c.Request()))
	if err != nil {
		return err
	}
	defer leave()
	d, err := namedDeletion(c, h.store, v)
	if err != nil {
		return err
	}
	now, err := h.view(c.Request().Context(), d)
	if err != nil {
		return err
	}
	unlimitTime(c)
	ctx, cancel := context.WithTimeout(c.Request().Context(), watchLifetime)
	defer cancel()
	stream, err := openStream(c.Response())
	if err == nil {
		err = h.follow(ctx, stream, v, d, now)
	}
	if err == nil {
		err = stream.close()
	}
	if errors.Is(err, errReaderLeft) {
		return nil
	}
	return err
}

// follow sends each change until the deletion is done, the session or the context ends,
// or the process stops.
func (h *deletionPages) follow(ctx context.Context, stream *eventStream, v visitor, d domain.Deletion, now templates.Deletion) error {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	var sent templates.Deletion
	for {
		var err error
		if !reflect.DeepEqual(now, sent) {
			sent = now
			err = stream.send(ctx, "progress", templates.DeletionProgress(time.Now(), now))
		} else {
			err = stream.keepAlive()
		}
		if err != nil {
			return err
		}
		if !now.Live() { // a poisoned deletion is not over: an operator can requeue it
			return stream.send(ctx, "end", templ.NopComponent)
		}
		if now.Lesson != nil {
			ticker.Reset(lessonInterval)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return stream.send(ctx, "again", templ.NopComponent)
		case <-h.stopping:
			return nil
		}
		limited, cancel := context.WithTimeout(ctx, requestTimeout)
		next, err := h.reread(limited, v, d)
		cancel()
		switch {
		case err == nil:
			now = next
		case errors.Is(err, domain.ErrNotSignedIn):
			return stream.send(ctx, "again", templ.NopComponent)
		case ctx.Err() == nil: // the next tick asks again, so the reader misses nothing
			h.log.LogAttrs(ctx, slog.LevelWarn, "watching a deletion", slog.Any("error", err))
		}
	}
}

// reread reads the deletion again, and what its page shows. If the session has ended, it is
// domain.ErrNotSignedIn.
func (h *deletionPages) reread(ctx context.Context, v visitor, d domain.Deletion) (templates.Deletion, error) {
	// A worker that pauses writes the row of the lesson last. Read in the other order, its
	// two writes are one change of the page.
	lesson, err := h.lesson(ctx, d.Channel)
	if err == nil {
		d, err = h.store.Deletion(ctx, d.Channel, d.RequestedBy)
	}
	view := deletionOf(d)
	view.Lesson = lesson
	return view, cmp.Or(h.sessions.check(ctx, v), err)
}
