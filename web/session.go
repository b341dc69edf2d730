package web

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
)

// signInLinkPath is the path of a sign-in link, which signs in whoever opens it first.
const signInLinkPath = "/sign-in/link"

// The names of the session cookie. A browser accepts the name with the prefix __Host-
// only over HTTPS and only from this host, so that no other host of the domain can
// plant a session (RFC 6265bis, section 4.1.3.2).
const (
	secureCookie = "__Host-session"
	plainCookie  = "session"
)

const headerClearSiteData = "Clear-Site-Data"

// sessions finds the visitor of a request. It asks the store each time, so that a
// session that has ended is over at once in every process.
type sessions struct {
	store   *storage.Store
	guard   *guard
	writes  *writeLimit
	clients *clientNames
	log     *slog.Logger
	users   *likelyUsers
}

// A visitor is the user who sends a request. The zero value is a stranger: a visitor
// who is not signed in.
type visitor struct {
	User domain.UserName
	// Token is the token of the session.
	Token string
}

// SignedIn reports whether the visitor is signed in.
func (v visitor) SignedIn() bool { return v.User != "" }

// visitor returns the visitor of a request. An expired cookie makes a stranger. An
// invalid bearer token is domain.ErrNotSignedIn, because a program sends one on
// purpose. Without cookie and token it does not ask the store.
func (s *sessions) visitor(c echo.Context) (visitor, error) {
	who, err := s.visitorAhead(c)
	if err != nil {
		return visitor{}, err
	}
	return who.wait()
}

// require is like visitor, but returns domain.ErrNotSignedIn for a stranger.
func (s *sessions) require(c echo.Context) (visitor, error) {
	v, err := s.visitor(c)
	if err == nil && !v.SignedIn() {
		err = domain.ErrNotSignedIn
	}
	return v, err
}

// check returns domain.ErrNotSignedIn if the session of the visitor has ended since. A
// stranger has none to end.
func (s *sessions) check(ctx context.Context, v visitor) error {
	if !v.SignedIn() {
		return nil
	}
	_, err := s.store.SessionAhead(ctx, v.Token, v.User)()
	return err
}

// A visitorHandler answers a visitor.
type visitorHandler func(c echo.Context, v visitor) error

// closed is a handler of the API for visitors who are signed in.
func (s *sessions) closed(h visitorHandler) echo.HandlerFunc {
	return func(c echo.Context) error {
		v, err := s.require(c)
		if err != nil {
			return err
		}
		return h(c, v)
	}
}

// writing is closed for handlers of the API that write, with the limit for writes. What
// protects an account is not limited: its password, its sessions and its digest address.
func (s *sessions) writing(h visitorHandler) echo.HandlerFunc {
	return s.closed(func(c echo.Context, v visitor) error {
		if err := s.takeWrite(c, v); err != nil {
			return err
		}
		return h(c, v)
	})
}

// takeWrite counts a write of the visitor, or returns a *tooManyWrites. A page calls it
// where it can show again what was typed.
func (s *sessions) takeWrite(c echo.Context, v visitor) error {
	return s.writes.take(v.User, s.guard.clientAddress(c.Request()))
}

// token returns the bearer token of the request, or else its session cookie.
func (s *sessions) token(c echo.Context) (token string, bearer bool, err error) {
	if header := c.Request().Header.Get(echo.HeaderAuthorization); header != "" {
		scheme, credentials, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") || credentials == "" {
			return "", true, domain.ErrNotSignedIn
		}
		return strings.TrimSpace(credentials), true, nil
	}
	value, _ := cookieValue(c.Request(), s.cookieName(c))
	return value, false, nil
}

// begin signs in with a name and a password, and sets the session cookie.
func (s *sessions) begin(c echo.Context, a storage.Attempt) (visitor, error) {
	token, session, err := s.store.SignIn(c.Request().Context(), a)
	if err != nil {
		s.logRefused(c, err)
		return visitor{}, err
	}
	s.remember(c, token, session)
	return visitor{User: session.User, Token: token}, nil
}

// remember makes the browser send the session's token from now on.
func (s *sessions) remember(c echo.Context, token string, session domain.Session) {
	c.Set(userKey, session.User)
	cookie := s.cookie(c, token)
	cookie.Expires = session.ExpiresOn
	c.SetCookie(cookie)
}

// forget makes the browser drop the session's token, and the pages of the session that
// it keeps (Clear-Site-Data; over HTTPS only, or from this machine).
func (s *sessions) forget(c echo.Context) {
	c.Response().Header().Set(headerClearSiteData, `"cache"`)
	cookie := s.cookie(c, "")
	cookie.MaxAge = -1
	c.SetCookie(cookie)
}

func (s *sessions) cookie(c echo.Context, value string) *http.Cookie {
	return s.guard.newCookie(c.Request(), s.cookieName(c), value, "/")
}

func (s *sessions) cookieName(c echo.Context) string {
	if s.guard.secure(c.Request()) {
		return secureCookie
	}
	return plainCookie
}
