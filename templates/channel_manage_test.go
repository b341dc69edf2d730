package templates

import (
	"testing"
	"time"

	"microblogging/domain"
)

func TestDeleteChannelPage(t *testing.T) {
	t.Run("says what goes and names the incarnation", func(t *testing.T) {
		v := DeleteChannel{Channel: domain.Channel{Name: "aurora", Incarnation: "inc1", CreatedOn: ago(time.Hour)}}
		expect(t, DeleteChannelPage(pageAt("/channels/aurora/delete", "ingrid"), v),
			in("main", says("This cannot be undone."), says("every post in it")),
			in("form[method=post][action=/channels/aurora/delete]", in("input[type=hidden][name=incarnation][value=inc1]"), in("button"), in("a[href=/channels/aurora]")),
		)
	})
}
