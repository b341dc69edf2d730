package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
)

const sessionsPath = "/sessions"

// sessionsAPI signs users in and out.
type sessionsAPI struct {
	store    *storage.Store
	sessions *sessions
}

func (a *sessionsAPI) routes(r router) {
	r.Add(http.MethodPost, sessionsPath, a.create)
	r.Add(http.MethodDelete, sessionsPath, a.sessions.closed(a.endAll))
	r.Add(http.MethodDelete, "/sessions/current", a.sessions.closed(a.end))
}

type sessionJSON struct {
	Token     string  `json:"token"`
	ExpiresOn apiTime `json:"expiresOn"`
}

func (a *sessionsAPI) create(c echo.Context) error {
	var name, password string
	if err := readFields(c, required("name", &name), required("password", &password)); err != nil {
		return err
	}
	token, session, err := a.store.SignIn(c.Request().Context(),
		storage.Attempt{Name: name, Password: password, Address: c.RealIP()})
	if err != nil {
		a.sessions.logRefused(c, err)
	}
	if errors.Is(err, domain.ErrNotSignedIn) {
		return refuse(http.StatusUnauthorized, "Wrong credentials", "The name or the password is wrong.")
	}
	if err != nil {
		return err
	}
	c.Set(userKey, session.User)
	return respond(c, http.StatusCreated, sessionJSON{Token: token, ExpiresOn: apiTime(session.ExpiresOn)})
}

func (a *sessionsAPI) endAll(c echo.Context, v visitor) error {
	if err := a.store.EndSessions(c.Request().Context(), v.User); err != nil {
		return err
	}
	a.sessions.forget(c)
	return c.NoContent(http.StatusNoContent)
}

func (a *sessionsAPI) end(c echo.Context, v visitor) error {
	if err := a.store.SignOut(c.Request().Context(), v.Token); err != nil {
		return err
	}
	a.sessions.forget(c)
	return c.NoContent(http.StatusNoContent)
}
