package web

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// makeUser makes an account, once if the request has an idempotency key.
func (s *server) makeUser(c echo.Context, r storage.SignUpRequest) (domain.User, bool, error) {
	if err := s.admit(r); err != nil {
		return domain.User{}, false, err
	}
	r.PerHour = s.SignUps
	user, made, err := s.store.Accounts.Create(c.Request().Context(), r)
	if err != nil {
		s.logRefused(c, err)
	}
	return user, made, err
}

// admit refuses a sign-up that this site does not take, whatever is in the store.
func (s *server) admit(r storage.SignUpRequest) error {
	switch {
	case s.Registration == domain.RegistrationClosed:
		return refuse(http.StatusForbidden, "Sign-up is closed", "This site makes no new accounts at the moment, with an invitation or without one.")
	case !s.Registration.Admits(r.Invitation != ""):
		return refuse(http.StatusForbidden, "Sign-up is by invitation", "An operator of this site makes invitations. Send the secret of one as “invitation”.")
	}
	// An operator’s account may be gone, or not be there yet: who took the name then would act for the site.
	if name, err := domain.ParseUserName(r.Name); err == nil && s.Operators.Has(name) {
		return fmt.Errorf("user %s: %w", name, domain.ErrOperatorName)
	}
	return nil
}

func (s *server) createUser(c echo.Context, _ visitor) error {
	var name, password, invitation string
	key, keyErr := idempotencyKey(c.Request().Header)
	err := readFields(c, required("name", &name), required("password", &password), optional("invitation", &invitation))
	if err := domain.JoinInvalid(keyErr, err); err != nil {
		return err
	}
	user, made, err := s.makeUser(c, storage.SignUpRequest{Attempt: attempt(c, name, password), Key: key, Invitation: invitation})
	return respond(c, err, madeStatus(made), userJSON{user.Name, apiTime(user.CreatedOn)})
}

// signUpForm shows the form, or says who may sign up. To open the link of an invitation does not use it:
// programs open links, too.
func (s *server) signUpForm(c echo.Context, v visitor) error {
	if c.QueryParam("invitation") != "" {
		hideAddress(c)
	}
	view := templates.SignUp{Next: localPath(c.QueryParam("next")), Begun: templates.ParseBegun(c.QueryParam("then")), Key: rand.Text(), Invitation: c.QueryParam("invitation")}
	switch {
	case v.SignedIn():
		return seeOther(c, cmp.Or(view.Next, templates.HomePath))
	case !s.Registration.Admits(view.Invitation != ""):
		return renderOnce(c, templates.NoSignUpPage(s.page(c, v), templates.NoSignUp{}))
	case view.Invitation != "":
		invitation, err := s.store.Accounts.Invitation(c.Request().Context(), view.Invitation)
		if errors.Is(err, domain.ErrInvitationOver) {
			return again(c, err, templates.NoSignUpPage(s.page(c, v), templates.NoSignUp{Over: true}))
		}
		if err != nil {
			return err
		}
		view.Until = invitation.ExpiresOn
	}
	return renderOnce(c, templates.SignUpPage(s.page(c, v), view))
}

// signUp makes an account and begins a session.
func (s *server) signUp(c echo.Context, v visitor, form url.Values) error {
	name, password, key, next := form.Get("name"), form.Get("password"), cmp.Or(form.Get("key"), rand.Text()), localPath(form.Get("next"))
	invitation := form.Get("invitation")
	begun := templates.ParseBegun(form.Get("then"))
	err := checkIdempotencyKey("key", key)
	if err == nil {
		_, _, err = s.makeUser(c, storage.SignUpRequest{Attempt: attempt(c, name, password), Key: key, Invitation: invitation})
	}
	if over := errors.Is(err, domain.ErrInvitationOver); over || !s.Registration.Admits(invitation != "") {
		return again(c, err, templates.NoSignUpPage(s.page(c, v), templates.NoSignUp{Over: over}))
	}
	if err != nil {
		refused, ok := formOf(err, "account")
		if !ok {
			return err
		}
		return again(c, err, templates.SignUpPage(s.page(c, v),
			templates.SignUp{Form: refused, Name: shown(name), Next: next, Begun: begun, Key: freshKey(key, err), Invitation: shown(invitation)}))
	}
	session, err := s.beginSession(c, v, name, password)
	if _, throttled := errors.AsType[*domain.ThrottledError](err); throttled || errors.Is(err, domain.ErrBusy) {
		// Too many sign-ins from this address failed, or too many sign in at this
		// moment, but the account exists.
		return s.done(c, nil, "signed-up", templates.SignInPath)
	}
	if err != nil {
		return err
	}
	return s.goOn(c, session.User, begun, cmp.Or(next, templates.HomePath))
}

// goOn does what a user began before they signed in, and then shows the page at the path. They are signed in also if that
// fails, and can do it there.
func (s *server) goOn(c echo.Context, user domain.UserName, begun templates.Begun, path string) error {
	if begun == (templates.Begun{}) {
		return seeOther(c, path)
	}
	notice, v := "subscribed", visitor{User: user}
	err := s.takeWrite(c, v)
	var in domain.Channel
	if err == nil {
		in, err = s.listedChannel(c, v, string(begun.Channel), string(begun.Incarnation))
	}
	switch {
	case err != nil:
	case begun.Post == "":
		err = s.join(c, v, in)
	default:
		notice, err = "voted", s.store.Posts.Vote(c.Request().Context(), in.Ref(), begun.Post, user)
	}
	if err != nil {
		s.Logger.WarnContext(c.Request().Context(), "could not do what was begun before the sign-in", slog.Any("error", err))
		notice = "not-done"
	}
	return s.done(c, nil, notice, path)
}

type sessionJSON struct {
	Token     string  `json:"token"`
	ExpiresOn apiTime `json:"expiresOn"`
}

func (s *server) createSession(c echo.Context, _ visitor) error {
	var name, password string
	if err := readFields(c, required("name", &name), required("password", &password)); err != nil {
		return err
	}
	token, session, err := s.signInAs(c, name, password)
	if errors.Is(err, domain.ErrNotSignedIn) {
		return refuse(http.StatusUnauthorized, "Wrong credentials", "The name or the password is wrong.")
	}
	if err == nil {
		exchangeOf(c).user = session.User
	}
	return respond(c, err, http.StatusCreated, sessionJSON{token, apiTime(session.ExpiresOn)})
}

func (s *server) signInForm(c echo.Context, v visitor) error {
	next := localPath(c.QueryParam("next"))
	if v.SignedIn() {
		return seeOther(c, cmp.Or(next, templates.HomePath))
	}
	return render(c, http.StatusOK, templates.SignInPage(s.page(c, v), templates.SignIn{Next: next, Begun: templates.ParseBegun(c.QueryParam("then"))}))
}

func (s *server) signIn(c echo.Context, v visitor, form url.Values) error {
	name, next, begun := form.Get("name"), localPath(form.Get("next")), templates.ParseBegun(form.Get("then"))
	began, err := s.beginSession(c, v, name, form.Get("password"))
	if errors.Is(err, domain.ErrNotSignedIn) {
		return again(c, err, templates.SignInPage(s.page(c, v), templates.SignIn{
			Form: templates.Form{Message: "The name or the password is wrong."}, Name: shown(name), Next: next, Begun: begun,
		}))
	}
	if err != nil {
		return err
	}
	if !began.Ends.IsZero() { // they can read and undo that, and nothing else
		return seeOther(c, templates.EraseAccountPath)
	}
	return s.goOn(c, began.User, begun, cmp.Or(next, templates.HomePath))
}

// followSignInLink signs in the visitor who opens a sign-in link. The link works once, so a
// copy of its address, in a browser's history or a log, is worth nothing.
func (s *server) followSignInLink(c echo.Context, v visitor) error {
	hideAddress(c)
	token, session, err := s.store.Accounts.FollowSignInLink(c.Request().Context(), c.QueryParam("token"))
	if errors.Is(err, domain.ErrNotSignedIn) {
		s.logRefused(c, err)
		return explain(err, "This link does not work any more",
			"A sign-in link works once, and for an hour at most. The site prints a new one each time it is started with --sample. Otherwise sign in with your name and password.")
	}
	if err != nil {
		return err
	}
	if err := s.remember(c, v, token, session); err != nil {
		return err
	}
	return seeOther(c, templates.HomePath)
}

// resetForm shows the form for a new password. To open the link does not use it: programs open links, too.
func (s *server) resetForm(c echo.Context, v visitor) error {
	hideAddress(c)
	view, err := s.readPasswordLink(c, c.QueryParam("token"))
	if err != nil {
		return err
	}
	return renderOnce(c, templates.ResetPage(s.page(c, v), view))
}

// readPasswordLink reads whose password the link with a token sets.
func (s *server) readPasswordLink(c echo.Context, token string) (templates.Reset, error) {
	user, err := s.store.Accounts.PasswordLinkUser(c.Request().Context(), token)
	return templates.Reset{For: user, Token: token}, s.explainLink(c, err)
}

// explainLink puts into words that a link sets no password any more.
func (s *server) explainLink(c echo.Context, err error) error {
	if !errors.Is(err, domain.ErrNotSignedIn) {
		return err
	}
	s.logRefused(c, err)
	return explain(err, "This link does not work any more",
		"Such a link works once, and for an hour at most. Ask the operator of this site for another.")
}

// resetPassword sets the new password.
func (s *server) resetPassword(c echo.Context, v visitor, form url.Values) error {
	token := form.Get("token")
	err := s.store.Accounts.ResetPassword(c.Request().Context(), token, form.Get("password"))
	if refused, ok := formOf(err, "password"); ok {
		view, unread := s.readPasswordLink(c, token)
		if unread != nil {
			return unread
		}
		view.Form = refused
		return again(c, err, templates.ResetPage(s.page(c, v), view))
	}
	return s.done(c, s.explainLink(c, err), "password-reset", templates.SignInPath)
}

func (s *server) signOutForm(c echo.Context, v visitor) error {
	if !v.SignedIn() {
		return seeOther(c, templates.HomePath)
	}
	return render(c, http.StatusOK, templates.SignOutPage(s.page(c, v)))
}

// leaveSession ends the visitor's session, if there is one.
func (s *server) leaveSession(c echo.Context, v visitor) error {
	if v.SignedIn() {
		if err := s.store.Accounts.SignOut(c.Request().Context(), v.Token); err != nil {
			return err
		}
	}
	s.forget(c)
	return nil
}

// leaveSessions ends all sessions of the visitor.
func (s *server) leaveSessions(c echo.Context, v visitor) error {
	err := s.store.Accounts.EndSessions(c.Request().Context(), v.User)
	if err == nil {
		s.forget(c)
	}
	return err
}

func (s *server) setPassword(c echo.Context, v visitor, old, replacement string) error {
	return s.store.Accounts.ChangePassword(c.Request().Context(), v.Token, attempt(c, string(v.User), old), replacement)
}

func (s *server) replacePassword(c echo.Context, v visitor) error {
	var old, replacement string
	if err := readFields(c, required("old", &old), required("new", &replacement)); err != nil {
		return err
	}
	return respondNothing(c, s.setPassword(c, v, old, replacement))
}

// showAccount also says if an operator has made the link with which the password was set.
func (s *server) showAccount(c echo.Context, v visitor) error {
	user, err := s.store.Accounts.Get(c.Request().Context(), v.User)
	view := templates.Account{Ends: v.Ends, Undo: s.UndoAccount, ResetBy: user.ResetBy, ResetOn: user.ResetOn}
	return show(s, c, v, err, templates.AccountPage, view)
}

// changeAccount handles the forms on the page of the account.
func (s *server) changeAccount(c echo.Context, v visitor, form url.Values) error {
	switch form.Get("action") {
	case "password":
		err := s.setPassword(c, v, form.Get("old"), form.Get("new"))
		if refused, ok := formOf(err, "password"); ok {
			return again(c, err, templates.AccountPage(s.page(c, v), templates.Account{Form: refused, Ends: v.Ends, Undo: s.UndoAccount}))
		}
		return s.done(c, err, "password-changed", templates.AccountPath)
	case "end-sessions":
		return s.done(c, s.leaveSessions(c, v), "sessions-ended", templates.SignInPath)
	}
	return unknownAction()
}
