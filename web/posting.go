package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// Who may post to a channel besides its owner.

// parsePosters reads who may post.
func parsePosters(posting string) (domain.Posters, error) {
	switch posters := domain.Posters(posting); posters {
	case domain.PostersOpen, domain.PostersMembers, domain.PostersOwner:
		return posters, nil
	}
	return "", domain.Invalid("posting", "must be “open”, “members” or “owner”")
}

// postersField is the field of a body that says who may post.
func postersField(posters *domain.Posters) field {
	return field{"posting", false, func(value json.RawMessage) error {
		text, err := parseText("posting", value)
		if err == nil {
			*posters, err = parsePosters(text)
		}
		return err
	}}
}

// account reads the account that has a name, for the owner of a channel. A name without an account is
// domain.ErrNotFound.
func (s *server) account(ctx context.Context, v visitor, in domain.Channel, name string) (domain.User, error) {
	if in.Owner != v.User {
		return domain.User{}, domain.ErrForbidden // whether there is such an account or not
	}
	person, err := domain.ParseUserName(name)
	if err != nil {
		return domain.User{}, domain.ErrNotFound // no user can have this name
	}
	return s.store.Accounts.Get(ctx, person)
}

// block keeps a user from posting to a channel, for its owner.
func (s *server) block(c echo.Context, v visitor, in domain.Channel, name string) error {
	account, err := s.account(c.Request().Context(), v, in, name)
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

// listMembers lists the members of a channel who have an account, by name.
func (s *server) listMembers(c echo.Context, _ visitor, in domain.Channel) error {
	limit, err := queryLimit(c)
	if err != nil {
		return err
	}
	members, err := s.store.Posts.Members(c.Request().Context(), in, c.QueryParam("after"), limit)
	return respondList(c, err, members, func(member domain.User) map[string]domain.UserName {
		return map[string]domain.UserName{"name": member.Name}
	})
}

// addMember puts an account on the list of members.
func (s *server) addMember(c echo.Context, v visitor, in domain.Channel) error {
	account, err := s.account(c.Request().Context(), v, in, pathParam(c, "user"))
	if err != nil {
		return err
	}
	return s.store.Posts.ChangeRule(c.Request().Context(), in, v.User, func(now *domain.Posting) error {
		now.Members = domain.WithAccount(now.Members, account)
		return nil
	})
}

// removeMember takes a name off the list of members.
func (s *server) removeMember(c echo.Context, v visitor, in domain.Channel) error {
	person, err := domain.ParseUserName(pathParam(c, "user"))
	if err != nil {
		return domain.ErrNotFound
	}
	return s.store.Posts.ChangeRule(c.Request().Context(), in, v.User, func(now *domain.Posting) error {
		now.Members = domain.WithoutAccount(now.Members, person)
		return nil
	})
}

// changeChannel changes the properties that the body names, after all were checked. Who may post is a row behind the
// gate, in another table than the words, and is written before them. A body that names that alone is answered 204. The
// words are parsed again over those that the store has.
func (s *server) changeChannel(c echo.Context, v visitor) error {
	body, err := readJSON(c)
	if err != nil {
		return err
	}
	var posting domain.Posters
	rule := postersField(&posting)
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
			return s.store.Posts.SetRule(c.Request().Context(), in, v.User, posting)
		}))(c, v)
	}
	return about(s.shownChannel, func(c echo.Context, v visitor, in domain.Channel) error {
		ctx := c.Request().Context()
		err := s.takeText(c, v, textBytes(sent.Fields()))
		if err == nil && posting != "" {
			err = s.store.Posts.SetRule(ctx, in, v.User, posting)
		}
		channel := in
		if err == nil {
			channel, err = s.store.Channels.Update(ctx, in.Ref(), v.User, change)
		}
		return s.respondChannel(c, err, http.StatusOK, channel)
	})(c, v)
}

// mayNotPost tells a reader who may not post why. It is empty for others.
func (s *server) mayNotPost(ctx context.Context, in domain.Channel, postingRule storage.PostingRule, user domain.UserName) (string, error) {
	why := s.store.Posts.Refuses(ctx, postingRule, in, user)
	if errors.Is(why, domain.ErrForbidden) {
		return templates.MayNotPost(in, why), nil
	}
	return "", why
}
