package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

// pageSize is the number of items on one page of a list.
const pageSize = 20

// page fills in what every page shows.
func (s *server) page(c echo.Context, v visitor) templates.Page {
	page := s.publicPage(c)
	page.Public = s.isOther(c) && !v.SignedIn()
	if !page.Public {
		page.User, page.Notice = v.User, s.takeNotice(c)
		page.CallPanel = s.callPanelOf(c)
	}
	return page
}

// publicPage fills in what is the same for every visitor.
func (s *server) publicPage(c echo.Context) templates.Page {
	return templates.Page{
		Path: ownPath(c), Public: true, Lab: s.hasLab(),
		Origin: s.origin(c.Request()), Asset: s.asset,
	}
}

// ownPath returns the address to come back to. A link with a token works once, so its
// page leads back to the sign-in page instead.
func ownPath(c echo.Context) string {
	if c.Path() == signInLinkPath || c.Path() == templates.ResetPath {
		return templates.SignInPath
	}
	return localPath(c.Request().URL.RequestURI())
}

// The header with which a client asks for what its request made, or for no more than
// where that is (RFC 7240).
const (
	headerPrefer         = "Prefer"
	headerPreferred      = "Preference-Applied"
	preferRepresentation = "return=representation"
	preferMinimal        = "return=minimal"
)

// seeOther redirects the browser after a form, so that a reload does not send the
// form again. A script that sends the form prefers a minimal answer, because
// it cannot see where a redirect leads: it is told, and goes there itself.
func seeOther(c echo.Context, path string) error {
	if c.Request().Header.Get(headerPrefer) == preferMinimal && !isRead(c.Request().Method) {
		c.Response().Header().Set(echo.HeaderLocation, path)
		c.Response().Header().Set(headerPreferred, preferMinimal)
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, path)
}

// A notice tells, on the page after a form, what the form did. A cookie carries its number to that page, and the name
// of a user if it is about one. The page makes the sentence, so a forged cookie can name another user but cannot put
// other words on the page. Add a new notice at the end: a process of another version may read the cookie.
type notice int

const (
	noticePosted notice = iota + 1
	noticeSaved
	noticePostDeleted
	noticeSubscribed
	noticeUnsubscribed
	noticeVoted
	noticeUnvoted
	noticeAddressMade
	noticeAddressRevoked
	noticePasswordChanged
	noticeSessionsEnded
	noticeSignedOut
	noticeSignedUp
	noticeUndone
	noticePostingSet
	noticeBlocked
	noticeUnblocked
	noticePasswordReset
	noticeAccountEnds
	noticeAccountKept
)

func (n notice) sentence(about domain.UserName) string {
	return map[notice]string{
		noticePosted:          "Your post is published.",
		noticeSaved:           "Your changes are saved.",
		noticePostDeleted:     "The post is deleted.",
		noticeSubscribed:      "You have subscribed. The channel’s posts are in your feed.",
		noticeUnsubscribed:    "You have unsubscribed. The channel’s posts have left your feed.",
		noticeVoted:           "Your vote is counted.",
		noticeUnvoted:         "Your vote is taken back.",
		noticeAddressMade:     "Your personal feed has a new address.",
		noticeAddressRevoked:  "The address of your personal feed is revoked. It stopped working.",
		noticePasswordChanged: "Your password is changed. Every other session has ended.",
		noticePasswordReset:   "Your new password is set. Every session has ended: sign in with it.",
		noticeAccountEnds:     "Your account will be deleted, and all your sessions have ended.",
		noticeAccountKept:     "Your account stays, with all that is yours.",
		noticeSessionsEnded:   "All your sessions have ended.",
		noticeSignedOut:       "You are signed out.",
		noticeSignedUp:        "Your account is ready. Sign in to use it.",
		noticeUndone:          "The channel is back, with all that was in it.",
		noticePostingSet:      "Who may post is saved.",
		noticeBlocked:         "You blocked " + about.Handle() + ". They cannot post in this channel.",
		noticeUnblocked:       "You unblocked " + about.Handle() + ".",
	}[n]
}

const (
	noticeCookie = "notice"
	// noticeLifetime is how long the cookie waits for the next page.
	noticeLifetime = time.Minute
)

// done answers a form, if it has succeeded. The page at the path shows the notice, about a user if it has one.
func (s *server) done(c echo.Context, err error, n notice, path string, about ...string) error {
	if err != nil {
		return err
	}
	value := strings.Join(append([]string{strconv.Itoa(int(n))}, about...), ".")
	c.SetCookie(s.newCookie(c, noticeCookie, value, noticeLifetime))
	return seeOther(c, path)
}

// takeNotice returns the sentence of the notice, if there is one, and removes its
// cookie.
func (s *server) takeNotice(c echo.Context) string {
	value := cookieValue(c.Request(), noticeCookie)
	if value == "" {
		return ""
	}
	c.SetCookie(s.newCookie(c, noticeCookie, "", -time.Second))
	number, user, _ := strings.Cut(value, ".")
	n, _ := strconv.Atoi(number) // what is no number is no notice
	about, err := domain.ParseUserName(user)
	if err != nil && (notice(n) == noticeBlocked || notice(n) == noticeUnblocked) {
		return ""
	}
	return notice(n).sentence(about)
}
