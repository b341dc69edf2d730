package web

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

// A formHandler answers a visitor who has sent a form.
type formHandler func(c echo.Context, v visitor, form url.Values) error

// form makes a formHandler a route.
func (s *server) form(who access, h formHandler) echo.HandlerFunc {
	return s.serve(who, func(c echo.Context, v visitor) error {
		form, err := readForm(c)
		if err != nil {
			return err
		}
		return h(c, v, form)
	})
}

// readForm reads the fields of a form from the body only: a link with a query must
// not fill in a form. It allows unknown fields, because browser extensions add some. The fields are
// nil only if it fails.
func readForm(c echo.Context) (url.Values, error) {
	r := c.Request()
	mediaType, _, err := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	switch {
	case mediaType == echo.MIMEApplicationForm && err == nil:
		err = r.ParseForm()
	case mediaType == echo.MIMEMultipartForm && err == nil:
		// admission.admit bounds every body by maxEditBody, so no part is written to a file.
		err = r.ParseMultipartForm(maxEditBody)
	case r.ContentLength == 0:
		return url.Values{}, nil
	default:
		return nil, refuse(http.StatusUnsupportedMediaType, "Not a form", "Nothing was saved. Please use the form on the page.")
	}
	if err != nil {
		return nil, unreadBody(err, "Damaged form", "Only a part of the form arrived. Nothing was saved. Please send it again.")
	}
	return r.PostForm, nil
}

// shown makes what a user typed valid UTF-8, so that a page can show it again.
func shown(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// readTexts takes the texts of words from a form.
func readTexts(form url.Values, words []domain.Field) {
	for _, word := range words {
		*word.Text = form.Get(word.Name)
	}
}

// hasTexts refuses the form of an edit that lacks a field: a program that does not know the field has made the form,
// and to save it would empty the field.
func hasTexts(form url.Values, words []domain.Field) error {
	for _, word := range words {
		if !form.Has(word.Name) {
			return refuse(http.StatusPreconditionFailed, "The form is out of date",
				"It has no "+word.Name+", so another version of this site has made it. Nothing was saved. Please open the page again.")
		}
	}
	return nil
}

// showTexts takes them such that a page can show them again.
func showTexts(form url.Values, words []domain.Field) {
	for _, word := range words {
		*word.Text = typedText(form.Get(word.Name))
	}
}

// again shows a page whose form was refused, with the status of the error.
func again(c echo.Context, err error, content templ.Component) error {
	p := problemOf(err)
	p.setHeaders(c.Response().Header())
	return render(c, p.Status, content)
}

// formOf explains an error to the person who filled in a form for what, such as "post". It
// reports false for an error after which the form is of no use.
func formOf(err error, what string) (templates.Form, bool) {
	var invalid *domain.InvalidError
	var full *domain.TooManyChannelsError
	var refusal *templates.Refusal
	message := ""
	switch {
	case errors.As(err, &invalid):
		return templates.Form{Errors: invalid.Fields}, true
	case errors.Is(err, domain.ErrStillDeleting):
		return nameTaken("belongs to a channel that is still being deleted. It is free again once that is done"), true
	case errors.Is(err, domain.ErrOperatorName):
		return nameTaken("belongs to an operator of this site"), true
	case errors.Is(err, domain.ErrExists):
		return nameTaken(templates.Taken), true
	case errors.As(err, &full):
		message = fullText(full.Limit)
	case errors.As(err, &refusal) && refusal.Status == http.StatusUnprocessableEntity: // its words are those of a quota
		message = refusal.Detail
	case errors.Is(err, domain.ErrKeyReused) && what == "post":
		message = "Already published. Post this as a new one?"
	case errors.Is(err, domain.ErrKeyReused):
		message = "This form was sent before, with other words, and that " + what + " is there. Send it again to make a second one of these."
	case errors.Is(err, domain.ErrPostGone), errors.Is(err, domain.ErrReplyGone), errors.Is(err, domain.ErrChannelGone):
		message = "This form was sent before, and the " + what + " that it made has been deleted since. Send it again to make a new one."
	}
	return templates.Form{Message: message}, message != ""
}

func nameTaken(detail string) templates.Form {
	return templates.Form{Errors: []domain.FieldError{{Field: "name", Detail: detail}}}
}

// formETag returns the precondition in a form: the revision of the post that its reader saw.
func formETag(form url.Values) (domain.Precondition[domain.Revision], error) {
	value := form.Get("etag")
	if value == "" {
		return domain.Precondition[domain.Revision]{}, withoutVersion()
	}
	return precondition(value, revisionOf)
}

func withoutVersion() error {
	return refuse(http.StatusPreconditionRequired, "Damaged form",
		"The form does not say what it was made from. Nothing was changed. Please open the page again.")
}

func unknownAction() error {
	return refuse(http.StatusBadRequest, "Damaged form",
		"The form does not say what to do. Nothing was changed. Please open the page again.")
}
