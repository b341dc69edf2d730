package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

const (
	// digestPageSize is the number of posts on one page of a digest. It is more than on a
	// page of a feed: most days of most readers fit on one.
	digestPageSize = 50
	// digestDays is the number of days in a personal feed. The newest is
	// yesterday, because today is not complete.
	digestDays = 14
	// An entry lists at most digestLength posts of one channel, and digestTotal posts in
	// all, each by a line. So a feed of any days has a bounded size. The page of the
	// digest lists more.
	digestLength = 20
	digestTotal  = 50

	// zoneCookie remembers the time zone that the reader chose last.
	zoneCookie   = "zone"
	zoneLifetime = 365 * 24 * time.Hour
	// secretCookie carries the secret of a new address to the page that shows it once.
	// The store keeps only a hash of it.
	secretCookie = "digest-secret"
)

// digestRoutes registers all pages of the digest, its personal feed and its API.
func (s *server) digestRoutes(e *echo.Echo, api *echo.Group) {
	get(e, templates.DigestPath, s.serve(signedIn, s.showDigest))
	e.POST(templates.DigestPath, s.form(signedIn, s.changeDigestAddress))
	get(e, templates.DigestPath+"/:user/:secret/feed.atom", s.serve(everybody, s.digestFeed))
	get(api, "/digest", s.serve(signedIn, s.readDigest))
	api.POST("/digest/address", s.serve(signedIn, s.makeDigestAddress))
	api.DELETE("/digest/address", s.serve(signedIn, nothing(func(c echo.Context, v visitor) error {
		return s.store.Accounts.RevokeDigestAddress(c.Request().Context(), v.User)
	})))
}

// showDigest shows the digest of a day: the posts of all channels that the visitor subscribes
// to.
func (s *server) showDigest(c echo.Context, v visitor) error {
	now, after := time.Now(), c.QueryParam("after")
	zone, chosen := queryZone(c)
	day, err := queryDay(c, zone, now)
	var invalid *domain.InvalidError
	if err != nil && !errors.As(err, &invalid) {
		return err
	}
	var digest storage.DigestPage
	fresh, secret := false, cookieValue(c.Request(), secretCookie)
	view := templates.Digest{Day: day.Date, Zone: day.Zone, Most: storage.MaxDigest, Part: templates.Part{After: after}}
	err = s.store.Concurrently(c.Request().Context(), func(ctx context.Context) (err error) {
		if invalid != nil {
			return nil
		}
		digest, err = s.digest(ctx, c, v, day, digestPageSize, s.texts.bytesIn(inDigest))
		return err
	}, func(ctx context.Context) (err error) {
		user, err := s.store.Accounts.Get(ctx, v.User)
		view.HasAddress = user.HasDigest
		return err
	}, func(ctx context.Context) (err error) {
		if secret == "" {
			return nil
		}
		err = s.store.Accounts.CheckDigestAddress(ctx, v.User, secret)
		if fresh = err == nil; errors.Is(err, domain.ErrNotFound) { // the secret was planted, replaced or revoked
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	if secret != "" {
		s.setDigestCookie(c, secretCookie, "", -time.Second)
	}
	if fresh { // it is shown once
		c.Response().Header().Set(echo.HeaderCacheControl, noStore+noTransform)
		view.Address = s.origin(c.Request()) + templates.DigestFeedPath(v.User, secret, cmp.Or(day.Zone, "UTC"))
	}
	if invalid != nil { // the form is shown again
		view.Form = templates.Form{Message: "There is no digest of that. Please fix what is marked below.", Errors: invalid.Fields}
		view.Day, view.Zone = shown(c.QueryParam("day")), shown(c.QueryParam("tz"))
		return again(c, invalid, templates.DigestPage(s.page(c, v), view))
	}
	view.Before, view.Next = day.Before().Date, digest.Next
	if !day.Until.After(now) {
		view.Later = day.After().Date
	}
	voted, err := s.votedOn(c, v, digest)
	if err != nil {
		return err
	}
	for _, channel := range digest.Items {
		view.Channels = append(view.Channels, templates.DigestChannel{
			Name: channel.Name, Posts: offer(s.texts.posts(channel.Name, channel.Items, inDigest, voted), v.actor(), "", ""), First: channel.First, Total: channel.Total,
		})
	}
	if c.QueryParam("tz") != "" && cookieValue(c.Request(), zoneCookie) != day.Zone {
		s.setDigestCookie(c, zoneCookie, day.Zone, zoneLifetime)
	}
	p := s.page(c, v)
	// What is shown once must not be left for another page.
	view.Guess = !chosen && view.Address == "" && p.Notice == ""
	return render(c, http.StatusOK, templates.DigestPage(p, view))
}

// digest reads a page of the digest of a day, with posts of so many bytes each.
func (s *server) digest(
	ctx context.Context, c echo.Context, v visitor, day domain.Day, limit int, bytes func(domain.Blog) int,
) (digest storage.DigestPage, err error) {
	return fitting(limit, func(limit int) (storage.DigestPage, error) {
		err := s.costly(c, s.digests, func() (err error) {
			digest, err = s.store.Feeds.Digest(ctx, v.User, day, c.QueryParam("after"), limit)
			return err
		})
		return digest, err
	}, postsOfDigest, bytes)
}

func postsOfDigest(digest storage.DigestPage) (blogs []domain.Blog) {
	for _, channel := range digest.Items {
		blogs = append(blogs, channel.Items...)
	}
	return blogs
}

// votedOn are those posts of a digest that the visitor votes for.
func (s *server) votedOn(c echo.Context, v visitor, digest storage.DigestPage) (map[domain.BlogID]bool, error) {
	return s.store.Posts.VotedAmong(c.Request().Context(), postsOfDigest(digest), v.User)
}

// queryZone returns the time zone to show the digest in: the one asked for, else the one that
// was chosen last. It reports whether anybody chose it.
func queryZone(c echo.Context) (zone string, chosen bool) {
	if asked := c.QueryParam("tz"); asked != "" {
		return asked, true
	}
	remembered := cookieValue(c.Request(), zoneCookie)
	if _, err := domain.ParseDay("", remembered, time.Now()); err != nil || remembered == "" {
		return "UTC", false
	}
	return remembered, true
}

// queryDay returns the day that was asked for. A reader who chooses another zone on the page of
// today means today: there, the date in the form may not have begun yet.
func queryDay(c echo.Context, zone string, now time.Time) (domain.Day, error) {
	date := c.QueryParam("day")
	day, err := domain.ParseDay(date, zone, now)
	if err == nil {
		return day, nil
	}
	before, shownErr := domain.ParseDay("", cookieValue(c.Request(), zoneCookie), now)
	if shownErr == nil && before.Date == date {
		return domain.ParseDay("", zone, now)
	}
	return domain.Day{}, err
}

// setDigestCookie sets a cookie for the digest alone.
func (s *server) setDigestCookie(c echo.Context, name, value string, lifetime time.Duration) {
	cookie := s.newCookie(c, name, value, lifetime)
	cookie.Path = templates.DigestPath
	c.SetCookie(cookie)
}

// changeDigestAddress makes and revokes the address of the visitor's personal feed.
func (s *server) changeDigestAddress(c echo.Context, v visitor, form url.Values) error {
	ctx, back := c.Request().Context(), templates.DigestDayPath(shown(form.Get("day")), shown(form.Get("tz")))
	switch form.Get("action") {
	case "make":
		secret, err := s.store.Accounts.NewDigestAddress(ctx, v.User)
		if err == nil {
			s.setDigestCookie(c, secretCookie, secret, noticeLifetime)
		}
		return s.done(c, err, "address-made", back)
	case "revoke":
		return s.done(c, s.store.Accounts.RevokeDigestAddress(ctx, v.User), "address-revoked", back)
	}
	return unknownAction()
}

type digestChannelJSON struct {
	Name  domain.ChannelName `json:"name"`
	Items []blogJSON         `json:"items"`
	// Total is how many posts the day had, if they are not all in Items.
	Total int `json:"total,omitempty"`
}

// readDigest answers with a page of the digest of a day.
func (s *server) readDigest(c echo.Context, v visitor) error {
	day, err := domain.ParseDay(c.QueryParam("day"), c.QueryParam("tz"), time.Now())
	if err != nil {
		return err
	}
	limit, err := queryLimit(c, "day", "tz")
	if err != nil {
		return err
	}
	page, err := s.digest(c.Request().Context(), c, v, day, limit, bytesInJSON)
	if err != nil {
		return err
	}
	voted, err := s.votedOn(c, v, page)
	answer := struct {
		Day      string              `json:"day"`
		Zone     string              `json:"tz"`
		Channels []digestChannelJSON `json:"channels"`
		Next     string              `json:"next,omitempty"`
	}{day.Date, day.Zone, make([]digestChannelJSON, len(page.Items)), page.Next}
	for i, channel := range page.Items {
		listed := digestChannelJSON{Name: channel.Name, Items: []blogJSON{}}
		for _, blog := range channel.Items {
			listed.Items = append(listed.Items, newBlogJSON(channel.Name, blog, voted))
		}
		if channel.Total > len(channel.Items) {
			listed.Total = channel.Total
		}
		answer.Channels[i] = listed
	}
	linkNext(c, page.Next)
	return respond(c, err, http.StatusOK, answer)
}

// makeDigestAddress makes the address of the caller's personal feed. No later response can hold it,
// because the store keeps only a hash of its secret.
func (s *server) makeDigestAddress(c echo.Context, v visitor) error {
	today, err := domain.ParseDay("", c.QueryParam("tz"), time.Now())
	if err != nil {
		return err
	}
	secret, err := s.store.Accounts.NewDigestAddress(c.Request().Context(), v.User)
	path := templates.DigestFeedPath(v.User, secret, today.Zone)
	return respond(c, err, http.StatusCreated, map[string]string{"url": s.origin(c.Request()) + path})
}

// digestFeed serves a user's digests to the user's feed reader. A feed reader cannot
// sign in; the secret in the address authenticates it. A wrong secret and an unknown user
// are both domain.ErrNotFound, so the response does not show whether the user exists.
func (s *server) digestFeed(c echo.Context, _ visitor) error {
	user, err := domain.ParseUserName(pathParam(c, "user"))
	if err != nil {
		return domain.ErrNotFound
	}
	ctx, secret := c.Request().Context(), pathParam(c, "secret")
	if err := s.store.Accounts.CheckDigestAddress(ctx, user, secret); err != nil {
		return err
	}
	today, err := domain.ParseDay("", c.QueryParam("tz"), time.Now())
	if err != nil {
		return err
	}
	days := make([]domain.Day, digestDays) // the newest first
	for i := range days {
		today = today.Before()
		days[i] = today
	}
	var summaries []storage.DigestSummary
	exchangeOf(c).client = client{user: user} // whose reader this is, as the secret says
	err = s.costly(c, s.feeds, func() error {
		summaries, err = s.store.Feeds.DigestSummaries(ctx, user, days, digestLength, digestTotal)
		return err
	})
	if err != nil {
		return err
	}
	origin := s.origin(c.Request())
	f := feedOfDays(s.site, user, days, summaries, origin)
	f.FeedURL = origin + templates.DigestFeedPath(user, secret, today.Zone)
	var body bytes.Buffer
	if err := encodeAtom(&body, f); err != nil {
		return err
	}
	sameForAll(c.Response().Header())
	c.Response().Header().Set(echo.HeaderCacheControl, privateCache+noTransform) // its own address is in it
	return sendTagged(c, http.StatusOK, atomType, body.Bytes())
}

// feedOfDays has an entry for each day with posts. A later vote can change the
// content of an entry, but not its dates, so feed readers do not show it as new.
func feedOfDays(site templates.Site, user domain.UserName, days []domain.Day, summaries []storage.DigestSummary, origin string) feed {
	f := feed{
		ID:          feedID("digest", string(user)),
		updated:     days[len(days)-1].From,
		Title:       site.In("Daily digest of " + string(user)),
		Description: "The days of " + days[0].Zone + ", by channel, most popular first",
		HomePageURL: origin + templates.DigestPath,
	}
	for i, day := range days {
		if summaries[i].Posts == 0 {
			continue
		}
		entry := templates.DigestEntry{
			Origin: origin, URL: origin + templates.DigestDayPath(day.Date, day.Zone), Day: day.Date, DigestSummary: summaries[i],
		}
		f.updated = later(f.updated, day.Until)
		f.Items = append(f.Items, feedItem{
			ID:            feedID("digest", string(user), day.Date),
			URL:           entry.URL,
			Title:         entry.Headline(),
			ContentHTML:   entry.Content(),
			DatePublished: feedTime(day.Until),
			DateModified:  feedTime(day.Until),
			Authors:       []feedAuthor{{Name: site.Title()}},
		})
	}
	return f
}
