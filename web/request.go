package web

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
	"microblogging/templates/markdown"
)

const (
	defaultLimit = 20
	maxLimit     = 100
	// maxContains is the longest part of a name in characters. It leaves room for every
	// spelling of a channel name. A longer one would match nothing.
	maxContains = 4 * domain.MaxChannelName

	headerIdempotencyKey = "Idempotency-Key"
	maxIdempotencyKey    = 255
)

// channelName returns the channel name in the path. For a name that no channel can
// have it returns domain.ErrNotFound.
func channelName(c echo.Context) (domain.ChannelName, error) {
	name, err := domain.ParseChannelName(pathParam(c, "name"))
	if err != nil {
		return "", domain.ErrNotFound
	}
	return name, nil
}

// blogID returns the id of a post in the path.
func blogID(c echo.Context) (domain.BlogID, error) {
	id := pathParam(c, "id")
	if c.Param("day") != "" { // with the day, the id has words before it: both are for people
		id = id[strings.LastIndexByte(id, '-')+1:]
	}
	return domain.ParseBlogID(id)
}

// pathParam returns a parameter of the path, decoded once. If there is a raw path,
// the router matches that, so an encoded slash does not split a name. What cannot be decoded
// is returned as it is: nothing has such a name.
func pathParam(c echo.Context, name string) string {
	value := c.Param(name)
	if c.Request().URL.RawPath == "" {
		return value
	}
	decoded, err := url.PathUnescape(value)
	if err != nil {
		return value
	}
	return decoded
}

// localPath returns the path if every browser takes it for a page of this site, and
// an empty string otherwise. The path may come from a link on another site. It must
// not begin with two slashes, which begin a host, nor hold a backslash, which
// browsers take for a slash. Control characters, which browsers drop, do not parse.
func localPath(path string) string {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.Contains(path, `\`) {
		return ""
	}
	u, err := url.Parse(path)
	if err != nil {
		return ""
	}
	local := u.RequestURI()
	if u.Fragment != "" { // such as a post in a list
		local += "#" + u.EscapedFragment()
	}
	return local
}

// queryLimit returns the most items that a page of a list may hold. A list takes limit, after and the
// others, and refuses any other parameter.
func queryLimit(c echo.Context, others ...string) (int, error) {
	for name := range c.QueryParams() {
		if name != "limit" && name != "after" && !slices.Contains(others, name) {
			return 0, refuse(http.StatusBadRequest, "Unknown parameter", fmt.Sprintf("This list has no parameter %q.", name))
		}
	}
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

// keepQuery drops all parameters of a query but these, of each the first value, and sorts them. So what is
// kept under the address of a request is kept once, whatever else a client adds to the address.
func keepQuery(c echo.Context, names ...string) {
	u := c.Request().URL
	if u.RawQuery == "" {
		return
	}
	asked, kept := u.Query(), url.Values{}
	for _, name := range names {
		if asked.Has(name) {
			kept.Set(name, asked.Get(name))
		}
	}
	u.RawQuery = kept.Encode()
	c.Request().RequestURI = u.RequestURI()
}

// queryContains returns the text that the names of the channels or people to list contain.
func queryContains(c echo.Context) (string, error) {
	text := strings.TrimPrefix(strings.TrimSpace(c.QueryParam("contains")), "@")
	if !utf8.ValidString(text) {
		return "", domain.Invalid("contains", "is not valid UTF-8")
	}
	if n := utf8.RuneCountInString(text); n > maxContains {
		return "", domain.Invalid("contains", "must have at most %d characters, this has %d", maxContains, n)
	}
	return text, nil
}

// queryText returns the text that is in the posts to list, which a parameter names.
func queryText(c echo.Context, parameter string) (string, error) {
	text := strings.TrimSpace(c.QueryParam(parameter))
	if !utf8.ValidString(text) {
		return "", domain.Invalid(parameter, "is not valid UTF-8")
	}
	if n := utf8.RuneCountInString(text); n == 0 || n > templates.MaxFind {
		return "", domain.Invalid(parameter, "must have 1 to %d characters, this has %d", templates.MaxFind, n)
	}
	if markdown.NewFinder(text).Text == "" {
		return "", domain.Invalid(parameter, "has nothing to find: the marks * _ ~ ` [ ] and \\ are left out")
	}
	return text, nil
}

// queryInterval returns the interval [since, until) of a list. A zero time leaves its
// side open.
func queryInterval(c echo.Context) (since, until time.Time, err error) {
	since, sinceErr := queryTime(c, "since")
	until, untilErr := queryTime(c, "until")
	err = domain.JoinInvalid(sinceErr, untilErr)
	if err == nil && !until.IsZero() && until.Before(since) {
		err = domain.Invalid("until", "must not be before since")
	}
	return since, until, err
}

// queryView returns which posts of a channel to list, and in what order. A list by rating cannot
// be narrowed: the index by rating has neither times nor texts.
func queryView(c echo.Context) (view templates.View, err error) {
	query := c.QueryParams()
	if query.Has("order") && query.Get("order") != "rating" {
		return view, domain.Invalid("order", `must be "rating", or be left out for the newest first`)
	}
	if query.Has("rating") {
		n, err := strconv.ParseUint(query.Get("rating"), 10, 32)
		if err != nil {
			return view, domain.Invalid("rating", "must be a whole number of votes, such as 3")
		}
		view.Rating = new(int64(n))
	}
	view.TopRated = query.Has("order") && view.Rating == nil
	for _, side := range [...]string{"since", "until", "find"} {
		if (view.TopRated || view.Rating != nil) && query.Has(side) {
			return view, domain.Invalid(side, "cannot narrow a list by rating")
		}
	}
	if query.Has("find") {
		text, err := queryText(c, "find")
		view.Find = &text
		return view, err
	}
	return view, nil
}

// pageView is queryView for the page of a channel, which can begin at a date and has the forms for
// that and for finding a post.
func pageView(c echo.Context) (view templates.View, err error) {
	query := c.QueryParams()
	if text := strings.TrimSpace(query.Get("find")); query.Has("find") && markdown.NewFinder(text).Text == "" {
		return templates.View{Find: &text}, nil
	}
	if view, err = queryView(c); err == nil && query.Has("day") {
		if view.Day, err = time.Parse(time.DateOnly, query.Get("day")); err != nil {
			err = domain.Invalid("day", "must be a date, such as 2026-01-31")
		}
	}
	return view, err
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

// idempotencyKey returns the request's idempotency key: one key makes one thing. It is empty if the
// request has none.
func idempotencyKey(h http.Header) (string, error) {
	switch keys := h.Values(headerIdempotencyKey); len(keys) {
	case 0:
		return "", nil
	case 1:
		return keys[0], checkIdempotencyKey(headerIdempotencyKey, keys[0])
	default:
		return "", domain.Invalid(headerIdempotencyKey, "must be sent once, not %d times", len(keys))
	}
}

// freshKey returns the idempotency key for a form that was refused. A form with a mistake keeps its
// key: an earlier request under it may have made what was asked for, and lost its reply. Any other
// refusal leaves the key spent, or used for these words.
func freshKey(key string, err error) string {
	if _, mistake := errors.AsType[*domain.InvalidError](err); mistake && checkIdempotencyKey("key", key) == nil {
		return key
	}
	return rand.Text()
}

// checkIdempotencyKey refuses a key unless it has 1 to 255 printable characters.
func checkIdempotencyKey(field, key string) error {
	if !utf8.ValidString(key) {
		return domain.Invalid(field, "is not valid UTF-8")
	}
	if n := utf8.RuneCountInString(key); n < 1 || n > maxIdempotencyKey {
		return domain.Invalid(field, "must have 1 to %d characters", maxIdempotencyKey)
	}
	for _, r := range key {
		if !unicode.IsPrint(r) {
			return domain.Invalid(field, "must not hold %U, which cannot be printed", r)
		}
	}
	return nil
}
