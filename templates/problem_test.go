package templates

import (
	"testing"
	"time"
)

func TestProblemPage(t *testing.T) {
	t.Run("says what happened and what to do", func(t *testing.T) {
		for status := 400; status < 600; status++ {
			v := Problem{Status: status, RequestID: "r-17"}
			if v.title() == "" || v.detail() == "" {
				t.Fatalf("%d has no words", status)
			}
			request := silent("r-17")
			if status >= 500 {
				request = in("code", says("r-17"))
			}
			expect(t, ProblemPage(pageAt("/x", ""), v), request, in("main", in("a[href=/channels]")))
		}
	})
	t.Run("offers to try again if that may help", func(t *testing.T) {
		page := pageAt("/channels/aurora?after=x", "")
		again := in("main", in("a[href=/channels/aurora?after=x]", says("Try again")))
		expect(t, ProblemPage(page, Problem{Status: 503, RetryAfter: 5 * time.Second}), again, says("Try again in 5 seconds."))
		expect(t, ProblemPage(page, Problem{Status: 429, RetryAfter: 9 * time.Minute}), says("Try again in 9 minutes."), without("a[href=/channels/aurora?after=x]"))
		expect(t, ProblemPage(page, Problem{Status: 404}), silent("Try again"))
	})
	t.Run("leads from where a channel was to the deletions of who is signed in", func(t *testing.T) {
		deletions := in("main", in("a[href=/account/deletions]"))
		for _, status := range []int{404, 410} {
			expect(t, ProblemPage(pageAt("/channels/aurora", "ingrid"), Problem{Status: status}), deletions)
		}
		for name, page := range map[string]Page{"an anonymous client's": pageAt("/channels/aurora", ""), "no channel's": pageAt("/nothing", "ingrid")} {
			t.Run("and not from "+name, func(t *testing.T) {
				expect(t, ProblemPage(page, Problem{Status: 404}), silent("Your deletions"))
			})
		}
		post := Problem{Status: 404, Links: []Link{{Label: "Back to aurora", URL: "/channels/aurora"}}}
		expect(t, ProblemPage(pageAt("/channels/aurora/blogs/1", "ingrid"), post), silent("Your deletions"))
	})
	shows(t, "leads most readers to their feed, and not to deletions that they may not have", ProblemPage(pageAt("/channels/aurora", "ingrid"), Problem{Status: 404}),
		in("a[class=button main][href=/]", says("To your feed")), without("a[class=button main][href=/account/deletions]"))
	t.Run("offers to sign in and come back", func(t *testing.T) {
		v := Problem{Status: 401, SignIn: &SignIn{Next: "/channels/new"}}
		expect(t, ProblemPage(pageAt("/channels/new", ""), v),
			in("form[method=post][action=/sign-in]", in("input[name=next][value=/channels/new]"), in("input[type=password]")),
		)
	})
}
