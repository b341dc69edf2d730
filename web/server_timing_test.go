package web_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"testing"
)

func TestServerTiming(t *testing.T) {
	t.Run("counts what a page reads", timingCountsAPage)
	t.Run("does not tell which names exist", timingTellsNoNames)
}

// timingForm is what contract and issue ask for. What tells names has no rows.
var timingForm = regexp.MustCompile(`^store;dur=([0-9]+(?:\.[0-9]+)?), calls;desc="([0-9]+)"(?:, read;desc="([0-9]+)", returned;desc="([0-9]+)")?$`)

// A timing is what a Server-Timing header says. Rows are -1 if it does not count them.
type timing struct {
	milliseconds          float64
	calls, read, returned int
}

func (a answer) timing() timing {
	a.t.Helper()
	values := a.header.Values("Server-Timing")
	if len(values) != 1 {
		a.t.Fatalf("status %d has Server-Timing %q", a.status, values)
	}
	parts := timingForm.FindStringSubmatch(values[0])
	if parts == nil {
		a.t.Fatalf("Server-Timing: %s", values[0])
	}
	number := func(s string) int {
		if s == "" {
			return -1
		}
		n, err := strconv.Atoi(s)
		if err != nil {
			a.t.Fatal(err)
		}
		return n
	}
	milliseconds, err := strconv.ParseFloat(parts[1], 64)
	if err != nil {
		a.t.Fatal(err)
	}
	return timing{milliseconds, number(parts[2]), number(parts[3]), number(parts[4])}
}

func timingCountsAPage(t *testing.T) {
	s := newSite(t)
	channel := s.channel("Engines", "ada")
	for i := range 30 {
		s.post(channel, "ada", fmt.Sprint("Post ", i))
	}
	// The channel; its gate; 21 posts, behind which the store finds another; its owner, who subscribes.
	if got := s.do("GET", "/channels/Engines").want(200).timing(); got.calls != 4 || got.read != 1+1+22+1 || got.returned != 1+1+21+1 || got.milliseconds <= 0 {
		t.Errorf("a channel's page costs %+v", got)
	}
	if got := s.do("GET", "/channels/Engines").want(200).timing(); got.calls != 2 || got.read != 2 || got.returned != 2 || got.milliseconds <= 0 {
		t.Errorf("a channel's page that is kept costs %+v", got)
	}
	if got := s.do("GET", "/api/v1/channels/Engines").want(200).timing(); got.calls != 1 || got.read != 1 || got.returned != 1 {
		t.Errorf("a channel in the API costs %+v", got)
	}
	if got := s.do("GET", "/how-deletion-works").want(200).timing(); got != (timing{}) {
		t.Errorf("a page that asks nothing costs %+v", got)
	}
}

// timingTellsNoNames compares all but the time for a name that exists and one that does
// not.
func timingTellsNoNames(t *testing.T) {
	s := newSite(t)
	s.author("ada")
	if _, err := s.store.NewDigestAddress(t.Context(), "ada"); err != nil {
		t.Fatal(err)
	}
	signIn := func(name string) answer {
		return s.do("POST", "/sign-in", posted(url.Values{"name": {name}, "password": {"wrong password here"}}))
	}
	session := func(name string) answer {
		return s.do("POST", "/api/v1/sessions", fields("name", name, "password", "wrong password here"))
	}
	digest := func(name string) answer { return s.do("GET", "/digest/"+name+"/wrong/feed.atom") }
	for what, request := range map[string]func(name string) answer{"a form": signIn, "the API": session, "a digest": digest} {
		request("zoe") // the first writes the counters of this address
		known, unknown := request("ada"), request("bob")
		there, absent := known.timing(), unknown.timing()
		there.milliseconds, absent.milliseconds = 0, 0
		if known.status < 400 || known.status != unknown.status || there != absent {
			t.Errorf("%s: status %d, %+v for a name that exists; status %d, %+v for one that does not", what, known.status, there, unknown.status, absent)
		}
	}
}
