package web_test

import (
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestIdempotency(t *testing.T) {
	t.Run("one key makes one post", oneKeyMakesOnePost)
	t.Run("a bad key is refused", badKeyIsRefused)
	t.Run("a post whose reply was lost is made once", postWhoseReplyWasLostIsMadeOnce)
	t.Run("one key makes one channel", oneKeyMakesOneChannel)
	t.Run("one key makes one account", oneKeyMakesOneAccount)
	t.Run("a form that is sent twice makes one channel and one account", formSentTwiceMakesOne)
}

func oneKeyMakesOnePost(t *testing.T) {
	s := newSite(t)
	ada, bob := s.signUp("ada"), s.signUp("bob")
	channel := s.channel("Engines", "ada")
	s.channel("Wheels", "ada")
	post := func(channel, token, key, text string) answer {
		return s.do("POST", "/api/v1/channels/"+channel+"/blogs", bearer(token), header("Idempotency-Key", key), fields("text", text))
	}
	first := post("Engines", ada, "k 1", "Hello").want(201)
	again := post("Engines", ada, "k 1", "Hello").want(200)
	if string(first.body) != string(again.body) || first.header.Get("Location") != again.header.Get("Location") ||
		first.header.Get("ETag") != again.header.Get("ETag") {
		t.Errorf("first %s, again %s", first.body, again.body)
	}
	if got := s.do("GET", "/api/v1/channels/Engines/blogs").text("items.1.id"); got != "" {
		t.Errorf("a second post %s", got)
	}
	if got := post("Engines", ada, "k 1", "Other").want(422).text("type"); got != "urn:microblogging:key-reused" {
		t.Errorf("type %q", got)
	}
	post("Engines", bob, "k 1", "Other").want(201)
	post("Wheels", ada, "k 1", "Other").want(201)
	s.do("DELETE", blogPath(channel, domain.BlogID(first.text("id"))), bearer(ada)).want(204)
	post("Engines", ada, "k 1", "Hello").want(410)
}

func badKeyIsRefused(t *testing.T) {
	s, token, _ := engines(t, "ada")
	post := func(keys ...change) answer {
		changes := append(keys, bearer(token), fields("text", "Hello"))
		return s.do("POST", "/api/v1/channels/Engines/blogs", changes...)
	}
	key := func(s string) change { return header("Idempotency-Key", s) }
	for name, bad := range map[string][]change{
		"empty":        {key("")},
		"too long":     {key(strings.Repeat("x", 256))},
		"unprintable":  {key("a\tb")},
		"not UTF-8":    {key("a\xff")},
		"sent twice":   {key("a"), key("b")},
		"zero width":   {key("a\u200bb")},
		"private area": {key("\ue000")},
	} {
		if a := post(bad...).unwritten(); a.status != 422 {
			t.Errorf("%s: status %d", name, a.status)
		} else {
			a.wantField("Idempotency-Key")
		}
	}
	post(key(strings.Repeat("é", 255))).want(201)
	post().want(201)
	post().want(201)
}

func postWhoseReplyWasLostIsMadeOnce(t *testing.T) {
	s, token, _ := engines(t, "ada")
	s.breakStore(drivertest.Only(
		func(c drivertest.Call) bool { return c.Method == "Transact" && c.Target == "Blogs" }, drivertest.FailAfter(1)))
	post := func() answer {
		return s.do("POST", "/api/v1/channels/Engines/blogs", bearer(token), header("Idempotency-Key", "k"), fields("text", "Hello"))
	}
	if got := post().want(503).header.Get("Retry-After"); got == "" {
		t.Error("no Retry-After")
	}
	s.mendStore()
	post().want(200)
	if got := s.do("GET", "/api/v1/channels/Engines/blogs").text("items.1.id"); got != "" {
		t.Errorf("a second post %s", got)
	}
}

func oneKeyMakesOneChannel(t *testing.T) {
	s := newSite(t)
	ada, bob := s.signUp("ada"), s.signUp("bob")
	create := func(token, key, name, description string) answer {
		return s.do("POST", "/api/v1/channels", bearer(token), header("Idempotency-Key", key), fields("name", name, "description", description))
	}
	first := create(ada, "k 1", "Engines", "Wheels").want(201)
	again := create(ada, "k 1", "Engines", "Wheels").want(200)
	if string(first.body) != string(again.body) || first.header.Get("Location") != again.header.Get("Location") ||
		first.header.Get("ETag") != again.header.Get("ETag") {
		t.Errorf("first %s, again %s", first.body, again.body)
	}
	for _, other := range [][2]string{{"Engines", "Other"}, {"Brakes", "Wheels"}} {
		if got := create(ada, "k 1", other[0], other[1]).want(422).text("type"); got != "urn:microblogging:key-reused" {
			t.Errorf("type %q", got)
		}
	}
	create(bob, "k 1", "Engines", "Wheels").want(409)
	create(ada, "k 2", "Engines", "Wheels").want(409)
	create(ada, "k 2", "Brakes", "Wheels").want(201)
	s.do("DELETE", "/api/v1/channels/Engines", bearer(ada)).want(202)
	create(ada, "k 1", "Engines", "Wheels").want(410)
}

func oneKeyMakesOneAccount(t *testing.T) {
	s := newSite(t)
	signUp := func(key, name, password string) answer {
		return s.do("POST", "/api/v1/users", header("Idempotency-Key", key), fields("name", name, "password", password))
	}
	first := signUp("k 1", "ada", password).want(201)
	again := signUp("k 1", "ada", password).want(200)
	if string(first.body) != string(again.body) {
		t.Errorf("first %s, again %s", first.body, again.body)
	}
	signUp("k 1", "ada", "another password").want(422)
	signUp("k 1", "bob", password).want(422)
	signUp("k 2", "ada", password).want(409)
	signUp("k 2", "bob", password).want(201)
}

// A double click sends a form twice. Both land on what it made.
func formSentTwiceMakesOne(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	signUp := b.open("/sign-up").form("Sign up").fill("name", "ada").fill("password", password)
	for range 2 {
		signUp.press().at("/")
	}
	create := b.open("/channels/new").form("Create channel").fill("name", "Engines")
	for range 2 {
		create.press().at("/channels/Engines")
	}
	// The back button shows the form again, with the same key.
	again := create.fill("name", "Brakes").press().want(422).says("This form was sent before").form("Create channel")
	again.press().at("/channels/Brakes")
}
