package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

// problemPage shows why the request failed, and links to where to go from here.
func (s *server) problemPage(c echo.Context, err error, cause problem) error {
	v := s.failedVisitor(c, cause.Status)
	view := cause.Problem
	if _, worded := errors.AsType[*templates.Refusal](err); !worded {
		view.Title, view.Detail, view.Links = s.draftText(c, err, cause)
	}
	if view.Title == "" {
		view.Title, view.Detail = problemText(c, cause)
	}
	if errors.Is(err, domain.ErrAccountClosed) && s.site.Contact != "" {
		view.Detail += " Ask " + s.site.Contact + "."
	}
	if link, ok := wayBack(c, v, err); ok {
		view.Links = append(view.Links, link)
	}
	if errors.Is(err, domain.ErrAccountEnds) && len(view.Links) == 0 {
		view.Links = []templates.Link{{Label: "Undo the deletion of your account", URL: templates.EraseAccountPath, Aside: exchangeOf(c).draft != nil}}
	}
	page := s.page(c, v)
	view.Kept = keptDraft(c, v, err, cause)
	if body, counted := c.Request().Body.(*countedBody); counted && view.Kept != nil && !body.hold(view.Kept.Bytes()) {
		view.Kept = nil // there are too many that no client reads; the browser still has the form
	}
	if cause.Status == http.StatusUnauthorized && view.Kept == nil {
		view.SignIn = &templates.SignIn{}
		if page.Path != templates.SignInPath {
			view.SignIn.Next = page.Path
		}
	}
	return render(c, cause.Status, templates.ProblemPage(page, view))
}

// wayBack is a link to the channel that the request was about, if it was read and still is, to the one that has its
// name now, or to its deletion for who may undo that: the channel's address may be all that an operator has.
func wayBack(c echo.Context, v visitor, err error) (templates.Link, bool) {
	x := exchangeOf(c)
	replaced, isReplaced := errors.AsType[*domain.ReplacedError](err)
	pending, isPending := errors.AsType[*domain.PendingError](err)
	switch {
	case isPending && v.actor().May(domain.DeleteChannel, domain.Object{Owner: pending.Channel.Owner}):
		return templates.Link{
			Label: "See its deletion", URL: templates.DeletionPath(pending.Channel.Name, pending.Channel.Incarnation), Aside: x.draft != nil,
		}, true
	case isReplaced && x.draft == nil: // a draft has its own link
		return readNew(replaced.Current), true
	case x.channel.Name != "" && !errors.Is(err, domain.ErrGone) && !isReplaced:
		return templates.Link{Label: "Back to " + string(x.channel.Name), URL: templates.ChannelPath(x.channel.Name)}, true
	}
	return templates.Link{}, false
}

// failedVisitor returns the visitor whose handler failed. If the request reached no handler, it
// finds the visitor, so that the page can still greet a user. After a 5xx it does not ask the
// store, which may be what failed, nor under a name that is not the site's, nor for a page of another
// package, which has asked.
func (s *server) failedVisitor(c echo.Context, status int) visitor {
	switch x := exchangeOf(c); {
	case x.visitor != nil:
		return *x.visitor
	case status >= http.StatusInternalServerError || status == http.StatusMisdirectedRequest || s.isOther(c):
		return visitor{}
	}
	v, err := s.visitor(c)
	if err != nil {
		return visitor{} // the page reports the first failure, and greets no user
	}
	return v
}

// problemText returns the words of a problem for people. They are empty if the
// page's general words for the status say as much.
func problemText(c echo.Context, p problem) (title, detail string) {
	read := isRead(c.Request().Method)
	switch {
	case p.Type == misconfiguredType:
		return p.Title, p.Detail
	case p.Status == http.StatusUnauthorized && !read:
		return "You are not signed in any more", "Nothing was done. Sign in, and then do it again."
	case p.Status == http.StatusForbidden && read && p.Detail == "":
		return "This is not yours", "Only its owner can open this page."
	case p.Status == http.StatusRequestEntityTooLarge && !read:
		return "", "One form holds at most 64 KiB. Nothing was saved. Go back with your browser: what you wrote is still in the form. Make it shorter there."
	case p.Status == http.StatusUnprocessableEntity && read:
		return "This address does not work", "It is from another page, or was changed on its way here. This is what is wrong with it:"
	case p.Status == http.StatusServiceUnavailable && p.Type != busyType && !read && p.Detail != "":
		return "", p.Detail
	case p.Status == http.StatusServiceUnavailable && p.Type != busyType && !read:
		return "", "What you sent may or may not have been saved. Reload this page to send it again: nothing is made twice."
	case p.Status == http.StatusUnauthorized, p.Status == http.StatusNotFound, p.Detail == "",
		p.Status >= http.StatusInternalServerError && p.Type != busyType:
		return "", ""
	}
	return p.Title, p.Detail
}
