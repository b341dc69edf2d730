package web_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/schema"
	"microblogging/templates"
	"microblogging/web"
)

func TestChannelRowsPage(t *testing.T) {
	t.Run("shows the owner the partition, the channel, the deletion and the message", rowsPageShowsTheStore)
	t.Run("is the owner's, and everybody's with --teach", rowsPageIsTheOwners)
	t.Run("is linked from where a channel is managed and deleted", rowsPageIsLinked)
	t.Run("goes on page by page, and shows one kind alone", rowsPageGoesOn)
	t.Run("stays for its owner when the channel is gone", rowsPageStaysWhenTheChannelIsGone)
	t.Run("leads to the lab only if there is one", rowsPageLeadsToTheLab)
	t.Run("shortens long texts and hashes", rowsPageShortens)
	t.Run("reads one page, however large the channel is", rowsPageReadsOnePage)
	t.Run("shows no secret, in any property of any row", rowsPageShowsNoSecret)
}

func rowsPageShowsTheStore(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	channel := s.channel("Engines", "ada")
	blog := s.post(channel, "bob", "One <b>")
	s.vote(blog, 1)
	b.open("/channels/Engines/rows").want(200).heading("Rows of “Engines”").
		says("The channel is active, and its open gate stands.", "gate!open!", string(channel.Incarnation),
			"blog!", "time, counted down: ", "One <b>", "once!", "rate!", "9999999998!", "rating, counted down: 1 vote", "sub!", "vote!", "voter",
			"Nobody has asked for the deletion.", "No message about this channel is visible.", "All about Engines")
	s.askDeletion(channel)
	p := b.open("/channels/Engines/rows").
		says("The deletion waits for a worker.", "Delete the incarnation "+string(channel.Incarnation)+" of this channel, asked for by ada on ",
			"visible", "never delivered", "deleting", "queued")
	if !strings.Contains(string(p.body), `<noscript><meta http-equiv="refresh"`) {
		t.Error("without scripts the page does not refresh while the deletion is under way")
	}
	if _, err := s.store.Messages().Receive(t.Context(), 1, time.Minute); err != nil {
		t.Fatal(err)
	}
	b.open("/channels/Engines/rows").says("No message about this channel is visible: a worker has leased it, or it is not there.")
	for _, c := range []struct {
		state domain.DeletionState
		step  domain.Step
		says  string
	}{
		{domain.DeletionRunning, "", "A worker has taken up the deletion. No step has begun yet."},
		{domain.DeletionRunning, domain.StepSweep, "A deletion is under way, at the step sweep."},
		{domain.DeletionQueued, domain.StepSweep, "The deletion waits for a worker. It came as far as the step sweep."},
	} {
		s.advance(channel.Ref(), c.state, c.step, 0)
		b.open("/channels/Engines/rows").says(c.says)
	}
	s.advance(channel.Ref(), domain.DeletionPoisoned, domain.StepSweep, 3)
	b.open("/channels/Engines/rows").says("The deletion has stopped, and waits for an operator.")
}

func rowsPageIsTheOwners(t *testing.T) {
	s := newSite(t)
	s.signUp("ada")
	s.channel("Engines", "ada")
	bob := s.signedIn("bob")
	for _, path := range []string{"/channels/Engines/rows", "/channels/Engines/rows/events"} {
		bob.open(path).want(403)
		s.browser().open(path).want(401)
	}
	bob.open("/channels/nothing/rows").want(404)
	bob.open("/channels/Engines/rows?of=x").want(404)

	s = newTeachingSite(t)
	s.signUp("ada")
	s.channel("Engines", "ada")
	s.browser().open("/channels/Engines/rows").want(200).says("gate!open!")
	s.browser().open("/channels/nothing/rows").want(404)
}

func rowsPageIsLinked(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	channel := s.channel("Engines", "ada")
	const rows = "/channels/Engines/rows"
	for _, path := range []string{"/channels/Engines", "/channels/Engines/edit"} {
		if got := b.open(path).href("Rows in the store"); got != rows {
			t.Errorf("%s leads to %q", path, got)
		}
	}
	if got := b.open("/channels/Engines/delete").href("the rows in the store"); got != rows {
		t.Errorf("the form to delete leads to %q", got)
	}
	if got := s.signedIn("bob").open("/channels/Engines").href("Rows in the store"); got != "" {
		t.Errorf("bob is led to %q", got)
	}
	s.askDeletion(channel)
	deletion := b.open("/channels/Engines/deletions/" + string(channel.Incarnation))
	deletion.follow("The rows in the store").want(200).follow("The progress of its deletion").heading("Deletion of “Engines”")

	teaching := newTeachingSite(t)
	teaching.signUp("ada")
	teaching.channel("Engines", "ada")
	teaching.browser().open("/channels/Engines").follow("Rows in the store").want(200)
}

// rowKeys are the keys of the rows in the table of the partition.
func (p page) rowKeys() (keys []string) {
	for _, n := range all(p.doc, tag("tr")) {
		if key, ok := strings.CutPrefix(attr(n, "data-key"), "row "); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

func rowsPageGoesOn(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	channel := s.channel("Engines", "ada")
	for n := range 55 {
		s.post(channel, "bob", fmt.Sprintf("post %d", n))
	}
	p := b.open("/channels/Engines/rows").says("gate!open!") // of the table of gates
	var keys []string
	for range 10 {
		keys = append(keys, p.rowKeys()...)
		if p.href("More rows →") == "" {
			break
		}
		p = p.follow("More rows →").want(200).says("gate!open!")
	}
	if len(keys) != 55*3+2 {
		t.Errorf("all pages have %d rows, want 167", len(keys))
	}
	if p = p.follow("← First rows"); len(p.rowKeys()) != 50 {
		t.Errorf("the first page has %d rows", len(p.rowKeys()))
	}
	p = p.follow("gate!")
	if got := p.rowKeys(); len(got) != 1 || got[0] != "gate!open!"+string(channel.Incarnation) {
		t.Errorf("the gates are %q", got)
	}
	if p = p.follow("rate!").follow("More rows →"); len(p.rowKeys()) != 5 {
		t.Errorf("the second page of the index has %d rows", len(p.rowKeys()))
	}
	b.open("/channels/Engines/rows?after=x").want(422)
	b.open("/channels/Engines/rows?kind=x").want(422)
}

func rowsPageStaysWhenTheChannelIsGone(t *testing.T) {
	s := newSite(t)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	channel := s.channel("Engines", "ada")
	s.askDeletion(channel)
	s.cascade(channel.Ref())
	s.advance(channel.Ref(), domain.DeletionDone, domain.StepRelease, 5)
	ada.open("/channels/Engines/rows").follow("← Channels").want(200)
	p := ada.open("/channels/Engines/rows").want(200).says("The channel is gone. This is what is left of it.", "RowsDeleted", "There is no gate.")
	if strings.Contains(string(p.body), "data-events") || strings.Contains(string(p.body), "http-equiv=\"refresh\"") {
		t.Error("the page of what is left waits for changes")
	}
	bob.open("/channels/Engines/rows").want(404)
	next := s.channel("Engines", "bob")
	ada.open("/channels/Engines/rows").want(403)
	ada.open("/channels/Engines/rows?of="+string(channel.Incarnation)).want(200).
		says("its name belongs to another one now", "RowsDeleted").saysNot(string(next.Incarnation), "gate!open!"+string(next.Incarnation))
	bob.open("/channels/Engines/rows").want(200).saysNot("RowsDeleted")
}

func rowsPageLeadsToTheLab(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	s.channel("Engines", "ada")
	if got := b.open("/channels/Engines/rows").href("Try to break it: post"); got != "" {
		t.Errorf("without a lab it leads to %s", got)
	}
	lab := newSiteWith(t, web.Options{Routes: map[string]web.Handler{
		templates.LabIndexPath: func(http.ResponseWriter, *http.Request, templates.Page) error { return nil },
	}})
	b = lab.signedIn("ada")
	lab.channel("Engines", "ada")
	p := b.open("/channels/Engines/rows")
	led := map[string]bool{}
	for _, n := range all(p.doc, tag("a")) {
		if strings.HasPrefix(seen(n), "Try to break it: ") {
			led[attr(n, "href")] = true
		}
	}
	for _, want := range []string{"/lab/post", "/lab/again", "/lab/one-key", "/lab/vote", "/lab/poison-post"} {
		if !led[want] {
			t.Errorf("nothing leads to %s: %v", want, led)
		}
	}
}

func rowsPageShortens(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	s.post(s.channel("Engines", "ada"), "ada", strings.Repeat("ä", 1000))
	b.open("/channels/Engines/rows").says(strings.Repeat("ä", 240) + "… and 760 more characters").saysNot(strings.Repeat("ä", 241))
}

func rowsPageReadsOnePage(t *testing.T) {
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := newSiteOver(t, db, web.Options{Version: "test"})
	b := s.signedIn("ada")
	channel := s.channel("Engines", "ada")
	for n := range 100 {
		var ops []driver.Operation
		for i := range 100 {
			ops = append(ops, driver.Insert("blog!"+string(domain.NewBlogID(time.Unix(int64(100*n+i), 0))), driver.String("Incarnation", channel.Incarnation)))
		}
		if err := driver.NewTable(db, "Blogs").Transact(t.Context(), "engines", ops...); err != nil {
			t.Fatal(err)
		}
	}
	calls := s.calls(func() { b.open("/channels/Engines/rows").want(200) })
	want := map[string]int{"Channels Get": 1, "Deletions Range": 1, "Blogs Range": 2, domain.QueueName + " Peek": 1}
	for call, n := range want {
		if calls[call] != n {
			t.Errorf("%d calls of %s, want %d", calls[call], call, n)
		}
		delete(calls, call)
	}
	for call, n := range calls {
		if !strings.HasPrefix(call, "Sessions ") && !strings.HasPrefix(call, "Users ") || n != 1 {
			t.Errorf("besides: %d calls of %s", n, call)
		}
	}
}

// A spy visits the page of the rows of a channel, as its owner and as a stranger, and
// notes which kinds of row the store has.
type spy struct {
	*site
	db *bolt.DB
	// pages are all that it has seen, by when and where. kinds are in the store, each
	// after its table.
	pages map[string]string
	kinds map[string]bool
}

func (s *spy) visit(when string) {
	s.Helper()
	for who, b := range map[string]*browser{"ada": s.again("ada"), "a stranger": s.browser()} {
		for path := "/channels/Engines/rows"; path != ""; {
			p := b.open(path).want(200)
			s.pages[when+", "+who+", "+path] = string(p.body)
			path = p.href("More rows →")
		}
	}
	for _, table := range []string{"Channels", "Blogs", "Deletions", "Subscriptions", "Users", "Sessions", "Throttle"} {
		for row, err := range driver.NewTable(s.db, table).All(s.Context(), driver.Scan{}) {
			if err != nil {
				s.Fatal(err)
			}
			kind, _ := templates.ExplainRow(table, row.Partition, row.Row, domain.ParseRecentFirst)
			s.kinds[table+" "+kind.Name] = true
			if kind.Name == "" {
				s.Errorf("nothing explains the row %q of %s", row.Row, table)
			}
		}
	}
}

// mustShowAll checks that a page of the owner has every property of the partition.
func (s *spy) mustShowAll(when string) {
	s.Helper()
	page := s.pages[when+", ada, /channels/Engines/rows"]
	for row, err := range driver.NewTable(s.db, "Blogs").Within(s.Context(), driver.Range{Partition: "engines"}) {
		if err != nil {
			s.Fatal(err)
		}
		for _, p := range row.Properties {
			if !strings.Contains(page, "<dt>"+p.Name+"</dt>") {
				s.Errorf("%s the page does not show %s of %s", when, p.Name, row.Row)
			}
		}
	}
}

func rowsPageShowsNoSecret(t *testing.T) {
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := &spy{newSiteOver(t, db, web.Options{Version: "test", Teach: true}), db, map[string]string{}, map[string]bool{}}
	secrets := s.plant()
	s.visit("while it lives")
	s.mustShowAll("while it lives")
	channel := s.ref("Engines")
	if _, err := s.store.AskLesson(t.Context(), channel.Key, "ada", domain.Any[domain.Incarnation]()); err != nil {
		t.Fatal(err)
	}
	s.pupil(channel, 1, domain.StepMark)
	s.visit("while it is deleted")
	if _, err := s.store.ShutGate(t.Context(), channel); err != nil {
		t.Fatal(err)
	}
	s.visit("behind the shut gate")
	s.cascade(channel)
	s.advance(channel, domain.DeletionDone, domain.StepRelease, 12)
	s.visit("when it is gone")
	hash := regexp.MustCompile(`[0-9a-f]{40,}`)
	for name, page := range s.pages {
		for what, secret := range secrets {
			if strings.Contains(page, secret) {
				t.Errorf("%s shows the %s", name, what)
			}
		}
		if found := hash.FindString(page); found != "" {
			t.Errorf("%s shows the whole hash %s", name, found)
		}
	}
	// These rows are not behind a channel of this program.
	elsewhere := map[string]bool{schema.Unread.Name: true}
	for _, kind := range schema.Kinds() {
		if !s.kinds[kind.Table+" "+kind.Name] && !elsewhere[kind.Name] && !kind.Retired {
			t.Errorf("the test planted no %s in %s", kind.Name, kind.Table)
		}
	}
}

// plant does everything that an application does with secrets, and returns them.
func (s *site) plant() map[string]string {
	s.Helper()
	const key, signUpKey, channelKey, badPassword = "KEYOFTHEPOST", "KEYOFTHESIGNUP", "KEYOFTHECHANNEL", "a wrong password that is long"
	s.do("POST", "/api/v1/users", both(raw(`{"name":"ada","password":"`+password+`"}`), header("Idempotency-Key", signUpKey))).want(201)
	s.do("POST", "/api/v1/sessions", raw(`{"name":"ada","password":"`+badPassword+`"}`)).want(401)
	token := s.do("POST", "/api/v1/sessions", raw(`{"name":"ada","password":"`+password+`"}`)).want(201).text("token")
	s.do("POST", "/api/v1/sessions", raw(`{"name":"ada","password":"`+badPassword+`"}`)).want(401)
	s.do("POST", "/api/v1/channels", both(bearer(token), both(raw(`{"name":"Engines","description":"All"}`), header("Idempotency-Key", channelKey)))).want(201)
	s.do("POST", "/api/v1/channels/Engines/blogs", both(bearer(token), both(raw(`{"title":"T","text":"one"}`), header("Idempotency-Key", key)))).want(201)
	ctx := s.Context()
	ref := s.ref("Engines")
	channel, err := s.store.Channel(ctx, ref.Key)
	if err != nil {
		s.Fatal(err)
	}
	s.author("bob")
	s.subscribe("bob", channel)
	posts, err := s.store.Blogs(ctx, ref, storage.BlogQuery{Limit: 1})
	if err != nil {
		s.Fatal(err)
	}
	s.vote(posts.Items[0], 1)
	if _, err := s.store.Edit(ctx, ref, posts.Items[0].ID, "ada", domain.Any[domain.Revision](), domain.Draft{Title: "T", Text: "two"}); err != nil {
		s.Fatal(err)
	}
	s.plantHalf(channel)
	secret, err := s.store.NewDigestAddress(ctx, "ada")
	if err != nil {
		s.Fatal(err)
	}
	link, err := s.store.SignInLink(ctx, "ada")
	if err != nil {
		s.Fatal(err)
	}
	return map[string]string{
		"password": password, "wrong password": badPassword, "session's token": token, "sign-in link": link, "digest secret": secret,
		"key of a post": key, "key of a channel": channelKey, "key of a sign-up": signUpKey, "hash of the password": "argon2",
	}
}

// plantHalf leaves rows of work that has died: a creation, a subscription, and the
// removal of a post.
func (s *site) plantHalf(channel domain.Channel) {
	s.Helper()
	ctx := s.Context()
	n := 0
	die := func(at int, match func(call drivertest.Call) bool, do func()) {
		n = 0
		s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if match(call) {
				n++
			}
			if n >= at {
				return drivertest.ErrInjected
			}
			return send(ctx)
		})
		do()
		s.mendStore()
	}
	blogs := func(call drivertest.Call) bool { return call.Target == "Blogs" && call.Writes() }
	die(2, blogs, func() { _ = s.store.Subscribe(ctx, channel, "eve") })
	die(2, blogs, func() {
		half, err := domain.NewChannel("Half", "", "ada")
		if err == nil {
			_, err = s.store.CreateChannelWithin(ctx, half, 5)
		}
		if err == nil {
			s.Error("the creation did not die")
		}
	})
	blog := s.post(channel, "ada", "to be poisoned")
	if err := s.store.DeleteBlog(ctx, channel, blog.ID, "ada", domain.Any[domain.Revision]()); err != nil {
		s.Fatal(err)
	}
	received, err := s.store.Messages().Receive(ctx, 1, time.Minute)
	if err != nil || len(received) != 1 {
		s.Fatalf("%d messages (%v)", len(received), err)
	}
	if err := s.store.Poison(ctx, received[0]); err != nil {
		s.Fatal(err)
	}
}
