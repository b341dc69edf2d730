package page_test

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"microblogging/lab/modelcheck"
)

func TestPicture(t *testing.T) {
	t.Run("each arrow goes from its caller to its store", arrowsGoThere)
	t.Run("a row whose key is a hash, and a gate, is told in words", rowsAreNamed)
	t.Run("a late call is slanted from where it was sent to where it landed", lateCallIsSlanted)
	t.Run("the gate's strip has its states in their order", gateHasItsStates)
	t.Run("a lease ends where another worker gets the message", leaseEnds)
	t.Run("every shortest run fits a screen, with what broke the invariant and what made it possible", runFitsAScreen)
	t.Run("no line is longer than its sheet, side by side and on a phone", linesFit)
	t.Run("is a file that needs no style sheet", pictureIsAFile)
	t.Run("is a diagram of Mermaid, and data with sentences and lines", runIsOtherFiles)
}

// drawn are the elements of the picture for a wide screen that have the class.
func (r response) drawn(class string) []*html.Node {
	r.Helper()
	return r.in("wide", class)
}

func (r response) in(sheet, class string) (found []*html.Node) {
	r.Helper()
	for _, svg := range r.all(func(n *html.Node) bool { return n.Data == "svg" && hasClass(n, sheet) }) {
		for n := range svg.Descendants() {
			if n.Type == html.ElementNode && hasClass(n, class) && !hasClass(n, "back") {
				found = append(found, n)
			}
		}
	}
	return found
}

// columns are the names of the lifelines by their places.
func (r response) columns() map[string]string {
	names := map[string]string{}
	lines := r.drawn("life")
	for i, n := range r.drawn("name") {
		names[attribute(lines[i], "x1")] = textOf(n)
	}
	return names
}

func arrowsGoThere(t *testing.T) {
	r := newSite(t).get("/lab/late-copy?s=olga,olga:given-up,olga*2,w1*2,network:lands").want(200)
	columns := r.columns()
	var got []string
	for _, line := range r.drawn("arrow") {
		got = append(got, columns[attribute(line, "x1")]+" "+columns[attribute(line, "x2")])
	}
	want := []string{"olga Channels", "olga Channels", "olga queue", "w1 queue", "w1 Channels"} // neither the late one nor its landing
	if !slices.Equal(got, want) {
		t.Errorf("arrows go %q, want %q", got, want)
	}
	lost := newSite(t).get("/lab/twice?s=ann,ann:lost").want(200)
	if len(lost.drawn("lost")) != 1 || len(lost.drawn("cut")) != 1 {
		t.Error("a lost answer is not drawn")
	}
}

func rowsAreNamed(t *testing.T) {
	r := newSite(t).get("/lab/open-gate/compare").want(200)
	var words []string
	for _, line := range r.in("half", "made") {
		words = append(words, textOf(line))
	}
	for _, line := range r.in("half", "folded") {
		words = append(words, textOf(line))
	}
	text := strings.Join(words, "\n")
	for _, says := range []string{"insert idempotency key; insert", "merge open gate setup.5", "w1: 11 calls, shuts the gate", "w1: 5 calls, removes the gate"} {
		if !strings.Contains(text, says) {
			t.Errorf("no %q in %s", says, text)
		}
	}
	for _, key := range []string{"once!", "rate!", "gate!"} {
		for _, svg := range r.all(func(n *html.Node) bool { return n.Data == "svg" }) {
			if strings.Contains(textOf(svg), key) {
				t.Errorf("a picture says %s", key)
			}
		}
	}
}

func lateCallIsSlanted(t *testing.T) {
	for schedule, lands := range map[string]int{"olga,olga:given-up,olga*2,w1*5": 0, "olga,olga:given-up,olga*2,w1*5,network:lands": 10} {
		r := newSite(t).get("/lab/late-copy?s=" + schedule).want(200)
		late := r.drawn("late")
		if len(late) != 1 {
			t.Fatalf("%d late calls", len(late))
		}
		columns, arrows := r.columns(), r.drawn("arrow")
		from, to := number(t, attribute(late[0], "y1")), number(t, attribute(late[0], "y2"))
		first, last := number(t, attribute(arrows[0], "y1")), number(t, attribute(arrows[len(arrows)-1], "y1"))
		if columns[attribute(late[0], "x1")] != "olga" || from <= first || to <= last || has(late[0], "marker-end") != (lands > 0) {
			t.Errorf("%s: the call goes from %d to %d, next to arrows from %d to %d", schedule, from, to, first, last)
		}
		if lands > 0 && columns[attribute(late[0], "x2")] != "Blogs" {
			t.Errorf("it lands at %s", attribute(late[0], "x2"))
		}
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	ok(t, err)
	return n
}

func gateHasItsStates(t *testing.T) {
	s := newSite(t)
	for name, want := range map[string][]string{
		"/lab/stalled?s=olga*4":                                 {"gate-reserved", "gate-open"},
		"/lab/open-gate?s=" + recordOf(t, "open-gate").Schedule: {"gate-open", "gate-shut", "gate-gone"},
	} {
		var got []string
		for _, n := range s.get(name).want(200).drawn("span") {
			if class := classWith(n, "gate-"); class != "" {
				got = append(got, class)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the gate is %q, want %q", name, got, want)
		}
	}
}

func recordOf(t *testing.T, name string) modelcheck.Record {
	t.Helper()
	known, err := modelcheck.Known()
	record, ok := modelcheck.About(known, name)
	if err != nil || !ok {
		t.Fatal(name, err)
	}
	return record
}

func leaseEnds(t *testing.T) {
	s := newSite(t)
	one := s.get("/lab/shut-gate?s=w1*3").want(200)
	if len(one.drawn("lease")) == 0 || len(one.drawn("over")) != 0 {
		t.Error("a lease that lasts is not drawn so")
	}
	two := s.get("/lab/shut-gate?s=w1*3,w2").want(200)
	if over := two.drawn("over"); len(over) != 1 || textOf(over[0]) != "lease over" {
		t.Error("nothing shows that the lease is over")
	}
}

func runFitsAScreen(t *testing.T) {
	s := newSite(t)
	for _, c := range modelcheck.Cases() {
		record := recordOf(t, c.Name)
		if record.Schedule == "" {
			continue
		}
		r := s.get("/lab/" + c.Name + "?s=" + record.Schedule).want(200)
		for _, sheet := range []string{"wide", "slim"} {
			lines := r.in(sheet, "line")
			if len(lines) > 15 {
				t.Errorf("%s: %d lines", c.Name, len(lines))
			}
			if broke := r.in(sheet, "broke"); len(broke) != 1 || hasClass(broke[0], "folded") || !strings.Contains(textOf(broke[0]), "is broken") {
				t.Errorf("%s: what broke the invariant is not marked", c.Name)
			}
			made := r.in(sheet, "made")
			if len(made) > 1 || len(made) == 0 && record.Shortest > 1 && !slices.Contains(alone(), c.Name) {
				t.Errorf("%s: %d steps made it possible", c.Name, len(made))
			}
			last := 0
			for _, line := range lines { // none is missing
				first, end, folded := strings.Cut(attribute(line, "data-line"), "–")
				if number(t, first) != last+1 {
					t.Errorf("%s: step %s follows %d", c.Name, first, last)
				}
				if last = number(t, first); folded {
					last = number(t, end)
				}
			}
			if last != record.Shortest {
				t.Errorf("%s: the last step is %d", c.Name, last)
			}
		}
	}
}

func linesFit(t *testing.T) {
	s := newSite(t)
	for _, c := range modelcheck.Cases() {
		path := "/lab/" + c.Name + "?s=" + recordOf(t, c.Name).Schedule
		if c.Safeguard != nil {
			path = "/lab/" + c.Name + "/compare"
		}
		r := s.get(path).want(200)
		for sheet, letters := range map[string]int{"slim": 46, "half": 77} {
			for _, line := range r.in(sheet, "words") {
				if text := textOf(line); utf8.RuneCountInString(text) > letters {
					t.Errorf("%s, %s: %q", path, sheet, text)
				}
			}
		}
	}
}

// alone are the scenarios whose last step does both: the one that comes too early, or is the fault.
func alone() []string {
	return []string{"author-first", "active-first", "queue-first", "undo-identity", "erasure-epoch"}
}

func pictureIsAFile(t *testing.T) {
	r := newSite(t).get("/lab/open-gate.svg?s=" + recordOf(t, "open-gate").Schedule).want(200)
	if r.header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("it is %s", r.header.Get("Content-Type"))
	}
	decoder := xml.NewDecoder(strings.NewReader(r.body))
	lines := 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		ok(t, err)
		if e, ok := token.(xml.StartElement); ok {
			if e.Name.Local == "style" || e.Name.Local == "script" {
				t.Errorf("it has a %s", e.Name.Local)
			}
			for _, a := range e.Attr {
				if a.Name.Local == "data-line" {
					lines++
				}
			}
		}
	}
	if want := recordOf(t, "open-gate").Shortest; lines != want {
		t.Errorf("%d lines, want each of %d steps", lines, want)
	}
	if !strings.Contains(r.body, `stroke="#`) || !strings.Contains(r.body, `fill="#`) {
		t.Error("it has no colors")
	}
}

func runIsOtherFiles(t *testing.T) {
	s := newSite(t)
	r := s.get("/lab/A1.mmd?s=ann,olga*2,w1*3,ann,w1*2").want(200)
	for _, line := range []string{"sequenceDiagram\n", "    ann->>Channels: read news → active\n", "    w1->>queue: delete the message → ok\n"} {
		if !strings.Contains(r.body, line) {
			t.Errorf("no line %q in %s", line, r.body)
		}
	}
	var full struct {
		Steps   []struct{ Sentence, Source string }
		Pending []struct{ Actor, Call, Sentence, Source string }
	}
	s.get("/lab/A1.json?s=ann,olga*2&full=1").want(200).decode(&full)
	if len(full.Steps) != 3 || full.Steps[0].Sentence != "Look whether the channel is there." || !strings.HasPrefix(full.Steps[0].Source, "lab/textbook/textbook.go:") {
		t.Errorf("steps are %+v", full.Steps)
	}
	if len(full.Pending) != 2 || full.Pending[0].Actor != "ann" || full.Pending[0].Sentence == "" || full.Pending[0].Source == "" || full.Pending[0].Call == "" {
		t.Errorf("pending are %+v", full.Pending)
	}
	s.get("/lab/A1.svg?s=eve").want(400)
	s.get("/lab/nothing.mmd").want(404)
}
