package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
)

// subscriptionsAPI lists, makes and ends the subscriptions of the caller.
type subscriptionsAPI struct {
	store    *storage.Store
	sessions *sessions
}

func (a *subscriptionsAPI) routes(r router) {
	get(r, "/subscriptions", a.sessions.closed(a.list))
	r.Add(http.MethodPut, "/subscriptions/:name", a.sessions.writing(a.subscribe))
	r.Add(http.MethodDelete, "/subscriptions/:name", a.sessions.writing(a.unsubscribe))
}

type subscriptionJSON struct {
	Channel      domain.ChannelName `json:"channel"`
	Role         domain.Role        `json:"role"`
	SubscribedOn apiTime            `json:"subscribedOn"`
}

func newSubscriptionJSON(s domain.Subscription) subscriptionJSON {
	return subscriptionJSON{Channel: s.Name, Role: s.Role, SubscribedOn: apiTime(s.SubscribedOn)}
}

func (a *subscriptionsAPI) list(c echo.Context, v visitor) error {
	limit, err := queryLimit(c)
	if err != nil {
		return err
	}
	page, err := a.store.SubscriptionPage(c.Request().Context(), v.User, c.QueryParam("after"), limit)
	if err != nil {
		return err
	}
	return respondList(c, page.Items, page.Next, newSubscriptionJSON)
}

func (a *subscriptionsAPI) subscribe(c echo.Context, v visitor) error {
	return withPathChannel(c, a.store, func(channel domain.Channel) error {
		if err := a.store.Subscribe(c.Request().Context(), channel, v.User); err != nil {
			return err
		}
		return c.NoContent(http.StatusNoContent)
	})
}

func (a *subscriptionsAPI) unsubscribe(c echo.Context, v visitor) error {
	return withPathChannel(c, a.store, func(channel domain.Channel) error {
		if err := a.store.Unsubscribe(c.Request().Context(), channel.Ref(), v.User); err != nil {
			return err
		}
		return c.NoContent(http.StatusNoContent)
	})
}
