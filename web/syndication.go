package web

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// feedRoutes registers what feed readers follow.
func (s *server) feedRoutes(e *echo.Echo) {
	(&channelFeeds{store: s.store, origin: s.origin}).routes(e)
	(&digestFeeds{store: s.store, origin: s.origin}).routes(e)
}

// A feed is what the formats have in common. Addresses are whole: a feed is read
// far from where it was got.
type feed struct {
	id    string
	title string
	// subtitle may be empty.
	subtitle string
	// self is where the feed is found, and page what it is a feed of.
	self, page string
	updated    time.Time
	entries    []feedEntry
}

type feedEntry struct {
	id, url string
	// title may be empty.
	title  string
	author string
	text   string
	// html says the same as text, or more.
	html               string
	published, updated time.Time
}

// feedID names a feed or an entry by what makes it what it is. It is the same
// wherever the feed is got from, and whatever its entries say: a version 8 UUID,
// made of a hash as RFC 9562 shows (appendix B.2).
func feedID(what string, names ...string) string {
	hash := sha256.New()
	_, _ = io.WriteString(hash, "microblogging "+what) // a hash takes everything
	for _, name := range names {
		_, _ = io.WriteString(hash, "\x00"+name)
	}
	id := hash.Sum(nil)[:16]
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// feedTime writes an instant as RFC 3339, which both formats want.
func feedTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// respondFeed sends a feed, unless the reader has it already. It is the same for
// everyone who knows the address, and names itself by its content: dates would
// not tell that a post has been deleted.
func respondFeed(c echo.Context, mediaType, cacheControl string, body []byte) error {
	sum := sha256.Sum256(body)
	etag := `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	h := c.Response().Header()
	h.Del(echo.HeaderVary)
	h.Set(echo.HeaderCacheControl, cacheControl)
	h.Set(headerETag, etag)
	if notModified(c.Request().Header, etag) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, mediaType, body)
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
