package web

import (
	"crypto/sha256"
	"errors"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/labstack/echo/v4"

	"microblogging/domain"
)

// An awaited is the visitor of a request whose session may still be under way. So a
// handler of a GET begins to read what it shows, and waits for the visitor before it
// writes, and before it uses or shows anything that is not for everybody. The zero value
// is a stranger. It is safe for concurrent use.
type awaited struct {
	// session is nil for a stranger.
	session *awaitedSession
}

type awaitedSession struct {
	likely domain.UserName
	wait   func() (visitor, error)
}

// wait returns the visitor. Its errors are those of sessions.visitor or sessions.require.
func (a awaited) wait() (visitor, error) {
	if a.session == nil {
		return visitor{}, nil
	}
	return a.session.wait()
}

// stranger reports whether it is certain, without waiting, that nobody is signed in.
func (a awaited) stranger() bool { return a.session == nil }

// likely is who the visitor probably is, or empty if that is not known yet. It is for
// reading ahead: what was read for that user is for nobody, unless wait returns the same.
func (a awaited) likely() domain.UserName {
	if a.session == nil {
		return ""
	}
	return a.session.likely
}

// An awaitingHandler answers a visitor for whom it waits.
type awaitingHandler func(c echo.Context, who awaited) error

// awaiting calls a handler and waits for the visitor, even if the handler does not. What
// is wrong with the session goes before what is wrong with the page.
func awaiting(c echo.Context, ahead func(echo.Context) (awaited, error), h awaitingHandler) (visitor, error) {
	who, err := ahead(c)
	if err != nil {
		return visitor{}, err
	}
	defer func() { _, _ = who.wait() }() // no read outlasts its request, even if the handler panics
	err = h(c, who)
	v, refused := who.wait()
	if refused != nil {
		err = refused
	}
	return v, err
}

// readFor reads what depends on who the visitor is. It reads it for the likely visitor while
// the session is read, and once more if that is not the visitor. read must not write. An
// error of the session goes before one of read.
func readFor[T any](who awaited, read func(v visitor) (T, error)) (v visitor, got T, err error) {
	likely := who.likely()
	var ahead T
	var aheadErr error
	if likely != "" {
		ahead, aheadErr = read(visitor{User: likely})
	}
	if v, err = who.wait(); err != nil {
		return v, got, err
	}
	if likely != "" && v.User == likely {
		return v, ahead, aheadErr
	}
	got, err = read(v)
	return v, got, err
}

// visitorAhead begins to read who sends the request. wait returns what visitor does.
func (s *sessions) visitorAhead(c echo.Context) (awaited, error) {
	token, bearer, err := s.token(c)
	if err != nil || token == "" {
		return awaited{}, err
	}
	return s.tokenAhead(c, token, bearer), nil
}

// tokenAhead is visitorAhead for a request with a token.
func (s *sessions) tokenAhead(c echo.Context, token string, bearer bool) awaited {
	likely := s.users.of(token)
	session := s.store.SessionAhead(c.Request().Context(), token, likely)
	wait := func() (visitor, error) {
		found, err := session()
		if errors.Is(err, domain.ErrNotSignedIn) {
			s.users.forget(token)
			if !bearer {
				return visitor{}, nil
			}
		}
		if err != nil {
			return visitor{}, err
		}
		if found.User != likely {
			s.users.remember(token, found.User)
		}
		c.Set(userKey, found.User)
		return visitor{User: found.User, Token: token}, nil
	}
	return awaited{&awaitedSession{likely: likely, wait: sync.OnceValues(wait)}}
}

// requireAhead is visitorAhead for a page or a list that is for users alone: it returns
// domain.ErrNotSignedIn for a certain stranger, and so does wait.
func (s *sessions) requireAhead(c echo.Context) (awaited, error) {
	who, err := s.visitorAhead(c)
	if err != nil {
		return awaited{}, err
	}
	if who.stranger() {
		return awaited{}, domain.ErrNotSignedIn
	}
	wait := who.session.wait
	who.session.wait = func() (visitor, error) {
		v, err := wait()
		if err == nil && !v.SignedIn() {
			err = domain.ErrNotSignedIn
		}
		return v, err
	}
	return who, nil
}

// closedBeside is closed for a list that reads its data while the session is read.
func (s *sessions) closedBeside(h awaitingHandler) echo.HandlerFunc {
	return func(c echo.Context) error {
		_, err := awaiting(c, s.requireAhead, h)
		return err
	}
}

// maxLikelyUsers bounds the memory of likelyUsers to about 2 MB.
const maxLikelyUsers = 10_000

// likelyUsers remember whose the tokens of the latest sessions are, by the hashes of the
// tokens. With that, both rows of a session are read at once. It is a hint and decides
// nothing: the store says each time whether the session still is. A nil *likelyUsers
// remembers nothing.
type likelyUsers struct {
	mu    sync.Mutex
	known *simplelru.LRU[[sha256.Size]byte, domain.UserName]
}

// newLikelyUsers returns nil for a store that makes its reads in turn: a hint is of no use
// there.
func newLikelyUsers(inTurn bool) *likelyUsers {
	if inTurn {
		return nil
	}
	known, err := simplelru.NewLRU[[sha256.Size]byte, domain.UserName](maxLikelyUsers, nil)
	if err != nil {
		panic(err) // only if maxLikelyUsers is not positive
	}
	return &likelyUsers{known: known}
}

func (l *likelyUsers) of(token string) domain.UserName {
	if l == nil {
		return ""
	}
	sum := sha256.Sum256([]byte(token))
	l.mu.Lock()
	defer l.mu.Unlock()
	user, _ := l.known.Get(sum)
	return user
}

func (l *likelyUsers) remember(token string, user domain.UserName) {
	if l == nil {
		return
	}
	sum := sha256.Sum256([]byte(token))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known.Add(sum, user)
}

func (l *likelyUsers) forget(token string) {
	if l == nil {
		return
	}
	sum := sha256.Sum256([]byte(token))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known.Remove(sum)
}
