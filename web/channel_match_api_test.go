package web_test

import (
	"fmt"
	"strings"
	"testing"

	"microblogging/domain"
)

func TestChannelMatchAPI(t *testing.T) {
	t.Run("a post or a subscription for one incarnation leaves the next alone", requestForOneIncarnationLeavesTheNextAlone)
	t.Run("the tag of a channel changes with what is shown, and names its incarnation", channelTagServesBoth)
	t.Run("the incarnation is compared with the write", incarnationIsComparedWithTheWrite)
}

const enginesBlogs = "/api/v1/channels/Engines/blogs"

// replaced makes the channel Engines, deletes it and makes it again. It returns the tags
// of both incarnations.
func (s *site) replaced() (old, fresh string) {
	s.Helper()
	return s.tag(), s.replace(s.ref("Engines"))
}

// tag makes the channel Engines and returns its tag.
func (s *site) tag() string {
	s.Helper()
	return `"` + string(s.channel("Engines", "ada").Incarnation) + `"`
}

// replace deletes the channel Engines whole and makes it again. It returns the new tag.
func (s *site) replace(old domain.ChannelRef) string {
	s.Helper()
	s.requestDeletion(domain.Channel{Name: "Engines", Owner: "ada"})
	s.cascade(old)
	return s.tag()
}

func requestForOneIncarnationLeavesTheNextAlone(t *testing.T) {
	s := newSite(t)
	bob := s.signUp("bob")
	old, fresh := s.replaced()
	send := func(method, match string) answer {
		if method == "POST" {
			return s.do(method, enginesBlogs, bearer(bob), header("If-Match", match), fields("text", "For "+match))
		}
		return s.do(method, subscriptions+"/engines", bearer(bob), header("If-Match", match))
	}
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		for _, stale := range []string{old, "W/" + fresh, `"nothing"`, `"a" , "b"`} {
			a := send(method, stale).unwritten().want(412)
			if a.text("title") == "" || a.text("detail") == "" || a.header.Get("Etag") != "" {
				t.Errorf("%s for %s is refused with %s", method, stale, a.body)
			}
		}
		for _, malformed := range []string{"unquoted", "", `"a`} {
			send(method, malformed).unwritten().want(400)
		}
	}
	for _, holds := range []string{fresh, "*", old + ", " + fresh} {
		send("POST", holds).want(201)
		send("PUT", holds).want(204)
		if got := s.listed(subscriptions, "channel", bearer(bob)); len(got) != 1 {
			t.Errorf("with If-Match %s, bob subscribes to %q", holds, got)
		}
		send("DELETE", holds).want(204)
	}
	if got := s.listed(enginesBlogs, "text"); fmt.Sprint(got) != fmt.Sprintf("[For %s, %s For * For %s]", old, fresh, fresh) {
		t.Errorf("the new channel holds %q", got)
	}
	s.mustBeSound()
}

func channelTagServesBoth(t *testing.T) {
	s, token, _ := engines(t, "ada")
	const path = "/api/v1/channels/Engines"
	first := header("If-None-Match", s.do("GET", path).want(200).header.Get("ETag"))
	s.do("GET", path, first).want(304)
	for _, body := range []change{fields("description", "Pistons"), fields("posting", "owner")} {
		tag := s.do("GET", path).header.Get("ETag")
		s.do("PATCH", path, bearer(token), header("If-Match", tag), body)
		s.do("GET", path, header("If-None-Match", tag)).want(200)
		s.do("PATCH", path, bearer(token), header("If-Match", tag), body) // the incarnation is the same
	}
	last := s.do("GET", path).header.Get("ETag")
	s.do("GET", path, header("If-None-Match", last)).want(304)
	s.do("DELETE", path, bearer(token), header("If-Match", `"another"`)).want(412)
	s.do("DELETE", path, bearer(token), header("If-Match", last)).want(202)
}

// The channel is replaced after the handler has read it and before it writes.
func incarnationIsComparedWithTheWrite(t *testing.T) {
	for match, status := range map[string]int{"": 404, "*": 404, "old": 412} {
		for path, body := range map[string]change{enginesBlogs: fields("text", "Orphan"), enginesBatch: batch(entries(2)...)} {
			s := newSite(t)
			bob := s.signUp("bob")
			old, ref := s.tag(), s.ref("Engines")
			s.breakStore(onTransaction(func(send func() error) error {
				s.mendStore()
				s.replace(ref)
				return send()
			}))
			changes := []change{bearer(bob), body}
			if match != "" {
				changes = append(changes, header("If-Match", strings.Replace(match, "old", old, 1)))
			}
			a := s.do("POST", path, changes...)
			if path == enginesBatch {
				a.statuses(status, status)
			} else {
				a.want(status)
			}
			if got := s.listed(enginesBlogs, "text"); len(got) != 0 {
				t.Errorf("the new channel holds %q", got)
			}
		}
	}
}
