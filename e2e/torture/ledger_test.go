package main

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A bench is a ledger in a world where nothing takes time but what says so.
type bench struct{ *ledger }

// during is the span of a request that takes a second, a second from now.
func (b bench) during() span {
	time.Sleep(time.Second)
	from := time.Now()
	time.Sleep(time.Second)
	return span{from, time.Now()}
}

// channel is one that was created, and seen.
func (b bench) channel() *life {
	return b.saw(b.during(), "news", "i", "ann", "ann/1")
}

// posted is a post that was acknowledged, in a channel that was seen again.
func (b bench) postedIn(of *life) *post {
	b.draft("ann/2", of.channel)
	p := b.posted(b.during(), "p", of.channel, "ann", "ann/2 as posted")
	b.saw(b.during(), of.channel, of.incarnation, of.owner, "ann/1")
	return p
}

func (b bench) accepted(of *life) {
	b.asking(of)
	time.Sleep(time.Second)
	b.accept(of, "")
}

func TestWhateverContradictsTheLedgerIsAViolation(t *testing.T) {
	shown := item{ID: "p", Text: "ann/2 as posted"}
	for name, c := range map[string]struct {
		do   func(b bench)
		want string
	}{
		"a channel shown after its deletion was acknowledged": {func(b bench) {
			of := b.channel()
			b.accepted(of)
			b.saw(b.during(), of.channel, of.incarnation, of.owner, "ann/1")
		}, "I4"},
		"a channel gone that nobody deleted": {func(b bench) {
			of := b.channel()
			b.absent(b.during(), of.channel)
		}, "I2"},
		"a channel of another incarnation where one lives": {func(b bench) {
			of := b.channel()
			b.saw(b.during(), of.channel, "j", "bob", "bob/1")
		}, "I2"},
		"a creation that was refused and took place": {func(b bench) {
			b.refuse("bob/1")
			b.saw(b.during(), "news", "j", "bob", "bob/1")
		}, "A4"},
		"a post gone that nobody removed": {func(b bench) {
			p := b.postedIn(b.channel())
			b.missing(b.during(), p)
		}, "I3"},
		"a post not listed that nobody removed": {func(b bench) {
			p := b.postedIn(b.channel())
			b.listed(b.during(), p.channel, nil)
		}, "I3"},
		"a post gone before its author had asked for that": {func(b bench) {
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
		"a post in a channel that it was not made for": {func(b bench) {
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
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := bench{newLedger("test")}
				c.do(b)
				if found := b.found(); len(found) != 1 || !strings.HasPrefix(found[0], "test: "+c.want) {
					t.Errorf("found %q, want one violation of %s", found, c.want)
				}
			})
		})
	}
}

func TestWhatMayBeIsNoViolation(t *testing.T) {
	shown := item{ID: "p", Text: "ann/2 as posted"}
	for name, do := range map[string]func(b bench){
		"a channel gone whose deletion was asked for": func(b bench) {
			of := b.channel()
			b.asking(of)
			b.absent(b.during(), of.channel)
		},
		"a channel shown to who asked before its deletion was acknowledged": func(b bench) {
			of := b.channel()
			s := b.during()
			b.accepted(of)
			b.saw(s, of.channel, of.incarnation, of.owner, "ann/1")
		},
		"a post gone whose channel may be": func(b bench) {
			of := b.channel()
			p := b.postedIn(of)
			b.asking(of)
			b.missing(b.during(), p)
		},
		"a text that was sent and not answered": func(b bench) {
			p := b.postedIn(b.channel())
			b.editing(p, "ann/2 edited 3")
			b.shown(b.during(), p.channel, item{ID: "p", Text: "ann/2 edited 3"})
			b.shown(b.during(), p.channel, shown)
		},
		"a text that was overwritten while it was read": func(b bench) {
			p := b.postedIn(b.channel())
			s := b.during()
			b.editing(p, "ann/2 edited 3")
			b.edited(p, "ann/2 edited 3")
			b.shown(s, p.channel, shown)
		},
		"one key answered with two posts, in two lives": func(b bench) {
			of := b.channel()
			p := b.postedIn(of)
			b.accepted(of)
			b.saw(b.during(), of.channel, "j", "bob", "bob/1")
			second := b.during()
			b.saw(b.during(), of.channel, "j", "bob", "bob/1")
			b.repeated(of.channel, p.id, "q", p.made, second)
			b.judgeTwins()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := bench{newLedger("test")}
				do(b)
				if found := b.found(); len(found) != 0 {
					t.Errorf("found %q", found)
				}
			})
		})
	}
}

func TestAStatusThatIsNotAllowedIsAViolation(t *testing.T) {
	for status, want := range map[int]int{
		http.StatusInternalServerError: 1, http.StatusUnauthorized: 1,
		http.StatusServiceUnavailable: 0, http.StatusNotFound: 0,
	} {
		s := &site{ledger: newLedger("test")}
		u := newUser(s, 0, 1, 1)
		u.http = &http.Client{Transport: always(status)}
		s.roles = []*role{{command: "serve", process: &process{url: "http://test"}}}
		u.look(t.Context(), "news")
		if found := s.ledger.found(); len(found) != want {
			t.Errorf("%d: found %q, want %d", status, found, want)
		}
	}
}

// always answers with one status.
type always int

func (a always) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: int(a), Body: http.NoBody}, nil
}
