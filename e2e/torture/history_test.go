package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A bench is a history in a bubble, where time passes only in a sleep.
type bench struct{ *history }

// during returns the span of a request that is sent in a second and takes one.
func (b bench) during() span {
	time.Sleep(time.Second)
	from := time.Now()
	time.Sleep(time.Second)
	return span{from, time.Now()}
}

// channel is one that was created and seen.
func (b bench) channel() *incarnation {
	return b.saw(b.during(), "news", "i", "ann", "ann/1")
}

// postedIn is a post that was acknowledged, in a channel that was seen again.
func (b bench) postedIn(of *incarnation) *post {
	b.draft("ann/2", of.channel)
	p := b.posted(b.during(), "p", of.channel, "ann", "ann/2 as posted")
	b.saw(b.during(), of.channel, of.id, of.owner, "ann/1")
	return p
}

// repliedTo is a reply that was acknowledged, to a post whose channel was seen again.
func (b bench) repliedTo(to *post) *post {
	b.draft("bob/3", postPath(to))
	r := b.replied(b.during(), "r", to, "bob", "bob/3")
	b.saw(b.during(), to.channel, "i", "ann", "ann/1")
	return r
}

func (b bench) accepted(of *incarnation) {
	b.asking(of)
	time.Sleep(time.Second)
	b.accept(of)
}

// mustFind expects one violation that begins so, or none.
func (l *history) mustFind(t *testing.T, want string) {
	t.Helper()
	found := l.found()
	if len(found) == 0 && want == "" {
		return
	}
	if len(found) != 1 || want == "" || !strings.HasPrefix(found[0], "test: "+want) {
		t.Errorf("found %.300q, want one violation that begins with %q, or none", found, want)
	}
}

// The history accuses a site of what contradicts it. (TestTorture fails if it accuses of anything else.)
func TestHistory(t *testing.T) {
	shown := item{ID: "p", Text: "ann/2 as posted"}
	reply := item{ID: "r", Text: "bob/3"}
	notBob := func(author string) bool { return author == "bob" }
	for name, c := range map[string]struct {
		do   func(b bench)
		want string
	}{
		"a post that has landed after it was forbidden": {func(b bench) {
			b.mustNotGrow("news", []item{shown}, []item{shown, {ID: "q", Text: "bob/1 as posted"}}, notBob)
		}, "I11: q of bob has landed"},
		"an edit that has landed after it was forbidden": {func(b bench) {
			old, edited := item{ID: "q", Text: "bob/1 as posted"}, item{ID: "q", Text: "bob/1 edited 2"}
			b.mustNotGrow("news", []item{old}, []item{edited}, notBob)
		}, "I11: q of bob has landed"},
		"no post of an account that may have been hidden": {func(b bench) {
			b.hide("bob")
			b.mustNotGrow("news", []item{shown}, []item{shown, {ID: "q", Text: "bob/1 as posted"}}, notBob)
		}, ""},
		"a post that may not be made, where no owner has ruled so": {func(b bench) {
			b.forbidden("news", "bob/1", true)
		}, "I11: bob/1 may not be posted"},
		"a post that is shown though it was forbidden": {func(b bench) {
			b.ruling("news")
			b.draft("bob/1", "news")
			b.forbidden("news", "bob/1", true)
			b.shown(b.during(), "news", item{ID: "q", Text: "bob/1 as posted"})
		}, "I2: news shows"},
		"a channel shown after its deletion was acknowledged": {func(b bench) {
			of := b.channel()
			b.accepted(of)
			b.saw(b.during(), of.channel, of.id, of.owner, "ann/1")
		}, "I4"},
		"a channel that is gone and was not deleted": {func(b bench) {
			of := b.channel()
			b.absent(b.during(), of.channel)
		}, "I2"},
		"a channel of another incarnation than the one that is there": {func(b bench) {
			of := b.channel()
			b.saw(b.during(), of.channel, "j", "bob", "bob/1")
		}, "I2"},
		"a creation that took place although it was refused": {func(b bench) {
			b.refuse("bob/1")
			b.saw(b.during(), "news", "j", "bob", "bob/1")
		}, "A4"},
		"a post that is gone and was not removed": {func(b bench) {
			p := b.postedIn(b.channel())
			b.missing(b.during(), p)
		}, "I3"},
		"a post that is not listed and was not removed": {func(b bench) {
			p := b.postedIn(b.channel())
			b.listed(b.during(), p.channel, nil)
		}, "I3"},
		"a post that is gone before its author asked for that": {func(b bench) {
			p := b.postedIn(b.channel())
			b.removing(p)
			b.vanished(b.during(), p)
		}, "A4"},
		"a post shown after its removal was acknowledged": {func(b bench) {
			p := b.postedIn(b.channel())
			b.removed(p)
			b.shown(b.during(), p.channel, shown)
		}, "I3"},
		"a post shown after the deletion of its channel was acknowledged": {func(b bench) {
			of := b.channel()
			p := b.postedIn(of)
			b.accepted(of)
			b.shown(b.during(), p.channel, shown)
		}, "I4"},
		"a text that was overwritten": {func(b bench) {
			p := b.postedIn(b.channel())
			b.editing(p, "ann/2 edited 3")
			b.edited(p, "ann/2 edited 3")
			b.shown(b.during(), p.channel, shown)
		}, "I3"},
		"a post in a channel where it was not made": {func(b bench) {
			b.postedIn(b.channel())
			b.shown(b.during(), "other", shown)
		}, "I2"},
		"one draft listed twice": {func(b bench) {
			p := b.postedIn(b.channel())
			b.listed(b.during(), p.channel, []item{shown, {ID: "q", Text: shown.Text}})
		}, "I7"},
		"one key answered with two posts": {func(b bench) {
			of := b.channel()
			p := b.postedIn(of)
			b.repeated(of.channel, p.id, "q", p.made, p.made)
			b.judgeTwins()
		}, "I7"},
		"a reply that is not listed and was not removed": {func(b bench) {
			r := b.repliedTo(b.postedIn(b.channel()))
			b.listedReplies(b.during(), r.to, nil)
		}, "I3: reply r to post p of news is not listed"},
		"no reply that may have been removed": {func(b bench) {
			r := b.repliedTo(b.postedIn(b.channel()))
			b.removing(r)
			b.listedReplies(b.during(), r.to, nil)
		}, ""},
		"no reply to a post that may have been removed": {func(b bench) {
			r := b.repliedTo(b.postedIn(b.channel()))
			b.removing(r.to)
			b.listedReplies(b.during(), r.to, nil)
		}, ""},
		"no reply of a channel whose deletion was asked for": {func(b bench) {
			of := b.channel()
			r := b.repliedTo(b.postedIn(of))
			b.asking(of)
			b.listedReplies(b.during(), r.to, nil)
		}, ""},
		"no reply whose answer was lost": {func(b bench) {
			p := b.postedIn(b.channel())
			b.draft("bob/3", postPath(p))
			b.listedReplies(b.during(), p, nil)
			b.listedReplies(b.during(), p, []item{reply})
		}, ""},
		"a reply that is gone after the deletion of its channel was undone": {func(b bench) {
			of := b.channel()
			r := b.repliedTo(b.postedIn(of))
			b.accepted(of)
			b.undoing(of)
			b.undone(of)
			b.listedReplies(b.during(), r.to, nil)
		}, "I3: reply r"},
		"a reply shown after its removal was acknowledged": {func(b bench) {
			r := b.repliedTo(b.postedIn(b.channel()))
			b.removed(r)
			b.listedReplies(b.during(), r.to, []item{reply})
		}, "I3: its removal was acknowledged, and reply r"},
		"a reply shown after the removal of its post was acknowledged": {func(b bench) {
			r := b.repliedTo(b.postedIn(b.channel()))
			b.removed(r.to)
			b.listedReplies(b.during(), r.to, []item{reply})
		}, "I3: its removal was acknowledged, and reply r"},
		"a reply shown after the deletion of its channel was acknowledged": {func(b bench) {
			of := b.channel()
			r := b.repliedTo(b.postedIn(of))
			b.accepted(of)
			b.listedReplies(b.during(), r.to, []item{reply})
		}, "I4"},
		"a reply that is gone before its author asked for that": {func(b bench) {
			r := b.repliedTo(b.postedIn(b.channel()))
			b.removing(r)
			b.vanished(b.during(), r)
		}, "A4: the removal of reply r"},
		"a reply kept for a deletion of its channel that no user asked for": {func(b bench) {
			r := b.repliedTo(b.postedIn(b.channel()))
			b.removing(r)
			b.kept(b.during(), r)
		}, "A4: the removal of reply r"},
		"a reply with another text": {func(b bench) {
			r := b.repliedTo(b.postedIn(b.channel()))
			b.listedReplies(b.during(), r.to, []item{{ID: "r", Text: "bob/3 edited"}})
		}, "I3: reply r"},
		"a reply to another post": {func(b bench) {
			r := b.repliedTo(b.postedIn(b.channel()))
			b.listedReplies(b.during(), &post{id: "q", channel: "news"}, []item{reply})
			b.listedReplies(b.during(), r.to, []item{reply})
		}, "I2"},
		"a reply among the posts": {func(b bench) {
			b.repliedTo(b.postedIn(b.channel()))
			b.shown(b.during(), "news", reply)
		}, "I2"},
		"one draft listed twice among the replies": {func(b bench) {
			r := b.repliedTo(b.postedIn(b.channel()))
			b.listedReplies(b.during(), r.to, []item{reply, {ID: "s", Text: reply.Text}})
		}, "I7"},
		"a reply that is listed below a later one": {func(b bench) {
			r := b.repliedTo(b.postedIn(b.channel()))
			b.draft("bob/4", postPath(r.to))
			b.listedReplies(b.during(), r.to, []item{{ID: "s", Text: "bob/4", CreatedOn: time.Unix(1, 0)}, reply})
		}, "reply r to post p of news is listed below a later one"},
		"a reply that is shown though it was forbidden": {func(b bench) {
			p := b.postedIn(b.channel())
			b.ruling("news")
			b.draft("bob/3", postPath(p))
			b.forbidden("news", "bob/3", true)
			b.listedReplies(b.during(), p, []item{reply})
		}, "I2"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := bench{newHistory("test")}
				c.do(b)
				b.mustFind(t, c.want)
			})
		})
	}
}
