package web

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/storage"
	"microblogging/templates"
)

// userPages change the password of an account and end its sessions.
type userPages struct {
	*pages
	store *storage.Store
}

func (h *userPages) routes(r router) {
	get(r, templates.AccountPath, h.closed(h.show))
	r.Add(http.MethodPost, templates.AccountPath, h.closed(h.change))
}

func (h *userPages) show(c echo.Context, v visitor) error {
	return render(c, http.StatusOK, templates.AccountPage(h.page(c, v), templates.Account{}))
}

func (h *userPages) change(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	switch form.Get("action") {
	case "password":
		return h.changePassword(c, v, form)
	case "end-sessions":
		return h.endSessions(c, v)
	}
	return unknownAction()
}

func (h *userPages) changePassword(c echo.Context, v visitor, form url.Values) error {
	attempt := storage.Attempt{Name: string(v.User), Password: form.Get("old"), Address: c.RealIP()}
	err := h.store.ChangePassword(c.Request().Context(), v.Token, attempt, form.Get("new"))
	if err == nil {
		return h.done(c, noticePasswordChanged, templates.AccountPath)
	}
	refused, ok := formOf(err)
	if !ok {
		return err
	}
	return again(c, err, templates.AccountPage(h.page(c, v), templates.Account{Form: refused}))
}

func (h *userPages) endSessions(c echo.Context, v visitor) error {
	if err := h.store.EndSessions(c.Request().Context(), v.User); err != nil {
		return err
	}
	h.sessions.forget(c)
	return h.done(c, noticeSessionsEnded, templates.SignInPath)
}
