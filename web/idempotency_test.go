package web_test

import (
	"testing"
)

func TestIdempotency(t *testing.T) {
	t.Run("one key makes one post, one channel or one account", oneKeyMakesOneThing)
	t.Run("a form that is sent twice makes one channel and one account", formSentTwiceMakesOne)
	t.Run("a form with a mistake keeps its key", formWithAMistakeKeepsItsKey)
}

func oneKeyMakesOneThing(t *testing.T) {
	s := newSite(t)
	ada, bob := bearer(s.signUp("ada")), bearer(s.signUp("bob"))
	s.channel("Engines", "ada")
	s.channel("Wheels", "ada")
	const users, channels = "/api/v1/users", "/api/v1/channels"
	send := func(path string, who change, key string, body change) answer {
		return s.do("POST", path, who, header("Idempotency-Key", key), body)
	}
	for path, bodies := range map[string][3]change{ // the last two are others than the first
		enginesBlogs: {fields("text", "Hello"), fields("text", "Other"), fields("title", "T", "text", "Hello")},
		channels:     {fields("name", "Brakes", "description", "d"), fields("name", "Brakes"), fields("name", "Horns", "description", "d")},
		users:        {fields("name", "eve", "password", password), fields("name", "eve", "password", "another password"), fields("name", "ivy", "password", password)},
	} {
		first, again := send(path, ada, "k 1", bodies[0]).want(201), send(path, ada, "k 1", bodies[0]).want(200)
		for _, name := range []string{"Location", "ETag"} {
			if first.header.Get(name) != again.header.Get(name) {
				t.Errorf("%s: %s is %q, and then %q", path, name, first.header.Get(name), again.header.Get(name))
			}
		}
		if string(first.body) != string(again.body) {
			t.Errorf("first %s, again %s", first.body, again.body)
		}
		for _, other := range bodies[1:] {
			if got := send(path, ada, "k 1", other).want(422).text("type"); path != users && got != "urn:microblogging:key-reused" {
				t.Errorf("%s: type %q", path, got)
			}
		}
	}
	send(users, ada, "k 2", fields("name", "eve", "password", password)).want(409)
	send(channels, bob, "k 1", fields("name", "Brakes", "description", "d")).want(409)
	send(channels, ada, "k 2", fields("name", "Brakes", "description", "d")).want(409)
	// A key belongs to one user and one channel.
	send(enginesBlogs, bob, "k 1", fields("text", "Other")).want(201)
	send(channels+"/Wheels/blogs", ada, "k 1", fields("text", "Other")).want(201)
	if got := s.listed(enginesBlogs, "userId"); len(got) != 2 {
		t.Errorf("the posts are of %q", got)
	}
	// What a key made and was deleted since is not made again.
	post := s.do("GET", enginesBlogs).text("items.1.id")
	s.do("DELETE", enginesBlogs+"/"+post, ada).want(204)
	send(enginesBlogs, ada, "k 1", fields("text", "Hello")).want(410)
	s.do("DELETE", channels+"/Brakes", ada).want(202)
	send(channels, ada, "k 1", fields("name", "Brakes", "description", "d")).want(410)
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

// A reply was lost, and the form is sent again with a mistake, and then as it was.
func formWithAMistakeKeepsItsKey(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	signUp := b.open("/sign-up").form("Sign up").fill("name", "ada").fill("password", password)
	signUp.press().at("/")
	signUp.fill("password", "short").press().want(422).form("Sign up").fill("password", password).press().at("/")
	create := b.open("/channels/new").form("Create channel").fill("name", "Engines")
	create.press().at("/channels/Engines")
	create.fill("name", "En/gines").press().want(422).form("Create channel").fill("name", "Engines").press().at("/channels/Engines")
}
