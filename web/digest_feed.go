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

const (
	// digestDays is how many days a personal feed goes back, without today, which
	// is not complete.
	digestDays = 14
	// digestLength is how many posts of a channel a day of the feed lists. The
	// digest's page has more.
	digestLength = 20
)

// privateFeed is for its reader's own cache alone.
const privateFeed = "private, no-cache"

type digestFeedStore interface {
	CheckDigestAddress(ctx context.Context, user domain.UserName, secret string) error
	Digests(ctx context.Context, user domain.UserName, days []domain.Day) ([][]storage.DigestChannel, error)
}

// digestFeeds deliver somebody's digests to their feed reader, which cannot sign
// in: its address is what it knows.
type digestFeeds struct {
	store  digestFeedStore
	origin func(*http.Request) string
}

func (h *digestFeeds) routes(r router) {
	get(r, templates.DigestPath+"/:user/:secret/feed.atom", h.serve)
}

func (h *digestFeeds) serve(c echo.Context) error {
	user, secret, err := h.address(c)
	if err != nil {
		return err
	}
	today, err := domain.ParseDay("", c.QueryParam("tz"), time.Now())
	if err != nil {
		return err
	}
	days := daysBefore(today)
	digests, err := h.store.Digests(c.Request().Context(), user, days)
	if err != nil {
		return err
	}
	origin := h.origin(c.Request())
	f := digestFeed(user, days, digests, origin)
	f.self = origin + templates.DigestFeedPath(string(user), secret, today.Zone)
	body, err := encodeAtom(f)
	if err != nil {
		return err
	}
	return respondFeed(c, atomType, privateFeed, body)
}

// address is whose feed the path names, if it knows the secret. Otherwise it
// does not tell whether there is such a user.
func (h *digestFeeds) address(c echo.Context) (domain.UserName, string, error) {
	name, err := pathParam(c, "user")
	if err != nil {
		return "", "", err
	}
	secret, err := pathParam(c, "secret")
	if err != nil {
		return "", "", err
	}
	user, err := domain.ParseUserName(name)
	if err != nil {
		return "", "", domain.ErrNotFound
	}
	return user, secret, h.store.CheckDigestAddress(c.Request().Context(), user, secret)
}

// daysBefore are the last complete days, newest first.
func daysBefore(today domain.Day) []domain.Day {
	days := make([]domain.Day, digestDays)
	for i := range days {
		today = today.Before()
		days[i] = today
	}
	return days
}

// digestFeed has an entry for each day with posts. Votes that come later change
// what an entry says, but are no reason to show it as new.
func digestFeed(user domain.UserName, days []domain.Day, digests [][]storage.DigestChannel, origin string) feed {
	f := feed{
		id:       feedID("digest", string(user)),
		title:    "Daily digest of " + string(user),
		subtitle: "The days of " + days[0].Zone + ", by channel, most popular first",
		page:     origin + templates.DigestPath,
		updated:  days[len(days)-1].From,
	}
	for i, day := range days {
		if len(digests[i]) == 0 {
			continue
		}
		channels := digestChannels(firstOfEach(digests[i]))
		title := templates.DigestHeadline(day.Date, channels)
		f.updated = later(f.updated, day.Until)
		f.entries = append(f.entries, feedEntry{
			id:        feedID("digest", string(user), day.Date),
			url:       origin + templates.DigestDayPath(day.Date, day.Zone),
			title:     title,
			author:    "MicroBlogging",
			text:      title,
			html:      templates.DigestContent(origin, channels),
			published: day.Until,
			updated:   day.Until,
		})
	}
	return f
}

// firstOfEach shortens what there is of each channel.
func firstOfEach(channels []storage.DigestChannel) []storage.DigestChannel {
	for i := range channels {
		items := channels[i].Items
		channels[i].Items = items[:min(len(items), digestLength)]
	}
	return channels
}
