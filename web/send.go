package web

import (
	"net/http"
	"strconv"

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

// codingFor returns the content coding of the response.
func codingFor(r *http.Request) coding.Coding {
	if askedByOther(r) {
		return coding.Identity
	}
	return coding.Accepted(r.Header)
}

// mayHaveGzip reports whether gzip is as good as any other coding for the response.
func mayHaveGzip(r *http.Request) bool { return !askedByOther(r) && coding.AcceptsGzip(r.Header) }

// askedByOther reports whether another site made a browser ask for this with its cookie.
// Such an answer is not compressed: that site could choose a part of what the page says, and
// learn from the length what else the page says (BREACH).
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

// sendTagged is sendWhole for what can be read again: it has an entity tag, and a reader
// who has it already gets 304.
func sendTagged(c echo.Context, status int, mediaType string, body []byte) error {
	if status == http.StatusOK && mayHaveTag(c) && revalidated(c, bodyTag(body)) {
		return nil
	}
	return sendWhole(c, status, mediaType, body)
}

// sendWhole sends a response whose body is complete, and announces its length. It
// compresses the body if the client accepts that. A strong entity tag promises these very
// bytes, so a body with one is sent as it is.
func sendWhole(c echo.Context, status int, mediaType string, body []byte) error {
	used := coding.Identity
	if !hasStrongTag(c.Response().Header()) {
		body, used = codingFor(c.Request()).Personal(mediaType, body)
	}
	return sendCoded(c, status, mediaType, body, used)
}

// sendCoded sends a response whose body is in that coding.
func sendCoded(c echo.Context, status int, mediaType string, body []byte, used coding.Coding) error {
	announce(c.Response().Header(), used, len(body))
	return c.Blob(status, mediaType, body)
}

// sendParts is sendWhole for a body in parts.
func sendParts(c echo.Context, status int, mediaType string, parts [][]byte) error {
	h := c.Response().Header()
	used, size := coding.Identity, 0
	if !hasStrongTag(h) {
		accepted := codingFor(c.Request())
		if encoded, ok := accepted.PersonalParts(mediaType, parts); ok {
			parts, used = [][]byte{encoded}, accepted
		}
	}
	for _, part := range parts {
		size += len(part)
	}
	announce(h, used, size)
	h.Set(echo.HeaderContentType, mediaType)
	c.Response().WriteHeader(status)
	for _, part := range parts {
		if _, err := c.Response().Write(part); err != nil {
			return err
		}
	}
	return nil
}

// announce sets the headers that say how the body is encoded and how long it is.
func announce(h http.Header, used coding.Coding, size int) {
	if used != coding.Identity {
		h.Set(echo.HeaderContentEncoding, string(used))
	}
	h.Set(echo.HeaderContentLength, strconv.Itoa(size))
}

func hasStrongTag(h http.Header) bool {
	tag := h.Get(headerETag)
	return tag != "" && tag[0] == '"'
}
