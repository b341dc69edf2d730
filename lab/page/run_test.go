package page_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestRun(t *testing.T) {
	t.Run("has every step, also a long run, and marks those that only read", runIsWhole)
	t.Run("shows the steps of one actor or the writes alone, by links that a choice keeps", runIsFiltered)
	t.Run("an actor's card says what it has read and written, when, and whether it has changed since", cardsSayWhatIsKnown)
}

// steps are those of the run that are shown, by their numbers.
func (r response) steps(class string) (numbers []string) {
	r.Helper()
	for n := range r.part("run").Descendants() {
		if n.Data == "a" && hasClass(n, "step") && hasClass(n, class) {
			numbers = append(numbers, attribute(n, "data-step"))
		}
	}
	return numbers
}

func runIsWhole(t *testing.T) {
	s := newSite(t)
	for path, want := range map[string]int{"/lab/A1": 0, "/lab/A1?s=ann,olga*2": 3, orphan + "&at=4": 9, "/lab/open-gate?s=ann*4,olga*6,w1*13": 23} {
		r := s.get(path).want(200)
		if got := r.steps("step"); len(got) != want {
			t.Errorf("%s shows %v", path, got)
		}
		for n := range r.part("run").Descendants() {
			if n.Data == "details" {
				t.Errorf("%s folds steps", path)
			}
		}
	}
	if reads := s.get(orphan + "&at=8").want(200).steps("read"); !slices.Equal(reads, []string{"1", "6"}) {
		t.Errorf("only read: %v", reads)
	}
	if now := s.get(orphan + "&at=8").want(200).steps("now"); !slices.Equal(now, []string{"8"}) {
		t.Errorf("here: %v", now)
	}
}

func runIsFiltered(t *testing.T) {
	s := newSite(t)
	const run = "/lab/A1?s=ann,olga*2,w1*3,ann"
	for label, want := range map[string]string{"all": "1 2 3 4 5 6 7", "ann": "1 7", "olga": "2 3", "w1": "4 5 6", "writes": "2 3 4 5 7"} {
		r := s.get(s.get(run).want(200).href("filters", label)).want(200)
		if got := strings.Join(r.steps("step"), " "); got != want {
			t.Errorf("%s shows %s, want %s", label, got, want)
		}
		on := r.all(func(n *html.Node) bool { return attribute(n, "aria-current") == "true" })
		if len(on) != 1 || textOf(on[0]) != label {
			t.Errorf("%s is not marked", label)
		}
		if count := strconv.Itoa(len(strings.Fields(want))) + " of 7 steps"; label != "all" {
			r.says(count)
		}
	}
	ann := s.get(run + "&who=ann").want(200)
	for part, link := range map[string]string{"actor-w1": "Delete the channel", "moves": "Undo", "filters": "ann"} {
		if to := ann.href(part, link); !strings.HasSuffix(to, "&who=ann") {
			t.Errorf("%q leads to %s, where all steps are shown", link, to)
		}
	}
	for path, to := range map[string]string{run + "&who=eve": run, run + "&writes=2": run, "/lab/A1?writes=1&s=ann": "/lab/A1?s=ann&writes=1"} {
		switch r := s.get(path); {
		case r.status == 302 && r.header.Get("Location") != to, r.status != 302 && !strings.HasPrefix(path, "/lab/A1?writes"):
			t.Errorf("%s: status %d, to %s", path, r.status, r.header.Get("Location"))
		}
	}
}

func cardsSayWhatIsKnown(t *testing.T) {
	s := newSite(t)
	for _, at := range []struct{ path, part, says string }{
		{"/lab/A1?s=ann", "actor-ann", "1 step channel “news”: active read at 1"},
		{"/lab/A1?s=ann,olga", "actor-ann", "channel “news”: active ≠ deleting since 2 read at 1"},
		{"/lab/open-gate?s=ann*4,olga*6,w1*12", "actor-ann", "channel “news”: active, incarnation 1 ≠ deleting, incarnation 1 since 10 read at 1 who may post: everybody ≠ no row since 20 read at 2 Ann's account: not there read at 4"},
		{"/lab/open-gate?s=ann*4,olga*6,w1*12", "actor-olga", "channel “news”: deleting, incarnation 1 wrote at 10 was told: “deletion accepted” at 10"}, // its own write
		{"/lab/open-gate?s=ann*4,olga*6,w1*12", "actor-w1", "message: delete incarnation 1 received at 11"},
		{"/lab/open-gate?s=ann*4,olga*6,w1*12", "actor-w1", "all rows of “news”: 6 rows read at 17 record of the deletion of incarnation 1: running wrote at 22"}, // no other actor has removed them
		{"/lab/A1?s=ann,olga*2,w1*5", "actor-ann", "channel “news”: active ≠ not there since 7 read at 1"},
		{"/lab/A1?s=ann,olga*2,w1*3,ann", "actor-w1", "all rows of “news”: no row ≠ post by Ann since 7 read at 6"},
		{"/lab/link-version?s=vera,vera2,vera*3", "actor-vera2", "sign-in link of Vera: there ≠ ended since 3 read at 2"},
		{"/lab/A1?s=ann,olga*2,w1*2", "actor-ann", "channel “news”: active ≠ deleting since 2 read at 1"}, // w1 has marked it again at 5
		{"/lab/shut-gate?s=w1*12,w2*11,ann*10", "actor-w2", "shut gate of incarnation 1: gone removed at 21"},
		{"/lab/shut-gate?s=w1*12,w2*11,ann*10", "actor-w2", "channel “news”: gone ≠ active, incarnation 2 since 30 removed at 23"},
		{"/lab/index-first?s=reconcile", "actor-reconcile", "index of open deletions: no row read at 1"},
		{"/lab/A2?s=ann", "actor-ann", "answer: ✗ there already: channel “news” step 1"},
		{"/lab/twice?s=ann,ann:lost", "actor-ann", "answer: ✗ storage unavailable: no answer step 2"},
	} {
		if text := textOf(s.get(at.path).want(200).part(at.part)); !strings.Contains(text, at.says) {
			t.Errorf("%s: %s does not say %q but %q", at.path, at.part, at.says, text)
		}
	}
}
