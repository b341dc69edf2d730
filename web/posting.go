package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// Who may post to a channel besides its owner.

// setPosting lets everybody post to a channel ("open"), or its owner alone ("owner").
func (s *server) setPosting(c echo.Context, v visitor, in domain.Channel, posting string) error {
	if err := checkPosting(posting); err != nil {
		return err
	}
	return s.store.Posts.SetRule(c.Request().Context(), in, v.User, posting == "owner")
}

func checkPosting(posting string) error {
	if posting != "open" && posting != "owner" {
		return domain.Invalid("posting", "must be “open” or “owner”")
	}
	return nil
}

// block keeps a user from posting to a channel, for its owner. A name without an account is
// domain.ErrNotFound.
func (s *server) block(c echo.Context, v visitor, in domain.Channel, name string) error {
	if in.Owner != v.User {
		return domain.ErrForbidden // whether there is such an account or not
	}
	person, err := domain.ParseUserName(name)
	if err != nil {
		return domain.ErrNotFound // no user can have this name
	}
	account, err := s.store.Accounts.Get(c.Request().Context(), person)
	if err != nil {
		return err
	}
	return s.store.Posts.Block(c.Request().Context(), in, v.User, account)
}

// unblock lets a user post again.
func (s *server) unblock(c echo.Context, v visitor, in domain.Channel, name string) error {
	person, err := domain.ParseUserName(name)
	if err != nil {
		return domain.ErrNotFound
	}
	return s.store.Posts.Unblock(c.Request().Context(), in, v.User, person)
}

// changeChannel changes the properties that the body names. The words are written in one write of the
// channel's row. Who may post is a row behind the gate, in another table, and is written after them. A
// body that names that alone is answered 204. The body is parsed before anything is written, and again
// over the words that the store has.
func (s *server) changeChannel(c echo.Context, v visitor) error {
	body, err := readJSON(c)
	if err != nil {
		return err
	}
	var posting string
	rule := field{"posting", false, func(value json.RawMessage) (err error) {
		if posting, err = parseText("posting", value); err == nil {
			err = checkPosting(posting)
		}
		return err
	}}
	describes := false
	change := func(about *domain.About) error {
		fields := []field{rule}
		for _, f := range jsonFields(about.Fields()) {
			fields = append(fields, field{f.name, false, func(value json.RawMessage) error {
				describes = true
				return f.take(value)
			}})
		}
		return parseFields("The body", body, fields...)
	}
	var sent domain.About
	if err := change(&sent); err != nil {
		return err
	}
	if posting != "" && !describes {
		return nothing(about(s.activeChannel, func(c echo.Context, v visitor, in domain.Channel) error {
			return s.setPosting(c, v, in, posting)
		}))(c, v)
	}
	return about(s.shownChannel, func(c echo.Context, v visitor, in domain.Channel) error {
		if err := s.takeText(c, v, textBytes(sent.Fields())); err != nil {
			return err
		}
		channel, err := s.store.Channels.Update(c.Request().Context(), in.Ref(), v.User, change)
		if err == nil && posting != "" {
			err = s.setPosting(c, v, channel, posting)
		}
		return s.respondChannel(c, err, http.StatusOK, channel)
	})(c, v)
}

// editChannelByForm handles the forms on the page on which an owner edits a channel. The form for
// its description names no action.
func (s *server) editChannelByForm(c echo.Context, v visitor, form url.Values) error {
	if form.Get("action") == "" {
		return formAbout(s.shownChannel, s.editChannel)(c, v, form)
	}
	return formAbout(own(s.activeChannel), s.ruleByForm)(c, v, form)
}

// ruleByForm handles the forms about who may post.
func (s *server) ruleByForm(c echo.Context, v visitor, in domain.Channel, form url.Values) error {
	person := form.Get("person")
	switch form.Get("action") {
	case "posting":
		return s.ruled(c, v, in, s.setPosting(c, v, in, form.Get("posting")), "posting-set", "")
	case "block":
		return s.ruled(c, v, in, s.block(c, v, in, person), "blocked", person)
	case "unblock":
		return s.ruled(c, v, in, s.unblock(c, v, in, person), "unblocked", person)
	}
	return unknownAction()
}

// ruled answers a form about who may post. A person who cannot be blocked stays in the form.
func (s *server) ruled(c echo.Context, v visitor, in domain.Channel, err error, notice, person string) error {
	invalid, refused := errors.AsType[*domain.InvalidError](err)
	missing := errors.Is(err, domain.ErrNotFound) && !replacedNow(err) && person != ""
	if !refused && !missing {
		return s.done(c, err, notice, templates.EditChannelPath(in.Name)+"#posting", person)
	}
	view := templates.EditChannel{Channel: in, Base: templates.Pack(in.Fields()), Person: shown(person)}
	switch name, _ := domain.ParseUserName(person); {
	case missing:
		view.Block.Errors = []domain.FieldError{{Field: "person", Detail: "There is no user of this name"}}
	case person == "":
		view.Block.Errors = invalid.Fields
	default: // the store refused it, so the name parses
		view.Block.Errors = []domain.FieldError{{Field: "person", Detail: name.Handle() + " " + invalid.Fields[0].Detail}}
	}
	postingRule, readErr := s.store.Posts.PostingRule(c.Request().Context(), in.Key())
	if readErr != nil {
		return readErr
	}
	view.PostingRule = postingRule.In(in.Ref())
	return again(c, err, templates.EditChannelPage(s.page(c, v), view))
}

// mayNotPost tells a reader who may not post why. It is empty for others.
func (s *server) mayNotPost(ctx context.Context, in domain.Channel, postingRule storage.PostingRule, user domain.UserName) (string, error) {
	why := s.store.Posts.Refuses(ctx, postingRule, in, user)
	if errors.Is(why, domain.ErrForbidden) {
		return templates.MayNotPost(in, why), nil
	}
	return "", why
}
