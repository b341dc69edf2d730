package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

const (
	// digestDays is the number of days in a personal feed. The newest is
	// yesterday, because today is not complete.
	digestDays = 14
	// An entry lists at most digestLength posts of one channel, and digestTotal posts in
	// all, each by a line. So a feed of any days has a bounded size. The page of the
	// digest lists more.
	digestLength = 20
	digestTotal  = 50
)

// digestFeeds serve a user's digests to the user's feed reader. A feed reader cannot
// sign in; the secret in the address authenticates it.
type digestFeeds struct {
	store  *storage.Store
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
	summaries, err := h.store.DigestSummaries(c.Request().Context(), user, storage.DigestSummaryQuery{
		Days: days, PerChannel: digestLength, PerDay: digestTotal, Headline: templates.Headline,
	})
	if err != nil {
		return err
	}
	origin := h.origin(c.Request())
	f := digestFeed(user, days, summaries, origin)
	f.self = origin + templates.DigestFeedPath(string(user), secret, today.Zone)
	body, err := encodeAtom(f)
	if err != nil {
		return err
	}
	return respondFeed(c, atomType, secretCache, body) // its own address is in it
}

// address returns the user and the secret that the path names, after it has checked
// the secret. A wrong secret and an unknown user are both domain.ErrNotFound, which
// does not tell whether the user exists.
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

// daysBefore returns the last digestDays days before today, newest first.
func daysBefore(today domain.Day) []domain.Day {
	days := make([]domain.Day, digestDays)
	for i := range days {
		today = today.Before()
		days[i] = today
	}
	return days
}

// digestFeed has an entry for each day with posts. A later vote can change the
// content of an entry, but not its dates, so feed readers do not show it as new.
func digestFeed(user domain.UserName, days []domain.Day, summaries []storage.DigestSummary, origin string) feed {
	f := feed{
		id:       feedID("digest", string(user)),
		title:    "Daily digest of " + string(user),
		subtitle: "The days of " + days[0].Zone + ", by channel, most popular first",
		page:     origin + templates.DigestPath,
		updated:  days[len(days)-1].From,
	}
	for i, day := range days {
		if summaries[i].Posts == 0 {
			continue
		}
		entry := digestEntry(origin, day, summaries[i])
		f.updated = later(f.updated, day.Until)
		f.entries = append(f.entries, feedEntry{
			id:        feedID("digest", string(user), day.Date),
			url:       entry.URL,
			title:     entry.Headline(),
			author:    "MicroBlogging",
			text:      entry.Headline(),
			html:      entry.Content(),
			published: day.Until,
			updated:   day.Until,
		})
	}
	return f
}

func digestEntry(origin string, day domain.Day, summary storage.DigestSummary) templates.DigestEntry {
	entry := templates.DigestEntry{
		Origin: origin, URL: origin + templates.DigestDayPath(day.Date, day.Zone), Day: day.Date,
		Posts: summary.Posts, Channels: summary.Channels,
		Listed: make([]templates.DigestEntryChannel, len(summary.Listed)),
	}
	for i, channel := range summary.Listed {
		lines := make([]templates.Post, len(channel.Lines))
		for j, line := range channel.Lines {
			lines[j] = templates.Post{
				ID: string(line.ID), Title: line.Headline, Author: string(line.UserID), Rating: line.Rating,
			}
		}
		entry.Listed[i] = templates.DigestEntryChannel{Name: string(channel.Name), Posts: lines, Total: channel.Total}
	}
	return entry
}
