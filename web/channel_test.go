package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/domain"
	"microblogging/storage/drivertest"
	"microblogging/web"
)

func TestChannel(t *testing.T) {
	t.Run("a new channel is found at its Location", newChannelIsFoundAtItsLocation)
	t.Run("a name in use and one being deleted are different conflicts", nameInUseAndOneBeingDeletedAreDifferentConflicts)
	t.Run("its owner describes a channel", ownerDescribesAChannel)
	t.Run("each word about a channel goes through forms, the API and its keys", eachWordGoesThroughFormsAPIAndKeys)
	t.Run("a channel page is found by every spelling of its name", channelPageIsFoundByEverySpellingOfItsName)
	t.Run("its owner edits the description", ownerEditsTheDescription)
	t.Run("a program is told that its owner has too many", programIsToldThatItsOwnerHasTooMany)
	t.Run("a slash at the end of its address leads to it", slashAtTheEndLeadsToTheChannel)
	t.Run("a row that lands after its deletion is shown nowhere", lateRowIsShownNowhere)
}

func newChannelIsFoundAtItsLocation(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	for _, name := range []string{"Engines", "Ärger.über_Öl", "日本語", "ελληνικά-2"} {
		created := s.do("POST", "/api/v1/channels", bearer(token), fields("name", name, "description", "  Words\r\nand wheels ")).want(201)
		created.headed("Location", "/api/v1/channels/"+url.PathEscape(name))
		read := s.do("GET", created.header.Get("Location")).want(200)
		if string(read.body) != string(created.body) {
			t.Errorf("read %s, created %s", read.body, created.body)
		}
		read.holds("description", "Words\nand wheels")
		read.headed("ETag", created.header.Get("ETag"))
	}
}

func slashAtTheEndLeadsToTheChannel(t *testing.T) {
	s := newSite(t)
	s.channel("Ärger", string(s.author("ada")))
	for path, to := range map[string]string{"/channels/%C3%84rger/": "/channels/%C3%84rger", "/channels/": "/channels", "/channels/?contains=x": "/channels?contains=x", "/latest/": "/latest"} {
		s.do("GET", path).want(303).headed("Location", to)
	}
	for _, path := range []string{"//evil.example/", "/api/v1/channels/", "/nothing"} {
		s.do("GET", "/", func(r *http.Request) { r.URL.Path = path }).want(404)
	}
	s.do("POST", "/channels/%C3%84rger/").want(404)
}

// lateRowIsShownNowhere sends the insert of a channel's row once more, after the channel was deleted.
func lateRowIsShownNowhere(t *testing.T) {
	s := newSite(t)
	bob := s.signedIn("bob")
	token := s.session("bob")
	var late func() error
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Channels" && call.Writes() {
			late = func() error { return send(context.WithoutCancel(ctx)) }
		}
		return send(ctx)
	})
	s.do("POST", "/api/v1/channels", bearer(token), fields("name", "Secret", "description", "Words of then")).want(201)
	s.mendStore()
	ref := s.ref("Secret")
	channel, err := s.store.Operator.ReadIncarnation(t.Context(), ref)
	ok(t, err)
	s.requestDeletion(channel.Channel)
	s.cascade(ref)
	ok(t, late())
	for _, path := range []string{"/channels/Secret", "/channels/Secret/feed", "/channels/Secret/feed.atom", "/channels/Secret/feed.json",
		"/channels/Secret/edit", "/channels/Secret/delete"} {
		bob.open(path).want(404).saysNot("Words of then")
	}
	for _, path := range []string{"/channels", "/users/bob?show=channels"} {
		bob.open(path).want(200).saysNot("Secret")
	}
	for _, path := range []string{"/api/v1/channels/Secret", "/api/v1/channels/Secret/blogs"} {
		s.do("GET", path).want(404)
	}
	s.do("PATCH", "/api/v1/channels/Secret", bearer(token), fields("description", "Words of now")).want(404)
	if got := s.listed("/api/v1/channels", "name"); len(got) > 0 {
		t.Errorf("channels: %q", got)
	}
}

func nameInUseAndOneBeingDeletedAreDifferentConflicts(t *testing.T) {
	s, token, channel := engines(t, "ada")
	create := func() answer {
		return s.do("POST", "/api/v1/channels", bearer(token), fields("name", "ENGINES"))
	}
	create().unwritten().want(409).holds("type", "urn:microblogging:name-taken")
	s.requestDeletion(channel)
	create().unwritten().want(409).holds("type", "urn:microblogging:still-deleting")
	s.cascade(channel.Ref())
	if again := create().want(201); strings.HasPrefix(again.header.Get("ETag"), `"`+string(channel.Incarnation)) {
		t.Error("two incarnations have one ETag")
	}
}

func ownerDescribesAChannel(t *testing.T) {
	s, token, channel := engines(t, "ada")
	etag := `"` + string(channel.Incarnation) + `"`
	patch := func(match string, body change) answer {
		return s.do("PATCH", "/api/v1/channels/engines", bearer(token), header("If-Match", match), body)
	}
	patch(etag, fields("description", "New words")).want(200).holds("description", "New words")
	for _, body := range []change{
		fields("description", strings.Repeat("x", 501)), fields("description", "x", "name", "Other"),
		fields("description", "x", "posting", "some"), fields("posting", "some"),
	} {
		patch("*", body).unwritten().want(422)
	}
	patch("*", fields()).want(200).holds("description", "New words").holds("posting", "open")
	for match, status := range map[string]int{`"AAAAAAAAAAAAAAAAAAAAAAAAAA"`: 412, "W/" + etag: 412, "unquoted": 400} {
		patch(match, fields("description", "x")).unwritten().want(status)
	}
	s.do("GET", "/api/v1/channels/Engines").want(200).holds("description", "New words")
}

func eachWordGoesThroughFormsAPIAndKeys(t *testing.T) {
	s, b, _ := enginesBrowser(t, "ada")
	token := s.session("ada")
	for _, word := range new(domain.About).Fields() {
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

func channelPageIsFoundByEverySpellingOfItsName(t *testing.T) {
	s := newSite(t)
	s.channel("Straße", string(s.author("ada")))
	for _, path := range []string{"/channels/STRASSE", "/channels/stra%C3%9fe", "/channels/%53tra%c3%9fe"} {
		p := s.browser().open(path).want(200).heading("Straße")
		link := one(p.doc, func(n *html.Node) bool { return attr(n, "rel") == "canonical" })
		is(t, path, attr(link, "href"), "http://example.com/channels/Stra%C3%9Fe")
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
	a.holds("type", "urn:microblogging:too-many-channels").has(tooManyChannels)
	create(ada, "wheels").want(409)
	create(bob, "Valves").want(201)
}
