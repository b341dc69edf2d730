package web

import (
	"net/http"
	"slices"
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
		page.User, page.Operator, page.Notice = v.User, v.Operator, s.takeNotice(c)
		page.CallPanel = s.callPanelOf(c)
	}
	return page
}

// publicPage fills in what is the same for every visitor.
func (s *server) publicPage(c echo.Context) templates.Page {
	return templates.Page{
		Path: ownPath(c), Public: true, Lab: s.hasLab(), Teach: s.Teach, Site: s.site,
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

// sentenceOf is what a notice tells, on the page after a form: what the form did, and to which user if it is about one. A
// cookie carries the name of the notice to that page, and the name of the user. The page makes the sentence, so a forged
// cookie can name another user but cannot put other words on the page.
func sentenceOf(notice string, about domain.UserName) string {
	if settings, ok := strings.CutPrefix(notice, "settings"); ok {
		return savedSentence(strings.Split(settings, "-"))
	}
	return map[string]string{
		"posted":             "Your post is published.",
		"replied":            "Your reply is published.",
		"reply-deleted":      "The reply is deleted.",
		"saved":              "Your changes are saved.",
		"post-deleted":       "The post is deleted.",
		"subscribed":         "You have subscribed. The channel’s posts are in your feed.",
		"unsubscribed":       "You have unsubscribed. The channel’s posts have left your feed.",
		"voted":              "Your vote is counted.",
		"unvoted":            "Your vote is taken back.",
		"address-made":       "Your personal feed has a new address.",
		"address-revoked":    "The address of your personal feed is revoked. It stopped working.",
		"password-changed":   "Your password is changed. Every other session has ended.",
		"password-reset":     "Your new password is set. Every session has ended: sign in with it.",
		"account-ends":       "Your account will be deleted, and all your sessions have ended.",
		"account-kept":       "Your account stays, with all that is yours.",
		"account-closed":     "You closed the account of " + about.Handle() + ". They cannot sign in.",
		"account-opened":     "You opened the account of " + about.Handle() + " again.",
		"invitation-revoked": "The invitation is taken back. Its link does not work any more.",
		"sessions-ended":     "All your sessions have ended.",
		"not-done":           "You are signed in. What you began did not work: the channel or the post has changed since. Try it here.",
		"signed-out":         "You are signed out.",
		"signed-up":          "Your account is ready. Sign in to use it.",
		"undone":             "The channel is back, with all that was in it.",
		"blocked":            "You blocked " + about.Handle() + ". They cannot post or reply in this channel.",
		"unblocked":          "You unblocked " + about.Handle() + ".",
	}[notice]
}

// savedSentence names the settings of a channel that were saved.
func savedSentence(settings []string) string {
	var names []string
	for _, setting := range settings {
		if name := map[string]string{
			"description": "description", "posting": "who may post", "members": "members", "blocked": "blocked accounts",
		}[setting]; name != "" {
			names = append(names, name)
		}
	}
	if names == nil {
		return "Nothing was changed."
	}
	return "Saved: " + strings.Join(names, ", ") + "."
}

const (
	noticeCookie = "notice"
	// noticeLifetime is how long the cookie waits for the next page.
	noticeLifetime = time.Minute
)

// done answers a form, if it has succeeded. The page at the path shows the notice, about a user if it has one.
func (s *server) done(c echo.Context, err error, notice, path string, about ...string) error {
	if err != nil {
		return err
	}
	value := strings.Join(append([]string{notice}, about...), ".")
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
	notice, user, _ := strings.Cut(value, ".")
	about, err := domain.ParseUserName(user)
	if err != nil && slices.Contains([]string{"blocked", "unblocked", "account-closed", "account-opened"}, notice) {
		return ""
	}
	return sentenceOf(notice, about)
}
