package page_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// The shortest schedule that breaks a law without the open gate, and that without the
// shut gate.
const (
	openGate = "/lab/open-gate?s=ann,olga*6,w1*12,ann,w1*6"
	shutGate = "/lab/shut-gate?s=w1*12,w2*7,w1*3,ann*8,w2*3"
)

func TestScenarioPage(t *testing.T) {
	t.Run("a_choice_is_a_link_that_can_be_taken", choiceCanBeTaken)
	t.Run("what_cannot_be_chosen_is_shown_with_its_reason", impossibleHasItsReason)
	t.Run("a_call_is_shown_with_its_line_of_Go_in_its_function", callHasItsLine)
	t.Run("each_message_on_the_queue_can_be_received", eachMessageCanBeReceived)
	t.Run("a_request_that_is_under_way_can_land", lateRequestCanLand)
	t.Run("keys_of_parts_are_unique", keysAreUnique)
	t.Run("ids_are_unique_and_headings_leave_out_no_level", outlineIsSound)
	t.Run("a_page_has_no_inline_style_or_script", nothingIsInline)
	t.Run("shows_the_command_that_replays_the_state", commandReplays)
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

// partSays fails unless a reader can read the texts in the part.
func (r response) partSays(key string, texts ...string) {
	r.Helper()
	got := textOf(r.part(key))
	for _, text := range texts {
		if !strings.Contains(got, text) {
			r.Errorf("%s: %s does not say %q but %q", r.path, key, text, got)
		}
	}
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

func choiceCanBeTaken(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{"/lab/A1", "/lab/A4", "/lab/post?s=olga*3", "/lab/etag?s=olga,olga:copied", "/lab/forgotten?s=olga*4", "/lab/crowd"} {
		r := s.get(path).want(200)
		for _, n := range r.all(func(n *html.Node) bool { return attribute(n, "data-choice") != "" }) {
			address, fragment, _ := strings.Cut(attribute(n, "href"), "#")
			next := s.get(address).want(200)
			if word := attribute(n, "data-choice"); !strings.Contains(address, word) && !strings.Contains(address, "*") {
				t.Errorf("%s: the link of %q leads to %s", path, word, address)
			}
			if fragment != "actors" {
				t.Errorf("%s: %s leaves the part of the actors", path, attribute(n, "href"))
			}
			_ = next.part("say")
		}
	}
}

func impossibleHasItsReason(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.get(openGate).want(200).partSays("actor-ann", "Let it happen", "Finished.")
	s.get("/lab/A3?s=olga:dies-before").want(200).partSays("actor-olga", "dead", "Dead.")
	s.get("/lab/A1").want(200).partSays("actor-w1", "The queue is empty.")
	none := s.get("/lab/A1").want(200)
	none.partSays("actor-ann", "Its process dies before it.", "This level allows no fault.")
	for _, n := range none.all(func(n *html.Node) bool { return attribute(n, "aria-disabled") == "true" }) {
		if attribute(n, "href") != "" || attribute(n, "role") != "link" {
			t.Errorf("%q is disabled, with href %q and role %q", textOf(n), attribute(n, "href"), attribute(n, "role"))
		}
	}
	s.get("/lab/A4?s=ann:unsent").want(200).partSays("faults", "0 of 1")
	s.get("/lab/A4").want(200).partSays("faults", "1 of 1")
}

func callHasItsLine(t *testing.T) {
	t.Parallel()
	r := newSite(t).get("/lab/post").want(200)
	card := r.part("actor-ann")
	marked := []*html.Node{}
	for n := range card.Descendants() {
		if n.Type == html.ElementNode && hasClass(n, "marked") {
			marked = append(marked, n)
		}
	}
	if len(marked) != 2 { // around the line, and in the whole function
		t.Fatalf("%d marked lines, want 2", len(marked))
	}
	if got := textOf(marked[0]); !strings.Contains(got, "row, err := s.") {
		t.Errorf("the marked line is %q", got)
	}
	r.partSays("actor-ann", "storage/", ".go:", "(*Store)", "func (s *Store)", "Called from")
}

func eachMessageCanBeReceived(t *testing.T) {
	t.Parallel()
	r := newSite(t).get("/lab/edit-sweep?s=olga*3").want(200)
	var n int
	for d := range r.part("actor-w1").Descendants() {
		if strings.HasPrefix(attribute(d, "data-choice"), "w1") && hasClass(d, "main") {
			n++
		}
	}
	if n != 2 {
		t.Errorf("w1 can receive %d messages, want 2", n)
	}
}

func lateRequestCanLand(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	r := s.get("/lab/reservation?s=olga,olga:copied").want(200)
	land := r.href("network", "lands")
	s.get(strings.TrimSuffix(land, "#actors")).want(200).partSays("step-3", "olga", "lands late")
	s.get("/lab/forgotten?s=olga*4").want(200).partSays("network", "The queue forgets")
}

func keysAreUnique(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{openGate, openGate + "&at=12", shutGate, "/lab/crowd", "/lab/sign-out?s=vera*3", "/lab/mark?s=w1*3,w2*5"} {
		r := s.get(path).want(200)
		seen := map[string]bool{}
		for _, n := range r.all(func(n *html.Node) bool { return attribute(n, "data-key") != "" }) {
			if key := attribute(n, "data-key"); seen[key] {
				t.Errorf("%s: two parts %q", path, key)
			} else {
				seen[key] = true
			}
		}
		for _, key := range []string{"say", "moves", "faults", "share"} {
			if !seen[key] {
				t.Errorf("%s: no part %q", path, key)
			}
		}
	}
}

func outlineIsSound(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{openGate, openGate + "&at=12", "/lab/crowd"} {
		r := s.get(path).want(200)
		ids := map[string]bool{}
		level := 0
		for n := range r.document().Descendants() {
			if id := attribute(n, "id"); id != "" {
				if ids[id] {
					t.Errorf("%s: two elements %q", path, id)
				}
				ids[id] = true
			}
			if n.Type != html.ElementNode || len(n.Data) != 2 || n.Data[0] != 'h' || n.Data[1] < '1' || n.Data[1] > '6' {
				continue
			}
			if next := int(n.Data[1] - '0'); next > level+1 {
				t.Errorf("%s: h%d %q after h%d", path, next, textOf(n), level)
			} else {
				level = next
			}
		}
	}
}

func nothingIsInline(t *testing.T) {
	t.Parallel()
	r := newSite(t).get(openGate).want(200)
	for _, n := range r.all(func(n *html.Node) bool { return true }) {
		if attribute(n, "style") != "" || n.Data == "style" || n.Data == "script" && n.FirstChild != nil {
			t.Errorf("inline: %s", n.Data)
		}
	}
}

func commandReplays(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.get(openGate).want(200).partSays("share", "go run ./lab/cmd/lab replay open-gate 'ann,olga*6,w1*12,ann,w1*6'")
	s.get(openGate+"&at=3").want(200).partSays("share", "replay open-gate 'ann,olga*2'")
}
