package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

// join subscribes the visitor to a channel.
func (s *server) join(c echo.Context, v visitor, in domain.Channel) error {
	return s.store.Subscriptions.Create(c.Request().Context(), in, v.User)
}

// leave ends the visitor's subscription to a channel.
func (s *server) leave(c echo.Context, v visitor, in domain.Channel) error {
	return s.store.Subscriptions.Delete(c.Request().Context(), in.Ref(), v.User)
}

func (s *server) subscribeByForm(c echo.Context, v visitor, in domain.Channel, form url.Values) error {
	err := s.join(c, v, in)
	if _, full := errors.AsType[*domain.InvalidError](err); full {
		err = explain(err, "You cannot subscribe to more", fmt.Sprintf("You subscribe to %d channels. "+
			"Unsubscribe from another one first.", domain.MaxSubscriptions),
			templates.Link{Label: "Your subscriptions", URL: templates.SubscriptionsPath})
	}
	return s.done(c, err, "subscribed", cmp.Or(localPath(form.Get("next")), c.Request().URL.EscapedPath()))
}

func (s *server) unsubscribeByForm(c echo.Context, v visitor, in domain.Channel, form url.Values) error {
	err := s.leave(c, v, in)
	return s.done(c, err, "unsubscribed", cmp.Or(localPath(form.Get("next")), c.Request().URL.EscapedPath()))
}

// unsubscribeInList ends a subscription from the list. It succeeds if the channel is deleted
// or being deleted, because the subscription ends with its channel.
func (s *server) unsubscribeInList(c echo.Context, v visitor, form url.Values) error {
	if form.Get("action") != "unsubscribe" {
		return unknownAction()
	}
	in, err := s.listedChannel(c, v, form.Get("channel"), form.Get("incarnation"))
	if err == nil {
		err = s.leave(c, v, in)
	}
	if !replacedNow(err) && (errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrGone)) {
		err = nil
	}
	return s.done(c, err, "unsubscribed", templates.SubscriptionsPath)
}

func (s *server) showSubscriptions(c echo.Context, v visitor) error {
	subscriptions, err := s.store.Subscriptions.ListAll(c.Request().Context(), v.User)
	return show(s, c, v, err, templates.SubscriptionsPage, subscriptions)
}

type subscriptionJSON struct {
	Channel      domain.ChannelName `json:"channel"`
	Role         domain.Role        `json:"role"`
	SubscribedOn apiTime            `json:"subscribedOn"`
}

func newSubscriptionJSON(s domain.Subscription) subscriptionJSON {
	return subscriptionJSON{Channel: s.Name, Role: s.Role, SubscribedOn: apiTime(s.SubscribedOn)}
}
