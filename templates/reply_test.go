package templates

import (
	"testing"

	"github.com/a-h/templ"

	"microblogging/domain"
)

func TestReplies(t *testing.T) {
	const path = "/channels/aurora/2026-07-29/green-arcs-2516789012345678901!abc"
	answered, quiet, closed := sampleThread().Post, samplePost(), samplePost()
	closed.MayNotReply = true
	t.Run("are below their post, each with what its reader may do with it", func(t *testing.T) {
		expect(t, BlogPage(pageAt("/x", "jo"), sampleThread()),
			in("h2[id=replies]"), in("article[id=reply-1-a]", says("jo"), in("a[href=#reply-1-a]"), says("Seen"),
				in("form[action="+path+"]", in("input[name=action][value=delete-reply]"), in("input[name=reply][value=1-a]"), in("input[name=next][value="+path+"?after=a]"))),
			in("form[id=write][action="+path+"]", in("input[name=next][value="+path+"?after=a]"), says("Reply to ingrid")))
	})
	t.Run("have the form below the last of them alone", func(t *testing.T) {
		v := sampleThread()
		v.Next = "b"
		expect(t, BlogPage(pageAt("/x", "jo"), v), without("form[id=write]"), in("a[href="+path+"?after=b]"))
	})
	t.Run("are where a list of posts leads, and the form if there are none", func(t *testing.T) {
		list := func(reader domain.UserName, post Post) templ.Component {
			return Posts(pageAt("/x", reader), []Post{post}, false)
		}
		expect(t, list("jo", quiet), in("a[href="+path+"#write]", says("Reply to “Green arcs”")))
		expect(t, list("", quiet), without("p[class=more]"))
		expect(t, list("jo", closed), without("p[class=more]"))
		for _, reader := range []domain.UserName{"", "jo"} {
			expect(t, list(reader, answered), in("a[href="+path+"#replies]", says("Replies to “Green arcs”")), without("a[data-replied]"))
		}
		expect(t, list("ingrid", answered), in("a[data-replied=2026-07-29T11:59:00Z]")) // who wrote the post
	})
}
