package web_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/web"
)

func TestChannelRowsPage(t *testing.T) {
	t.Run("shows the owner the partition, the channel, the deletion and the message", rowsPageShowsTheStore)
	t.Run("is the owner's, and everybody's with --teach", rowsPageIsTheOwners)
	t.Run("is linked from where a channel is managed and deleted", rowsPageIsLinked)
	t.Run("goes on page by page, and shows one kind alone", rowsPageGoesOn)
	t.Run("stays for its owner when the channel is gone", rowsPageStaysWhenTheChannelIsGone)
	t.Run("shortens long texts and hashes", rowsPageShortens)
	t.Run("shows no secret", rowsPageShowsNoSecret)
}

func rowsPageShowsTheStore(t *testing.T) {
	s, b, channel := enginesBrowser(t, "ada")
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
	s, b, channel := enginesBrowser(t, "ada")
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
	s, b, channel := enginesBrowser(t, "ada")
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

func rowsPageShortens(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	s.post(s.channel("Engines", "ada"), "ada", strings.Repeat("ä", 1000))
	b.open("/channels/Engines/rows").says(strings.Repeat("ä", 240) + "… and 760 more characters").saysNot(strings.Repeat("ä", 241))
}

// The stage has a row of nearly each kind, and whatever is secret in its store is known.
func rowsPageShowsNoSecret(t *testing.T) {
	g := newStage(t, web.Options{Teach: true}, furnish)
	hash := regexp.MustCompile(`[0-9a-f]{40,}|argon2`)
	for _, path := range []string{"/channels/Engines/rows", "/channels/Wheels/rows", "/channels/Going/rows"} {
		for _, who := range []change{func(*http.Request) {}, cookie(g.tokens[ada])} {
			rows := 0
			for next := path; next != ""; {
				p := page{answer: g.do("GET", next, who).want(200), path: next}
				p.doc = parseHTML(t, p.answer)
				rows += len(p.rowKeys())
				body := string(p.body)
				for _, secret := range []string{password, g.tokens[ada], g.tokens[bob], g.names.Replace("{link}"), g.names.Replace("{secret}"), "key-of-a-post"} {
					if strings.Contains(body, secret) {
						t.Errorf("%s shows %s", next, secret)
					}
				}
				if found := hash.FindString(body); found != "" {
					t.Errorf("%s shows the whole hash %s", next, found)
				}
				next = p.href("More rows →")
			}
			if rows < 3 {
				t.Errorf("%s has %d rows", path, rows)
			}
		}
	}
}
