package web

import (
	"cmp"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// sessionPages sign users up, in and out.
type sessionPages struct {
	*pages
	store *storage.Store
	// signUps is how many accounts one client may make in an hour.
	signUps int
}

func (h *sessionPages) routes(r router) {
	get(r, templates.SignUpPath, h.open(h.signUpForm))
	r.Add(http.MethodPost, templates.SignUpPath, h.open(h.signUp))
	get(r, templates.SignInPath, h.open(h.signInForm))
	r.Add(http.MethodPost, templates.SignInPath, h.open(h.signIn))
	// Not with get: HEAD must not use up the link.
	r.Add(http.MethodGet, signInLinkPath, h.open(h.followLink))
	get(r, templates.SignOutPath, h.open(h.signOutForm))
	r.Add(http.MethodPost, templates.SignOutPath, h.open(h.signOut))
}

func (h *sessionPages) signUpForm(c echo.Context, v visitor) error {
	next := localPath(c.QueryParam("next"))
	if v.SignedIn() {
		return seeOther(c, home(next))
	}
	return renderOnce(c, http.StatusOK, templates.SignUpPage(h.page(c, v), templates.SignUp{Next: next, Key: rand.Text()}))
}

// signUp makes an account and begins a session.
func (h *sessionPages) signUp(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	next := localPath(form.Get("next"))
	key := cmp.Or(form.Get("key"), rand.Text())
	err = checkIdempotencyKey("key", key)
	if err == nil {
		_, _, err = h.store.SignUpOnce(c.Request().Context(),
			storage.SignUpRequest{Attempt: attemptOf(c, form), Key: key, PerHour: h.signUps})
	}
	if err != nil {
		h.sessions.logRefused(c, err)
		refused, ok := formOf(err)
		if !ok {
			return err
		}
		if errors.Is(err, domain.ErrKeyReused) {
			refused.Message = "This form was sent before, with another name or password. Send it again to sign up with these."
		}
		// A refused request has made nothing, so that the form gets a new key.
		return again(c, err, templates.SignUpPage(h.page(c, v),
			templates.SignUp{Form: refused, Name: shown(form.Get("name")), Next: next, Key: rand.Text()}))
	}
	err = h.begin(c, form)
	var throttled *domain.ThrottledError
	if errors.As(err, &throttled) || errors.Is(err, domain.ErrBusy) {
		// Too many sign-ins from this address failed, or too many sign in at this
		// moment, but the account exists.
		return h.done(c, noticeSignedUp, templates.SignInPath)
	}
	if err != nil {
		return err
	}
	return seeOther(c, home(next))
}

func (h *sessionPages) signInForm(c echo.Context, v visitor) error {
	next := localPath(c.QueryParam("next"))
	if v.SignedIn() {
		return seeOther(c, home(next))
	}
	return render(c, http.StatusOK, templates.SignInPage(h.page(c, v), templates.SignIn{Next: next}))
}

func (h *sessionPages) signIn(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	next := localPath(form.Get("next"))
	err = h.begin(c, form)
	if errors.Is(err, domain.ErrNotSignedIn) {
		return again(c, err, templates.SignInPage(h.page(c, v), templates.SignIn{
			Form: templates.Form{Message: "The name or the password is wrong."},
			Name: shown(form.Get("name")),
			Next: next,
		}))
	}
	if err != nil {
		return err
	}
	return seeOther(c, home(next))
}

// followLink signs in the visitor who opens a sign-in link. The link works once, so a
// copy of its address, in a browser's history or a log, is worth nothing.
func (h *sessionPages) followLink(c echo.Context, _ visitor) error {
	token, session, err := h.store.FollowSignInLink(c.Request().Context(), c.QueryParam("token"))
	if errors.Is(err, domain.ErrNotSignedIn) {
		h.sessions.logRefused(c, err)
		return explain(err, "This link does not work any more",
			"A sign-in link works once, and for an hour at most. Sign in with your name and password instead.")
	}
	if err != nil {
		return err
	}
	h.sessions.remember(c, token, session)
	return seeOther(c, templates.HomePath)
}

func (h *sessionPages) signOutForm(c echo.Context, v visitor) error {
	if !v.SignedIn() {
		return seeOther(c, templates.HomePath)
	}
	return render(c, http.StatusOK, templates.SignOutPage(h.page(c, v)))
}

func (h *sessionPages) signOut(c echo.Context, v visitor) error {
	if v.SignedIn() {
		if err := h.store.SignOut(c.Request().Context(), v.Token); err != nil {
			return err
		}
	}
	h.sessions.forget(c)
	return h.done(c, noticeSignedOut, templates.HomePath)
}

// begin signs in with the name and password of the form, and sets the session cookie.
func (h *sessionPages) begin(c echo.Context, form url.Values) error {
	_, err := h.sessions.begin(c, attemptOf(c, form))
	return err
}

func attemptOf(c echo.Context, form url.Values) storage.Attempt {
	return storage.Attempt{Name: form.Get("name"), Password: form.Get("password"), Address: c.RealIP()}
}

// home returns the page to show after signing in: next, or the home page.
func home(next string) string {
	if next == "" {
		return templates.HomePath
	}
	return next
}
