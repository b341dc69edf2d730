package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

// forOperators makes a handler one for operators. Any other visitor gets domain.ErrForbidden.
func forOperators(h handler) handler {
	return func(c echo.Context, v visitor) error {
		if err := mayOperate(v); err != nil {
			return err
		}
		return h(c, v)
	}
}

func mayOperate(v visitor) error {
	if !v.actor().May(domain.OperateSite, domain.Object{}) {
		return explain(domain.ErrForbidden, "This is for operators", "Only operators of this site can use it.")
	}
	return nil
}

// logAct writes what an operator did, and to whom. It holds no secret.
func (s *server) logAct(c echo.Context, by domain.UserName, act string, whom domain.UserName, more ...any) {
	attrs := append([]any{"act", act, "operator", by}, more...)
	if whom != "" {
		attrs = append(attrs, "account", whom)
	}
	s.Logger.InfoContext(c.Request().Context(), "operator acted", attrs...)
}

// ofOthers returns the user that the path or a form names, whom operators may shut out. Of another operator that is for
// the command line: an operator whose password is stolen must not shut out the others.
func (s *server) ofOthers(name string) (domain.UserName, error) {
	user, err := domain.ParseUserName(name)
	switch {
	case err != nil:
		return "", domain.ErrNotFound
	case s.Operators.Has(user):
		return "", refuse(http.StatusForbidden, "The account of an operator",
			"Nothing was changed. Who runs this site can do this on its command line: microblogging user.")
	}
	return user, nil
}

type accountJSON struct {
	Name      domain.UserName `json:"name"`
	CreatedOn apiTime         `json:"createdOn"`
	Closing   bool            `json:"closing"`
	// ByOperator is absent unless an operator has closed the account, which operators can undo.
	ByOperator bool `json:"byOperator,omitempty"`
}

// listAccounts lists accounts for an operator, the newest first.
func (s *server) listAccounts(c echo.Context, _ visitor) error {
	limit, limitErr := queryLimit(c, "contains", "order")
	text, err := queryContains(c)
	if err := domain.JoinInvalid(limitErr, err); err != nil {
		return err
	}
	found, err := s.store.Accounts.ListNewest(c.Request().Context(), text, c.QueryParam("after"), limit)
	return respondList(c, err, found, func(u domain.User) accountJSON {
		return accountJSON{u.Name, apiTime(u.CreatedOn), u.Leaves(), u.Closed}
	})
}

func (s *server) closeAccount(c echo.Context, v visitor, name, posts string) (domain.Erasure, error) {
	user, err := s.ofOthers(name)
	if err == nil && posts != postsDelete && posts != postsKeep {
		err = domain.Invalid("posts", `must be "delete" or "keep"`)
	}
	if err != nil {
		return domain.Erasure{}, err
	}
	asked, err := s.store.Accounts.Close(c.Request().Context(), user, v.actor(), posts == postsKeep)
	switch {
	case err != nil:
	case asked.ByOperator != "":
		s.logAct(c, v.User, "close account", user, "posts", posts)
	case asked.State == domain.AccountPending, asked.State == domain.AccountErasing:
		detail := "Nothing was changed. The user has asked for the deletion already"
		if asked.UndoableUntil.After(time.Now()) {
			detail += ", and can undo it until " + asked.UndoableUntil.UTC().Format(time.RFC3339)
		}
		err = refuse(http.StatusConflict, "The user is deleting this account", detail+".")
	}
	return asked, s.findLeaving(c, err)
}

// openAccount also opens that of another operator, which the command line has closed: it shuts out no user.
func (s *server) openAccount(c echo.Context, v visitor, name string) (domain.UserName, error) {
	user, err := domain.ParseUserName(name)
	if err != nil {
		return user, domain.ErrNotFound
	}
	undone, err := s.store.Accounts.Undo(c.Request().Context(), user, v.actor())
	if err == nil && undone.ID != "" {
		s.logAct(c, v.User, "open account", user)
	}
	return user, s.findLeaving(c, err)
}

func (s *server) requestClosing(c echo.Context, v visitor) error {
	var posts string
	if err := readFields(c, required("posts", &posts)); err != nil {
		return err
	}
	asked, err := s.closeAccount(c, v, pathParam(c, "user"), posts)
	c.Response().Header().Set(echo.HeaderLocation, apiPrefix+"/users?order=created&contains="+string(asked.User))
	return respond(c, err, http.StatusAccepted, newErasureJSON(asked))
}

func (s *server) undoClosing(c echo.Context, v visitor) error {
	_, err := s.openAccount(c, v, pathParam(c, "user"))
	return err
}

// A linkJSON is a link that is shown once.
type linkJSON struct {
	URL       string  `json:"url"`
	ExpiresOn apiTime `json:"expiresOn"`
}

// passwordLink makes a link that sets a new password of a user.
func (s *server) passwordLink(c echo.Context, v visitor, name string) (user domain.UserName, link string, expires time.Time, err error) {
	c.Response().Header().Set(echo.HeaderCacheControl, noStore)
	if user, err = s.ofOthers(name); err != nil {
		return user, "", expires, err
	}
	token, expires, err := s.store.Accounts.PasswordLink(c.Request().Context(), user, v.actor())
	if err == nil {
		s.logAct(c, v.User, "make password link", user)
	}
	return user, s.origin(c.Request()) + templates.ResetPath + "?token=" + token, expires, err
}

func (s *server) createPasswordLink(c echo.Context, v visitor) error {
	_, link, expires, err := s.passwordLink(c, v, pathParam(c, "user"))
	return respond(c, err, http.StatusCreated, linkJSON{link, apiTime(expires)})
}

type invitationJSON struct {
	ID        string          `json:"id"`
	By        domain.UserName `json:"by"`
	CreatedOn apiTime         `json:"createdOn"`
	ExpiresOn apiTime         `json:"expiresOn"`
	// UsedBy is absent while the invitation can be used.
	UsedBy domain.UserName `json:"usedBy,omitempty"`
}

func (s *server) listInvitations(c echo.Context, _ visitor) error {
	limit, err := queryLimit(c)
	if err != nil {
		return err
	}
	found, err := s.store.Accounts.ListInvitations(c.Request().Context(), c.QueryParam("after"), limit)
	return respondList(c, err, found, func(i domain.Invitation) invitationJSON {
		return invitationJSON{i.ID, i.By, apiTime(i.CreatedOn), apiTime(i.ExpiresOn), i.UsedBy}
	})
}

// invite makes an invitation, and returns its link.
func (s *server) invite(c echo.Context, v visitor) (link string, made domain.Invitation, err error) {
	c.Response().Header().Set(echo.HeaderCacheControl, noStore)
	secret, made, err := s.store.Accounts.Invite(c.Request().Context(), v.User)
	if err == nil {
		s.logAct(c, v.User, "make invitation", "", "invitation", made.ID)
	}
	return s.origin(c.Request()) + templates.InvitationPath(secret), made, err
}

func (s *server) createInvitation(c echo.Context, v visitor) error {
	link, made, err := s.invite(c, v)
	return respond(c, err, http.StatusCreated, linkJSON{link, apiTime(made.ExpiresOn)})
}

func (s *server) revokeInvitation(c echo.Context, v visitor, id string) error {
	err := s.store.Accounts.RevokeInvitation(c.Request().Context(), id)
	if err == nil {
		s.logAct(c, v.User, "take back invitation", "", "invitation", id)
	}
	return err
}

func (s *server) deleteInvitation(c echo.Context, v visitor) error {
	return s.revokeInvitation(c, v, pathParam(c, "id"))
}

// removedByOperator logs that an operator removed a post that is not theirs.
func (s *server) removedByOperator(c echo.Context, v visitor, in domain.Channel, post domain.Blog) {
	if by := v.actor().ByOperator(domain.RemovePost, domain.Object{Author: post.UserID, Owner: in.Owner}); by != "" {
		s.logAct(c, by, "remove post", post.UserID, "channel", in.Name, "post", post.ID)
	}
}

// authorOf reads the post that an operator removes, for the log. A post that is not there is empty.
func (s *server) authorOf(c echo.Context, v visitor, in domain.Channel, id domain.BlogID) (domain.Blog, error) {
	if !v.Operator || v.User == in.Owner {
		return domain.Blog{UserID: v.User}, nil
	}
	post, err := s.store.Posts.Get(c.Request().Context(), in.Ref(), id)
	if errors.Is(err, domain.ErrNotFound) {
		err = nil
	}
	return post, err
}

// actedOn logs what an operator did to a channel of another user.
func (s *server) actedOn(c echo.Context, act string, v visitor, channel domain.Channel) {
	if by := v.actor().ByOperator(domain.DeleteChannel, domain.Object{Owner: channel.Owner}); by != "" {
		s.logAct(c, by, act, channel.Owner, "channel", channel.Name)
	}
}

func (s *server) showOperator(c echo.Context, v visitor) error {
	text, err := queryContains(c)
	if err != nil {
		return err
	}
	view := templates.Operating{Contains: text, Operators: s.Operators, Undo: s.UndoAccount, Part: templates.Part{After: c.QueryParam("after")}}
	if s.LastBackup != nil {
		view.Backups = true
		if on, unread := s.LastBackup(); unread == nil { // otherwise the metrics tell
			view.LastBackup = on
		}
	}
	if view.Waiting, err = s.store.Deletions.Poisoned(c.Request().Context(), templates.MaxWaiting); err != nil {
		return err
	}
	page, err := s.store.Accounts.ListNewest(c.Request().Context(), text, view.After, pageSize)
	if refused, ok := formOf(err, "account"); ok && view.After == "" {
		view.Form = refused
		return again(c, err, templates.OperatorPage(s.page(c, v), view))
	}
	view.Accounts, view.Next = page.Items, page.Next
	if name, invalid := domain.ParseUserName(text); err == nil && invalid == nil && view.After == "" {
		view.Accounts, err = s.exactFirst(c, name, view.Accounts)
	}
	return show(s, c, v, err, templates.OperatorPage, view)
}

// exactFirst puts the account of that name before those whose names contain it, which may be many.
func (s *server) exactFirst(c echo.Context, name domain.UserName, others []domain.User) ([]domain.User, error) {
	exact, err := s.store.Accounts.Get(c.Request().Context(), name)
	if errors.Is(err, domain.ErrNotFound) {
		return others, nil
	}
	return append([]domain.User{exact}, slices.DeleteFunc(others, func(u domain.User) bool { return u.Name == name })...), err
}

// operateByForm handles the forms on that page.
func (s *server) operateByForm(c echo.Context, v visitor, form url.Values) error {
	if err := mayOperate(v); err != nil {
		return err
	}
	switch name := form.Get("user"); form.Get("action") {
	case "link":
		user, link, expires, err := s.passwordLink(c, v, name)
		if err != nil {
			return err
		}
		return renderOnce(c, templates.PasswordLinkPage(s.page(c, v), templates.PasswordLink{For: user, Link: link, Until: expires}))
	case "close":
		asked, err := s.closeAccount(c, v, name, form.Get("posts"))
		return s.done(c, err, "account-closed", templates.OperatorPath, string(asked.User))
	case "open":
		user, err := s.openAccount(c, v, name)
		return s.done(c, err, "account-opened", templates.OperatorPath, string(user))
	}
	return unknownAction()
}

func (s *server) showInvitations(c echo.Context, v visitor) error {
	view, err := s.invitations(c)
	return show(s, c, v, err, templates.InvitationsPage, view)
}

func (s *server) invitations(c echo.Context) (view templates.Invitations, err error) {
	view.After = c.QueryParam("after")
	page, err := s.store.Accounts.ListInvitations(c.Request().Context(), view.After, pageSize)
	view.Items, view.Next = page.Items, page.Next
	return view, err
}

// inviteByForm handles the forms on that page.
func (s *server) inviteByForm(c echo.Context, v visitor, form url.Values) error {
	if err := mayOperate(v); err != nil {
		return err
	}
	switch form.Get("action") {
	case "revoke":
		return s.done(c, s.revokeInvitation(c, v, form.Get("id")), "invitation-revoked", templates.OperatorInvitationsPath)
	case "invite":
	default:
		return unknownAction()
	}
	link, made, err := s.invite(c, v)
	if err != nil {
		return err
	}
	view, err := s.invitations(c)
	if err != nil {
		return err
	}
	view.Link, view.Until = link, made.ExpiresOn
	return renderOnce(c, templates.InvitationsPage(s.page(c, v), view))
}
