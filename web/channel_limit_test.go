package web_test

import (
	"strings"
	"testing"

	"microblogging/web"
)

func TestChannelLimit(t *testing.T) {
	t.Run("a program is told that its owner has too many", programIsToldThatItsOwnerHasTooMany)
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
