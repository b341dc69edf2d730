package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
)

const (
	usersPath    = "/users"
	passwordPath = "/users/me/password"
)

// usersAPI makes accounts and changes passwords.
type usersAPI struct {
	store    *storage.Store
	sessions *sessions
	// signUps is how many accounts one client may make in an hour.
	signUps int
}

func (a *usersAPI) routes(r router) {
	r.Add(http.MethodPost, usersPath, a.create)
	r.Add(http.MethodPut, passwordPath, a.sessions.closed(a.changePassword))
}

type userJSON struct {
	Name      domain.UserName `json:"name"`
	CreatedOn apiTime         `json:"createdOn"`
}

func (a *usersAPI) create(c echo.Context) error {
	var name, password string
	key, keyErr := optionalIdempotencyKey(c.Request().Header)
	if err := domain.JoinInvalid(keyErr, readFields(c, required("name", &name), required("password", &password))); err != nil {
		return err
	}
	user, made, err := a.store.SignUpOnce(c.Request().Context(), storage.SignUpRequest{
		Attempt: storage.Attempt{Name: name, Password: password, Address: c.RealIP()},
		Key:     key,
		PerHour: a.signUps,
	})
	if err != nil {
		a.sessions.logRefused(c, err)
		return err
	}
	status := http.StatusOK
	if made {
		status = http.StatusCreated
	}
	return respond(c, status, userJSON{Name: user.Name, CreatedOn: apiTime(user.CreatedOn)})
}

func (a *usersAPI) changePassword(c echo.Context, v visitor) error {
	var old, replacement string
	if err := readFields(c, required("old", &old), required("new", &replacement)); err != nil {
		return err
	}
	attempt := storage.Attempt{Name: string(v.User), Password: old, Address: c.RealIP()}
	if err := a.store.ChangePassword(c.Request().Context(), v.Token, attempt, replacement); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
