package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"microblogging/coding"
)

const headerSecFetchSite = "Sec-Fetch-Site"

// varyCoding and varyReader are values of Vary: what is the same for everyone depends on
// the codings that the client accepts, and the rest also on who reads it.
const (
	varyCoding = echo.HeaderAcceptEncoding
	varyReader = echo.HeaderCookie + ", " + echo.HeaderAuthorization + ", " + echo.HeaderAcceptEncoding
)

// sameForAll says that a response does not depend on who reads it.
func sameForAll(h http.Header) { h.Set(echo.HeaderVary, varyCoding) }

// sendTagged is send for what can be read again: it has an entity tag, and a reader who has
// it already gets 304.
func sendTagged(c echo.Context, status int, mediaType string, parts ...[]byte) error {
	if status == http.StatusOK && mayHaveTag(c) && revalidated(c, bodyTag(parts...)) {
		return nil
	}
	return send(c, status, mediaType, parts...)
}

// send sends a response whose body is complete, and announces its length. It compresses the
// body if the client accepts that.
func send(c echo.Context, status int, mediaType string, parts ...[]byte) error {
	h, size := c.Response().Header(), 0
	if mayCompress(c) {
		if gzipped := coding.Gzip(parts...); gzipped != nil {
			parts = [][]byte{gzipped}
			h.Set(echo.HeaderContentEncoding, codingGzip)
		}
	}
	for _, part := range parts {
		size += len(part)
	}
	h.Set(echo.HeaderContentLength, strconv.Itoa(size))
	h.Set(echo.HeaderContentType, mediaType)
	c.Response().WriteHeader(status)
	for _, part := range parts {
		if _, err := c.Response().Write(part); err != nil {
			return err
		}
	}
	return nil
}

const codingGzip = "gzip"

// noTransform in the Cache-Control of a response says that it holds something that only its
// reader should know, and that works elsewhere. Neither this process nor one on the way may
// compress it: see package coding.
const noTransform = ", no-transform"

// mayCompress reports whether the body of the response may be compressed. A strong entity tag
// promises these very bytes. What another site made a browser ask for with its cookie is not
// compressed either: that site could choose a part of what the page says.
func mayCompress(c echo.Context) bool {
	h := c.Response().Header()
	return !strings.Contains(h.Get(echo.HeaderCacheControl), noTransform) && !strings.HasPrefix(h.Get(headerETag), `"`) &&
		!askedByOther(c.Request()) && coding.AcceptsGzip(c.Request().Header)
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
