package web_test

import (
	"slices"
	"strings"
	"testing"
)

func TestForm(t *testing.T) {
	t.Run("of four hundred fields or more is refused before they are parsed", formOfManyFieldsIsRefused)
	t.Run("without a body does not delete the channel that has the name", formWithoutABodyDeletesNothing)
	t.Run("a form whose post was deleted does not bring it back", formWhosePostWasDeletedDoesNotBringItBack)
	t.Run("what is wrong with a field is next to it, in words that say what to do", errorIsNextToItsField)
	t.Run("with a name that is not allowed comes back with one that is, and sends what is typed then", allowedNameIsInTheField)
}

func errorIsNextToItsField(t *testing.T) {
	s, ada, _ := enginesBrowser(t, "ada")
	s.author("bob")
	create := ada.open("/channels/new").form("Create channel")
	create.fill("name", "my  channel").press().want(422).complains("name", "Spaces are not allowed. The field now has a name that is allowed.")
	create.fill("name", "Engіnes").press().want(422).complains("name", "Name mixes scripts: “E” is Latin, “і” is Cyrillic. Use letters of one script.")
	create.fill("name", "Ｅngines").press().want(422).complains("name", "Name has letters in a special form. In plain letters it is “Engines”.")
	taken := create.fill("name", "engines").press().want(409).complains("name", "Name is taken: look at it")
	is(t, "what has the name is at", taken.href("look at it"), "/channels/engines")
	write := ada.open("/write").form("Post").fill("text", "Hello").fill("channel", "")
	write.fill("name", "my channel").press().want(422).complains("name", "Spaces are not allowed.")
	write.fill("name", "Engines").press().want(409).complains("name", "Name is taken: look at it")
	account := ada.open("/account").form("Change password").fill("new", "another "+password)
	account.fill("old", "wrong horse").press().want(422).complains("old", "That is not your current password.")
	ada.open("/account/deletion").form("Delete my account").fill("posts", "keep").fill("password", "wrong horse").press().want(422).
		complains("password", "That is not your password.").says("Nothing was deleted.")

	edit := ada.open("/channels/Engines/edit").want(200)
	mine := edit.form("Save all").fill("description", "Mine,\r\nof the first tab")
	edit.form("Save all").fill("description", "Theirs").press().at("/channels/Engines")
	both := mine.press().unwritten().want(412).says("Another description was saved meanwhile: “Theirs”.")
	is(t, "the form has", both.wrote(), "Mine,\nof the first tab")
	both = both.form("Save all").fill("description", strings.Repeat("x", 501)).press().want(422)
	both.form("Save all").fill("description", "Mine").press().at("/channels/Engines").says("Mine")
	mine.fill("description", " Mine ").press().at("/channels/Engines")
	settings := func() form { return ada.open("/channels/Engines/edit").form("Save all") }
	settings().fill("add-blocked", "zoe, bob").press().unwritten().want(422).complains("add-blocked", "No account is called “zoe”.")
	settings().fill("add-blocked", " @Ada ").press().unwritten().want(422).complains("add-blocked", "You own the channel, and cannot be blocked there.").
		form("Save all").fill("add-blocked", "").fill("description", "Mine alone").press().at("/channels/Engines").says("Mine alone")
	settings().fill("add-blocked", "@bob").press().says("Saved: blocked accounts.")
	for _, forged := range []string{"blocked", "unblocked.", "blocked.<b>you win"} {
		ada.jar["notice"] = forged
		ada.open("/channels/Engines").saysNot("you win", "blocked")
	}
}

func allowedNameIsInTheField(t *testing.T) {
	s, ada, _ := enginesBrowser(t, "ada")
	refused := ada.open("/channels/new").form("Create channel").fill("name", "Club News & Events").press().want(422)
	refused.form("Create channel").fill("description", "typed since").fill("posting", "open").press().at("/channels/Club-News-Events").says("typed since")
	s.do("GET", "/api/v1/channels/Club-News-Events").want(200).has(`"posting":"open"`)
	s.browser().open("/sign-up").form("Sign up").fill("name", "Nora Smith").fill("password", password).press().want(422).
		complains("name", "Name may hold only letters a to z, digits and “_”. The field now has a name that is allowed.").
		form("Sign up").fill("password", password).press().at("/").says("nora_smith")
}

func formWhosePostWasDeletedDoesNotBringItBack(t *testing.T) {
	_, b, _ := enginesBrowser(t, "ada")
	form := b.open("/channels/Engines").form("Post").fill("title", "Regretted").fill("text", "Hello")
	form.press().at("/channels/Engines").follow("Regretted").form("Delete this post").press().at("/channels/Engines")
	asked := form.press().want(410).says("has been deleted since", "Nothing here yet")
	if got := asked.form("Post").press().at("/channels/Engines").titles(); !slices.Equal(got, []string{"Regretted"}) {
		t.Fatalf("posts %q", got)
	}
}

func formWithoutABodyDeletesNothing(t *testing.T) {
	s, token, _ := engines(t, "ada")
	s.do("POST", "/channels/Engines/delete", cookie(token)).unwritten().want(428)
	s.do("POST", "/channels/Engines", cookie(token)).unwritten().want(428)
}

// The limit is in go.mod.
func formOfManyFieldsIsRefused(t *testing.T) {
	s, token, channel := engines(t, "ada")
	form := "text=Hello&incarnation=" + string(channel.Incarnation)
	for fields, status := range map[int]int{399: 303, 400: 400} {
		s.do("POST", "/channels/Engines", cookie(token), typed("application/x-www-form-urlencoded", form+strings.Repeat("&a", fields-2))).want(status)
	}
}
