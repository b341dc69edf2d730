package web

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"sync"
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

// A visitor is the user who sends a request. The zero value is a stranger: a visitor
// who is not signed in.
type visitor struct {
	User domain.UserName
	// Token is the token of the session.
	Token string
	// Ends is when the visitor's account will be deleted. It is zero unless they have asked for that.
	Ends time.Time
}

// SignedIn reports whether the visitor is signed in.
func (v visitor) SignedIn() bool { return v.User != "" }

// A handler answers a visitor. It returns an error and sends nothing if the request fails.
type handler func(c echo.Context, v visitor) error

// access says who may send a request, and with that, who its handler is told sends it.
type access uint8

const (
	// everybody: nobody's session is read, and the handler gets a stranger.
	everybody access = iota
	// anyone may, with a session or without one.
	anyone
	// signedIn: a stranger gets domain.ErrNotSignedIn.
	signedIn
	// writer is signedIn, with the limit for writes. What protects an account is not limited:
	// its password, its sessions and its digest address.
	writer
)

// serve makes a handler a route. If the handler fails, it leaves the visitor for the page
// that says so.
func (s *server) serve(who access, h handler) echo.HandlerFunc {
	return s.route(func(c echo.Context) (visitor, error) { return s.visit(c, who, h) })
}

func (s *server) route(visit func(echo.Context) (visitor, error)) echo.HandlerFunc {
	return func(c echo.Context) error {
		v, err := visit(c)
		if err != nil {
			c.Set(visitorKey, v)
		}
		return err
	}
}

// visit finds the visitor of a request and calls the handler. It asks the store each time,
// so that a session that has ended is over at once in every process.
//
// A read does not wait for that: it is answered for the user whose the session was when it
// was read last, while the store is asked. Before the answer is sent, certain waits for the
// store. If the visitor is somebody else, or their account is to be deleted, the handler is called
// again. So a handler of a read
// must change nothing but what any reader may repair, and must send nothing but by send.
func (s *server) visit(c echo.Context, who access, h handler) (visitor, error) {
	if who == everybody {
		return visitor{}, h(c, visitor{})
	}
	likely, wait, err := s.visitorAhead(c)
	if err != nil {
		return visitor{}, err
	}
	defer func() { _, _ = wait() }() // no read outlasts its request, even if the handler panics
	if likely.SignedIn() && isRead(c.Request().Method) {
		c.Set(certainKey, func() bool {
			v, err := wait()
			return err == nil && v == likely
		})
		answered := answerLikely(c, likely, h)
		// What is wrong with the session goes before what is wrong with the page.
		if v, err := wait(); err != nil || v == likely {
			return v, cmp.Or(err, answered)
		}
	}
	v, err := wait()
	if err == nil && who >= signedIn && !v.SignedIn() {
		err = domain.ErrNotSignedIn
	}
	if err == nil && who >= writer && !v.Ends.IsZero() {
		err = domain.ErrAccountEnds
	}
	if err == nil && who >= writer {
		err = s.takeWrite(c, v)
	}
	if err == nil {
		err = h(c, v)
	}
	return v, err
}

// answerLikely calls a handler for a visitor who may be somebody else.
func answerLikely(c echo.Context, likely visitor, h handler) error {
	defer c.Set(certainKey, nil)
	return h(c, likely)
}

const certainKey = "web.certain"

// errSomebodyElse ends a handler whose visitor is not whom it was called for.
var errSomebodyElse = errors.New("the session is somebody else's, or has ended")

// certain waits until it is certain who the visitor is. It must be called before a response
// begins: one that begins without it is a fault (observe).
func certain(c echo.Context) error {
	if is, ok := c.Get(certainKey).(func() bool); ok && !is() {
		return errSomebodyElse
	}
	return nil
}

// visitorAhead begins to read who sends the request. likely is who that probably is, or a
// stranger if that is not known yet. An expired cookie makes a stranger. An
// invalid bearer token is domain.ErrNotSignedIn, because a program sends one on
// purpose. Without cookie and token it does not ask the store.
func (s *server) visitorAhead(c echo.Context) (likely visitor, wait func() (visitor, error), err error) {
	token, bearer, err := s.token(c)
	if err != nil || token == "" {
		return visitor{}, func() (visitor, error) { return visitor{}, err }, err
	}
	hash := sha256.Sum256([]byte(token))
	kept, _ := s.likely.GetIfPresent(hash)
	known, _ := kept.(domain.UserName)
	likely = visitor{User: known, Token: token}
	session := s.store.SessionAhead(c.Request().Context(), token, likely.User)
	return likely, sync.OnceValues(func() (visitor, error) {
		found, err := session()
		if errors.Is(err, domain.ErrNotSignedIn) {
			s.likely.Invalidate(hash)
			if !bearer {
				return visitor{}, nil
			}
		}
		if err != nil {
			return visitor{}, err
		}
		if found.User != known {
			s.likely.Set(hash, found.User)
		}
		c.Set(userKey, found.User)
		return visitor{found.User, token, found.Ends}, nil
	}), nil
}

// visitor waits for who sends the request.
func (s *server) visitor(c echo.Context) (visitor, error) {
	_, wait, err := s.visitorAhead(c)
	if err != nil {
		return visitor{}, err
	}
	return wait()
}

// token returns the bearer token of the request, or else its session cookie.
func (s *server) token(c echo.Context) (token string, bearer bool, err error) {
	if header := c.Request().Header.Get(echo.HeaderAuthorization); header != "" {
		scheme, credentials, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") || credentials == "" {
			return "", true, domain.ErrNotSignedIn
		}
		return strings.TrimSpace(credentials), true, nil
	}
	return cookieValue(c.Request(), s.sessionCookie(c)), false, nil
}

// beginSession signs in with a name and a password, and sets the session cookie.
func (s *server) beginSession(c echo.Context, name, password string) (visitor, error) {
	token, session, err := s.signInAs(c, name, password)
	if err != nil {
		return visitor{}, err // the session may say whose it would have been
	}
	s.remember(c, token, session)
	return visitor{session.User, token, session.Ends}, nil
}

func (s *server) signInAs(c echo.Context, name, password string) (token string, session domain.Session, err error) {
	token, session, err = s.store.SignIn(c.Request().Context(), attempt(c, name, password))
	if err != nil {
		s.logRefused(c, err)
	}
	return token, session, err
}

func attempt(c echo.Context, name, password string) storage.Attempt {
	return storage.Attempt{Name: name, Password: password, Address: c.RealIP()}
}

// remember makes the browser send the session's token from now on.
func (s *server) remember(c echo.Context, token string, session domain.Session) {
	c.Set(userKey, session.User)
	cookie := s.newCookie(c, s.sessionCookie(c), token, 0)
	cookie.Expires = session.ExpiresOn
	c.SetCookie(cookie)
}

// forget makes the browser drop the session's token, and the pages of the session that
// it keeps (Clear-Site-Data; over HTTPS only, or from this machine).
func (s *server) forget(c echo.Context) {
	c.Response().Header().Set(headerClearSiteData, `"cache"`)
	c.SetCookie(s.newCookie(c, s.sessionCookie(c), "", -1))
}

func (s *server) sessionCookie(c echo.Context) string {
	if s.guard.secure(c.Request()) {
		return secureCookie
	}
	return plainCookie
}

// newCookie makes a cookie for so many seconds; a negative number removes it. Scripts cannot
// read it, and a form on another site does not send it.
func (s *server) newCookie(c echo.Context, name, value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name:     name,
		Value:    value,
		Path:     "/",
		MaxAge:   maxAge,
		Secure:   s.guard.secure(c.Request()),
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

// likelyUsers remember whose the tokens of the latest sessions are, by the hashes of the
// tokens. It is a hint and decides nothing: the store says each time whether the session
// still is.
type likelyUsers = memory
