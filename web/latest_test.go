package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
)

func TestLatest(t *testing.T) {
	t.Run("the feed marks what is new since the last visit on this device, and a script is no visit", feedMarksWhatIsNew)
	t.Run("the front shows an anonymous client the newest posts and the active channels", frontShowsNewestPosts)
	t.Run("a page that is kept shows what was written last, and nothing of what is deleted, on any process", keptFrontIsRight)
	t.Run("channels are in the order of the times that are shown, which are those of their newest posts", channelsAreInOrder)
	t.Run("the API lists the newest posts, and channels by their activity", apiListsLatest)
	t.Run("the form for a post offers no channel in which its reader may not post", composerOffersWhereOneMayPost)
	t.Run("one who is signed in posts from their feed, again and again, in the channel used last", feedHasAComposer)
	t.Run("a feed without subscriptions shows one's own post, and the first post is for no channel of others unless it is chosen", feedStarts)
}

func frontShowsNewestPosts(t *testing.T) {
	s := newSite(t)
	s.browser().open("/").want(200).says("There are no posts yet")
	for i := range 3 {
		channel := s.channel(fmt.Sprint("c", i), "ada")
		for j := range 9 {
			s.postOn(time.Now().Add(-time.Duration(i+3*j)*time.Minute), channel, fmt.Sprintf("post %d of %d", j, i))
		}
	}
	s.channel("silent", "ada")
	front := s.browser().open("/").want(200).heading("Short posts, in channels.").says("Active channels", "All channels").saysNot("silent")
	older := front.follow("Older posts →").want(200)
	if got := slices.Concat(front.texts(), older.texts()); len(front.texts()) != 20 || len(got) != 27 || got[0] != "post 0 of 0" || got[1] != "post 0 of 1" || got[26] != "post 8 of 2" {
		t.Errorf("%d posts: %q", len(front.texts()), got)
	}
	for i := range 3 {
		if front.href(fmt.Sprint("c", i)) == "" {
			t.Errorf("no link to c%d", i)
		}
	}
}

func channelsAreInOrder(t *testing.T) {
	s := newSite(t)
	busy, other := s.channel("Wheels", "ada"), s.channel("Engines", "ada")
	s.post(busy, "ada", "The index has the time of the first post in five minutes.")
	s.post(other, "ada", "between")
	newest := s.post(busy, "ada", "newest").CreatedOn
	for _, path := range []string{"/latest", "/channels"} {
		page := seen(s.browser().open(path).want(200).doc)
		if strings.LastIndex(page, "Wheels") > strings.LastIndex(page, "Engines") || !strings.Contains(page, newest.UTC().Format("2 January 2006, 15:04 UTC")) {
			t.Errorf("%s does not begin with the channel of the newest post: %s", path, page)
		}
	}
}

func keptFrontIsRight(t *testing.T) {
	a, b := twoSites(t)
	token := a.signUp("ada")
	kept, gone := a.channel("Engines", "ada"), a.channel("Wheels", "ada")
	post := a.post(kept, "ada", "Pistons")
	a.post(gone, "ada", "Spokes")
	shows := func(texts, not []string) {
		t.Helper()
		for _, s := range []*site{a, b} {
			for _, who := range []change{func(*http.Request) {}, cookie(token)} {
				for _, path := range []string{"/latest", "/latest", "/api/v1/latest"} {
					answer := s.do("GET", path, who).want(200)
					answer.has(texts...).lacks(not...)
					s.do("GET", path, who, header("If-None-Match", answer.header.Get("ETag"))).want(304)
				}
			}
			s.do("GET", "/").want(200).has(texts...).lacks(not...)
		}
	}
	shows([]string{"Pistons", "Spokes"}, nil)
	b.post(kept, "ada", "Valves")
	shows([]string{"Pistons", "Spokes", "Valves"}, nil)
	ok(t, a.store.Posts.Delete(t.Context(), kept, post.ID, domain.By("ada"), domain.Any[domain.Revision]()))
	shows([]string{"Spokes", "Valves"}, []string{"Pistons"})
	a.do("DELETE", "/api/v1/channels/Wheels", bearer(token)).want(202)
	shows([]string{"Valves"}, []string{"Spokes", "Wheels"})
	a.cascade(gone.Ref())
	shows([]string{"Valves"}, []string{"Spokes", "Wheels"})
	b.post(b.channel("Wheels", "ada"), "ada", "Tyres")
	shows([]string{"Valves", "Tyres", "Wheels"}, []string{"Spokes"})
}

func apiListsLatest(t *testing.T) {
	s := newSite(t)
	hour := time.Now().UTC().Truncate(time.Hour)
	var want []string
	for i := range 5 {
		s.postOn(hour.Add(-time.Duration(i)*time.Hour), s.channel(fmt.Sprint("c", 9-i), "ada"), fmt.Sprint(i))
		want = append(want, fmt.Sprint(i))
	}
	is(t, "latest", s.listed("/api/v1/latest?limit=2", "text"), want)
	is(t, "by activity", s.listed("/api/v1/channels?order=activity&limit=2", "name"), []string{"c9", "c8", "c7", "c6", "c5"})
	a := s.do("GET", "/api/v1/channels?order=activity").want(200)
	a.holds("items.1.lastBlogOn", hour.Add(-time.Hour).Format("2006-01-02T15:04:05.0000000Z"))
	s.do("GET", "/api/v1/channels").want(200).lacks("lastBlogOn")
	s.do("GET", "/api/v1/channels?order=name").want(422)
}

func feedHasAComposer(t *testing.T) {
	s := newSite(t)
	s.author("eve")
	ada := s.signedIn("ada")
	for _, name := range []string{"Old", "Own"} {
		ok(t, s.store.Operator.ListChannel(t.Context(), s.channel(name, "ada")))
		time.Sleep(time.Millisecond) // a clock may show the same time for a tick
	}
	other := s.channel("Other", "eve")
	s.subscribe("ada", other)
	s.post(other, "ada", "Elsewhere")
	for _, text := range []string{"one", "two", "three"} {
		ada.open("/").want(200).form("Post").elsewhere().fill("channel", string(other.Incarnation)+" Other").fill("text", text).press().
			at("/").says(text, "Your post is published.", "Post to")
	}
	if n := len(s.listed("/api/v1/channels/Other/blogs", "id")); n != 4 {
		t.Errorf("the channel has %d posts, want 4", n)
	}
}

func feedStarts(t *testing.T) {
	s := newSite(t)
	engines := s.channel("Engines", "ada")
	s.post(engines, "ada", "Pistons")
	nia := s.signedIn("nia")
	s.channel("Silent", "ada")
	for _, path := range []string{"/", "/latest", "/write"} {
		form := nia.open(path).want(200).says("Post to", "Choose a channel").form("Post").elsewhere().fill("text", "For no channel yet")
		if len(form.values["channel"]) > 0 {
			t.Errorf("the first post on %s is for %q, want none", path, form.values.Get("channel"))
		}
		form.press().want(422).complains("channel", "Choose a channel.").says("For no channel yet")
	}
	nia.open("/").want(200).heading("Welcome, nia").says("Pistons").form("Post").elsewhere().fill("channel", string(engines.Incarnation)+" Engines").fill("text", "Mine").press().at("/")
	again := nia.open("/").want(200).says("Mine", "Channels to begin with").saysNot("Welcome, nia", "Choose a channel")
	is(t, "the feed shows", again.texts(), []string{"Mine", "Pistons"})
	for i := range 20 {
		s.post(engines, "ada", fmt.Sprint(i))
	}
	nia.jar["seen"] = fmt.Sprintf("0.%d", time.Now().Add(-time.Hour).Unix())
	is(t, "the older posts are", nia.open("/").saysNot(" new since").follow("Older posts →").want(200).texts(), []string{"Mine", "Pistons"})
	garden := s.channel("Garden", "nia")
	s.subscribe("nia", garden)
	s.post(garden, "nia", "In a channel of one's own")
	nia.open("/").says("In a channel of one's own", "Channels to begin with", "Subscribe to Engines").saysNot("Created", "Mine", "Subscribed to Garden")
	s.subscribe("nia", engines)
	nia.open("/").says("In a channel of one's own", "19").saysNot("Channels to begin with")
	kim := s.signedIn("kim")
	s.channel("Kiln", "kim")
	kim.open("/").want(200).says("Channels to begin with").saysNot("Welcome")
}

func composerOffersWhereOneMayPost(t *testing.T) {
	s := newSite(t)
	ada := s.signedIn("ada")
	offered := func(path string) (names []string) {
		for _, n := range all(ada.open(path).want(200).doc, tag("option")) {
			if seen(n) != "Choose a channel" {
				names = append(names, strings.TrimSuffix(seen(n), "…"))
			}
		}
		slices.Sort(names)
		return names
	}
	pages := []string{"/", "/latest", "/write"}
	var channels []domain.Channel
	for _, name := range []string{"Closed", "Blocked", "Open"} {
		channels = append(channels, s.channel(name, "eve"))
		s.subscribe("ada", channels[len(channels)-1])
		s.post(channels[len(channels)-1], "ada", "in "+name)
	}
	write := ada.open("/write").form("Post").fill("channel", string(channels[0].Incarnation)+" Closed").fill("text", "Typed before")
	for _, path := range pages {
		is(t, path, offered(path), []string{"Blocked", "Closed", "New channel, for your posts alone", "Open"})
	}
	write.press().want(200)
	shown := ada.open("/latest").header.Get("ETag")
	ok(t, s.store.Posts.SetRule(t.Context(), channels[0], "eve", domain.PostersOwner))
	ok(t, s.store.Posts.Block(t.Context(), channels[1], "eve", s.account("ada")))
	for _, path := range pages {
		is(t, path, offered(path), []string{"New channel, for your posts alone", "Open"})
	}
	ada.send("GET", "/latest", header("If-None-Match", shown)).want(200)
	refused := write.fill("key", "another").fill("text", "Typed since").press().want(403).says("Only @eve posts here. Choose another channel.", "Typed since")
	if first := all(refused.doc, tag("option"))[0]; seen(first) != "Choose a channel" || refused.form("Post").values.Get("channel") != "" {
		t.Errorf("the form that is refused begins with %q", seen(first))
	}
	made := refused.form("Post").fill("channel", "").fill("name", "Not a name").press().want(422).says("Typed since", "Spaces are not allowed. The field now has a name that is allowed.").saysNot("Choose a channel")
	if form := made.form("Post"); form.values.Get("channel") != "" || form.values.Get("name") != "Not-a-name" {
		t.Errorf("the form for a new channel comes back with %v", form.values)
	}
	silent := s.channel("Silent", "eve")
	ada.jar["last"] = "1.Silent"
	shown = ada.open("/latest").header.Get("ETag")
	ok(t, s.store.Posts.SetRule(t.Context(), silent, "eve", domain.PostersOwner))
	ada.send("GET", "/latest", header("If-None-Match", shown)).want(200)
	var last domain.Channel
	for i := range 21 {
		last = s.channel(fmt.Sprint("mine-", 10+i), "ada")
	}
	ok(t, s.store.Posts.SetRule(t.Context(), last, "ada", domain.PostersOwner))
	s.post(last, "ada", "The owner of many channels posts in the last.")
	if got := offered("/"); len(got) != 2+21 || !slices.Contains(got, string(last.Name)) {
		t.Errorf("the feed offers an owner of %d channels %q", 21, got)
	}
}

func feedMarksWhatIsNew(t *testing.T) {
	s, token, channel := engines(t, "ada")
	s.post(channel, "grace", "Steam")
	left := time.Now().Add(-40 * time.Minute).Unix()
	visit := header("Cookie", fmt.Sprintf("session=%s; seen=0.%d", token, left))
	first, script := s.do("GET", "/", visit).want(200), s.do("GET", "/", both(visit, header("Sec-Fetch-Dest", "empty"))).want(200)
	if !strings.Contains(string(first.body), "1 new") || !strings.Contains(string(first.body), `<mark class="new"><time`) || !strings.HasPrefix(first.header.Get("Set-Cookie"), "seen=") || script.header.Get("Set-Cookie") != "" {
		t.Errorf("the page sets %q, and for a script %q: %s", first.header.Get("Set-Cookie"), script.header.Get("Set-Cookie"), first.body)
	}
	s.do("GET", "/", cookie(token)).want(200).has("Steam").lacks("1 new", `<mark class="new">`)
	s.post(channel, "ada", "Of one's own")
	is(t, "marks, of which none is on a post of one's own", strings.Count(string(s.do("GET", "/", visit).want(200).has("1 new").body), `<mark class="new">`), 1)
}
