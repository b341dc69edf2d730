package web_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/web"
)

func TestChannel(t *testing.T) {
	t.Run("a new channel is found at its Location", newChannelIsFoundAtItsLocation)
	t.Run("a channel is found by every spelling of its name", channelIsFoundByEverySpellingOfItsName)
	t.Run("a bad channel is refused field by field", badChannelIsRefusedFieldByField)
	t.Run("a name in use and one being deleted are different conflicts", nameInUseAndOneBeingDeletedAreDifferentConflicts)
	t.Run("its owner describes a channel", ownerDescribesAChannel)
	t.Run("each word about a channel goes through forms, the API and its keys", eachWordGoesThroughFormsAPIAndKeys)
	t.Run("channels are listed by name page by page", channelsAreListedByNamePageByPage)
	t.Run("a newcomer signs up, creates a channel and posts", newcomerSignsUpCreatesAChannelAndPosts)
	t.Run("a channel page is found by every spelling of its name", channelPageIsFoundByEverySpellingOfItsName)
	t.Run("its owner edits the description", ownerEditsTheDescription)
	t.Run("a program is told that its owner has too many", programIsToldThatItsOwnerHasTooMany)
}

func newChannelIsFoundAtItsLocation(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	for _, name := range []string{"Engines", "Ärger.über_Öl", "日本語", "ελληνικά-2"} {
		created := s.do("POST", "/api/v1/channels", bearer(token), fields("name", name, "description", "  Words\r\nand wheels ")).want(201)
		if got := created.header.Get("Location"); got != "/api/v1/channels/"+url.PathEscape(name) {
			t.Errorf("Location %q", got)
		}
		read := s.do("GET", created.header.Get("Location")).want(200)
		if string(read.body) != string(created.body) {
			t.Errorf("read %s, created %s", read.body, created.body)
		}
		if got := read.text("description"); got != "Words\nand wheels" {
			t.Errorf("description %q", got)
		}
		if read.header.Get("ETag") != created.header.Get("ETag") {
			t.Error("the ETags differ")
		}
	}
}

func channelIsFoundByEverySpellingOfItsName(t *testing.T) {
	s := newSite(t)
	s.signUp("ada")
	s.channel("Straße", "ada")
	for _, spelling := range []string{"Straße", "STRASSE", "stra%C3%9Fe", "%53tra%c3%9fe"} {
		if got := s.do("GET", "/api/v1/channels/"+spelling).want(200).text("name"); got != "Straße" {
			t.Errorf("%s is called %q", spelling, got)
		}
	}
}

func badChannelIsRefusedFieldByField(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	for name, test := range map[string]struct{ name, description, field string }{
		"space":            {"a b", "", "name"},
		"reserved":         {"New", "", "name"},
		"long description": {"ok", strings.Repeat("é", 501), "description"},
	} {
		t.Run(name, func(t *testing.T) {
			s := s.in(t)
			s.do("POST", "/api/v1/channels", bearer(token),
				fields("name", test.name, "description", test.description)).unwritten().want(422).wantField(test.field)
		})
	}
}

func nameInUseAndOneBeingDeletedAreDifferentConflicts(t *testing.T) {
	s, token, channel := engines(t, "ada")
	create := func() answer {
		return s.do("POST", "/api/v1/channels", bearer(token), fields("name", "ENGINES"))
	}
	if got := create().unwritten().want(409).text("type"); got != "urn:microblogging:name-taken" {
		t.Errorf("type %q", got)
	}
	s.askDeletion(channel)
	if got := create().unwritten().want(409).text("type"); got != "urn:microblogging:still-deleting" {
		t.Errorf("type %q", got)
	}
	s.cascade(channel.Ref())
	if again := create().want(201); again.header.Get("ETag") == `"`+string(channel.Incarnation)+`"` {
		t.Error("two incarnations have one ETag")
	}
}

func ownerDescribesAChannel(t *testing.T) {
	s, token, channel := engines(t, "ada")
	etag := `"` + string(channel.Incarnation) + `"`
	patch := func(match string, body change) answer {
		return s.do("PATCH", "/api/v1/channels/engines", bearer(token), header("If-Match", match), body)
	}
	if got := patch(etag, fields("description", "New words")).want(200).text("description"); got != "New words" {
		t.Errorf("description %q", got)
	}
	for _, body := range []change{fields(), fields("description", strings.Repeat("x", 501)), fields("description", "x", "name", "Other")} {
		patch("*", body).unwritten().want(422)
	}
	for match, status := range map[string]int{`"AAAAAAAAAAAAAAAAAAAAAAAAAA"`: 412, "W/" + etag: 412, "unquoted": 400} {
		patch(match, fields("description", "x")).unwritten().want(status)
	}
	if got := s.do("GET", "/api/v1/channels/Engines").want(200).text("description"); got != "New words" {
		t.Errorf("description %q", got)
	}
}

func eachWordGoesThroughFormsAPIAndKeys(t *testing.T) {
	s, b, _ := enginesBrowser(t, "ada")
	token := s.session("ada")
	for _, word := range new(domain.About).Words() {
		once := func(text string) answer {
			return s.do("POST", "/api/v1/channels", bearer(token), header("Idempotency-Key", word.Name),
				fields("name", "of-"+word.Name, word.Name, text))
		}
		if got := once("first").want(201).text(word.Name); got != "first" {
			t.Errorf("the API made %s %q", word.Name, got)
		}
		once("first").want(200)
		once("second").want(422)
		b.open("/channels/Engines/edit").form("Save").fill(word.Name, "typed").press().at("/channels/Engines")
		a := s.do("PATCH", "/api/v1/channels/Engines", bearer(token), fields("description", "described")).want(200)
		if want := map[bool]string{true: "described", false: "typed"}[word.Name == "description"]; a.text(word.Name) != want {
			t.Errorf("a change of the description leaves %s %q", word.Name, a.text(word.Name))
		}
	}
}

func channelsAreListedByNamePageByPage(t *testing.T) {
	s := newSite(t)
	var want []string
	for i := range 25 {
		want = append(want, string(s.channel(fmt.Sprintf("go-%02d", i), "ada").Name))
	}
	s.channel("rust", "ada")
	s.askDeletion(s.channel("go-hidden", "ada"))
	if got := s.listed("/api/v1/channels?contains=O-", "name"); !slices.Equal(got, want) {
		t.Errorf("listed %v", got)
	}
}

func newcomerSignsUpCreatesAChannelAndPosts(t *testing.T) {
	b := newSite(t).browser()
	b.open("/").want(200).heading("Channels").says("No channels yet")
	b.open("/channels/new").want(401).says("Please sign in")
	b.open("/sign-up?next=/channels/new").want(200).
		form("Sign up").fill("name", "Ada").fill("password", password).press().
		at("/channels/new").
		form("Create channel").fill("name", "Ärger.im-Büro").fill("description", "Was\r\nnervt").press().
		at("/channels/%C3%84rger.im-B%C3%BCro").heading("Ärger.im-Büro").says("Nothing here yet", "Was nervt").
		form("Post").fill("title", "Drucker").fill("text", "Papierstau.\nSchon wieder: https://example.com/a?b=1&c=2 <b>!</b>").press().
		at("/channels/%C3%84rger.im-B%C3%BCro").says("Your post is published.", "Drucker", "Papierstau.", "<b>!</b>").
		follow("https://example.com/a?b=1&c=2").want(404)
	b.open("/channels/%C3%84rger.im-B%C3%BCro").saysNot("Your post is published.")
	b.open("/channels").says("Ärger.im-Büro", "Was", "by @ada")
}

func channelPageIsFoundByEverySpellingOfItsName(t *testing.T) {
	s := newSite(t)
	s.channel("Straße", string(s.author("ada")))
	for path, link := range map[string]string{
		"/channels/STRASSE":       `</channels/Stra%C3%9Fe>; rel="canonical"`,
		"/channels/stra%C3%9fe":   `</channels/Stra%C3%9Fe>; rel="canonical"`,
		"/channels/%53tra%c3%9fe": "",
	} {
		p := s.browser().open(path).want(200).heading("Straße")
		if got := p.header.Get("Link"); got != link {
			t.Errorf("%s: Link %q", path, got)
		}
	}
}

func ownerEditsTheDescription(t *testing.T) {
	_, b, _ := enginesBrowser(t, "ada")
	b.open("/channels/engines").follow("Edit description").
		form("Save").fill("description", strings.Repeat("x", 501)).press().want(422).complains("description", "at most 500").
		form("Save").fill("description", "Pistons and <valves>").press().
		at("/channels/Engines").says("Your changes are saved.", "Pistons and <valves>")
}

const tooManyChannels = "You own as many channels as one user may own, which is 2."

func programIsToldThatItsOwnerHasTooMany(t *testing.T) {
	s := newSiteWith(t, web.Options{Version: "test", MaxChannelsPerOwner: 2})
	ada, bob := s.signUp("ada"), s.signUp("bob")
	create := func(token, name string) answer {
		return s.do("POST", "/api/v1/channels", bearer(token), fields("name", name))
	}
	create(ada, "Engines").want(201)
	create(ada, "Wheels").want(201)
	a := create(ada, "Valves").unwritten().want(422)
	if a.text("type") != "urn:microblogging:too-many-channels" || !strings.Contains(a.text("detail"), tooManyChannels) {
		t.Errorf("the problem says %s", a.body)
	}
	create(ada, "wheels").want(409)
	create(bob, "Valves").want(201)
}

func TestChannelDirectoryPage(t *testing.T) {
	t.Run("the filter keeps what was typed and says what to do next", filterKeepsWhatWasTypedAndSaysWhatToDoNext)
}

func filterKeepsWhatWasTypedAndSaysWhatToDoNext(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	s.channel("Ärger", "ada")
	s.channel("Engines", "ada")
	for text, want := range map[string][]string{
		"ä": {"Ärger"}, "GER": {"Ärger"}, "n": {"Engines"}, "e": {"Ärger", "Engines"}, "": {"Ärger", "Engines"}, "ärger!": nil, "'": nil, "~": nil, "/": nil,
	} {
		p := b.open("/channels?contains=" + url.QueryEscape(text)).want(200)
		slices.Sort(want)
		got := slices.DeleteFunc(p.titles(), func(title string) bool { return strings.HasPrefix(title, "No channel") })
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%q lists %q", text, got)
		}
	}
	p := b.open("/channels?contains=%3Cb%3Etea").says("No channel’s name contains “<b>tea”")
	if got := p.follow("create it").form("Create channel").values.Get("name"); got != "<b>tea" {
		t.Errorf("the new channel's name is %q", got)
	}
	for _, bad := range []string{"%FF", strings.Repeat("a", 300)} {
		b.open("/channels?contains=" + bad).want(422)
	}
}

func TestUserPublicPage(t *testing.T) {
	t.Run("has pages", userPageHasPages)
	t.Run("is named by each feed", authorsPageIsNamedByEachFeed)
}

func userPageHasPages(t *testing.T) {
	s := newSite(t)
	ada := s.author("ada")
	for i := range 21 {
		channel := s.channel(fmt.Sprintf("c%02d", i), "ada")
		ok(t, s.store.ListChannel(t.Context(), channel))
	}
	p := s.browser().open("/users/"+string(ada)).says("c00", "c19").saysNot("c20")
	p.follow("More channels →").says("c20").saysNot("c19").follow("← Back to the start").says("c00")
	s.browser().open("/users/ada?after=x").want(422)
}

func authorsPageIsNamedByEachFeed(t *testing.T) {
	s := newSite(t)
	channel := s.channel("Engines", string(s.author("ada")))
	s.post(channel, "ada", "Hello")
	atom, json := feedsOf(channel)
	if body := string(s.do("GET", atom).want(200).body); !strings.Contains(body, "<author><name>ada</name><uri>http://example.com/users/ada</uri></author>") {
		t.Errorf("Atom: %s", body)
	}
	if body := string(s.do("GET", json).want(200).body); !strings.Contains(body, `"authors":[{"name":"ada","url":"http://example.com/users/ada"}]`) {
		t.Errorf("JSON Feed: %s", body)
	}
}
