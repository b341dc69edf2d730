package web

import (
	"errors"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

// A draft is what a user typed into a form. Its request's exchange has it, so that the page that
// refuses the request can show it again.
type draft struct {
	kind   templates.DraftKind
	action string
	form   url.Values
}

// drafting makes the handler of a form that takes text a route. Whatever refuses the text, the
// answer shows it again.
func (s *server) drafting(kind templates.DraftKind, h formHandler) echo.HandlerFunc {
	return s.route(func(c echo.Context) (visitor, error) {
		form, unread := readForm(c)
		v, err := s.author(c, kind, form, unread)
		if err == nil {
			err = s.takeWrite(c, v)
		}
		if err == nil {
			err = h(c, v, form)
		}
		return v, err
	})
}

// author returns the visitor who sent a form for text. It returns an error if the visitor
// is not signed in, or is not the user for whom the form was shown.
func (s *server) author(c echo.Context, kind templates.DraftKind, form url.Values, unread error) (visitor, error) {
	typed := unread == nil && slices.ContainsFunc(kind.Fields(), form.Has)
	if typed {
		exchangeOf(c).draft = &draft{kind, c.Request().URL.EscapedPath(), form}
	}
	v, err := s.visitor(c)
	switch author := form.Get("user"); {
	case err != nil:
	case errors.Is(unread, domain.ErrBusy): // otherwise the visitor would seem to be signed out
		err = unread
	case !v.SignedIn():
		err = domain.ErrNotSignedIn
	case unread != nil:
		err = unread
	case typed && author != "" && author != string(v.User):
		err = refuse(http.StatusConflict, "You are signed in as "+string(v.User)+" now",
			"The form was opened by "+shown(author)+", so it was not sent. Nothing was saved. If you want to send it under your name, do so below.")
	}
	return v, err
}

// keptDraft returns the draft of the request for the page that refuses it with the
// problem, or nil if the request has none.
func keptDraft(c echo.Context, v visitor, err error, cause problem) *templates.KeptDraft {
	d := exchangeOf(c).draft
	if d == nil {
		return nil
	}
	author, _ := cutTyped(shown(d.form.Get("user")))
	kept := &templates.KeptDraft{
		Kind: d.kind, Action: d.action, Values: map[string]string{}, Rest: d.rest(), User: v.User,
		SignIn: cause.Status == http.StatusUnauthorized,
	}
	for _, name := range d.kind.Fields() {
		text, cut := cutTyped(typedText(d.form.Get(name)))
		kept.Values[name], kept.Cut = text, kept.Cut || cut
	}
	kept.Elsewhere = d.kind == templates.PostDraft && templates.MayNotPost(exchangeOf(c).channel, err) != ""
	switch {
	case !v.SignedIn(): // their session has ended, or the store did not say whose it is
		kept.Send, kept.User = true, domain.UserName(author)
	default:
		if author != string(kept.User) {
			kept.Other = author
		}
		kept.Send = cause.Status >= http.StatusInternalServerError ||
			cause.Status == http.StatusTooManyRequests || cause.Status == http.StatusConflict
	}
	return kept
}

// cutTyped is as much of a text as one that is saved can have, and reports whether that is not all. So clients cannot
// make answers of what they send many times.
func cutTyped(text string) (string, bool) {
	n := 0
	for at := range text {
		if n++; n > domain.MaxText {
			return text[:at], true
		}
	}
	return text, false
}

// maxRest is how many bytes the invisible fields take in the page: two texts with each character escaped fit.
const maxRest = 64 << 10

// hiddenMarkup is how many bytes an invisible field takes besides its name and value, about.
const hiddenMarkup = 50

// rest are the invisible fields of the form, such as its idempotency key. It leaves out those that no form of this site has
// so long.
func (d *draft) rest() []templates.Hidden {
	seen := append(d.kind.Fields(), "user")
	var rest []templates.Hidden
	for name, values := range d.form {
		for _, value := range values { // a list of ticks has a value for each
			if !slices.Contains(seen, name) {
				rest = append(rest, templates.Hidden{Name: shown(name), Value: shown(value)})
			}
		}
	}
	slices.SortStableFunc(rest, func(a, b templates.Hidden) int { return strings.Compare(a.Name, b.Name) })
	left := maxRest
	return slices.DeleteFunc(rest, func(h templates.Hidden) bool {
		n := len(html.EscapeString(h.Name)) + len(html.EscapeString(h.Value)) + hiddenMarkup
		fits := n <= left
		if fits {
			left -= n
		}
		return !fits
	})
}

// typedText is what a user typed, as a page can show it again. Browsers send CRLF; the
// fields of a page have LF.
func typedText(s string) string { return strings.ReplaceAll(shown(s), "\r\n", "\n") }

// draftText returns what the page of a refused draft says, and a link to why it was
// refused. Without
// a title, the problem keeps its own words.
func (s *server) draftText(c echo.Context, err error, cause problem) (title, detail string, links []templates.Link) {
	d := exchangeOf(c).draft
	if d == nil {
		return "", "", nil
	}
	var gate []templates.Link
	if s.Teach {
		gate = []templates.Link{{Label: "How its gate keeps late writes out", URL: templates.LearnGatePath, Aside: true}}
	}
	var replaced *domain.ReplacedError
	switch {
	case errors.As(err, &replaced):
		// The channel is often at the address of this very page. Going there in the same tab
		// would then leave no way back to the text.
		link := readNew(replaced.Current)
		link.Aside = true
		return d.kind.Unsent(), d.kind.Replaced(), []templates.Link{link}
	case templates.MayNotPost(exchangeOf(c).channel, err) != "" && (d.kind == templates.PostDraft || d.kind == templates.ReplyDraft):
		return "You may not post in “" + string(exchangeOf(c).channel.Name) + "”", templates.MayNotPost(exchangeOf(c).channel, err) +
			" Nothing was posted. Your text is kept below.", nil
	case cause.Status == http.StatusUnauthorized:
		return "You are not signed in any more",
			"Nothing was saved yet, and nothing is lost: what you wrote is below. Sign in, come back to this page, and send it.", nil
	case cause.Status == http.StatusNotFound:
		return "The channel has been deleted",
			"It was deleted while you wrote. " + d.kind.Refused() + " What you wrote is below.", gate
	case cause.Status == http.StatusGone:
		return "This channel was deleted",
			"That may still be undone. " + d.kind.Refused() + " What you wrote is below.", gate
	}
	return "", "", nil
}

func replacedNow(err error) bool {
	_, replaced := errors.AsType[*domain.ReplacedError](err)
	return replaced
}

// readNew is a link to a channel that has the name of another.
func readNew(channel domain.Channel) templates.Link {
	return templates.Link{Label: "Read the new channel", URL: templates.ChannelPath(channel.Name)}
}
