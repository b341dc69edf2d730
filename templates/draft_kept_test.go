package templates

import (
	"strings"
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
	t.Run("of an ended session does not send a password back", func(t *testing.T) {
		page := ProblemPage(pageAt("/channels/aurora", ""), Problem{Status: 401, Kept: sampleKept(PostDraft, true)})
		expect(t, page, in("form[data-draft=sent]",
			in("input[type=password][name=sign-in-password]"), without("input[type=password][value]"), says("Sign in and publish")))
		if strings.Count(render(t, page), `type="password"`) != 1 {
			t.Error("more than one field for a password")
		}
	})
}
