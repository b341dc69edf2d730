package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/domain"
	"microblogging/templates"
	"microblogging/web"
)

func TestChannel(t *testing.T) {
	t.Run("a name in use and one being deleted are different conflicts", nameInUseAndOneBeingDeletedAreDifferentConflicts)
	t.Run("each word about a channel goes through forms, the API and its keys", eachWordGoesThroughFormsAPIAndKeys)
	t.Run("a channel page is found by every spelling of its name", channelPageIsFoundByEverySpellingOfItsName)
	t.Run("its owner edits the description", ownerEditsTheDescription)
	t.Run("a program is told that its owner has too many", programIsToldThatItsOwnerHasTooMany)
	t.Run("a name that looks like another is refused, and its sentence names that", nameThatLooksLikeAnotherIsRefused)
	t.Run("whose name could not be made now is used as any other", earlierNameIsUsed)
	t.Run("a new one is on the page of channels immediately, below those that have posts", newChannelIsListed)
	t.Run("a slash at the end of its address leads to it", slashAtTheEndLeadsToTheChannel)
}

func newChannelIsListed(t *testing.T) {
	s, ada, engines := enginesBrowser(t, "ada")
	s.post(engines, "ada", "Steam")
	ada.open("/channels/new").form("Create channel").fill("name", "Boats").press().at("/channels/Boats")
	for _, b := range []*browser{ada, s.browser()} {
		is(t, "the channels", b.open("/channels").want(200).titles(), []string{"Engines", "Boats"})
	}
	var more []domain.Channel
	for i := range 21 {
		more = append(more, s.channel(fmt.Sprint("More", i), "ada"))
	}
	s.post(more[9], "ada", "Water") // none of the first 20 names
	is(t, "channels on the page", len(ada.open("/channels").titles()), 20)
	for _, channel := range more[:20] {
		s.post(channel, "ada", "Water")
	}
	first := ada.open("/channels")
	is(t, "channels with posts on the first page", len(first.titles()), 20)
	is(t, "on the second", len(first.follow("More channels →").titles()), 1)
}

func nameThatLooksLikeAnotherIsRefused(t *testing.T) {
	s := newSite(t)
	s.channel("Coco", string(s.author("ada")))
	token := s.signUp("bob")
	for name, want := range map[string]string{"сосо": "looks like “Coco”, which another channel has", "cосо": "mixes scripts: “c” is Latin, “о” is Cyrillic. Use letters of one script"} {
		s.do("POST", "/api/v1/channels", bearer(token), fields("name", name)).unwritten().want(422).
			holds("errors.0.field", "name").holds("errors.0.detail", want)
	}
	b := s.again("bob")
	b.open("/channels/new").form("Create channel").fill("name", "сосо").press().want(422).complains("name", "Name looks like “Coco”, which another channel has.").
		form("Create channel").fill("name", "сосоа").press().at(templates.ChannelPath("сосоа"))
	b.open("/write").form("Post").fill("text", "Hello").fill("channel", "").fill("name", "сосо").press().want(422).complains("name", "Name looks like “Coco”, which another channel has.")
}

// An earlier program has made the channel, whose name mixes scripts and has a special form.
func earlierNameIsUsed(t *testing.T) {
	s := newSite(t)
	channel, err := domain.NewChannel("Notes", domain.About{}, s.author("ada"))
	ok(s, err)
	channel.Name = "Nоtｅs"
	channel, _, err = s.store.Channels.Create(s.Context(), channel, domain.PostersOpen, "", 0)
	ok(s, err)
	ada, token, path := s.again("ada"), s.session("ada"), templates.ChannelPath(channel.Name)
	page := ada.open(path).want(200).heading("Nоtｅs").form("Post").fill("text", "Hello").press().at(path).says("Hello")
	page.follow("Settings").form("Save all").fill("description", "Made earlier").press().at(path).says("Made earlier")
	s.do("GET", path+"/feed.atom").want(200)
	s.do("GET", "/api/v1/channels?contains="+url.QueryEscape("Nоtｅs")).want(200).holds("items.0.name", "Nоtｅs")
	s.do("POST", "/api/v1"+path+"/blogs", bearer(token), fields("text", "Hello")).want(201)
	s.do("DELETE", "/api/v1"+path, bearer(token)).want(202)
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

func eachWordGoesThroughFormsAPIAndKeys(t *testing.T) {
	s, b, _ := enginesBrowser(t, "ada")
	token := s.session("ada")
	for _, word := range new(domain.About).Fields() {
		once := func(text string) answer {
			return s.do("POST", "/api/v1/channels", bearer(token), header("Idempotency-Key", word.Name),
				fields("name", "of-"+word.Name, word.Name, text))
		}
		if got := once(plant(word, false)).want(201).text(word.Name); got != plant(word, false) {
			t.Errorf("the API made %s %q", word.Name, got)
		}
		once(plant(word, false)).want(200)
		once(plant(word, true)).want(422)
		b.open("/channels/Engines/edit").form("Save all").fill(word.Name, plant(word, true)).press().at("/channels/Engines")
		a := s.do("PATCH", "/api/v1/channels/Engines", bearer(token), fields("description", "described")).want(200)
		if want := map[bool]string{true: "described", false: plant(word, true)}[word.Name == "description"]; a.text(word.Name) != want {
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
	b.open("/channels/engines").follow("Settings").
		form("Save all").fill("description", strings.Repeat("x", 501)).press().want(422).complains("description", "at most 500").
		form("Save all").fill("description", "Pistons and <valves>").press().
		at("/channels/Engines").says("Saved: description.", "Pistons and <valves>")
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
