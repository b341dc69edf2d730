package web_test

import (
	"strings"
	"testing"

	"microblogging/web"
)

func TestChannelLimit(t *testing.T) {
	t.Run("a program is told that its owner has too many", programIsToldThatItsOwnerHasTooMany)
	t.Run("a page says so and keeps what was typed", channelPageSaysSoAndKeepsWhatWasTyped)
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
	a := s.unwritten(func() answer { return create(ada, "Valves") }).want(422)
	if a.text("type") != "urn:microblogging:too-many-channels" || !strings.Contains(a.text("detail"), tooManyChannels) {
		t.Errorf("the problem says %s", a.body)
	}
	create(ada, "wheels").want(409)
	create(bob, "Valves").want(201)
}

func channelPageSaysSoAndKeepsWhatWasTyped(t *testing.T) {
	s := newSiteWith(t, web.Options{Version: "test", MaxChannelsPerOwner: 2})
	b := s.signedIn("ada")
	for _, name := range []string{"Engines", "Wheels"} {
		b.open("/channels/new").form("Create channel").fill("name", name).press().at("/channels/" + name)
	}
	p := b.open("/channels/new").form("Create channel").fill("name", "Valves").fill("description", "They open.").press().want(422)
	kept := p.says(tooManyChannels, "Delete a channel first").form("Create channel").values
	if kept.Get("name") != "Valves" || kept.Get("description") != "They open." {
		t.Errorf("the page keeps %v", kept)
	}
}
