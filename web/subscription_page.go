package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// subscriptionPages list what a user subscribes to, and end a subscription.
type subscriptionPages struct {
	*pages
	store *storage.Store
}

func (h *subscriptionPages) routes(r router) {
	get(r, templates.SubscriptionsPath, h.closedBeside(h.list))
	r.Add(http.MethodPost, templates.SubscriptionsPath, h.closed(h.unsubscribe))
}

func (h *subscriptionPages) list(c echo.Context, who awaited) error {
	v, following, err := followingOf(c, h.store, who)
	if err != nil {
		return err
	}
	subscriptions, err := h.store.SubscriptionsOf(c.Request().Context(), following)
	if err != nil {
		return err
	}
	view := make(templates.Subscriptions, len(subscriptions))
	for i, s := range subscriptions {
		view[i] = templates.Subscription{
			Channel:      string(s.Name),
			Incarnation:  string(s.Channel.Incarnation),
			Own:          s.Role == domain.RoleOwner,
			SubscribedOn: s.SubscribedOn,
		}
	}
	return render(c, http.StatusOK, templates.SubscriptionsPage(h.page(c, v), view))
}

// unsubscribe ends a subscription from the list. It succeeds if the channel is deleted
// or being deleted, because the subscription ends with its channel.
func (h *subscriptionPages) unsubscribe(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	if form.Get("action") != "unsubscribe" {
		return unknownAction()
	}
	if err := h.sessions.takeWrite(c, v); err != nil {
		return err
	}
	name, err := domain.ParseChannelName(form.Get("channel"))
	if err != nil {
		return err
	}
	made, err := formIncarnation(form)
	if err != nil {
		return err
	}
	ref := domain.ChannelRef{Key: name.Key(), Incarnation: made}
	_, err = h.store.ChannelAt(c.Request().Context(), ref.Address())
	if err == nil {
		err = h.store.Unsubscribe(c.Request().Context(), ref, v.User)
	}
	var replaced *domain.ReplacedError
	if errors.As(err, &replaced) {
		return elsewhere(err, "Your subscription has ended already", "You asked to leave the old one, and your subscription ended with it.")
	}
	if err != nil && !errors.Is(err, domain.ErrNotFound) && !errors.Is(err, domain.ErrGone) {
		return err
	}
	return h.done(c, noticeUnsubscribed, templates.SubscriptionsPath)
}
