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

// setPosting lets everybody post to the channel at an address ("open"), or its owner alone
// ("owner").
func (s *server) setPosting(c echo.Context, v visitor, at target, posting string) error {
	if err := checkPosting(posting); err != nil {
		return err
	}
	return s.inChannel(c, at, func(ctx context.Context, channel domain.Channel) error {
		return s.store.Posts.SetRule(ctx, channel, v.User, posting == "owner")
	})
}

func checkPosting(posting string) error {
	if posting != "open" && posting != "owner" {
		return domain.Invalid("posting", "must be “open” or “owner”")
	}
	return nil
}

// block keeps a user from posting to the channel at an address. A name without an account
// is domain.ErrNotFound.
func (s *server) block(c echo.Context, v visitor, at target, name string) error {
	return s.ofPerson(c, v, at, name, func(ctx context.Context, channel domain.Channel, person domain.UserName) error {
		account, err := s.store.Accounts.Get(ctx, person)
		if err != nil {
			return err
		}
		return s.store.Posts.Block(ctx, channel, v.User, account)
	})
}

// unblock lets a user post again.
func (s *server) unblock(c echo.Context, v visitor, at target, name string) error {
	return s.ofPerson(c, v, at, name, func(ctx context.Context, channel domain.Channel, person domain.UserName) error {
		return s.store.Posts.Unblock(ctx, channel, v.User, person)
	})
}

// ofPerson does something about a person in the owner's channel.
func (s *server) ofPerson(c echo.Context, v visitor, at target, name string,
	do func(ctx context.Context, channel domain.Channel, person domain.UserName) error,
) error {
	return s.inChannel(c, at, func(ctx context.Context, channel domain.Channel) error {
		if channel.Owner != v.User {
			return domain.ErrForbidden
		}
		person, err := domain.ParseUserName(name)
		if err != nil {
			return domain.ErrNotFound // no user can have this name
		}
		return do(ctx, channel, person)
	})
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
	if err := change(new(domain.About)); posting != "" && !describes {
		if err == nil {
			err = s.setPosting(c, v, apiTarget(c), posting)
		}
		return respondNothing(c, err)
	}
	channel, err := s.describe(c, v, apiTarget(c), change)
	if err == nil && posting != "" {
		err = s.setPosting(c, v, target{ChannelAddress: channel.Ref().Address()}, posting)
	}
	return s.respondChannel(c, err, http.StatusOK, channel)
}

// editChannelByForm handles the forms on the page on which an owner edits a channel. The form for
// its description names no action.
func (s *server) editChannelByForm(c echo.Context, v visitor, form url.Values) error {
	at, person := pageTarget(c, form), form.Get("person")
	switch form.Get("action") {
	case "":
		return s.editChannel(c, v, form)
	case "posting":
		return s.ruled(c, v, s.setPosting(c, v, at, form.Get("posting")), "posting-set", "")
	case "block":
		return s.ruled(c, v, s.block(c, v, at, person), "blocked", person)
	case "unblock":
		return s.ruled(c, v, s.unblock(c, v, at, person), "unblocked", person)
	}
	return unknownAction()
}

// ruled answers a form about who may post. A person who cannot be blocked stays in the form.
func (s *server) ruled(c echo.Context, v visitor, err error, notice, person string) error {
	channel := exchangeOf(c).channel
	invalid, refused := errors.AsType[*domain.InvalidError](err)
	missing := errors.Is(err, domain.ErrNotFound) && !replacedNow(err) && person != ""
	if channel.Name == "" || !refused && !missing {
		return s.done(c, err, notice, templates.EditChannelPath(channel.Name)+"#posting", person)
	}
	view := templates.EditChannel{Channel: channel, Base: channel.Description, Person: shown(person)}
	switch name, _ := domain.ParseUserName(person); {
	case missing:
		view.Errors = []domain.FieldError{{Field: "person", Detail: "There is no user of this name"}}
	case person == "":
		view.Errors = invalid.Fields
	default: // the store refused it, so the name parses
		view.Errors = []domain.FieldError{{Field: "person", Detail: name.Handle() + " " + invalid.Fields[0].Detail}}
	}
	postingRule, readErr := s.store.Posts.PostingRule(c.Request().Context(), channel.Key())
	if readErr != nil {
		return readErr
	}
	view.PostingRule = postingRule.In(channel.Ref())
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
