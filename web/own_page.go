package web

import (
	"bytes"
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"microblogging/coding"
	"microblogging/storage"
)

// An ownPage is a page of one user, as it was rendered, without the idempotency key of its
// form. It is right as long as its tag is that of what the page would be made from now. It
// is never changed.
type ownPage struct {
	tag string
	// before and after are what stands around the key.
	before, after []byte
	// coded is the page in gzip. It is nil until the page is asked for again.
	coded *coding.Spliced
}

func (p *ownPage) bytes() int {
	n := len(p.before) + len(p.after) + len(p.tag)
	if p.coded != nil {
		n += p.coded.Bytes()
	}
	return n
}

// sendOwn sends a page of a user that the cache keeps under the tag, with another key. If
// there is none, it renders the page.
func (h *channelPages) sendOwn(c echo.Context, v visitor, tag, key string, kept storage.Kept[*channelView], content templ.Component) error {
	place := slot[*ownPage]{h.views.cache, cacheKey{view: string(v.User), uri: c.Request().RequestURI}}
	own, found := place.Get("")
	hit := found && own.Value.tag == tag
	h.views.told(c.Request().Context(), cachedOwn, hit)
	if !hit {
		buffer := templ.GetBuffer()
		defer templ.ReleaseBuffer(buffer)
		if err := content.Render(context.WithoutCancel(c.Request().Context()), buffer); err != nil {
			return err
		}
		before, after, once := bytes.Cut(bytes.Clone(buffer.Bytes()), []byte(key))
		if !once || bytes.Contains(after, []byte(key)) {
			return sendWhole(c, http.StatusOK, echo.MIMETextHTMLCharsetUTF8, buffer.Bytes())
		}
		own.Value = &ownPage{tag: tag, before: before, after: after}
		place.Set("", storage.Kept[*ownPage]{Channel: kept.Channel, Version: kept.Version, Value: own.Value})
	}
	if hit && mayHaveGzip(c.Request()) {
		if own.Value.coded == nil {
			page := *own.Value
			page.coded = coding.Splice(page.before, page.after)
			own.Value = &page
			place.Set("", own)
		}
		return sendCoded(c, http.StatusOK, echo.MIMETextHTMLCharsetUTF8, own.Value.coded.With(key), coding.Gzip)
	}
	body := make([]byte, 0, len(own.Value.before)+len(key)+len(own.Value.after))
	body = append(append(append(body, own.Value.before...), key...), own.Value.after...)
	return sendWhole(c, http.StatusOK, echo.MIMETextHTMLCharsetUTF8, body)
}
