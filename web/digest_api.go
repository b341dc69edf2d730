package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// digestAPI serves the digest of a day, page by page: the posts of all channels that the
// caller subscribes to. It also makes and revokes the address of the caller's personal
// feed, which holds the digests.
type digestAPI struct {
	store    *storage.Store
	sessions *sessions
	origin   func(*http.Request) string
}

func (a *digestAPI) routes(r router) {
	get(r, "/digest", a.sessions.closedBeside(a.read))
	r.Add(http.MethodPost, "/digest/address", a.sessions.closed(a.makeAddress))
	r.Add(http.MethodDelete, "/digest/address", a.sessions.closed(a.revokeAddress))
}

// digestJSON encodes a page of a digest, each post alone: a page of long posts is
// megabytes.
func digestJSON(day domain.Day, page storage.DigestPage) *jsonParts {
	var p jsonParts
	p.raw(`{"day":`)
	p.value(day.Date)
	p.raw(`,"tz":`)
	p.value(day.Zone)
	p.raw(`,"channels":[`)
	for i, channel := range page.Channels {
		if i > 0 {
			p.raw(",")
		}
		p.digestChannel(channel)
	}
	p.raw("]")
	if page.Next != "" {
		p.raw(`,"next":`)
		p.value(page.Next)
	}
	p.raw("}\n")
	return &p
}

func (p *jsonParts) digestChannel(channel storage.DigestChannel) {
	p.raw(`{"name":`)
	p.value(channel.Name)
	p.raw(`,"items":[`)
	for i, blog := range channel.Items {
		if i > 0 {
			p.raw(",")
		}
		p.value(newBlogJSON(channel.Name, blog))
	}
	p.raw("]")
	if channel.Total > len(channel.Items) {
		p.raw(`,"total":`)
		p.value(channel.Total)
	}
	p.raw("}")
}

func (a *digestAPI) read(c echo.Context, who awaited) error {
	day, err := domain.ParseDay(c.QueryParam("day"), c.QueryParam("tz"), time.Now())
	if err != nil {
		return err
	}
	limit, err := queryLimit(c)
	if err != nil {
		return err
	}
	_, following, err := followingOf(c, a.store, who)
	if err != nil {
		return err
	}
	page, err := a.store.DigestOf(c.Request().Context(), following,
		storage.DigestQuery{Day: day, After: c.QueryParam("after"), Limit: limit})
	if err != nil {
		return err
	}
	return digestJSON(day, page).respond(c)
}

// addressJSON is the address of a personal feed. No later response can hold it,
// because the store keeps only a hash of its secret.
type addressJSON struct {
	URL string `json:"url"`
}

func (a *digestAPI) makeAddress(c echo.Context, v visitor) error {
	today, err := domain.ParseDay("", c.QueryParam("tz"), time.Now())
	if err != nil {
		return err
	}
	secret, err := a.store.NewDigestAddress(c.Request().Context(), v.User)
	if err != nil {
		return err
	}
	path := templates.DigestFeedPath(string(v.User), secret, today.Zone)
	return respond(c, http.StatusCreated, addressJSON{URL: a.origin(c.Request()) + path})
}

func (a *digestAPI) revokeAddress(c echo.Context, v visitor) error {
	if err := a.store.RevokeDigestAddress(c.Request().Context(), v.User); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
