package templates

import (
	"testing"

	"golang.org/x/net/html"
)

func TestDraftForm(t *testing.T) {
	t.Run("names its author, and its page keeps what is typed", func(t *testing.T) {
		forms := 0
		eachPage(t, func(t *testing.T, root *html.Node) {
			for _, form := range find(root, "form[method=post]") {
				areas := find(form, "textarea")
				if len(areas) == 0 || len(areas) == len(find(form, "textarea[readonly]")) {
					continue
				}
				forms++
				if _, kept := attribute(form, "data-draft"); !kept {
					t.Error("a form for text is not kept")
				}
				if err := in("input[type=hidden][name=user]")(form); err != nil {
					t.Error(err)
				}
				if err := in("script[src=/static/draft.js]")(root); err != nil {
					t.Error(err)
				}
			}
		})
		if forms < 5 {
			t.Errorf("looked at %d forms", forms)
		}
	})
	shows(t, "costs an anonymous client nothing", ChannelPage(pageAt("/channels/aurora", ""), sampleChannel()),
		without("script[src=/static/draft.js]"), without("script[src=/static/draft_end.js]"))
	shows(t, "of an ended session can be sent once its author has signed in in another tab",
		ProblemPage(pageAt("/channels/aurora", ""), Problem{Status: 401, Kept: sampleKept(PostDraft, true)}),
		in("form[data-draft=sent]", in("input[type=hidden][name=key]"), without("input[type=password]"), says("Post")),
		in("a[href=/sign-in][target=_blank][rel=noopener]", says("Sign in")))
	shows(t, "of a user who is signed in has no link to sign in", ProblemPage(pageAt("/channels/aurora", "jo"), Problem{Status: 503, Kept: sampleKept(ChannelDraft, false)}),
		without("a[href=/sign-in]"))
}
