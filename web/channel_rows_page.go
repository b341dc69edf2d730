package web

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// maxShownRows is the most rows of a partition on one page.
const maxShownRows = 50

// channelRowsPages show the rows behind a channel to its owner, and with --teach to
// everybody.
type channelRowsPages struct {
	*pages
	store *storage.Store
	// log takes the errors that an event stream does not show to its reader.
	log      *slog.Logger
	streams  *streamLimit
	stopping <-chan struct{}
	teach    bool
}

func (h *channelRowsPages) routes(r router) {
	beside, who := h.closedBeside, h.closed
	if h.teach {
		beside, who = h.openBeside, h.open
	}
	get(r, "/channels/:name/rows", beside(h.show))
	r.Add(http.MethodGet, "/channels/:name/rows/events", who(h.events))
}

func (h *channelRowsPages) show(c echo.Context, who awaited) error {
	q, name, err := h.query(c, visitor{})
	if err != nil {
		return err
	}
	v, rows, err := readFor(who, func(v visitor) (storage.ChannelRows, error) {
		q.By = v.User
		return h.store.Rows(c.Request().Context(), q)
	})
	if err != nil {
		return explain(err, "", "", templates.Link{Label: "The channel", URL: templates.ChannelPath(string(name))})
	}
	return render(c, http.StatusOK, templates.ChannelRowsPage(h.page(c, v), h.view(q, name, rows)))
}

// query is what the address asks for.
func (h *channelRowsPages) query(c echo.Context, v visitor) (storage.RowsQuery, domain.ChannelName, error) {
	name, err := channelName(c)
	if err != nil {
		return storage.RowsQuery{}, "", err
	}
	q := storage.RowsQuery{
		Key: name.Key(), By: v.User, Everybody: h.teach, Kind: c.QueryParam("kind"), After: c.QueryParam("after"), Limit: maxShownRows,
	}
	if of := c.QueryParam("of"); of != "" {
		if q.Of, err = domain.ParseIncarnation(of); err != nil {
			return storage.RowsQuery{}, "", err
		}
	}
	return q, name, nil
}

func (h *channelRowsPages) view(q storage.RowsQuery, name domain.ChannelName, rows storage.ChannelRows) templates.ChannelRows {
	if rows.Channel.Name != "" {
		name = rows.Channel.Name // as its creator spelled it
	}
	view := templates.ChannelRows{
		Channel: string(name), Of: string(q.Of), Kind: q.Kind, Kinds: storage.RowPrefixes(), After: q.After, Next: rows.Next,
		Active: rows.Channel.State == domain.ChannelActive, Live: rows.Channel.Name != "" || underWay(rows), UnderWay: underWay(rows), Now: rowsNow(rows),
	}
	if d := rows.Deletion; d.Channel.Key != "" && d.RequestedBy == q.By {
		view.Deletion = templates.DeletionPath(string(name), string(d.Channel.Incarnation))
	}
	return view
}

// rowsInterval is how often the rows are read while somebody watches them.
func rowsInterval(rows storage.ChannelRows) time.Duration {
	if rows.Lesson && underWay(rows) {
		return lessonInterval
	}
	return watchInterval
}
