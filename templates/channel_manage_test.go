package templates

import (
	"testing"
	"time"

	"microblogging/domain"
)

func TestDeleteChannelPage(t *testing.T) {
	t.Run("says what goes and names the incarnation", func(t *testing.T) {
		v := DeleteChannel{Channel: domain.Channel{Name: "aurora", Incarnation: "inc1", CreatedOn: ago(time.Hour)}, Posts: 15, People: 3}
		expect(t, DeleteChannelPage(pageAt("/channels/aurora/delete", "ingrid"), v),
			in("main", says("This cannot be undone."), says("15 posts by 3 people"), silent("with its description")),
			in("form[method=post][action=/channels/aurora/delete]", in("input[type=hidden][name=incarnation][value=inc1]"), in("button"), in("a[href=/channels/aurora]")),
		)
		v.Undo, v.Posts, v.More, v.Description = 30*time.Second, 1000, true, "Lights"
		expect(t, DeleteChannelPage(pageAt("/channels/aurora/delete", "ingrid"), v),
			in("main", says("You can undo it for 30 seconds."), says("the channel with its description, created"), says("more than 1,000 posts")))
	})
}
