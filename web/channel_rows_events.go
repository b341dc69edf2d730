package web

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// events streams the rows of a channel. It sends an event "rows" after each change, with
// what has changed marked, "end" when the rows change no more, or are not the reader's
// any more, and "again" when the session has ended, or the stream has lasted so long that
// the browser is to open a new one.
func (h *channelRowsPages) events(c echo.Context, v visitor) error {
	leave, err := h.streams.enter(h.guard.clientAddress(c.Request()))
	if err != nil {
		return err
	}
	defer leave()
	q, name, err := h.query(c, v)
	if err != nil {
		return err
	}
	rows, err := h.store.Rows(c.Request().Context(), q)
	if err != nil {
		return err
	}
	if q.Of == "" {
		q.Of = rows.Channel.Incarnation // what is left of it is shown when it is gone
	}
	unlimitTime(c)
	ctx, cancel := context.WithTimeout(c.Request().Context(), watchLifetime)
	defer cancel()
	stream, err := openStream(c.Response())
	if err == nil {
		err = h.follow(ctx, stream, v, q, name, rows)
	}
	if err == nil {
		err = stream.close()
	}
	if errors.Is(err, errReaderLeft) {
		return nil
	}
	return err
}

// follow sends each change until the rows change no more, the session or the context ends,
// or the process stops.
func (h *channelRowsPages) follow(ctx context.Context, stream *eventStream, v visitor, q storage.RowsQuery, name domain.ChannelName, rows storage.ChannelRows) error {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	view := h.view(q, name, rows)
	var changes rowChanges
	for {
		var err error
		if marked, changed := changes.next(view.Now); changed {
			sent := view
			sent.Now = marked
			err = stream.send(ctx, "rows", templates.ChannelRowsNow(sent))
		} else {
			err = stream.keepAlive()
		}
		if err != nil {
			return err
		}
		if !view.Live {
			return stream.send(ctx, "end", templ.NopComponent)
		}
		ticker.Reset(rowsInterval(rows))
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return stream.send(ctx, "again", templ.NopComponent)
		case <-h.stopping:
			return nil
		}
		limited, cancel := context.WithTimeout(ctx, requestTimeout)
		now, err := h.store.Rows(limited, q)
		err = cmp.Or(h.sessions.check(limited, v), err)
		cancel()
		switch {
		case err == nil:
			rows, view = now, h.view(q, name, now)
		case errors.Is(err, domain.ErrNotSignedIn):
			return stream.send(ctx, "again", templ.NopComponent)
		case errors.Is(err, domain.ErrForbidden), errors.Is(err, domain.ErrNotFound):
			return stream.send(ctx, "end", templ.NopComponent)
		case ctx.Err() == nil: // the next tick asks again
			h.log.LogAttrs(ctx, slog.LevelWarn, "watching the rows of a channel", slog.Any("error", err))
		}
	}
}
