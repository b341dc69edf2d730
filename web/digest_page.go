package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// digestPageSize is the number of posts on one page of a digest. It is more than on a
// page of a feed: most days of most readers fit on one.
const digestPageSize = 50

// digestPages show the digest of a day, and make and revoke the address of the
// visitor's personal feed.
type digestPages struct {
	*pages
	store *storage.Store
}

func (h *digestPages) routes(r router) {
	get(r, templates.DigestPath, h.closedBeside(h.show))
	r.Add(http.MethodPost, templates.DigestPath, h.closed(h.changeAddress))
}

func (h *digestPages) show(c echo.Context, who awaited) error {
	now := time.Now()
	zone, chosen := h.zone(c)
	day, err := h.day(c, zone, now)
	var invalid *domain.InvalidError
	if errors.As(err, &invalid) {
		return h.showRefused(c, who, invalid)
	}
	if err != nil {
		return err
	}
	v, following, err := followingOf(c, h.store, who)
	if err != nil {
		return err
	}
	after := c.QueryParam("after")
	var page storage.DigestPage
	var address digestAddress
	err = h.store.AtOnce(c.Request().Context(),
		func(ctx context.Context) (err error) {
			page, err = h.store.DigestOf(ctx, following, storage.DigestQuery{Day: day, After: after, Limit: digestPageSize})
			if err != nil {
				err = explain(err, "", "", templates.Link{Label: "Back to the digest", URL: templates.DigestDayPath(day.Date, day.Zone)})
			}
			return err
		},
		func(ctx context.Context) (err error) {
			address, err = h.readAddress(ctx, c, v)
			return err
		})
	if err != nil {
		return err
	}
	view := templates.Digest{
		Day:      day.Date,
		Zone:     day.Zone,
		Previous: day.Before().Date,
		Channels: h.digestChannels(page.Channels),
		Most:     storage.MaxDigest,
		After:    after,
		More:     page.Next,
	}
	if !day.Until.After(now) {
		view.Next = day.After().Date
	}
	h.fillAddress(c, v, &view, address, day.Zone)
	if c.QueryParam("tz") != "" {
		h.rememberZone(c, day.Zone)
	}
	p := h.page(c, v)
	// What is shown once must not be left for another page.
	view.Guess = !chosen && view.Address == "" && p.Notice == ""
	return render(c, http.StatusOK, templates.DigestPage(p, view))
}

// zoneCookie remembers the time zone that the reader chose last.
const (
	zoneCookie   = "zone"
	zoneLifetime = 365 * 24 * time.Hour
)

// zone returns the time zone to show the digest in: the one asked for, else the one that
// was chosen last. It reports whether anybody chose it.
func (h *digestPages) zone(c echo.Context) (zone string, chosen bool) {
	if asked := c.QueryParam("tz"); asked != "" {
		return asked, true
	}
	remembered, _ := cookieValue(c.Request(), zoneCookie)
	if _, err := domain.ParseDay("", remembered, time.Now()); err != nil || remembered == "" {
		return "UTC", false
	}
	return remembered, true
}

func (h *digestPages) rememberZone(c echo.Context, zone string) {
	if remembered, _ := cookieValue(c.Request(), zoneCookie); remembered == zone {
		return
	}
	cookie := h.guard.newCookie(c.Request(), zoneCookie, zone, templates.DigestPath)
	cookie.MaxAge = int(zoneLifetime.Seconds())
	c.SetCookie(cookie)
}

// day returns the day that was asked for. Whoever chooses another zone on the page of
// today means today: there, the date in the form may not have begun yet.
func (h *digestPages) day(c echo.Context, zone string, now time.Time) (domain.Day, error) {
	date := c.QueryParam("day")
	day, err := domain.ParseDay(date, zone, now)
	if err == nil {
		return day, nil
	}
	shown, _ := cookieValue(c.Request(), zoneCookie)
	if today, shownErr := domain.ParseDay("", shown, now); shownErr == nil && today.Date == date {
		return domain.ParseDay("", zone, now)
	}
	return domain.Day{}, err
}

// showRefused shows the form again when the day or the time zone is invalid.
func (h *digestPages) showRefused(c echo.Context, who awaited, invalid *domain.InvalidError) error {
	v, address, err := readFor(who, func(v visitor) (digestAddress, error) { return h.readAddress(c.Request().Context(), c, v) })
	if err != nil {
		return err
	}
	view := templates.Digest{
		Form: templates.Form{
			Message: "There is no digest of that. Please fix what is marked below.",
			Errors:  fieldErrors(invalid.Fields),
		},
		Day:  shown(c.QueryParam("day")),
		Zone: shown(c.QueryParam("tz")),
	}
	h.fillAddress(c, v, &view, address, "UTC")
	return again(c, invalid, templates.DigestPage(h.page(c, v), view))
}

// A digestAddress says what is known of the address of a personal feed.
type digestAddress struct {
	// there says that the feed has an address, and fresh that it is the one that was made
	// just now.
	there, fresh bool
}

// readAddress reads whether the personal feed has an address, and whether that is the one
// whose secret waits to be shown.
func (h *digestPages) readAddress(ctx context.Context, c echo.Context, v visitor) (address digestAddress, err error) {
	has := func(ctx context.Context) (err error) {
		address.there, err = h.store.HasDigestAddress(ctx, v.User)
		return err
	}
	secret, _ := cookieValue(c.Request(), secretCookie)
	if secret == "" {
		return address, has(ctx)
	}
	err = h.store.AtOnce(ctx, has, func(ctx context.Context) error {
		err := h.store.CheckDigestAddress(ctx, v.User, secret)
		address.fresh = err == nil
		if errors.Is(err, domain.ErrNotFound) {
			err = nil
		}
		return err
	})
	return address, err
}

// fillAddress sets whether the personal feed has an address. It also sets the
// address itself if it was made just now and has not been replaced since. That is shown
// once.
func (h *digestPages) fillAddress(c echo.Context, v visitor, view *templates.Digest, address digestAddress, zone string) {
	secret := h.takeSecret(c)
	view.HasAddress = address.there
	if address.fresh {
		c.Response().Header().Set(echo.HeaderCacheControl, noStore+noTransform)
		view.Address = h.origin(c.Request()) + templates.DigestFeedPath(string(v.User), secret, zone)
	}
}

func (h *digestPages) changeAddress(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	ctx, back := c.Request().Context(), templates.DigestDayPath(shown(form.Get("day")), shown(form.Get("tz")))
	switch form.Get("action") {
	case "make":
		secret, err := h.store.NewDigestAddress(ctx, v.User)
		if err != nil {
			return err
		}
		h.setSecret(c, secret, int(noticeLifetime.Seconds()))
		return h.done(c, noticeAddressMade, back)
	case "revoke":
		if err := h.store.RevokeDigestAddress(ctx, v.User); err != nil {
			return err
		}
		return h.done(c, noticeAddressRevoked, back)
	}
	return unknownAction()
}

// secretCookie carries the secret of a new address to the page that shows it once.
// The store keeps only a hash of it.
const secretCookie = "digest-secret"

func (h *digestPages) takeSecret(c echo.Context) string {
	secret, there := cookieValue(c.Request(), secretCookie)
	if there {
		h.setSecret(c, "", -1)
	}
	return secret
}

func (h *digestPages) setSecret(c echo.Context, value string, maxAge int) {
	cookie := h.guard.newCookie(c.Request(), secretCookie, value, templates.DigestPath)
	cookie.MaxAge = maxAge
	c.SetCookie(cookie)
}
