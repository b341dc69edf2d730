package web

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// feedRoutes registers the feeds for feed readers.
func (s *server) feedRoutes(e *echo.Echo) {
	(&channelFeeds{views: s.views, shared: s.sharedPages(), origin: s.origin, texts: s.texts}).routes(e)
	(&digestFeeds{store: s.store, origin: s.origin}).routes(e)
}

// A feed is what Atom and JSON Feed have in common. All addresses are absolute,
// because a feed reader shows a feed away from its site.
type feed struct {
	id    string
	title string
	// subtitle may be empty.
	subtitle string
	// self is the address of the feed, and page that of the page that it syndicates.
	self, page string
	updated    time.Time
	entries    []feedEntry
}

type feedEntry struct {
	id, url string
	// title may be empty.
	title  string
	author string
	// authorURL may be empty.
	authorURL string
	text      string
	// html has the same content as text, or more.
	html               string
	published, updated time.Time
}

// feedID returns the id of a feed or an entry, made from the names that identify it.
// The id does not depend on the site's address or on what an entry says. It is a
// version 8 UUID of a hash, as in RFC 9562, appendix B.2.
func feedID(what string, names ...string) string {
	hash := sha256.New()
	_, _ = io.WriteString(hash, "microblogging "+what) // a hash never fails
	for _, name := range names {
		_, _ = io.WriteString(hash, "\x00"+name)
	}
	id := hash.Sum(nil)[:16]
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// feedTime formats a time as RFC 3339, which both formats require.
func feedTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// respondFeed sends a feed, or 304 if the reader already has it. A feed is the same for
// everyone who knows its address, so Vary does not name the reader. The ETag is a hash of the
// content: a date would not show that a post was deleted.
func respondFeed(c echo.Context, mediaType, cacheControl string, body []byte) error {
	h := c.Response().Header()
	sameForAll(h)
	h.Set(echo.HeaderCacheControl, cacheControl)
	return sendTagged(c, http.StatusOK, mediaType, body)
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
