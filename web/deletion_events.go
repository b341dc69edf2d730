package web

import (
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
	// one, and its session is checked again.
	watchLifetime = 5 * time.Minute
)

// events streams the progress of a deletion to the user who asked for it. It sends
// an event "progress" after each change, "end" when the deletion is done, and "again"
// when the stream has lasted so long that the browser is to open a new one.
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
		err = h.follow(ctx, stream, d, now)
	}
	if err == nil {
		err = stream.close()
	}
	if errors.Is(err, errReaderLeft) {
		return nil
	}
	return err
}

// follow sends each change until the deletion is done, the context ends, or the
// process stops.
func (h *deletionPages) follow(ctx context.Context, stream *eventStream, d domain.Deletion, now templates.Deletion) error {
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
		d, now = h.reread(ctx, d, now)
	}
}

// reread reads the deletion again, and what its page shows. If the store does not answer,
// it returns what it was given: the next tick asks again, so the reader misses nothing.
func (h *deletionPages) reread(ctx context.Context, d domain.Deletion, shown templates.Deletion) (domain.Deletion, templates.Deletion) {
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	// A worker that pauses writes the row of the lesson last. Read in the other order, its
	// two writes are one change of the page.
	lesson, err := h.lesson(limited, d.Channel)
	var now domain.Deletion
	if err == nil {
		now, err = h.store.Deletion(limited, d.Channel, d.RequestedBy)
	}
	if err != nil {
		if ctx.Err() == nil {
			h.log.LogAttrs(ctx, slog.LevelWarn, "watching a deletion", slog.Any("error", err))
		}
		return d, shown
	}
	view := deletionOf(now)
	view.Lesson = lesson
	return now, view
}
