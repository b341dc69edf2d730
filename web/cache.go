package web

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"github.com/maypok86/otter/v2"

	"microblogging/coding"
	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/fresh"
)

// A pageCache keeps pages and feeds of channels as they are sent to readers who are not signed
// in. Whatever it keeps is under a storage.Version, and is used only after that version was read
// again: so nobody has to take anything out of it, and no process has to hear of what another one
// wrote. It keeps what is asked for often rather than what was asked for last, so that a robot
// that reads everything once evicts nothing.
//
// A key does not change with the version, so that what is kept for a new version takes the
// place of the old. It is a storage.Cache, and safe for concurrent use. The zero pageCache
// keeps nothing.
type pageCache struct{ kept *memory }

// A memory is one type for all that is kept in this package, because Go compiles each form of an
// otter.Cache anew: four of them took a quarter of the time in which this package is compiled.
type memory = otter.Cache[any, any]

// keptOverhead is how many bytes a page takes besides its body and its key, about.
const keptOverhead = 1 << 10

// newPageCache returns a cache of so many bytes, or one that keeps nothing if that is not
// positive.
func newPageCache(limit int64) pageCache {
	if limit <= 0 {
		return pageCache{}
	}
	return pageCache{otter.Must(&otter.Options[any, any]{
		MaximumWeight: uint64(limit),
		Weigher: func(key, value any) uint32 {
			return uint32(min(len(key.(string))+len(value.(storage.Kept[*sharedPage]).Value.body)+keptOverhead, 1<<31))
		},
	})}
}

// Get implements storage.Cache.
func (c pageCache) Get(key string) (found storage.Kept[*sharedPage], ok bool) {
	if c.kept == nil {
		return found, false
	}
	value, ok := c.kept.GetIfPresent(key)
	found, _ = value.(storage.Kept[*sharedPage])
	return found, ok
}

// Set implements storage.Cache.
func (c pageCache) Set(key string, value storage.Kept[*sharedPage]) {
	if c.kept != nil {
		c.kept.Set(key, value)
	}
}

// A sharedPage is a page or a feed that is the same for everybody who asks for it at one
// address, as it is sent. It is never changed.
type sharedPage struct {
	// key is that of the channel. To make it of the name in a path costs a quarter of an answer.
	key    domain.ChannelKey
	header http.Header
	body   []byte
}

// A document is a page or a feed.
type document struct {
	mediaType string
	// forAll says that it is the same for everybody, whatever cookies they send.
	forAll bool
	// write reads what it shows of a channel, whose version was read before, and writes the body.
	write func(ctx context.Context, body *bytes.Buffer, v visitor, channel domain.Channel, version storage.Version) error
}

// answer sends a document of the channel that the path names. One that is the same for all
// strangers comes from the cache, if nothing of the channel has changed.
func (s *server) answer(c echo.Context, v visitor, d document) error {
	if d.forAll || s.mayShare(c.Request()) {
		page, err := s.sharedPage(c, d)
		if err != nil {
			return err
		}
		return page.send(c)
	}
	name, err := channelName(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	channel, version, err := s.store.ChannelVersion(ctx, anyIncarnation(name.Key()), "")
	if err != nil {
		return err
	}
	c.Set(channelKey, channel)
	body := templ.GetBuffer()
	defer templ.ReleaseBuffer(body)
	if err := d.write(ctx, body, v, channel, version); err != nil {
		return err
	}
	return sendTagged(c, http.StatusOK, d.mediaType, body.Bytes())
}

// mayShare reports whether the answer to a request can be a shared page. A cookie makes it
// personal: it is a session, or a notice that is shown once. With --teach, each page lists
// its own calls.
func (s *server) mayShare(r *http.Request) bool {
	return !s.Teach && len(r.Header[echo.HeaderCookie]) == 0 && len(r.Header[echo.HeaderAuthorization]) == 0
}

// anyIncarnation is the address of whatever channel has the name.
func anyIncarnation(key domain.ChannelKey) domain.ChannelAddress {
	return domain.ChannelAddress{Key: key, Expected: domain.Any[domain.Incarnation]()}
}

// sharedPage makes a document for strangers, unless the cache has it.
func (s *server) sharedPage(c echo.Context, d document) (*sharedPage, error) {
	address := s.sharedAddress(c.Request())
	var key domain.ChannelKey
	if before, found := s.pages.Get(address); found {
		key = before.Value.key
	} else {
		name, err := channelName(c)
		if err != nil {
			return nil, err
		}
		key = name.Key()
	}
	hit := true
	page, err := fresh.ReadCached(c.Request().Context(), s.store.Versions, s.pages, anyIncarnation(key), address,
		func(ctx context.Context, channel domain.Channel, version storage.Version) (*sharedPage, error) {
			hit = false
			c.Set(channelKey, channel)
			return newSharedPage(ctx, c.Request(), key, d, channel, version)
		})
	s.tellCached(c, hit, err)
	return page.Value, err
}

// sharedAddress is what a page for strangers is kept under. The address that was asked for is in
// the page's links.
func (s *server) sharedAddress(r *http.Request) string {
	return "page " + s.origin(r) + r.RequestURI + " " + strconv.FormatBool(coding.AcceptsGzip(r))
}

// newSharedPage makes the page that answers a request, in the coding that the request accepts.
func newSharedPage(
	ctx context.Context, r *http.Request, key domain.ChannelKey, d document, channel domain.Channel, version storage.Version,
) (*sharedPage, error) {
	buffer := templ.GetBuffer()
	defer templ.ReleaseBuffer(buffer)
	if err := d.write(ctx, buffer, visitor{}, channel, version); err != nil {
		return nil, err
	}
	body := buffer.Bytes()
	p := &sharedPage{key: key, header: http.Header{}}
	p.header.Set(headerETag, bodyTag(body))
	if d.forAll {
		sameForAll(p.header)
	}
	if coding.AcceptsGzip(r) {
		if gzipped := coding.GzipKept(body); gzipped != nil {
			body = gzipped
			p.header.Set(echo.HeaderContentEncoding, codingGzip)
		}
	}
	p.body = bytes.Clone(body) // which takes no more than it needs
	p.header.Set(echo.HeaderContentType, d.mediaType)
	p.header.Set(echo.HeaderContentLength, strconv.Itoa(len(p.body)))
	return p, nil
}

// sameForAll says that a response does not depend on who reads it.
func sameForAll(h http.Header) {
	h.Set(echo.HeaderVary, varyCoding)
	h.Set(echo.HeaderCacheControl, publicCache)
}

// send sends the page, or 304 if the reader has it already.
func (p *sharedPage) send(c echo.Context) error {
	response := c.Response()
	h := response.Header()
	maps.Copy(h, p.header) // responses share the slices of values
	if notModified(c.Request().Header, p.header.Get(headerETag)) {
		for _, ofBody := range []string{echo.HeaderContentType, echo.HeaderContentLength, echo.HeaderContentEncoding} {
			delete(h, ofBody)
		}
		response.WriteHeader(http.StatusNotModified)
		return nil
	}
	response.WriteHeader(http.StatusOK)
	_, err := response.Write(p.body)
	return err
}

// tellCached tells the observer of a look into the cache. What failed before it was known
// whether that was right is neither.
func (s *server) tellCached(c echo.Context, hit bool, err error) {
	if s.Observer != nil && s.pages.kept != nil && (err == nil || !hit) {
		s.Observer.Cached(c.Request().Context(), hit)
	}
}
