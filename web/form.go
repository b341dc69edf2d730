package web

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

// readForm reads the fields of a form from the body only: a link with a query must
// not fill in a form. It allows unknown fields, because browser extensions add some.
func readForm(c echo.Context) (url.Values, error) {
	r := c.Request()
	mediaType, _, err := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	switch {
	case mediaType == echo.MIMEApplicationForm && err == nil:
		err = r.ParseForm()
	case mediaType == echo.MIMEMultipartForm && err == nil:
		// guard.admit bounds every body by maxBody, so no part is written to a file.
		err = r.ParseMultipartForm(maxBody)
	case r.ContentLength == 0:
		return nil, nil
	default:
		return nil, refuse(http.StatusUnsupportedMediaType, "Not a form", "Nothing was saved. Please use the form on the page.")
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge), errors.Is(err, domain.ErrBusy):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", refuse(http.StatusBadRequest, "Damaged form",
			"The form did not arrive in one piece. Nothing was saved. Please send it again."), err)
	}
	return r.PostForm, nil
}

// shown makes what somebody typed valid UTF-8, so that a page can show it again.
func shown(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// again shows a page whose form was refused, with the status of the error.
func again(c echo.Context, err error, content templ.Component) error {
	p := problemOf(err)
	p.setHeaders(c.Response().Header())
	return render(c, p.Status, content)
}

// formOf explains an error to the person who filled in a form. It reports false for
// an error after which the form is of no use.
func formOf(err error) (templates.Form, bool) {
	var invalid *domain.InvalidError
	var tooMany *tooManyWrites
	var full *domain.TooManyChannelsError
	switch {
	case errors.As(err, &invalid):
		return templates.Form{Errors: fieldErrors(invalid.Fields)}, true
	case errors.As(err, &tooMany):
		return templates.Form{Message: tooMany.sentence()}, true
	case errors.As(err, &full):
		return templates.Form{Message: fullWords(full.Limit)}, true
	case errors.Is(err, domain.ErrStillDeleting):
		return nameTaken("belongs to a channel that is still being deleted. It is free again once that is done"), true
	case errors.Is(err, domain.ErrExists):
		return nameTaken("is taken. Please choose another"), true
	case errors.Is(err, domain.ErrKeyReused):
		return templates.Form{Message: "This form was sent before, with another text, and that post is there. " +
			"Send it again to make a second post of it."}, true
	case errors.Is(err, domain.ErrPostGone):
		return templates.Form{Message: "This form was sent before, and the post that it made has been deleted since. " +
			"Send it again to make a new post of it."}, true
	case errors.Is(err, domain.ErrChannelGone):
		return templates.Form{Message: "This form was sent before, and the channel that it created has been deleted since. " +
			"Send it again to create it anew."}, true
	}
	return templates.Form{}, false
}

func nameTaken(detail string) templates.Form {
	return templates.Form{Errors: []templates.FieldError{{Field: "name", Detail: detail}}}
}

// formETag returns the precondition that a form carries: the version of the post
// that its reader saw.
func formETag(form url.Values) (domain.Precondition[domain.Revision], error) {
	value := form.Get("etag")
	if value == "" {
		return domain.Precondition[domain.Revision]{}, withoutVersion()
	}
	return precondition(value, revisionOf)
}

// formIncarnation returns the incarnation of the channel that a form was shown for.
func formIncarnation(form url.Values) (domain.Incarnation, error) {
	value := form.Get("incarnation")
	if value == "" {
		return "", withoutVersion()
	}
	return domain.Incarnation(value), nil
}

func withoutVersion() error {
	return refuse(http.StatusPreconditionRequired, "Damaged form",
		"The form does not say what it was made from. Nothing was changed. Please open the page again.")
}

func unknownAction() error {
	return refuse(http.StatusBadRequest, "Damaged form",
		"The form does not say what to do. Nothing was changed. Please open the page again.")
}

func fieldErrors(fields []domain.FieldError) []templates.FieldError {
	if len(fields) == 0 {
		return nil
	}
	errs := make([]templates.FieldError, len(fields))
	for i, f := range fields {
		errs[i] = templates.FieldError{Field: f.Field, Detail: f.Detail}
	}
	return errs
}
