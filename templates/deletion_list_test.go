package templates

import (
	"testing"
	"time"

	"microblogging/domain"
)

func TestDeletionsPage(t *testing.T) {
	t.Run("leads to each deletion and says how far it is", func(t *testing.T) {
		page := pageAt("/account/deletions", "ingrid")
		expect(t, DeletionsPage(page, Deletions{Part: Part{Next: "n"}, Items: []domain.Deletion{
			{Name: "aurora", Channel: domain.ChannelRef{Incarnation: "inc1"}, State: domain.DeletionDone, RequestedOn: ago(time.Hour)},
			{Name: "aurora", Channel: domain.ChannelRef{Incarnation: "inc2"}, State: domain.DeletionQueued, RequestedOn: ago(time.Hour)},
		}}),
			in("li", in("a[href=/channels/aurora/deletions/inc1]", says("aurora")), says("Deleted · asked for 29 July 2026, 11:00 UTC")),
			in("li", in("a[href=/channels/aurora/deletions/inc2]"), says("Waiting for its turn · asked for")),
			in("a[rel=next][href=/account/deletions?after=n]"),
		)
		expect(t, DeletionsPage(page, Deletions{}), says("No deletions yet"))
		expect(t, DeletionsPage(page, Deletions{Part: Part{After: "a"}}), in("a[href=/account/deletions]", says("Go back to the start")))
	})
	shows(t, "can be found from the account", AccountPage(pageAt("/account", "ingrid"), Account{}), in("main", in("a[href=/account/deletions]", says("Your deletions"))))
}
