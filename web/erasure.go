package web

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

// The words of a request to delete an account for what becomes of the posts elsewhere.
const (
	postsDelete = "delete"
	postsKeep   = "keep"
)

// requestErasure asks for the deletion of the visitor's account. Every session of theirs ends.
func (s *server) requestErasure(c echo.Context, v visitor, password, posts string) (domain.Erasure, error) {
	if posts != postsDelete && posts != postsKeep {
		return domain.Erasure{}, domain.Invalid("posts", `must be "delete" or "keep"`)
	}
	asked, err := s.store.Accounts.Delete(c.Request().Context(), attempt(c, string(v.User), password), posts == postsKeep)
	return asked, s.findLeaving(c, err)
}

func (s *server) undoErasure(c echo.Context, v visitor) error {
	_, err := s.store.Accounts.Undo(c.Request().Context(), v.User, v.actor())
	return s.findLeaving(c, err)
}

// findLeaving lets this process know what a request has changed, if it succeeded. If that fails, the process knows it
// when it looks again.
func (s *server) findLeaving(c echo.Context, err error) error {
	if err == nil {
		if unread := s.store.Accounts.FindLeaving(c.Request().Context()); unread != nil {
			s.logFailure(c, slog.LevelWarn, "could not read which accounts are being deleted", unread)
		}
	}
	return err
}

// erasureJSON is the state of an account. An account that is not being deleted has only the state.
type erasureJSON struct {
	State         string  `json:"state"`
	Posts         string  `json:"posts,omitempty"`
	RequestedOn   apiTime `json:"requestedOn,omitzero"`
	UndoableUntil apiTime `json:"undoableUntil,omitzero"`
}

func newErasureJSON(e domain.Erasure) erasureJSON {
	if e.State == domain.AccountActive {
		return erasureJSON{State: "active"}
	}
	posts := postsDelete
	if e.KeepPosts {
		posts = postsKeep
	}
	return erasureJSON{string(e.State), posts, apiTime(e.RequestedOn), apiTime(e.UndoableUntil)}
}

func (s *server) eraseAccount(c echo.Context, v visitor) error {
	var password, posts string
	if err := readFields(c, required("password", &password), required("posts", &posts)); err != nil {
		return err
	}
	asked, err := s.requestErasure(c, v, password, posts)
	if err == nil {
		s.forget(c)
		c.Response().Header().Set(echo.HeaderLocation, apiPrefix+templates.EraseAccountPath)
	}
	return respond(c, err, http.StatusAccepted, newErasureJSON(asked))
}

func (s *server) readErasure(c echo.Context, v visitor) error {
	erasure, err := s.store.Accounts.Erasure(c.Request().Context(), v.User)
	return respond(c, err, http.StatusOK, newErasureJSON(erasure))
}

// eraseAccountForm shows the form, or how far a deletion has come: to a visitor who has its address,
// since its user is not signed in any more.
func (s *server) eraseAccountForm(c echo.Context, v visitor) error {
	view := s.erasure(v, templates.Form{})
	if address := c.QueryParam("of"); address != "" && !v.SignedIn() {
		name, id, _ := strings.Cut(address, ".")
		user, unnamed := domain.ParseUserName(name)
		incarnation, unknown := domain.ParseIncarnation(id)
		if unnamed != nil || unknown != nil {
			return domain.ErrNotFound
		}
		of := domain.Erasure{User: user, ID: incarnation}
		d, err := s.store.Deletions.Get(c.Request().Context(), of.Ref(), domain.By(of.User))
		if err != nil {
			return err
		}
		view.Progress = &d
	}
	return render(c, http.StatusOK, templates.ErasurePage(s.page(c, v), view))
}

func (s *server) erasure(v visitor, refused templates.Form) templates.Erasure {
	return templates.Erasure{Form: refused, Ends: v.Ends, Undo: s.UndoAccount}
}

// eraseAccountByForm handles the form on that page.
func (s *server) eraseAccountByForm(c echo.Context, v visitor, form url.Values) error {
	switch form.Get("action") {
	case "undo":
		return s.done(c, s.undoErasure(c, v), "account-kept", templates.AccountPath)
	case "delete":
	default:
		return unknownAction()
	}
	asked, err := s.requestErasure(c, v, form.Get("password"), form.Get("posts"))
	if refused, ok := formOf(err, "account"); ok {
		refused.Message = "Nothing was deleted. Please fix what is marked below."
		view := s.erasure(v, refused)
		view.Posts = form.Get("posts")
		return again(c, err, templates.ErasurePage(s.page(c, v), view))
	}
	if err == nil {
		s.forget(c)
	}
	return s.done(c, err, "account-ends", templates.ErasurePath(asked))
}
