package web

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

type digestStore interface {
	Digest(ctx context.Context, user domain.UserName, day domain.Day) ([]storage.DigestChannel, error)
	NewDigestAddress(ctx context.Context, user domain.UserName) (secret string, err error)
	RevokeDigestAddress(ctx context.Context, user domain.UserName) error
}

// digestAPI serves the digest of a day: the posts of all channels that the caller
// subscribes to. It also makes and revokes the address of the caller's personal
// feed, which holds the digests.
type digestAPI struct {
	store    digestStore
	sessions *sessions
	origin   func(*http.Request) string
}

func (a *digestAPI) routes(r router) {
	get(r, "/digest", a.sessions.closed(a.read))
	r.Add(http.MethodPost, "/digest/address", a.sessions.closed(a.makeAddress))
	r.Add(http.MethodDelete, "/digest/address", a.sessions.closed(a.revokeAddress))
}

type digestJSON struct {
	Day      string              `json:"day"`
	TZ       string              `json:"tz"`
	Channels []digestChannelJSON `json:"channels"`
}

type digestChannelJSON struct {
	Name  domain.ChannelName `json:"name"`
	Items []blogJSON         `json:"items"`
	// Total is the number of posts of that day, if Items holds only some of them.
	Total int `json:"total,omitempty"`
}

func newDigestJSON(day domain.Day, channels []storage.DigestChannel) digestJSON {
	digest := digestJSON{Day: day.Date, TZ: day.Zone, Channels: make([]digestChannelJSON, len(channels))}
	for i, channel := range channels {
		items := make([]blogJSON, len(channel.Items))
		for j, blog := range channel.Items {
			items[j] = newBlogJSON(channel.Name, blog)
		}
		digest.Channels[i] = digestChannelJSON{Name: channel.Name, Items: items}
		if channel.Total > len(items) {
			digest.Channels[i].Total = channel.Total
		}
	}
	return digest
}

func (a *digestAPI) read(c echo.Context, v visitor) error {
	day, err := domain.ParseDay(c.QueryParam("day"), c.QueryParam("tz"), time.Now())
	if err != nil {
		return err
	}
	channels, err := a.store.Digest(c.Request().Context(), v.User, day)
	if err != nil {
		return err
	}
	return respond(c, http.StatusOK, newDigestJSON(day, channels))
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
