package page_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// orphan is a run of the textbook that leaves a post of a channel that is gone, in nine steps.
const orphan = "/lab/A1?s=ann,olga*2,w1*3,ann,w1*2"

func TestState(t *testing.T) {
	t.Run("each part says what is to be said", partsSayIt)
	t.Run("each link of a part leads where it says", linksLeadThere)
	t.Run("each choice can be taken", choiceCanBeTaken)
	t.Run("an actor runs on until it changes a gate, is told something, or ends", runsOn)
	t.Run("a call is shown with its sentence and its line in its function", callHasItsLine)
	t.Run("rows and messages are marked as the step has changed them", rowsAreMarked)
	t.Run("its parts and ids are sound, and nothing is inline", outlineIsSound)
	t.Run("no token is shown whole", tokensAreShort)
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

func classWith(n *html.Node, prefix string) string {
	for class := range strings.FieldsSeq(attribute(n, "class")) {
		if strings.HasPrefix(class, prefix) {
			return class
		}
	}
	return ""
}

func partsSayIt(t *testing.T) {
	s := newSite(t)
	for _, at := range []struct{ path, part, says string }{
		{orphan, "actor-ann", "finished"}, {orphan, "actor-ann", "Was told: posted"},
		{"/lab/A3?s=olga:dies-before", "actor-olga", "dead"},
		{"/lab/A1", "actor-w1", "The queue is empty."}, {"/lab/A3", "actor-olga", "Dies before it."},
		{"/lab/A4?s=ann:unsent", "faults", "0 of 1"}, {"/lab/A4", "faults", "1 of 1"},
		{"/lab/A1", "invariant-A1", "Here it is open. Not checked before the system is idle."}, {"/lab/A1", "invariant-A2", "holds"},
		{"/lab/A1?s=ann", "say", "ann: Look whether the channel is there."},
		{"/lab/A2?s=ann", "say", "The store answers: already exists."},
		{"/lab/A4?s=ann:repeated", "say", "Takes effect, SDK sends it again."},
		{orphan, "invariant-A1", "violated"}, {orphan, "say", "The invariant “no orphan post” is violated"}, {orphan, "invariants-in-short", "✗ 1"},
		{orphan, "step-7", "told: posted"}, {orphan, "step-9", "no orphan post is broken"}, {orphan + "&rest=1", "say", "The invariant “no orphan post” is violated"},
		{orphan, "share", "go run ./lab/cmd/lab replay A1 'ann,olga*2,w1*3,ann,w1*2'"}, {orphan + "&at=2", "share", "replay A1 'ann,olga'"},
		{orphan + "&at=5", "left", "The branch that you left"},
		{"/lab/lost-message?s=olga*2", "network", "The queue loses: news"}, {"/lab/late-copy?s=olga,olga:copied,network:lands", "step-3", "takes effect late"},
		{"/lab/A3?s=olga*2&rest=1", "say", "All invariants hold, also over what fresh workers leave"},
		{"/lab/A3?s=olga*2&rest=1", "say", "Handles: news."},
	} {
		if text := textOf(s.get(at.path).want(200).part(at.part)); !strings.Contains(text, at.says) {
			t.Errorf("%s: %s does not say %q but %q", at.path, at.part, at.says, text)
		}
	}
	for _, path := range []string{orphan + "&at=8", "/lab/A1"} {
		if text := textOf(s.get(path).want(200).part("say")); strings.Contains(text, "is broken") || strings.Contains(text, "fresh workers carry on") {
			t.Errorf("%s says too much: %s", path, text)
		}
	}
}

func linksLeadThere(t *testing.T) {
	s := newSite(t)
	for _, at := range []struct{ path, part, text, to string }{
		{orphan + "&at=5", "moves", "Start again", "/lab/A1#actors"}, {orphan + "&at=5", "moves", "Undo", "/lab/A1?s=ann,olga*2,w1#actors"},
		{orphan + "&at=5", "moves", "Back", orphan + "&at=4#actors"}, {orphan + "&at=5", "moves", "Forth", orphan + "&at=6#actors"},
		{"/lab/A1", "moves", "Undo", ""}, {"/lab/A1", "moves", "Forth", ""},
		{orphan, "step-5", "w1", orphan + "&at=5#run"}, {orphan, "invariant-A1", "step 9", orphan + "#run"}, {orphan, "say", "Step back", orphan + "&at=8#actors"},
		{orphan + "&at=2", "actor-ann", "Let it happen", "/lab/A1?s=ann,olga,ann#actors"}, // what came after is dropped
		{"/lab/A3?s=olga*2", "say", "Let fresh workers carry on", "/lab/A3?s=olga*2&rest=1#actors"},
	} {
		if got := s.get(at.path).want(200).href(at.part, at.text); got != at.to {
			t.Errorf("%s: %q of %s leads to %q, want %q", at.path, at.text, at.part, got, at.to)
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
		"/lab/open-gate?s=ann*3,olga*6": "Run until it shuts the gate : w1", "/lab/open-gate?s=ann*3,olga*6,w1*12": "Run until the gate is gone : w1",
		"/lab/reservation": "Run until it opens the gate : olga", "/lab/shut-gate?s=w1*16": "Run until it reserves a gate : ann",
	} {
		s.get(from).want(200).says(says)
	}
	s.get("/lab/A1?run=eve").want(400)
	on := s.get("/lab/open-gate?s=ann*3,olga*6&run=w1").want(302).header.Get("Location")
	if gates := s.get(on).want(200).drawn("gate-shut"); len(gates) == 0 {
		t.Errorf("%s does not end where the gate is shut", on)
	}
}

func choiceCanBeTaken(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/lab/A1", "/lab/A4", "/lab/post?s=olga*3", "/lab/late-copy?s=olga,olga:copied", "/lab/lost-message?s=olga*2", "/lab/crowd"} {
		r := s.get(path).want(200)
		for _, n := range r.all(func(n *html.Node) bool { return has(n, "data-choice") && has(n, "href") }) {
			address, fragment, _ := strings.Cut(attribute(n, "href"), "#")
			_ = s.get(address).want(200).part("say")
			if fragment != "actors" {
				t.Errorf("%s: %s leaves the part of the actors", path, attribute(n, "href"))
			}
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
		"/lab/post": {"Read the channel's row", "storage/", "(*Fence).", "func (s *Fence)", "Called from", "lab/protocol/"},
		"/lab/A1":   {"Look whether the channel is there", "lab/textbook/textbook.go:", "backend.post"},
	} {
		r := newSite(t).get(path).want(200)
		card := r.part("code-ann")
		for _, text := range want {
			if said := textOf(r.part("actor-ann")) + textOf(card); !strings.Contains(said, text) {
				t.Errorf("%s does not say %q but %s", path, text, said)
			}
		}
		var marked []string
		for n := range card.Descendants() {
			if n.Type == html.ElementNode && hasClass(n, "marked") {
				marked = append(marked, textOf(n))
			}
		}
		if len(marked) != 2 || !strings.Contains(marked[0], "row, err := ") { // around the line, and in the whole function
			t.Errorf("%s: marked are %q", path, marked)
		}
	}
}

func rowsAreMarked(t *testing.T) {
	s := newSite(t)
	for _, at := range []struct{ path, store, row, class, says string }{
		{"/lab/A1?s=olga", "Channels", "row-Channels-news", "changed", "active deleting"},
		{"/lab/A1?s=ann*2", "Blogs", "blog!", "inserted", ""},
		{"/lab/A1?s=ann*2,olga", "Blogs", "blog!", "", ""}, {"/lab/A1?s=ann*2", "Channels", "news", "", ""},
		{"/lab/A1?s=ann*2,olga*2,w1*4", "Blogs", "blog!", "deleted", ""}, {"/lab/A1?s=ann*2,olga*2,w1*5", "Blogs", "blog!", "gone", ""},
		{"/lab/A1?s=olga*2", "delete-channel-and-blogs", "message-", "inserted", "visible"},
		{"/lab/A1?s=olga*2,w1", "delete-channel-and-blogs", "message-", "changed", "leased"},
		{"/lab/A1?s=olga*2,w1,ann", "delete-channel-and-blogs", "message-", "", "leased"},
		{orphan, "delete-channel-and-blogs", "message-", "deleted", "leased"},
	} {
		var row *html.Node
		for n := range s.get(at.path).want(200).part("store-" + at.store).Descendants() {
			if key := attribute(n, "data-key"); strings.Contains(key, at.row) && !strings.HasPrefix(key, "store-") {
				row = n
			}
		}
		switch {
		case (row == nil) != (at.class == "gone"):
			t.Errorf("%s: %s in %s is there: %v", at.path, at.row, at.store, row != nil)
		case row != nil && (attribute(row, "class") != at.class || !strings.Contains(textOf(row), at.says)):
			t.Errorf("%s: %s is marked %q and says %q, want %q and %q", at.path, at.row, attribute(row, "class"), textOf(row), at.class, at.says)
		}
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
		for _, key := range []string{"say", "moves", "picture", "share"} {
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
