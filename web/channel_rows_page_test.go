package web_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/web"
)

func TestChannelRowsPage(t *testing.T) {
	t.Run("shows the owner the partition, the channel, the deletion and the message", rowsPageShowsTheStore)
	t.Run("is the owner's, without --teach", rowsPageIsTheOwners)
	t.Run("stays for its owner when the channel is gone", rowsPageStaysWhenTheChannelIsGone)
	t.Run("shows no secret", rowsPageShowsNoSecret)
}

func rowsPageShowsTheStore(t *testing.T) {
	s, b, channel := enginesBrowser(t, "ada")
	s.vote(s.post(channel, "bob", "One <b>"), 1)
	const whole, part = "Rows of all kinds in the order of their keys, the gate among them.", "One page of the rows, in the order of their keys. Each count is of this page."
	s.post(channel, "bob", strings.Repeat("ä", 1000))
	b.open("/channels/Engines/rows").want(200).heading("Rows of “Engines”").
		says("The channel is active, and its gate is open.", "gate!open!", "blog!", "One <b>", "once!", "9999999998!",
			"rating, counted down: 1 vote", "sub!", "vote!", strings.Repeat("ä", 239)+"…", "Its deletion was not requested.", "No message about this channel is visible.", whole)
	for range 20 {
		s.post(channel, "bob", "More")
	}
	b.open("/channels/Engines/rows").says(part).saysNot(whole).follow("More rows →").says(part)
	s.requestDeletion(channel)
	b.open("/channels/Engines/rows").says("The deletion waits for a worker.", "visible", "never delivered", "deleting", "queued")
	_, err := s.store.Operator.Messages().Receive(t.Context(), 1, time.Minute)
	ok(t, err)
	b.open("/channels/Engines/rows").says("No message about this channel is visible: a worker has leased it, or it is not there.")
	for state, says := range map[domain.DeletionState]string{
		domain.DeletionRunning:  "A worker has taken up the deletion.",
		domain.DeletionPending:  "The channel is hidden. No worker begins while the deletion can be undone.",
		domain.DeletionQueued:   "The deletion waits for a worker.",
		domain.DeletionPoisoned: "The deletion has stopped, and waits for an operator.",
	} {
		s.advance(channel.Ref(), state, domain.StepSweep, 0)
		b.open("/channels/Engines/rows").says(says, "sweep")
	}
}

func rowsPageIsTheOwners(t *testing.T) {
	s, bob, _ := enginesBrowser(t, "bob")
	bob.open("/channels/Engines/rows").want(403).says("Only its owner can open this page.").saysNot("Nothing was changed")
	s.browser().open("/channels/Engines/rows").want(401)
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

func rowsPageStaysWhenTheChannelIsGone(t *testing.T) {
	s := newSite(t)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	channel := s.channel("Engines", "ada")
	s.requestDeletion(channel)
	s.cascade(channel.Ref())
	s.advance(channel.Ref(), domain.DeletionDone, domain.StepRelease, 5)
	ada.open("/channels/Engines/rows").follow("← Channels").want(200)
	p := ada.open("/channels/Engines/rows").want(200).says("The channel is gone. This is what is left of it.", "RowsDeleted", "There is no gate.")
	p.lacks("http-equiv=\"refresh\"")
	bob.open("/channels/Engines/rows").want(404)
	s.channel("Engines", "bob")
	ada.open("/channels/Engines/rows").want(403)
	bob.open("/channels/Engines/rows").want(200).saysNot("RowsDeleted")
}

// The stage has a row of nearly each kind, and whatever is secret in its store is known.
func rowsPageShowsNoSecret(t *testing.T) {
	g := newStage(t, web.Options{Teach: true}, furnish)
	hash := regexp.MustCompile(`[0-9a-f]{40,}|argon2`)
	secrets := append(g.tokens[ada:invalid], password, g.names.Replace("{link}"), g.names.Replace("{secret}"), "key-of-a-post")
	reader := g.browser()
	reader.jar["session"] = g.tokens[ada]
	for _, path := range []string{"/channels/Engines/rows", "/channels/Wheels/rows", "/channels/Going/rows"} {
		rows := 0
		for _, p := range append(reader.open(path).walk("More rows →", func() {}), g.browser().open(path)) {
			rows += len(p.rowKeys())
			p.lacks(secrets...)
			if found := hash.FindString(string(p.body)); found != "" {
				t.Errorf("%s shows the whole hash %s", p.path, found)
			}
		}
		if rows < 6 {
			t.Errorf("%s has %d rows", path, rows)
		}
	}
}
