package web

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"github.com/maypok86/otter/v2"

	"microblogging/coding"
	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/blog"
	"microblogging/storage/channel"
	"microblogging/templates"
)

// What the page cache keeps, as the observer is told it.
const (
	// cachedPage is a page or feed as it is sent to readers who are not signed in.
	cachedPage = "page"
	// cachedView is what a page shows.
	cachedView = "view"
)

// Caches lists what the page cache keeps.
func Caches() []string { return []string{cachedPage, cachedView} }

// A pageCache keeps what the pages and feeds of channels show, the pages themselves for readers who
// are not signed in, and the lists of posts for those who are. Whatever it keeps is under a
// storage.Version, and is used only after all that this covers was read again: so no code has to take
// anything out of it, and no process has to hear of what another one wrote. It keeps what is asked for
// often rather than what was asked for last, so that a robot that reads everything once evicts nothing.
//
// A key does not change with the version, so that what is kept for a new version takes the
// place of the old. It is a storage.Cache, and safe for concurrent use. The zero pageCache
// keeps nothing.
type pageCache[T sized] struct{ kept *memory }

// A memory is one type for all that is kept here, because Go compiles each form of an
// otter.Cache anew: four of them took a quarter of the time in which this package is compiled.
type memory = otter.Cache[any, any]

// sized is what is kept, with how many bytes it takes, about: as many as it prints, so that no
// property is forgotten.
type sized interface{ bytes() int }

// keptOverhead is how many bytes whatever is kept takes besides what it counts itself: its
// key, its channel and what the cache remembers of it.
const keptOverhead = 1 << 10

// newPageCache returns a cache of so many bytes, or one that keeps nothing if that is not
// positive.
func newPageCache[T sized](limit int64) pageCache[T] {
	if limit <= 0 {
		return pageCache[T]{}
	}
	return pageCache[T]{otter.Must(&otter.Options[any, any]{
		MaximumWeight: uint64(limit),
		Weigher: func(key, value any) uint32 {
			k := value.(storage.Kept[T])
			return uint32(min(k.Value.bytes()+len(fmt.Sprint(k.Channel))+len(key.(string))+keptOverhead, 1<<31))
		},
	})}
}

// Get implements storage.Cache.
func (c pageCache[T]) Get(key string) (found storage.Kept[T], ok bool) {
	if c.kept == nil {
		return found, false
	}
	value, ok := c.kept.GetIfPresent(key)
	found, _ = value.(storage.Kept[T])
	return found, ok
}

// Set implements storage.Cache.
func (c pageCache[T]) Set(key string, value storage.Kept[T]) {
	if c.kept != nil {
		c.kept.Set(key, value)
	}
}

// A sharedPage is a page or a feed that is the same for everybody who asks for it at one
// address, as it is sent. Or it is a body alone: the posts of a page. It is never changed.
type sharedPage struct {
	// key is that of the channel. To make it of the name in a path costs a quarter of an answer.
	key    domain.ChannelKey
	header http.Header
	body   []byte
}

func (p *sharedPage) bytes() int { return len(p.body) + len(p.key) }

// A document is a page or a feed of what a channel shows.
type document struct {
	mediaType string
	// forAll reports whether it is the same for everybody, whatever cookies they send.
	forAll bool
	// view is different for each view of a channel. read reads it, and own what of it is a
	// user's; own is nil if nothing is.
	view string
	read func(ctx context.Context, channel domain.Channel, version storage.Version) (*channelView, error)
	own  func(ctx context.Context, in domain.Channel, view *channelView, user domain.UserName) (ownView, error)
	// write writes the body. All that it writes follows from its arguments and from view: see basis.
	write func(body *bytes.Buffer, page templates.Page, shown storage.Kept[*channelView], own ownView) error
}

// answer sends a document of the channel that the path names. One that is the same for all
// anonymous clients comes from the cache, if nothing of the channel has changed.
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
	view, own, err := s.ownView(c, v, name.Key(), d)
	if err != nil {
		return err
	}
	page := templates.Page{User: v.User}
	if d.mediaType != echo.MIMEApplicationJSON {
		page = s.page(c, v)
	}
	if s.has(c, page, view.Version, own) {
		return nil
	}
	return sendWritten(c, http.StatusOK, d.mediaType, true, func(body *bytes.Buffer) error { return d.write(body, page, view, own) })
}

// mayShare reports whether a shared page can answer a request. It cannot if the request has a cookie or a bearer token,
// since the page depends on them, nor with --teach, since each page lists its own calls.
func (s *server) mayShare(r *http.Request) bool {
	return !s.Teach && len(r.Header[echo.HeaderCookie]) == 0 && len(r.Header[echo.HeaderAuthorization]) == 0
}

// sharedPage makes a document for anonymous clients, unless the cache has it.
func (s *server) sharedPage(c echo.Context, d document) (*sharedPage, error) {
	address := s.sharedAddress(c)
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
	page, err := channel.ReadCached(c.Request().Context(), s.store.Channels, s.pages, key.Address(), address,
		func(ctx context.Context, channel domain.Channel, version storage.Version) (*sharedPage, error) {
			hit = false
			view, err := s.viewAt(ctx, c, channel, version, d)
			if err != nil {
				return nil, err
			}
			page := s.publicPage(c)
			page.Public = false
			return newSharedPage(c, key, d, func(body *bytes.Buffer) error { return d.write(body, page, view, ownView{}) })
		})
	s.tellCached(c, cachedPage, hit, err)
	return page.Value, err
}

// sharedAddress is what a page for anonymous clients is kept under. The address that was asked for is in
// the page's links.
func (s *server) sharedAddress(c echo.Context) string {
	return "page " + s.origin(c.Request()) + c.Request().RequestURI + " " + strconv.FormatBool(mayCompress(c))
}

// newSharedPage makes the page that answers a request, in the coding that the request accepts, with the
// links that write has set.
func newSharedPage(c echo.Context, key domain.ChannelKey, d document, write func(body *bytes.Buffer) error) (*sharedPage, error) {
	buffer := templ.GetBuffer()
	defer templ.ReleaseBuffer(buffer)
	if err := write(buffer); err != nil {
		return nil, err
	}
	body := buffer.Bytes()
	p := &sharedPage{key: key, header: http.Header{}}
	if links := c.Response().Header()[headerLink]; links != nil {
		p.header[headerLink] = links
	}
	p.header.Set(headerETag, bodyTag(body))
	if d.forAll {
		sameForAll(p.header)
	}
	if mayCompress(c) {
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
	if notModified(c.Request().Header, p.header.Get(headerETag)) {
		h := c.Response().Header()
		maps.Copy(h, p.header)
		for _, ofBody := range []string{echo.HeaderContentType, echo.HeaderContentLength, echo.HeaderContentEncoding} {
			delete(h, ofBody)
		}
		c.Response().WriteHeader(http.StatusNotModified)
		return nil
	}
	return deliver(c, http.StatusOK, p.header, p.body) // responses share the slices of values
}

// ownView reads a view, and what of it is the visitor's. That is read for the view that is
// kept while the version is read: after most changes, it is what would be read now.
func (s *server) ownView(c echo.Context, v visitor, key domain.ChannelKey, d document) (view storage.Kept[*channelView], own ownView, err error) {
	before, _ := s.views.Get(d.key(key))
	ahead := v.SignedIn() && d.own != nil && before.Value != nil
	err = s.store.Concurrently(c.Request().Context(), func(ctx context.Context) (err error) {
		of, version, err := s.store.Channels.GetVersion(ctx, key.Address(), before.Channel.Incarnation)
		if err == nil {
			view, err = s.viewAt(ctx, c, of, version, d)
		}
		return err
	}, func(ctx context.Context) (err error) {
		if ahead {
			own, err = d.own(ctx, before.Channel, before.Value, v.User)
		}
		return err
	})
	if err != nil || !v.SignedIn() || d.own == nil {
		return view, ownView{}, err
	}
	if !ahead || before.Channel.Ref() != view.Channel.Ref() || !before.Value.postingRule.Same(view.Value.postingRule) ||
		!blog.SameVotes(before.Value.posts.Items, view.Value.posts.Items) {
		own, err = d.own(c.Request().Context(), view.Channel, view.Value, v.User)
	}
	return view, own, err
}

// viewAt reads a view of a channel of which the version has just been read.
func (s *server) viewAt(ctx context.Context, c echo.Context, of domain.Channel, version storage.Version, d document) (storage.Kept[*channelView], error) {
	hit := true
	exchangeOf(c).channel = of
	view, err := channel.ReadCachedAt(ctx, s.views, of, version, d.key(of.Key()),
		func(ctx context.Context, channel domain.Channel, version storage.Version) (*channelView, error) {
			hit = false
			return d.read(ctx, channel, version)
		})
	s.tellCached(c, cachedView, hit, err)
	return view, err
}

func (d document) key(of domain.ChannelKey) string { return "view " + string(of) + " " + d.view }

// tellCached tells the observer of a look into the cache. What failed before it was known
// whether that was right is neither.
func (s *server) tellCached(c echo.Context, cache string, hit bool, err error) {
	if s.Observer != nil && s.pages.kept != nil && (err == nil || !hit) {
		s.Observer.Cached(cache, hit)
	}
}
