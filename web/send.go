package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"microblogging/coding"
	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

const (
	headerSecFetchSite = "Sec-Fetch-Site"
	headerLink         = "Link"
	codingGzip         = "gzip"
)

// varyCoding and varyReader are values of Vary: what is the same for everyone depends on
// the codings that the client accepts, and the rest also on who reads it.
const (
	varyCoding = echo.HeaderAcceptEncoding
	varyReader = echo.HeaderCookie + ", " + echo.HeaderAuthorization + ", " + echo.HeaderAcceptEncoding
)

// The Cache-Control of what has an entity tag. It may be kept, but a cache must ask before
// each use, because a channel that is being deleted is gone immediately. What was made for
// one reader is for the reader's own cache alone. No cache may keep what has no tag.
const (
	publicCache  = "no-cache"
	privateCache = "private, no-cache"
	noStore      = "no-store"
)

// noTransform in the Cache-Control of a response says that it holds something that only its
// reader should know, and that works elsewhere. Neither this process nor one on the way may
// compress it: see package coding.
const noTransform = ", no-transform"

// sendTagged is send for what can be read again: it has an entity tag, and a reader who has
// it already gets 304.
func sendTagged(c echo.Context, status int, mediaType string, body []byte) error {
	if status == http.StatusOK && tagged(c, func() string { return bodyTag(body) }) {
		return nil
	}
	return send(c, status, mediaType, body)
}

// tagged gives the response an entity tag, unless it has one. It reports whether the reader has what the
// tag names, and then it has answered 304. A response that sets a cookie shows something once, and gets no tag.
func tagged(c echo.Context, tag func() string) bool {
	h := c.Response().Header()
	if !isRead(c.Request().Method) || len(h[echo.HeaderSetCookie]) > 0 {
		return false
	}
	if len(h[headerETag]) == 0 {
		h.Set(headerETag, tag())
	}
	if h.Get(echo.HeaderCacheControl) == noStore {
		h.Set(echo.HeaderCacheControl, privateCache)
	}
	has := notModified(c.Request().Header, h.Get(headerETag))
	if has {
		c.Response().WriteHeader(http.StatusNotModified)
	}
	return has
}

// send sends a response whose body is complete. It compresses the body if the client accepts that.
func send(c echo.Context, status int, mediaType string, body []byte) error {
	body, header := packed(c, mediaType, body)
	return deliver(c, status, header, body)
}

// packed is a body as it is sent, with the headers that describe it. It is compressed if the client accepts
// that, and else it is the body itself.
func packed(c echo.Context, mediaType string, body []byte) ([]byte, http.Header) {
	header := http.Header{echo.HeaderContentType: {mediaType}}
	if mayCompress(c) {
		if gzipped := coding.Gzip(body); gzipped != nil {
			body = gzipped
			header.Set(echo.HeaderContentEncoding, codingGzip)
		}
	}
	header.Set(echo.HeaderContentLength, strconv.Itoa(len(body)))
	return body, header
}

// mayCompress reports whether the body of the response may be compressed. A strong entity tag
// promises these very bytes. What another site made a browser ask for with its cookie is not
// compressed either: that site could choose a part of what the page says.
func mayCompress(c echo.Context) bool {
	h := c.Response().Header()
	return !strings.Contains(h.Get(echo.HeaderCacheControl), noTransform) && !strings.HasPrefix(h.Get(headerETag), `"`) &&
		!askedByOther(c.Request()) && coding.AcceptsGzip(c.Request())
}

// askedByOther reports whether another site made a browser ask for this with its cookie.
func askedByOther(r *http.Request) bool {
	if r.Header.Get(echo.HeaderCookie) == "" {
		return false
	}
	switch r.Header.Get(headerSecFetchSite) {
	case "", "same-origin", "none":
		return false
	}
	return true
}

// write renders a page into a buffer. It ignores the request's time limit: the
// page that reports a timeout is rendered after the limit.
func write(c echo.Context, buffer *bytes.Buffer, content templ.Component) error {
	return content.Render(context.WithoutCancel(c.Request().Context()), buffer)
}

// render renders a page whole before it sends the first byte. A failed render then
// becomes an error page, not half a page.
func render(c echo.Context, status int, content templ.Component) error {
	return sendWritten(c, status, echo.MIMETextHTMLCharsetUTF8, true, func(body *bytes.Buffer) error { return write(c, body, content) })
}

// sendWritten sends what write writes, with an entity tag if tag is set. The buffer is not kept while the
// client takes its time.
func sendWritten(c echo.Context, status int, mediaType string, tag bool, write func(*bytes.Buffer) error) error {
	buffer := templ.GetBuffer()
	err := write(buffer)
	if err != nil || tag && status == http.StatusOK && tagged(c, func() string { return bodyTag(buffer.Bytes()) }) {
		templ.ReleaseBuffer(buffer)
		return err
	}
	body, header := packed(c, mediaType, buffer.Bytes())
	if header[echo.HeaderContentEncoding] == nil {
		body = bytes.Clone(body)
	}
	templ.ReleaseBuffer(buffer)
	return deliver(c, status, header, body)
}

// renderOnce renders a page that must not be shown again, such as one whose form has an
// idempotency key: its response has no entity tag.
func renderOnce(c echo.Context, content templ.Component) error {
	return sendWritten(c, http.StatusOK, echo.MIMETextHTMLCharsetUTF8, false, func(body *bytes.Buffer) error { return write(c, body, content) })
}

// still is the handler of a page that says the same to each reader.
func (s *server) still(page func(templates.Page) templ.Component) handler {
	return func(c echo.Context, v visitor) error { return render(c, http.StatusOK, page(s.page(c, v))) }
}

// show answers with a page of what a handler has read, unless that failed.
func show[V any](
	s *server, c echo.Context, v visitor, err error, page func(templates.Page, V) templ.Component, view V,
) error {
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, page(s.page(c, v), view))
}

// writeJSON encodes a value whole before it sends the first byte.
func writeJSON(c echo.Context, status int, mediaType string, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return sendTagged(c, status, mediaType, append(body, '\n'))
}

// respond sends the answer of a request, unless that failed.
func respond(c echo.Context, err error, status int, value any) error {
	if err != nil {
		return err
	}
	return writeJSON(c, status, echo.MIMEApplicationJSON, value)
}

// madeStatus is the status of what a request made, or what an earlier one with its idempotency
// key did.
func madeStatus(made bool) int {
	if made {
		return http.StatusCreated
	}
	return http.StatusOK
}

// nothing is the handler of a request of which nothing more is to be said than that it has succeeded.
func nothing(do handler) handler {
	return func(c echo.Context, v visitor) error { return respondNothing(c, do(c, v)) }
}

// respondNothing is the answer of a request that has succeeded, and there is no more to say.
func respondNothing(c echo.Context, err error) error {
	if err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// A listJSON is a page of a list. Next is the continuation token; the last page has none. Searched is how many items
// were looked at to find these, if they were searched. SearchedBack is until when posts of all channels were.
type listJSON[T any] struct {
	Items    []T    `json:"items"`
	Next     string `json:"next,omitempty"`
	Searched *int   `json:"searched,omitempty"`

	SearchedBack apiTime `json:"searchedBack,omitzero"`
}

func newListJSON[S, T any](found storage.Page[S], of func(S) T) listJSON[T] {
	list := listJSON[T]{Items: make([]T, len(found.Items)), Next: found.Next}
	for i, item := range found.Items {
		list.Items[i] = of(item)
	}
	return list
}

// respondList sends a page of a list, made from a page of the store.
func respondList[S, T any](c echo.Context, err error, found storage.Page[S], of func(S) T) error {
	linkNext(c, found.Next)
	return respond(c, err, http.StatusOK, newListJSON(found, of))
}

// linkNext links to the next page of the list that was requested, if there is one.
func linkNext(c echo.Context, next string) {
	if u := c.Request().URL; next != "" {
		query := u.Query()
		query.Set("after", next)
		c.Response().Header().Set(headerLink, "<"+u.EscapedPath()+"?"+query.Encode()+`>; rel="next"`)
	}
}

// listOf is the handler of a list that a user has.
func listOf[S, T any](
	read func(ctx context.Context, user domain.UserName, after string, limit int) (storage.Page[S], error),
	of func(S) T,
) handler {
	return func(c echo.Context, v visitor) error {
		limit, err := queryLimit(c)
		if err != nil {
			return err
		}
		found, err := read(c.Request().Context(), v.User, c.QueryParam("after"), limit)
		return respondList(c, err, found, of)
	}
}

// apiTime encodes a time as RFC 3339 in UTC with seven fractional digits, the
// resolution of domain.Tick. The zero time is null: it has not happened.
type apiTime time.Time

const apiTimeLayout = `"2006-01-02T15:04:05.0000000Z"`

// IsZero leaves a time out where the JSON says omitzero.
func (t apiTime) IsZero() bool { return time.Time(t).IsZero() }

// MarshalJSON implements json.Marshaler.
func (t apiTime) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return time.Time(t).UTC().AppendFormat(nil, apiTimeLayout), nil
}
