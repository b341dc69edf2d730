package web

import (
	"time"

	"github.com/labstack/echo/v4"
)

// A notice tells, on the page after a form, what the form did. A cookie carries it to
// the next page, which shows it and removes the cookie. The cookie holds one of the
// names below, so a forged cookie cannot put other words on the page.
type notice string

const (
	noticePosted          notice = "posted"
	noticeSaved           notice = "saved"
	noticePostDeleted     notice = "post-deleted"
	noticeSubscribed      notice = "subscribed"
	noticeUnsubscribed    notice = "unsubscribed"
	noticeVoted           notice = "voted"
	noticeUnvoted         notice = "unvoted"
	noticeAddressMade     notice = "address-made"
	noticeAddressRevoked  notice = "address-revoked"
	noticePasswordChanged notice = "password-changed"
	noticeSessionsEnded   notice = "sessions-ended"
	noticeSignedOut       notice = "signed-out"
	noticeSignedUp        notice = "signed-up"
)

func (n notice) sentence() string {
	switch n {
	case noticePosted:
		return "Your post is published."
	case noticeSaved:
		return "Your changes are saved."
	case noticePostDeleted:
		return "The post is deleted."
	case noticeSubscribed:
		return "You subscribe to this channel. Its posts are in your feed."
	case noticeUnsubscribed:
		return "You have unsubscribed. The channel’s posts have left your feed."
	case noticeVoted:
		return "Your vote is counted."
	case noticeUnvoted:
		return "Your vote is taken back."
	case noticeAddressMade:
		return "Your personal feed has a new address."
	case noticeAddressRevoked:
		return "The address of your personal feed is revoked. It stopped working."
	case noticePasswordChanged:
		return "Your password is changed. Every other session has ended."
	case noticeSessionsEnded:
		return "All your sessions have ended."
	case noticeSignedOut:
		return "You are signed out."
	case noticeSignedUp:
		return "Your account is ready. Sign in to use it."
	}
	return ""
}

const (
	noticeCookie = "notice"
	// noticeLifetime is how long the cookie waits for the next page.
	noticeLifetime = time.Minute
)

// done answers a form that succeeded. The page at the path shows the notice.
func (p *pages) done(c echo.Context, n notice, path string) error {
	p.setNotice(c, string(n), int(noticeLifetime.Seconds()))
	return seeOther(c, path)
}

// takeNotice returns the sentence of the notice, if there is one, and removes its
// cookie.
func (p *pages) takeNotice(c echo.Context) string {
	value, there := cookieValue(c.Request(), noticeCookie)
	if there {
		p.setNotice(c, "", -1)
	}
	return notice(value).sentence()
}

func (p *pages) setNotice(c echo.Context, value string, maxAge int) {
	cookie := p.guard.newCookie(c.Request(), noticeCookie, value, "/")
	cookie.MaxAge = maxAge
	c.SetCookie(cookie)
}
