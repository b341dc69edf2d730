package web

import (
	"bytes"
	"context"
	"net/http"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"microblogging/coding"
	"microblogging/domain"
	"microblogging/storage"
)

// A sharedPage is a page or a feed that is the same for everybody who asks for it at one
// address, as it is sent. It is never changed.
type sharedPage struct {
	// key is that of the channel.
	key domain.ChannelKey
	tag string
	// head are headers of every answer with the page, and ofBody those that a 304 has not.
	// Responses share the slices.
	head, ofBody []sharedHeader
	body         []byte
}

func (p *sharedPage) bytes() int { return len(p.body) + len(p.key) }

// newSharedPage makes a page of its body. Without a version it has no tag.
func newSharedPage(key domain.ChannelKey, version storage.Version, mediaType string, body []byte, accepted bool) *sharedPage {
	p := &sharedPage{key: key}
	if version != "" {
		p.tag = bodyTag(body)
		p.add(headerETag, p.tag)
	}
	p.body = body
	if accepted {
		if gzipped := coding.GzipKept(body); gzipped != nil {
			p.body = bytes.Clone(gzipped) // which takes no more than it needs
		}
	}
	p.ofBody = []sharedHeader{
		{echo.HeaderContentType, []string{mediaType}},
		{echo.HeaderContentLength, []string{strconv.Itoa(len(p.body))}},
	}
	if len(p.body) != len(body) {
		p.ofBody = append(p.ofBody, sharedHeader{echo.HeaderContentEncoding, []string{codingGzip}})
	}
	return p
}

func (p *sharedPage) add(name, value string) {
	p.head = append(p.head, sharedHeader{name, []string{value}})
}

// send sends the page, or 304 if the reader has it already.
func (p *sharedPage) send(c echo.Context) error {
	response := c.Response()
	h := response.Header()
	setShared(h, p.head)
	if p.tag != "" && notModified(c.Request().Header, p.tag) {
		response.WriteHeader(http.StatusNotModified)
		return nil
	}
	setShared(h, p.ofBody)
	response.WriteHeader(http.StatusOK)
	_, err := response.Write(p.body)
	return err
}

// A sharedSlot is the place of a shared page in the cache, with what was found there.
type sharedSlot struct {
	slot[*sharedPage]
	kept  storage.Kept[*sharedPage]
	found bool
}

// Get implements storage.Cache.
func (s *sharedSlot) Get(string) (storage.Kept[*sharedPage], bool) { return s.kept, s.found }

// sharedPages answers with shared pages. It takes them from the cache if nothing of the
// channel has changed.
type sharedPages struct {
	views *channelViews
	guard *guard
	// fixed says that the site's address does not depend on the request.
	fixed bool
	// anew says that each page is made anew, because it lists its own calls.
	anew bool
}

func (s *server) sharedPages() *sharedPages {
	return &sharedPages{views: s.views, guard: s.guard, fixed: s.base != nil, anew: s.hoods != nil}
}

// may reports whether the answer to a request can be a shared page. A cookie makes it
// personal: it is a session, or a notice that is shown once.
func (s *sharedPages) may(r *http.Request) bool {
	return s.views.cache != nil && !s.anew && len(r.Header[echo.HeaderCookie]) == 0 && len(r.Header[echo.HeaderAuthorization]) == 0
}

// slot finds the place of the page that the request asks for.
func (s *sharedPages) slot(r *http.Request) *sharedSlot {
	key := cacheKey{uri: r.RequestURI, gzip: coding.AcceptsGzip(r.Header)}
	if !s.fixed {
		key.host, key.secure = r.Host, s.guard.secure(r)
	}
	place := &sharedSlot{slot: slot[*sharedPage]{s.views.cache, key}}
	place.kept, place.found = place.slot.Get("")
	return place
}

// A sharedQuery says what to read for a shared page, and what to make of it.
type sharedQuery struct {
	view viewQuery
	// make returns the body.
	make func(channel domain.Channel, view *channelView) (body []byte, err error)
	// forAll says that the page is the same for everybody, whatever cookies they send.
	forAll bool
}

// answer sends a shared page. It calls query if there is none in the cache that is right.
func (s *sharedPages) answer(c echo.Context, mediaType string, query func() sharedQuery) error {
	place := s.slot(c.Request())
	at := domain.ChannelAddress{Expected: domain.Any[domain.Incarnation]()}
	if place.found {
		at.Key = place.kept.Value.key // the address of the request says it
	} else {
		name, err := channelName(c)
		if err != nil {
			return err
		}
		at.Key = name.Key()
	}
	kept, err := readCached(c.Request().Context(), s.views, cachedPage, place, at,
		func(ctx context.Context, channel domain.Channel, version storage.Version) (*sharedPage, error) {
			q := query()
			view, err := s.views.readAt(ctx, channel, version, q.view)
			if err != nil {
				return nil, err
			}
			body, err := q.make(channel, view)
			if err != nil {
				return nil, err
			}
			page := newSharedPage(at.Key, version, mediaType, body, place.key.gzip)
			if link := canonicalLink(c, channel); link != "" && !q.forAll {
				page.add(headerLink, link)
			}
			if q.forAll {
				page.add(echo.HeaderVary, varyCoding)
				page.add(echo.HeaderCacheControl, publicCache)
			}
			return page, nil
		})
	if err != nil {
		return err
	}
	return kept.Value.send(c)
}

// rendered returns the HTML of a page. It does not end with the request's time limit, as
// render does not.
func rendered(c echo.Context, content templ.Component) ([]byte, error) {
	buffer := templ.GetBuffer()
	defer templ.ReleaseBuffer(buffer)
	err := content.Render(context.WithoutCancel(c.Request().Context()), buffer)
	return bytes.Clone(buffer.Bytes()), err
}
