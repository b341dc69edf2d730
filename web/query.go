package web

import (
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
)

const (
	defaultLimit = 20
	maxLimit     = 100
	// maxContains is the longest part of a name in characters. It leaves room for every
	// spelling of a channel name. A longer one would match nothing.
	maxContains = 4 * domain.MaxChannelName
)

// queryLimit returns the most items that a page of a list may hold.
func queryLimit(c echo.Context) (int, error) {
	values, given := c.QueryParams()["limit"]
	if !given {
		return defaultLimit, nil
	}
	limit, err := strconv.Atoi(values[0])
	if err != nil || limit < 1 || limit > maxLimit {
		return 0, domain.Invalid("limit", "must be a whole number from 1 to %d", maxLimit)
	}
	return limit, nil
}

// queryContains returns the text that the names of the channels to list contain.
func queryContains(c echo.Context) (string, error) {
	text := c.QueryParam("contains")
	if !utf8.ValidString(text) {
		return "", domain.Invalid("contains", "is not valid UTF-8")
	}
	if n := utf8.RuneCountInString(text); n > maxContains {
		return "", domain.Invalid("contains", "must have at most %d characters, this has %d", maxContains, n)
	}
	return text, nil
}

// queryInterval returns the interval [since, until) of a list. A zero time leaves its
// side open.
func queryInterval(c echo.Context) (since, until time.Time, err error) {
	since, sinceErr := queryTime(c, "since")
	until, untilErr := queryTime(c, "until")
	if err := domain.JoinInvalid(sinceErr, untilErr); err != nil {
		return time.Time{}, time.Time{}, err
	}
	if !until.IsZero() && until.Before(since) {
		return time.Time{}, time.Time{}, domain.Invalid("until", "must not be before since")
	}
	return since, until, nil
}

// queryRating reports whether to list posts by rating, and the one rating to list, or
// nil for all. Such a list cannot be narrowed by time: the index by rating has none.
func queryRating(c echo.Context) (rating *int64, rated bool, err error) {
	query := c.QueryParams()
	if query.Has("order") && query.Get("order") != "rating" {
		return nil, false, domain.Invalid("order", `must be "rating", or be left out for the newest first`)
	}
	if query.Has("rating") {
		n, err := strconv.ParseUint(query.Get("rating"), 10, 32)
		if err != nil {
			return nil, false, domain.Invalid("rating", "must be a whole number of votes, such as 3")
		}
		one := int64(n)
		rating = &one
	}
	rated = rating != nil || query.Has("order")
	for _, side := range [...]string{"since", "until"} {
		if rated && query.Has(side) {
			return nil, false, domain.Invalid(side, "cannot narrow a list by rating")
		}
	}
	return rating, rated, nil
}

func queryTime(c echo.Context, name string) (time.Time, error) {
	values, given := c.QueryParams()[name]
	if !given {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, values[0])
	if err != nil {
		return time.Time{}, domain.Invalid(name, "must be a time in RFC 3339, such as 2026-01-31T12:00:00Z")
	}
	if t.IsZero() {
		return time.Time{}, domain.Invalid(name, "must lie after the start of the year 1")
	}
	return t, domain.CheckTime(name, t)
}
