package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// The credentials that the page of a refused draft adds to its form. No form for text
// has fields of these names.
const (
	credentialName     = "sign-in-name"
	credentialPassword = "sign-in-password"
)

// maxRest is how many fields that nobody sees a page writes into the form of a draft. No
// form has as many. It bounds the page: an empty field takes ten times as much room there
// as in a request.
const maxRest = 16

// draftKey is the key of a *draft in the echo.Context of a request that sent one.
const draftKey = "web.draft"

// A draft is what somebody typed into a form. It is kept beside its request, so that
// the page that refuses the request can show it again.
type draft struct {
	kind   templates.DraftKind
	action string
	form   url.Values
}

// drafting is closed for a form that takes text. Whatever refuses the text, the answer
// shows it again. A form may carry credentials: then its author signs in by it, and the
// handler goes on for them.
func (p *pages) drafting(kind templates.DraftKind, h visitorHandler) echo.HandlerFunc {
	return p.route(func(c echo.Context) (visitor, error) { return p.writer(c, kind) }, h)
}

// writer returns the visitor who sent a form for text. It returns an error if that is
// nobody, or not the user for whom the form was shown.
func (p *pages) writer(c echo.Context, kind templates.DraftKind) (visitor, error) {
	form, unread := readForm(c)
	d := &draft{kind, c.Request().URL.EscapedPath(), form}
	typed := unread == nil && slices.ContainsFunc(kind.Fields(), form.Has)
	if typed {
		c.Set(draftKey, d)
	}
	v, err := p.sessions.visitor(c)
	if err == nil && errors.Is(unread, domain.ErrBusy) {
		err = unread // or else it would seem that nobody is signed in
	}
	if err == nil && !v.SignedIn() {
		v, err = p.signInToWrite(c, d, typed)
	}
	if err == nil {
		err = unread
	}
	if author := form.Get("user"); err == nil && typed && author != "" && author != string(v.User) {
		err = refuse(http.StatusConflict, "You are signed in as "+string(v.User)+" now",
			"The form was opened by "+shown(author)+", so it was not sent. Nothing was saved. If you want to send it under your name, do so below.")
	}
	return v, err
}

// signInToWrite begins a session with the credentials that the draft's form carries. It
// returns domain.ErrNotSignedIn if it carries none. The form must say who its author
// was: nothing is sent in the name of another user.
func (p *pages) signInToWrite(c echo.Context, d *draft, typed bool) (visitor, error) {
	if !typed || !d.signsIn() {
		return visitor{}, domain.ErrNotSignedIn
	}
	v, err := p.sessions.begin(c, storage.Attempt{
		Name: d.form.Get(credentialName), Password: d.form.Get(credentialPassword), Address: c.RealIP()})
	if err == nil && d.form.Get("user") == "" {
		err = refuse(http.StatusConflict, "You are signed in as "+string(v.User),
			"The form did not say who wrote it, so it was not sent yet. Nothing was saved. Send it again.")
	}
	return v, err
}

// signsIn reports whether the draft's form carries credentials.
func (d *draft) signsIn() bool { return d.form.Has(credentialName) || d.form.Has(credentialPassword) }

// keptDraft returns the draft of the request for the page that refuses it with the
// problem, or nil if the request has none.
func keptDraft(c echo.Context, v visitor, cause problem, err error) *templates.KeptDraft {
	d, ok := c.Get(draftKey).(*draft)
	if !ok {
		return nil
	}
	kept := &templates.KeptDraft{Kind: d.kind, Action: d.action, Values: map[string]string{}, User: string(v.User)}
	for _, name := range d.kind.Fields() {
		kept.Values[name] = typedText(d.form.Get(name))
	}
	for name := range d.form {
		if _, visible := kept.Values[name]; !visible && name != credentialName && name != credentialPassword && name != "user" {
			kept.Rest = append(kept.Rest, templates.Hidden{Name: shown(name), Value: shown(d.form.Get(name))})
		}
	}
	if len(kept.Rest) > maxRest {
		kept.Rest = nil // it was none of our forms
	}
	kept.Refill = refillPath(d.kind, v, err)
	slices.SortFunc(kept.Rest, func(a, b templates.Hidden) int { return strings.Compare(a.Name, b.Name) })
	switch {
	case !v.SignedIn() && (cause.Status == http.StatusUnauthorized || d.signsIn()):
		kept.Send, kept.SignIn = true, true
		kept.User, kept.Name = shown(d.form.Get("user")), shown(d.form.Get("user"))
		if d.signsIn() {
			kept.Name = shown(d.form.Get(credentialName))
		}
		if errors.Is(err, domain.ErrNotSignedIn) && d.signsIn() {
			kept.Message = "The name or the password is wrong."
		}
	case !v.SignedIn(): // the store did not say who it is
		kept.Send, kept.User = true, shown(d.form.Get("user"))
	default:
		if author := shown(d.form.Get("user")); author != kept.User {
			kept.Other = author
		}
		kept.Send = cause.Status >= http.StatusInternalServerError ||
			cause.Status == http.StatusTooManyRequests || cause.Status == http.StatusConflict
	}
	return kept
}

// typedText is what somebody typed, as a page can show it again. Browsers send CRLF; the
// fields of a page have LF.
func typedText(s string) string { return strings.ReplaceAll(shown(s), "\r\n", "\n") }

// draftWords returns what the page of a refused draft says, and a link to why it was
// refused. A channel that is being deleted is marked, but its gate may still be open. Without a title, the problem keeps its own words.
func (p *pages) draftWords(c echo.Context, failed failure, cause problem) (title, detail string, links []templates.Link) {
	d, ok := c.Get(draftKey).(*draft)
	if !ok {
		return "", "", nil
	}
	if title, detail, links := misplacedWords(d.kind, failed.err); title != "" {
		return title, detail, links
	}
	switch cause.Status {
	case http.StatusUnauthorized:
		return "You are not signed in any more",
			"Nothing was saved yet, and nothing is lost: what you wrote is below. Sign in there, and it is sent.", nil
	case http.StatusNotFound:
		return "The channel has been deleted",
			"It was deleted while you wrote. " + d.kind.Refused() + " What you wrote is below.", p.gate(c, failed.visitor, d)
	case http.StatusGone:
		return "The channel is being deleted",
			"It is marked as being deleted. " + d.kind.Refused() + " What you wrote is below.", p.gate(c, failed.visitor, d)
	}
	return "", "", nil
}

// gate links to why a channel took no draft: to the deletion, for the user who asked
// for it, and to the explanation for others.
func (p *pages) gate(c echo.Context, v visitor, d *draft) []templates.Link {
	explained := []templates.Link{{Label: "How its gate keeps late writes out", URL: templates.LearnGatePath, Aside: true}}
	name, err := channelName(c)
	if err != nil {
		return explained
	}
	i, err := domain.ParseIncarnation(d.form.Get("incarnation"))
	if err != nil {
		return explained
	}
	deletion, err := p.deletions.Deletion(c.Request().Context(), domain.ChannelRef{Key: name.Key(), Incarnation: i}, v.User)
	if err != nil {
		return explained // it is another's, or the store does not answer: this page needs neither
	}
	return []templates.Link{{
		Label: "The deletion that refused it",
		URL:   templates.DeletionPath(string(deletion.Name), string(deletion.Channel.Incarnation)),
		Aside: true,
	}}
}
