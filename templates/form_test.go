package templates

import (
	"net/url"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"microblogging/domain"
)

func TestForm(t *testing.T) {
	t.Run("that was refused keeps what was typed and ties errors to fields", func(t *testing.T) {
		v := NewChannel{
			Form:    Form{Errors: []domain.FieldError{{Field: "name", Detail: "“new” is reserved"}}},
			Channel: domain.Channel{Name: "new", About: domain.About{Description: "Typed with care."}},
		}
		expect(t, NewChannelPage(pageAt("/channels/new", "ingrid"), v),
			in("title", says("Error: New channel")),
			in("[role=alert]", says("The site has not saved this yet.")),
			in("input[name=name][value=new][aria-invalid=true][aria-describedby=name-error name-hint]"),
			in("[id=name-error]", says("Name “new” is reserved.")),
			in("textarea[name=description]", says("Typed with care.")),
			without("textarea[aria-invalid]"),
		)
	})
	t.Run("has a control for each word", func(t *testing.T) {
		for _, k := range []DraftKind{PostDraft, EditDraft, DescriptionDraft, ChannelDraft, ReplyDraft} {
			for i, f := range k.fields(map[string]string{k.Fields()[0]: "typed"}, "3") {
				if f.Name != k.Fields()[i] || f.Label == "" || (f.Value == "typed") != (i == 0) {
					t.Errorf("%s of draft %d has the control %+v: add it to controls of form_text.go", k.Fields()[i], k, f)
				}
				if f.Rows == "" && f.Type != "text" {
					t.Errorf("%s has the type %q: static/draft.js keeps what is typed into “text” alone", f.Name, f.Type)
				}
			}
		}
	})
	shows(t, "that was not sent complains of nothing", NewChannelPage(pageAt("/channels/new", "ingrid"), NewChannel{}),
		without("[role=alert]"), without("[aria-invalid]"), in("title", says("New channel"), silent("Error")),
	)
	t.Run("shows an error about a hidden field on top", func(t *testing.T) {
		v := sampleChannel()
		v.Draft.Form = Form{Errors: []domain.FieldError{{Field: "key", Detail: "was used before for another post"}}}
		expect(t, ChannelPage(pageAt("/channels/aurora", "ingrid"), v),
			in("[role=alert]", says("Key was used before for another post.")),
		)
	})
	t.Run("never sends a password back", func(t *testing.T) {
		for _, page := range []string{
			render(t, SignUpPage(pageAt("/sign-up", ""), SignUp{Form: refused("password"), Name: "jo"})),
			render(t, SignInPage(pageAt("/sign-in", ""), SignIn{Form: refused("password"), Name: "jo"})),
			render(t, AccountPage(pageAt("/account", "jo"), Account{Form: refused("old", "new")})),
		} {
			for _, n := range find(parse(t, page), "input[type=password]") {
				if _, ok := attribute(n, "value"); ok {
					t.Error("a password field with a value")
				}
			}
		}
	})
	t.Run("that was refused says that its passwords are to be typed again", func(t *testing.T) {
		again := says("Please type it again")
		expect(t, SignUpPage(pageAt("/sign-up", ""), SignUp{Form: refused("name"), Name: "J o"}), in("[id=password-error]", again))
		expect(t, SignUpPage(pageAt("/sign-up", ""), SignUp{Form: refused("password"), Name: "jo"}), silent("type it again"))
		expect(t, SignUpPage(pageAt("/sign-up", ""), SignUp{}), silent("type it again"))
		expect(t, AccountPage(pageAt("/account", "jo"), Account{Form: refused("new")}), in("[id=old-error]", again))
	})
	t.Run("puts an allowed name of a channel for a refused one", func(t *testing.T) {
		for typed, want := range map[string]string{
			"Club News & Events": "Club-News-Events", " my garden ": "my-garden", "a/b": "a-b", "--a--b_c.d!": "a-b_c.d", "Été (2026)": "Été-2026",
			"new": "", " new ": "", "fine": "", "&": "", "": "", "e\u0301": "",
		} {
			if got := hyphenated(typed); got != want {
				t.Errorf("for %q it puts %q, want %q", typed, got, want)
			}
		}
	})
	t.Run("puts an allowed name of a user for a refused one", func(t *testing.T) {
		for typed, want := range map[string]string{
			"Nora Smith": "nora_smith", "nora-s": "nora_s", "Jürgen": "jurgen", " @zoë! ": "zoe", "nora@club.example": "nora_club_example",
			"Нора": "", "Weiß": "", "n": "", "é": "", "fine": "", "": "", strings.Repeat("long name ", 4): "",
		} {
			if got := underscored(typed); got != want {
				t.Errorf("for %q it puts %q, want %q", typed, got, want)
			}
		}
	})
	t.Run("keeps a leading newline", func(t *testing.T) {
		v := EditBlog{Channel: domain.Channel{Name: "aurora"}, ID: "1!a", Draft: domain.Draft{Text: "\n\nfirst"}}
		root := parse(t, render(t, EditBlogPage(pageAt("/e", "ingrid"), v)))
		if got := find(root, "textarea[name=text]")[0].FirstChild.Data; got != v.Text {
			t.Errorf("%q, want %q", got, v.Text)
		}
	})
	t.Run("for signing in comes back to the page", func(t *testing.T) {
		page := render(t, ChannelPage(pageAt("/channels/aurora?after=a&b", ""), sampleChannel()))
		if want := `href="/sign-in?next=%2Fchannels%2Faurora%3Fafter%3Da%26b"`; !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
		expect(t, SignUpPage(pageAt("/sign-up?next=%2Fx", ""), SignUp{Next: "/x"}),
			in("input[type=hidden][name=next][value=/x]"),
			in("main", in("a[href=/sign-in?next=%2Fx]")),
			in("header[class=top]", in("a[href=/sign-in?next=%2Fx]")),
		)
		for here, there := range map[string]string{"/": "%2Flatest", "/?after=a": "%2Flatest%3Fafter%3Da", "/users/jo": "%2Fusers%2Fjo"} {
			vote := "/sign-in?next=" + there + "%23post-" + url.QueryEscape(string(samplePost().ID)) + "&then=aurora+" + url.QueryEscape(string(samplePost().ID))
			expect(t, LatestPage(pageAt(here, ""), Latest{Posts: []Post{samplePost()}}), in("article", in("a[href="+vote+"]")))
		}
		expect(t, SignInPage(pageAt("/sign-in", ""), SignIn{Begun: Begun{"aurora", "inc1", "1!a"}}), says("Sign in to go on"), says("Then your vote for the post in aurora is counted."))
	})
	t.Run("begins in its first field, unless it was refused", func(t *testing.T) {
		expect(t, SignInPage(pageAt("/sign-in", ""), SignIn{}), times(1, "[autofocus]"), in("input[name=name][autofocus]"))
		expect(t, SignUpPage(pageAt("/sign-up", ""), SignUp{}), times(1, "[autofocus]"), in("input[name=name][autofocus]"))
		expect(t, SignInPage(pageAt("/sign-in", ""), SignIn{Form: Form{Message: "Wrong."}}), times(1, "[autofocus]"), without("input[autofocus]"))
		begins := sampleComposer()
		begins.First = true
		for _, c := range []templ.Component{
			WritePage(pageAt("/write", "jo"), *begins), EditBlogPage(pageAt("/e", "jo"), EditBlog{}), FeedPage(pageAt("/", "jo"), Feed{Newcomer: true, Composer: begins}),
		} {
			expect(t, c, times(1, "[autofocus]"), in("textarea[name=text][autofocus]"))
		}
		expect(t, NewChannelPage(pageAt("/channels/new", "jo"), NewChannel{}), times(1, "[autofocus]"), in("input[name=name][autofocus]"))
		for find, n := range map[string]int{"": 1, "foxes": 0} {
			expect(t, ChannelPage(pageAt("/c", "jo"), Channel{View: View{Find: &find}}), times(n, "[autofocus]"))
		}
		expect(t, FeedPage(pageAt("/", "jo"), Feed{Posts: sampleFeed().Posts, Composer: sampleComposer()}), without("[autofocus]"))
	})
}
