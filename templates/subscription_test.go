package templates

import (
	"testing"
	"time"

	"microblogging/domain"
)

func TestSubscriptionsPage(t *testing.T) {
	t.Run("lists subscriptions with buttons that name them", func(t *testing.T) {
		v := Subscriptions{{Name: "aurora", Role: domain.RoleOwner, SubscribedOn: ago(time.Hour)}, {Name: "Füchse", SubscribedOn: ago(2 * time.Hour)}}
		expect(t, SubscriptionsPage(pageAt("/subscriptions", "ingrid"), v),
			in("li", in("a[href=/channels/aurora]"), says("your own · subscribed 29 July 2026, 11:00 UTC")),
			in("li", in("a[href=/channels/F%C3%BCchse]"), says("subscribed 29 July 2026, 10:00 UTC"), silent("your own"),
				in("form[method=post][action=/subscriptions]", in("input[name=channel][value=Füchse]"), in("button", says("Unsubscribe from Füchse")))),
		)
		expect(t, SubscriptionsPage(pageAt("/subscriptions", "ingrid"), nil), in("div[class=empty]", in("a[href=/channels]")), in("main", without("li")))
	})
}
