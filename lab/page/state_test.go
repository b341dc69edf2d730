package page_test

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/lab/page"
)

// orphan is a run of the textbook that leaves a post of a channel that is gone, in nine steps.
const orphan = "/lab/A1?s=ann,olga*2,w1*3,ann,w1*2"

func TestState(t *testing.T) {
	t.Run("each part says what is to be said", partsSayIt)
	t.Run("each link of a part leads where it says", linksLeadThere)
	t.Run("each choice can be taken", choiceCanBeTaken)
	t.Run("an actor runs on until it changes a gate, is told something, or ends", runsOn)
	t.Run("a call is shown with its sentence and its line in its function", callHasItsLine)
	t.Run("only rows that an actor has touched, or touches next, are open, marked as the step has changed them", rowsAreMarked)
	t.Run("a step is marked alike in the run, in the code and in the store", stepIsMarkedAlike)
	t.Run("it says whether the level can still be won, and since which step it cannot", reachIsSaid)
	t.Run("what is known of that is not lost to a search that ends in vain, and is not searched again", reachIsKept)
	t.Run("its parts and ids are sound, and nothing is inline", outlineIsSound)
	t.Run("no token is shown whole", tokensAreShort)
	t.Run("the line that an ablation switches off is marked in its function, and in the code of an actor", offIsMarked)
	t.Run("fresh workers are offered where they have something to do, and the page says what they did", freshWorkersHaveWork)
}

// all lists the elements for which ok holds.
func (r response) all(ok func(*html.Node) bool) (found []*html.Node) {
	r.Helper()
	for n := range r.document().Descendants() {
		if n.Type == html.ElementNode && ok(n) {
			found = append(found, n)
		}
	}
	return found
}

// part is the element with this data-key.
func (r response) part(key string) *html.Node {
	r.Helper()
	found := r.all(func(n *html.Node) bool { return attribute(n, "data-key") == key })
	if len(found) != 1 {
		r.Fatalf("%s: %d parts %q, want 1", r.path, len(found), key)
	}
	return found[0]
}

// href is the address of the link in the part that says the text, or "" if it is disabled.
func (r response) href(key, text string) string {
	r.Helper()
	for n := range r.part(key).Descendants() {
		if n.Data == "a" && strings.Contains(textOf(n), text) {
			return attribute(n, "href")
		}
	}
	r.Fatalf("%s: %s has no link %q", r.path, key, text)
	return ""
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func textOf(n *html.Node) string {
	var words []string
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			words = append(words, strings.Fields(d.Data)...)
		}
	}
	return strings.Join(words, " ")
}

func hasClass(n *html.Node, class string) bool {
	return slices.Contains(strings.Fields(attribute(n, "class")), class)
}

func partsSayIt(t *testing.T) {
	s := newSite(t)
	for _, at := range []struct{ path, part, says string }{
		{orphan, "say", "Won in 9 steps. The shortest run known has 9. ✗ The invariant “no orphan post” is violated"}, {"/lab/A1?s=ann*2", "actor-ann", "finished 2 steps channel “news”: active read at 1 was told: “posted” at 2"},
		{"/lab/late-copy?s=olga:dies-before", "actor-olga", "dead"},
		{"/lab/A1", "actor-w1", "Waits: the queue is empty."}, {"/lab/A3", "actor-olga", "olga dies before it"},
		{"/lab/A4", "actor-ann", "or, for 1 fault: ann dies before it : ann dies after it : ann request never arrives, not sent again : ann answer takes effect, reply lost, not sent again : ann takes effect, SDK sends it again"}, {"/lab/again?s=w1*6", "actor-ann", "costs 1 interruption"},
		{"/lab/A4?s=ann:unsent", "budget", "0 of 1 left"}, {"/lab/A4", "budget", "Faults ● 1 of 1 left"}, {"/lab/A1", "budget", "No faults here Switch actors freely 200 of 200 steps left"},
		{"/lab/again", "budget", "Interruptions ●●●● 4 of 4 left"}, {"/lab/again?s=w1,w2", "budget", "3 of 4 left"}, {"/lab/shut-gate?s=w1*6", "budget", "194 of 200 steps left"},
		{"/lab/A1", "invariant-A1", "Here it is open. Not checked before the system is idle."}, {"/lab/A1", "invariant-A2", "holds"},
		{"/lab/A1", "say", "Whose call goes first?"}, {"/lab/A3", "say", "What happens to the first call?"}, {"/lab/A1?s=ann", "say", "1 ann Look whether the channel is there → channel “news”: active"},
		{"/lab/A2?s=ann", "say", "→ ✗ there already: channel “news”"}, {"/lab/A2?s=ann", "actor-ann", "answer: ✗ there already: channel “news” step 1"},
		{"/lab/A4?s=ann:repeated", "say", "takes effect, SDK sends it again"},
		{"/lab/A1?s=ann", "actor-ann", "channel “news”: active read at 1"}, {"/lab/A1?s=ann,olga", "actor-ann", "channel “news”: active ≠ deleting since 2 read at 1"},
		{"/lab/A1?s=ann*2,olga*2,w1*3", "actor-w1", "all rows of “news”: post by Ann read at 7"}, {"/lab/A1?s=ann,olga*2,w1*3,ann", "actor-w1", "all rows of “news”: no row ≠ post by Ann since 7 read at 6"},
		{orphan, "invariant-A1", "violated"}, {orphan, "rule", "“no orphan post” is violated"},
		{orphan, "say", "The invariant “no orphan post” is violated. Seen at step 9, because of step 6. A post is left of a channel that is gone."},
		{"/lab/pivot?s=olga*4,w1*4", "actor-olga", "channel “news”: pending, incarnation 1 read at 1"},
		{"/lab/index-touch?s=olga*4,reconcile*5,olga*2,reconcile", "say", "Seen at step 12, because of step 9."},
		{"/lab/index-touch?s=olga*4,reconcile*5,olga*2,reconcile", "say", "undone, and its channel is not there"},
		{"/lab/pivot?s=olga*4,w1*5,olga*3,w1", "say", "Seen at step 13. Because of which step is not known: not all states were searched. Search them all"},
		{"/lab/expected", "actor-ann", "which incarnation has the name?"}, {"/lab/expected?s=ann", "actor-ann", "which incarnation has the name, now that the form arrives?"},
		{"/lab/expected?s=ann*2", "say", "which incarnation has the name, now that the form arrives"},
		{orphan, "say", "MicroBlogging without its safeguard, and with it"}, {"/lab/A3?s=olga:dies-after", "say", "Seen at step 1, because of that step."},
		{orphan + "&rest=1", "say", "The invariant “no orphan post” is violated"},
		{orphan, "share", "go run ./lab/cmd/lab replay A1 'ann,olga*2,w1*3,ann,w1*2'"}, {orphan + "&at=2", "share", "replay A1 'ann,olga'"},
		{"/lab/lost-message?s=olga*2", "network", "The queue loses: news"}, {"/lab/late-copy?s=olga,olga:copied,network:lands", "step-3", "takes effect late"},
		{"/lab/A3?s=olga*2&rest=1", "say", "All invariants hold, also over what fresh workers leave"},
		{"/lab/A3?s=olga*2&rest=1", "say", "Handles: news."},
	} {
		if text := textOf(s.get(at.path).want(200).part(at.part)); !strings.Contains(text, at.says) {
			t.Errorf("%s: %s does not say %q but %q", at.path, at.part, at.says, text)
		}
	}
	for _, path := range []string{orphan + "&at=8", "/lab/A1"} {
		if text := textOf(s.get(path).want(200).part("say")); strings.Contains(text, "is violated") || strings.Contains(text, "fresh workers carry on") {
			t.Errorf("%s says too much: %s", path, text)
		}
	}
}

func linksLeadThere(t *testing.T) {
	s := newSite(t)
	for _, at := range []struct{ path, part, text, to string }{
		{orphan + "&at=5", "moves", "Start again", "/lab/A1"}, {orphan + "&at=5", "moves", "Undo", "/lab/A1?s=ann,olga*2,w1"},
		{orphan + "&at=5", "moves", "Back", orphan + "&at=4"}, {orphan + "&at=5", "moves", "Forth", orphan + "&at=6"},
		{"/lab/A1", "moves", "Undo", ""}, {"/lab/A1", "moves", "Forth", ""},
		{orphan, "step-5", "w1", orphan + "&at=5"}, {orphan, "invariant-A1", "step 9", orphan}, {orphan, "say", "Step back", orphan + "&at=8"},
		{orphan + "&at=2", "actor-ann", "Insert the post", "/lab/A1?s=ann,olga,ann"}, // what came after is dropped
		{"/lab/A3?s=olga*2", "say", "Let fresh workers carry on", "/lab/A3?s=olga*2&rest=1"},
		{"/lab/A3?s=olga*2&rest=1", "share", "For a projector", "/lab/A3?s=olga*2&rest=1&large=1"}, {"/lab/A1?hint=1", "share", "For a projector", "/lab/A1?large=1"},
		{"/lab/A1?large=1", "share", "For a small screen", "/lab/A1"},
		{"/lab/A1?s=ann,olga*2,w1*2,ann", "say", "Take back step 6", "/lab/A1?s=ann,olga*2,w1*2"},
		{"/lab/shut-gate?s=ann", "reach", "Can it still be won?", "/lab/shut-gate?s=ann&reach=1"},
	} {
		if got := s.get(at.path).want(200).href(at.part, at.text); got != at.to {
			t.Errorf("%s: %q of %s leads to %q, want %q", at.path, at.text, at.part, got, at.to)
		}
	}
}

func offIsMarked(t *testing.T) {
	s := newSite(t)
	for path, want := range map[string][]string{
		"/lab/post": nil, "/lab/open-gate": {"off"}, "/lab/own/lease-lock-without-fence": {"off", "code-ann", "code-bob"},
	} {
		r, places := s.get(path).want(200), map[string]bool{}
		for _, line := range r.all(func(n *html.Node) bool { return hasClass(n, "off") }) {
			if text := textOf(line); !strings.Contains(text, "(switched off here)") || !strings.Contains(text, "driver.Exists)") && !strings.Contains(text, `On("fence")`) {
				t.Errorf("%s switches off %s", path, text)
			}
			if struck := within(line, "del"); len(struck) != 1 || strings.Contains(textOf(struck[0]), "return") || strings.Contains(textOf(struck[0]), "if") {
				t.Errorf("%s strikes more than the part that is switched off", path)
			}
			for n := line; n != nil; n = n.Parent {
				if key := attribute(n, "data-key"); strings.HasPrefix(key, "code-") || key == "off" {
					places[key] = true
				}
			}
		}
		if got := slices.Sorted(maps.Keys(places)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("%s marks it in %v, want %v", path, got, want)
		}
	}
}

func freshWorkersHaveWork(t *testing.T) {
	s := newSite(t)
	for path, did := range map[string]string{
		"/lab/A3?s=olga*2": "Handles: news.", "/lab/own/two-phase?s=bank:dies-after": "Runs Recover.", "/lab/forgotten?s=olga*6,network:forgotten": "Looks for deletions without a message.",
		"/lab/A1?s=ann*2,olga*2,w1*6": "-", "/lab/A4?s=ann": "-", "/lab/lost-message?s=olga*2,network:forgotten": "-", "/lab/twice?s=ann*2": "-", "/lab/own/lease-lock?s=ann*4,bob*4": "-", "/lab/own/two-phase?s=bank*5": "-",
	} {
		said := textOf(s.get(path).want(200).part("say"))
		if offered := strings.Contains(said, "Let fresh workers carry on"); offered == (did == "-") {
			t.Errorf("%s: %s", path, said)
		}
		if did != "-" {
			s.get(path + "&rest=1").want(200).says(did)
		}
	}
}

func runsOn(t *testing.T) {
	s := newSite(t)
	for from, to := range map[string]string{
		"/lab/A1?run=olga":                "/lab/A1?s=olga*2", // accepted
		"/lab/A1?s=ann&run=ann":           "/lab/A1?s=ann*2",  // posted
		"/lab/A1?s=olga*2&run=w1":         "/lab/A1?s=olga*2,w1*5",
		"/lab/A1?s=olga*2&at=1&run=ann":   "/lab/A1?s=olga,ann", // the channel is marked
		"/lab/A1?run=w1":                  "/lab/A1",            // the queue is empty
		"/lab/A1?s=olga&run=olga&large=1": "/lab/A1?s=olga*2&large=1",
	} {
		if got := s.get(from).want(302).header.Get("Location"); got != to {
			t.Errorf("%s leads to %s, want %s", from, got, to)
		}
	}
	for from, says := range map[string]string{
		"/lab/A1": "Run until told “deletion accepted” : olga", "/lab/A1?s=ann,olga*2": "Run as far as it goes : w1",
		"/lab/open-gate?s=ann*4,olga*6": "Run until it shuts the gate : w1", "/lab/open-gate?s=ann*4,olga*6,w1*12": "Run until it removes the gate : w1",
		"/lab/reservation": "Run until it opens the gate : olga", "/lab/shut-gate?s=w1*16": "Run until it reserves a gate : ann",
	} {
		s.get(from).want(200).says(says)
	}
	s.get("/lab/A1?run=eve").want(400)
	on := s.get("/lab/open-gate?s=ann*4,olga*6&run=w1").want(302).header.Get("Location")
	if text := s.get(on).want(200).text(); !strings.Contains(text, "shut gate of incarnation 1 inserted") {
		t.Errorf("%s does not end where the gate is shut", on)
	}
}

func choiceCanBeTaken(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/lab/A1", "/lab/A4", "/lab/post?s=olga*3", "/lab/late-copy?s=olga,olga:copied", "/lab/lost-message?s=olga*2", "/lab/crowd"} {
		r := s.get(path).want(200)
		for _, n := range r.all(func(n *html.Node) bool { return has(n, "data-choice") && has(n, "href") }) {
			_ = s.get(attribute(n, "href")).want(200).part("say")
		}
		for _, n := range r.all(func(n *html.Node) bool { return attribute(n, "aria-disabled") == "true" }) {
			if has(n, "href") || attribute(n, "role") != "link" {
				t.Errorf("%s: %q is disabled, and a link", path, textOf(n))
			}
		}
	}
}

func callHasItsLine(t *testing.T) {
	for path, want := range map[string][]string{
		"/lab/post": {"Read the channel's row", "storage/", "(*Fence).", "func (s *Fence)"},
		"/lab/A1":   {"Look whether the channel is there", "lab/textbook/textbook.go:", "backend.post"},
	} {
		r := newSite(t).get(path).want(200)
		card := r.part("code-ann")
		for _, text := range want {
			if said := textOf(r.part("actor-ann")) + " " + textOf(card); !strings.Contains(said, text) {
				t.Errorf("%s does not say %q but %s", path, text, said)
			}
		}
		var marked []string
		for _, line := range within(card, "li") {
			if hasClass(line, "marked") {
				marked = append(marked, textOf(line))
			}
		}
		if len(marked) != 1 || !strings.Contains(marked[0], "row, err := ") {
			t.Errorf("%s: marked are %q", path, marked)
		}
	}
}

func rowsAreMarked(t *testing.T) {
	s := newSite(t)
	for _, at := range []struct{ path, row, class, says string }{
		{"/lab/A1?s=olga", "row-Channels-news-", "changed news of-2", "channel “news” active deleting ann reads next changed"},
		{"/lab/A1?s=ann*2", "row-Blogs-news-blog!", "inserted news of-1", "post by Ann inserted"},
		{"/lab/A1?s=ann*2,olga", "row-Blogs-news-blog!", "", "post by Ann since 2"}, {"/lab/A1?s=ann", "row-Channels-news-", "", "channel “news” active olga changes next"},
		{"/lab/A1?s=ann*2,olga*2,w1*4", "row-Blogs-news-blog!", "deleted news of-3", "post by Ann deleted"}, {"/lab/A1?s=ann*2,olga*2,w1*5", "row-Blogs-news-blog!", "gone", "post by Ann gone at 8"},
		{"/lab/A2?s=w1,w2,w1*3,ann,w2*3", "row-Channels-news-", "deleted news of-3", "channel “news” deleting ann reads next deleted"},
		{"/lab/own-gate?s=w1*3", "row-Deletions-", "next", "record of the deletion of incarnation 1 w1 inserts next"}, // which it has read, and was not there
		{"/lab/A1?s=olga*2", "message-", "inserted news of-2", "message: news w1 takes next inserted"},
		{"/lab/A1?s=olga*2,w1", "message-", "changed news of-3", "w1 has it"},
		{"/lab/A2?s=w1", "message-", "changed news of-2", "w1 has it; it may show up again at any time"},
		{"/lab/A1?s=olga*2,w1,ann", "message-", "", "w1 has it"},
		{orphan, "message-", "deleted news of-3", "message: news deleted"},
		{"/lab/open-gate?s=ann*4,olga*6,w1*13,ann,w1*6", "row-Blogs-news-blog!2524239935999999999", "violates", "post by Ann (2), of incarnation 1 ✗ violates the invariant since 24"},
		{"/lab/open-gate?s=ann*4,olga*6,w1*13,ann,w1*6", "row-Blogs-news-gate!open", "gone", "open gate of incarnation 1 gone at 16"},
		{"/lab/A1", "next-w1-in-", "next", "no message w1 waits"}, {"/lab/A1?s=ann", "row-Blogs-news-blog!", "next", "post by Ann ann inserts next"},
		{"/lab/A1?s=ann,olga*2,w1*2", "next-w1-in-Blogs", "next", "all rows of “news” 0 rows w1 lists next"},
	} {
		var row *html.Node
		for n := range s.get(at.path).want(200).part("rows").Descendants() {
			if n.Data == "li" && strings.HasPrefix(attribute(n, "data-key"), at.row) {
				row = n
			}
		}
		if row == nil || strings.Join(strings.Fields(attribute(row, "class")), " ") != at.class || !strings.Contains(textOf(row), at.says) {
			t.Errorf("%s: %s is %q, want %q and %q", at.path, at.row, row.Attr, at.class, at.says)
			if row != nil {
				t.Error(textOf(row))
			}
		}
	}
	untouched := s.get("/lab/shut-gate?s=w1*6").want(200)
	if text := textOf(untouched.part("rows")); !strings.Contains(text, "all rows of “news” 6 rows w1 lists next") || !strings.Contains(text, "rows that no actor has touched.") || strings.Contains(text, "subscriber") {
		t.Errorf("rows that no actor touches are open: %s", text)
	}
}

// A step is marked alike in the run, in the code and in the store.
func stepIsMarkedAlike(t *testing.T) {
	r := newSite(t).get("/lab/A1?s=ann*2,olga*2,w1*4").want(200)
	for _, class := range []string{"now", "just", "news"} {
		marked := r.all(func(n *html.Node) bool { return hasClass(n, class) })
		if len(marked) != 1 {
			t.Fatalf("%d are marked %q", len(marked), class)
		}
	}
	if row := r.all(func(n *html.Node) bool { return hasClass(n, "news") })[0]; attribute(row, "data-step") != "2 8" {
		t.Errorf("the row was touched in %s", attribute(row, "data-step"))
	}
}

func outlineIsSound(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{orphan, orphan + "&at=5", "/lab/crowd", "/lab/sign-out?s=vera*3"} {
		r := s.get(path).want(200)
		seen := map[string]bool{}
		for n := range r.document().Descendants() {
			for _, name := range []string{"id", "data-key"} {
				if value := attribute(n, name); value != "" {
					if seen[name+value] {
						t.Errorf("%s: two elements with %s=%q", path, name, value)
					}
					seen[name+value] = true
				}
			}
			if n.Type == html.ElementNode && (has(n, "style") || n.Data == "style" || n.Data == "script" && n.FirstChild != nil) {
				t.Errorf("%s: inline: %s", path, n.Data)
			}
		}
		for _, key := range []string{"say", "moves", "run", "share"} {
			if !seen["data-key"+key] {
				t.Errorf("%s: no part %q", path, key)
			}
		}
	}
}

func tokensAreShort(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/lab/post?s=ann*2,olga*4", "/lab/sign-out?s=vera*3"} {
		if text := s.get(path).want(200).text(); strings.Contains(text, "LABORATORY") {
			t.Errorf("%s shows a name of the model checker", path)
		}
	}
	long := regexp.MustCompile("[0-9a-f]{64}")
	for _, name := range []string{"link-version", "erasure-look", "erasure-fence", "ended"} {
		record := recordOf(t, name)
		for at := range record.Shortest {
			if text := s.get("/lab/" + name + "?s=" + record.Schedule + "&at=" + strconv.Itoa(at)).want(200).text(); long.MatchString(text) {
				t.Errorf("%s shows %s after %d steps", name, long.FindString(text), at)
			}
		}
	}
}

func reachIsSaid(t *testing.T) {
	s := newSite(t)
	for _, at := range []struct{ path, says string }{
		{"/lab/A1", "✓ can still be won"}, {"/lab/A1?s=olga", "⊘ cannot be won since step 1"}, {"/lab/A1?s=ann,olga*2,w1*2,ann,w1", "⊘ cannot be won since step 6"},
		{"/lab/A1?s=ann,olga*2,w1*2,ann&at=5", "✓ can still be won"}, {orphan, "✓ won at step 9"}, {"/lab/join?s=vera*5,feed", "Can it still be won? A search takes some seconds."},
		{"/lab/join?s=vera*5,feed&reach=1", "✓ can still be won"}, {"/lab/join?s=vera*5,feed", "✓ can still be won"}, // known from now on
	} {
		if text := textOf(s.get(at.path).want(200).part("reach")); text != at.says {
			t.Errorf("%s: %q, want %q", at.path, text, at.says)
		}
	}
	lost := s.get("/lab/A1?s=ann,olga*2,w1*2,ann").want(200).says("From here the invariant holds, whatever you do. No run wins since step 6. All 35 states of this level were searched.")
	if text := textOf(lost.part("say")); strings.Contains(text, "What may happen between the two?") {
		t.Errorf("a level that is lost gives its nudge unasked: %s", text)
	}
	earlier := newSiteOf(t, page.New().Stale(true)) // its record is of another version of the code
	if said := textOf(earlier.get("/lab/shut-gate?s=w1").want(200).part("reach")); said != "Can it still be won? A search takes some seconds." {
		t.Errorf("a run of an earlier version can be won: %q", said)
	}
	// Of these there are too many states to search all. The run that the model checker has found can be won, so no search is needed.
	for _, name := range []string{"shut-gate", "fresh-read", "pivot"} {
		record := recordOf(t, name)
		for at := range record.Shortest {
			path := "/lab/" + name + "?s=" + record.Schedule + "&at=" + strconv.Itoa(at)
			if said := textOf(s.get(path).want(200).part("reach")); said != "✓ can still be won" {
				t.Errorf("%s: %q", path, said)
			}
		}
	}
	s.get("/lab/pivot?s=olga*4,w1*5&reach=1").want(200).says("✓ can still be won")
	dead := s.get("/lab/pivot?s=w1*6,olga*4,w1*8&reach=1").want(200).says("⊘ cannot be won", "From here the invariant holds, whatever you do. No run wins from here. All ", " that can follow were searched. Step 5 is the last after which a run was found that wins.")
	if to := dead.href("say", "Take back step 6"); to != "/lab/pivot?s=w1*5" {
		t.Errorf("the way back leads to %q", to)
	}
	if step := textOf(dead.part("step-6")); strings.Contains(step, "⊘") {
		t.Errorf("a step is marked that no search has found: %s", step)
	}
	if step := textOf(s.get("/lab/A1?s=ann,olga*2,w1*2,ann,w1").want(200).part("step-6")); !strings.Contains(step, "⊘ cannot be won") {
		t.Errorf("the step is not marked in the run: %s", step)
	}
}

// reachIsKept has requests that come during the search of another one.
func reachIsKept(t *testing.T) {
	c, err := modelcheck.Find("join")
	ok(t, err)
	var s *site
	var meanwhile func()
	run := c.Actors[0].Run
	c.Actors = slices.Clone(c.Actors)
	c.Actors[0].Run = func(ctx context.Context, client *lab.Client) {
		if ask := meanwhile; ask != nil {
			meanwhile = nil
			ask()
		}
		run(ctx, client)
	}
	s = newSiteOf(t, page.New().With(c))
	for _, path := range []string{"/lab/join?s=vera*5,feed", "/lab/join?s=vera*5,feed&search=1"} { // a search of few states, and one that holds the turn
		meanwhile = func() { s.get("/lab/join?s=vera*5,feed&reach=1").want(200) }
		if said := textOf(s.get(path).want(200).part("reach")); said != "✓ can still be won" {
			t.Errorf("%s: %q", path, said)
		}
	}
}

// BenchmarkScenario makes the state after 40 choices.
func BenchmarkScenario(b *testing.B) {
	s := newSite(b)
	for _, name := range []string{"create-once", "stale-form", "crowd"} {
		schedule := ""
		for range 40 {
			at := s.state(name, schedule)
			schedule = s.state(name, and(at.Schedule, at.Choices[0].Choice)).Schedule
		}
		for _, path := range []string{"/lab/" + name, "/lab/" + name + ".json"} {
			b.Run(strings.TrimPrefix(path, "/lab/"), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					s.get(path + "?s=" + schedule).want(200)
				}
			})
		}
	}
}
