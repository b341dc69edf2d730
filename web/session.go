package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
)

// signInLinkPath is where a link leads that signs in whoever follows it first.
const signInLinkPath = "/sign-in/link"

// The names of the session cookie. A browser accepts the first only over HTTPS
// and only from this very host, so that no neighbour can plant one.
const (
	secureCookie = "__Host-session"
	plainCookie  = "session"
)

type sessionReader interface {
	Session(ctx context.Context, token string) (domain.Session, error)
}

// sessions finds out who is asking. It asks the store each time: a session that
// ended is over at once, in every process.
type sessions struct {
	store sessionReader
	guard *guard
}

// A visitor is who is asking. The zero value is a stranger.
type visitor struct {
	User domain.UserName
	// Token proves it, and is what signing out ends.
	Token string
}

// SignedIn tells whether the visitor is known.
func (v visitor) SignedIn() bool { return v.User != "" }

// visitor tells who is asking. A cookie that has expired makes a stranger; a
// bearer token that is not valid is domain.ErrNotSignedIn, since who sends one
// means it. Without either, the store is not asked.
func (s *sessions) visitor(c echo.Context) (visitor, error) {
	token, bearer, err := s.token(c)
	if err != nil || token == "" {
		return visitor{}, err
	}
	session, err := s.store.Session(c.Request().Context(), token)
	if errors.Is(err, domain.ErrNotSignedIn) && !bearer {
		return visitor{}, nil
	}
	if err != nil {
		return visitor{}, err
	}
	return visitor{User: session.User, Token: token}, nil
}

// require is visitor for what a stranger may not do: then it is
// domain.ErrNotSignedIn.
func (s *sessions) require(c echo.Context) (visitor, error) {
	v, err := s.visitor(c)
	if err == nil && !v.SignedIn() {
		err = domain.ErrNotSignedIn
	}
	return v, err
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

// token is the bearer token of the request, or else its session cookie.
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

// remember makes the browser send the session's token from now on.
func (s *sessions) remember(c echo.Context, token string, session domain.Session) {
	cookie := s.cookie(c, token)
	cookie.Expires = session.ExpiresOn
	c.SetCookie(cookie)
}

// forget makes the browser drop the session's token.
func (s *sessions) forget(c echo.Context) {
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
