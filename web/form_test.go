package web_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestForm(t *testing.T) {
	t.Run("of a hundred fields or more is refused before they are parsed", formOfManyFieldsIsRefused)
	t.Run("a damaged form is refused and writes nothing", damagedFormIsRefusedAndWritesNothing)
	t.Run("a form without a version changes nothing", formWithoutAVersionChangesNothing)
	t.Run("a form whose post was deleted does not bring it back", formWhosePostWasDeletedDoesNotBringItBack)
	t.Run("a bad post is shown again as it was typed", badPostIsShownAgainAsItWasTyped)
	t.Run("what is wrong with a field is next to it, in words that say what to do", errorIsNextToItsField)
}

func errorIsNextToItsField(t *testing.T) {
	s, ada, _ := enginesBrowser(t, "ada")
	s.author("bob")
	create := ada.open("/channels/new").form("Create channel")
	create.fill("name", "my  channel").press().want(422).complains("name", "Spaces are not allowed. Use my-channel?")
	taken := create.fill("name", "engines").press().want(409).complains("name", "Name is taken: look at it")
	is(t, "what has the name is at", taken.href("look at it"), "/channels/engines")
	write := ada.open("/write").form("Post").fill("text", "Hello").fill("channel", "")
	write.fill("name", "my channel").press().want(422).complains("name", "Spaces are not allowed.")
	write.fill("name", "Engines").press().want(409).complains("name", "Name is taken: look at it")
	account := ada.open("/account").form("Change password").fill("new", "another "+password)
	account.fill("old", "wrong horse").press().want(422).complains("old", "That is not your current password.")
	ada.open("/account/deletion").form("Delete my account").fill("password", "wrong horse").press().want(422).
		complains("password", "That is not your password.").says("Nothing was deleted.")

	edit := ada.open("/channels/Engines/edit").want(200)
	edit.form("Block").fill("person", "zoe").press().want(404).complains("person", "There is no user of this name.")
	edit.form("Block").fill("person", " @Ada ").press().want(422).complains("person", "@ada owns the channel, and cannot be blocked there.")
	edit.form("Block").fill("person", "@bob").press().says("You blocked @bob.").form("Unblock @bob").elsewhere().press().says("You unblocked @bob.")
	for _, forged := range []string{"16", "17.", "16.<b>you win"} {
		ada.jar["notice"] = forged
		ada.open("/channels/Engines").saysNot("you win", "blocked")
	}
}

func damagedFormIsRefusedAndWritesNothing(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	incarnation := string(s.channel("Engines", "ada").Incarnation)
	for name, test := range map[string]struct {
		send   change
		status int
	}{
		"a type that is none":     {typed(";;", "text=x"), 415},
		"cut multipart":           {typed("multipart/form-data; boundary=x", "--x\r\nContent-Disp"), 400},
		"no boundary":             {typed("multipart/form-data", "--x--"), 400},
		"nothing":                 {typed("", ""), 428},
		"nothing but the channel": {posted(url.Values{"incarnation": {incarnation}}), 422},
		"a file as text": {typed("multipart/form-data; boundary=x",
			"--x\r\nContent-Disposition: form-data; name=\"text\"; filename=\"a\"\r\n\r\nwords\r\n"+
				"--x\r\nContent-Disposition: form-data; name=\"incarnation\"\r\n\r\n"+incarnation+"\r\n--x--\r\n"), 422},
	} {
		t.Run(name, func(t *testing.T) {
			b.send("POST", "/channels/Engines?text=in+the+query&title=too", test.send).unwritten().want(test.status)
		})
	}
	b.open("/channels/Engines").says("Nothing here yet")
}

func formWithoutAVersionChangesNothing(t *testing.T) {
	s, b, channel := enginesBrowser(t, "ada")
	path := permalink(channel, s.post(channel, "ada", "Draft"))
	of := []string{string(channel.Incarnation)}
	for _, test := range []struct {
		path   string
		form   url.Values
		status int
	}{
		{path + "/edit", url.Values{"text": {"x"}, "incarnation": of}, 428},
		{path + "/edit", url.Values{"text": {"x"}, "etag": {"*"}}, 428},
		{path + "/edit", url.Values{"text": {"x"}, "etag": {"no quotes"}, "incarnation": of}, 400},
		{path + "/edit", url.Values{"text": {"x"}, "etag": {`"of-another"`}, "incarnation": of}, 412},
		{path + "/edit", url.Values{"text": {"x"}, "etag": {"*"}, "incarnation": {"of another"}}, 412},
		{path, url.Values{"action": {"delete"}, "incarnation": of}, 428},
		{path, url.Values{"action": {"delete"}, "etag": {"*"}}, 428},
		{path, url.Values{"action": {"delete"}, "etag": {`"of-another"`}, "incarnation": of}, 412},
		{path, url.Values{"action": {"delete"}, "etag": {"*"}, "incarnation": {"of another"}}, 412},
		{path, url.Values{"action": {"vote"}}, 428},
		{path, url.Values{"action": {"unvote"}}, 428},
		{path, url.Values{"action": {"vote"}, "incarnation": {"of another"}}, 412},
		{"/channels/Engines", url.Values{"action": {"subscribe"}, "incarnation": {"of another"}}, 412},
		{"/channels/Engines", url.Values{"action": {"unsubscribe"}, "incarnation": {"of another"}}, 412},
		{path, url.Values{"action": {"praise"}, "etag": {"*"}}, 400},
		{"/channels/Engines", url.Values{"action": {"praise"}, "text": {"x"}}, 400},
		{"/channels/Engines", url.Values{"text": {"x"}}, 428},
		{"/channels/Engines", url.Values{"action": {"subscribe"}}, 428},
		{"/channels/Engines", url.Values{"action": {"unsubscribe"}}, 428},
		{"/channels/Engines/edit", url.Values{"description": {"x"}}, 428},
		{"/subscriptions", url.Values{"channel": {"Engines"}}, 400},
		{"/subscriptions", url.Values{"action": {"unsubscribe"}, "channel": {"Engines"}}, 428},
		{"/digest", url.Values{"action": {"praise"}}, 400},
		{path, url.Values{}, 400},
		{"/channels/Engines/delete", url.Values{}, 428},
		{"/channels/Engines/delete", url.Values{"incarnation": {"\xff"}}, 412},
	} {
		b.send("POST", test.path, posted(test.form)).unwritten().want(test.status)
	}
	b.open(path).want(200).says("Draft").saysNot("edited")
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

func badPostIsShownAgainAsItWasTyped(t *testing.T) {
	_, b, _ := enginesBrowser(t, "ada")
	for name, test := range map[string]struct{ title, text, field, detail string }{
		"blank":          {"Title", " \n\t ", "text", "Text must not be blank."},
		"title too long": {strings.Repeat("ä", 121), "Text", "title", "at most 120 characters, this has 121"},
		"invalid UTF-8":  {"Title", "a\xffb", "text", "Text is not valid UTF-8."},
	} {
		t.Run(name, func(t *testing.T) {
			form := b.open("/channels/Engines").form("Post").fill("title", test.title).fill("text", test.text)
			p := form.press().unwritten().want(422).heading("Engines").complains(test.field, test.detail)
			again := p.form("Post").values
			if again.Get("key") != form.values.Get("key") {
				t.Error("the key has changed, so the form could make two posts")
			}
			if got := again.Get("title"); test.title == "Title" && got != test.title {
				t.Errorf("title %q", got)
			}
			if got := again.Get("text"); test.text == "Text" && got != test.text {
				t.Errorf("text %q", got)
			}
		})
	}
}

// The limit is in go.mod.
func formOfManyFieldsIsRefused(t *testing.T) {
	s, token, channel := engines(t, "ada")
	form := "text=Hello&incarnation=" + string(channel.Incarnation)
	for fields, status := range map[int]int{99: 303, 100: 400} {
		s.do("POST", "/channels/Engines", cookie(token), typed("application/x-www-form-urlencoded", form+strings.Repeat("&a", fields-2))).want(status)
	}
}
