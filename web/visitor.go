package web

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
)

// The names of the session cookie. A browser accepts the name with the prefix __Host-
// only over HTTPS and only from this host, so that no other host of the domain can
// plant a session (RFC 6265bis, section 4.1.3.2).
const (
	secureCookie = "__Host-session"
	plainCookie  = "session"
)

const headerClearSiteData = "Clear-Site-Data"

// A visitor is the user who sends a request. The zero value is an anonymous client: a visitor
// who is not signed in.
type visitor struct {
	User domain.UserName
	// Token is the token of the session.
	Token string
	// Ends is when the visitor's account will be deleted. It is zero unless they have asked for that.
	Ends time.Time
	// Operator reports whether the visitor may act for the site.
	Operator bool
}

// actor is the visitor as the operations of the store know them.
func (v visitor) actor() domain.Actor { return domain.Actor{User: v.User, Operator: v.Operator} }

// SignedIn reports whether the visitor is signed in.
func (v visitor) SignedIn() bool { return v.User != "" }

// A handler answers a visitor. It returns an error and sends nothing if the request fails.
type handler func(c echo.Context, v visitor) error

// access says who may send a request, and with that, who its handler is told sends it.
type access uint8

const (
	// everybody: no session is read, and the handler gets an anonymous client.
	everybody access = iota
	// anyone may, with a session or without one.
	anyone
	// signedIn: an anonymous client gets domain.ErrNotSignedIn.
	signedIn
	// writer is signedIn, with the limit for writes. What protects an account is not limited.
	writer
)

// serve makes a handler a route. If the handler fails, it leaves the visitor for the page
// that says so.
func (s *server) serve(who access, h handler) echo.HandlerFunc {
	return s.route(func(c echo.Context) (visitor, error) {
		return s.visit(c, who, h)
	})
}

func (s *server) route(visit func(echo.Context) (visitor, error)) echo.HandlerFunc {
	return func(c echo.Context) error {
		v, err := visit(c)
		if err != nil {
			exchangeOf(c).visitor = &v
		}
		return err
	}
}

// visit reads who sends a request and calls the handler. It asks the store each time, so a
// session that has ended is over in every process.
func (s *server) visit(c echo.Context, who access, h handler) (visitor, error) {
	var v visitor
	var err error
	if who != everybody {
		v, err = s.visitor(c)
	}
	if err == nil && who >= signedIn && !v.SignedIn() {
		err = domain.ErrNotSignedIn
	}
	if err == nil && who >= writer {
		err = s.takeWrite(c, v)
	}
	if err == nil && isRead(c.Request().Method) {
		err = s.takeTurn(c)
	}
	if err == nil {
		err = h(c, v)
	}
	return v, err
}

// visitor reads who sends the request. An expired cookie makes an anonymous client. An invalid bearer
// token is domain.ErrNotSignedIn, because a program sends one on purpose. Without cookie and token
// it does not ask the store.
func (s *server) visitor(c echo.Context) (visitor, error) {
	token, bearer := s.token(c)
	if token == "" {
		if bearer {
			return visitor{}, domain.ErrNotSignedIn
		}
		return visitor{}, nil
	}
	hash := sha256.Sum256([]byte(token))
	kept, _ := s.likely.GetIfPresent(hash)
	likely, _ := kept.(domain.UserName)
	found, err := s.store.Accounts.Session(c.Request().Context(), token, likely)
	if errors.Is(err, domain.ErrNotSignedIn) {
		s.likely.Invalidate(hash)
		if !bearer {
			return visitor{}, nil
		}
	}
	if err != nil {
		return visitor{}, err
	}
	if found.User != likely {
		s.likely.Set(hash, found.User)
	}
	v := visitor{found.User, token, found.Ends, s.Operators.Has(found.User) && found.Ends.IsZero()}
	exchangeOf(c).user, exchangeOf(c).client = found.User, s.admission.clientOf(c.Request(), v)
	return v, nil
}

// token returns the bearer token of the request, which may be empty, or else its session cookie.
func (s *server) token(c echo.Context) (token string, bearer bool) {
	if header := c.Request().Header.Get(echo.HeaderAuthorization); header != "" {
		return strings.TrimSpace(header[len(bearerScheme):]), true
	}
	return cookieValue(c.Request(), s.sessionCookie(c)), false
}

const bearerScheme = "Bearer"

// ignoreOtherSchemes removes credentials that are not a bearer token. A proxy or a browser sends
// them with every request if the site is behind a password of the proxy.
func ignoreOtherSchemes(h http.Header) {
	if sent, given := h[echo.HeaderAuthorization]; given {
		h[echo.HeaderAuthorization] = slices.DeleteFunc(sent, func(credentials string) bool {
			scheme, _, _ := strings.Cut(credentials, " ")
			return !strings.EqualFold(scheme, bearerScheme)
		})
	}
}

// beginSession signs in with a name and a password, and sets the session cookie.
func (s *server) beginSession(c echo.Context, before visitor, name, password string) (domain.Session, error) {
	token, session, err := s.signInAs(c, name, password)
	if err == nil {
		err = s.remember(c, before, token, session)
	}
	return session, err
}

func (s *server) signInAs(c echo.Context, name, password string) (token string, session domain.Session, err error) {
	token, session, err = s.store.Accounts.SignIn(c.Request().Context(), attempt(c, name, password))
	if err != nil {
		s.logRefused(c, err)
	}
	return token, session, err
}

func attempt(c echo.Context, name, password string) storage.Attempt {
	return storage.Attempt{Name: name, Password: password, Address: c.RealIP()}
}

// remember makes the browser send the session's token from now on. It ends the session that the browser had before: its
// user cannot sign out of it any more. It drops what the browser remembers of another user, whose session may
// have expired without a sign-out.
func (s *server) remember(c echo.Context, before visitor, token string, session domain.Session) error {
	exchangeOf(c).user = session.User
	if before.SignedIn() {
		if err := s.store.Accounts.SignOut(c.Request().Context(), before.Token); err != nil {
			return err
		}
	}
	for _, name := range []string{lastCookie, seenCookie} {
		if cookieValue(c.Request(), name) != "" {
			c.SetCookie(s.newCookie(c, name, "", -time.Second))
		}
	}
	cookie := s.newCookie(c, s.sessionCookie(c), token, 0)
	cookie.Expires = session.ExpiresOn
	c.SetCookie(cookie)
	return nil
}

// forget makes the browser drop the session's token, what it remembers of its user, and the pages of the session that
// it keeps (Clear-Site-Data; over HTTPS only, or from this machine).
func (s *server) forget(c echo.Context) {
	c.Response().Header().Set(headerClearSiteData, `"cache"`)
	for _, name := range []string{s.sessionCookie(c), lastCookie, seenCookie} {
		c.SetCookie(s.newCookie(c, name, "", -time.Second))
	}
}

func (s *server) sessionCookie(c echo.Context) string {
	if s.admission.secure(c.Request()) {
		return secureCookie
	}
	return plainCookie
}

// newCookie makes a cookie; -time.Second removes it. Scripts cannot
// read it, and a form on another site does not send it.
func (s *server) newCookie(c echo.Context, name, value string, lifetime time.Duration) *http.Cookie {
	return &http.Cookie{
		Name:     name,
		Value:    value,
		Path:     "/",
		MaxAge:   int(lifetime.Seconds()),
		Secure:   s.admission.secure(c.Request()),
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	}
}

// cookieValue returns the value of a cookie. It is empty if the request has none.
func cookieValue(r *http.Request, name string) string {
	cookie, err := r.Cookie(name)
	if err != nil {
		return "" // the only error is http.ErrNoCookie
	}
	return cookie.Value
}

// maxLikelyUsers bounds the memory of likelyUsers to about 2 MB.
const maxLikelyUsers = 10_000

// likelyUsers remember whose the tokens of the latest sessions are, by the hashes of the tokens, so
// that both rows of a session can be read at the same time. The store decides each time whether
// the session still is.
type likelyUsers = memory
