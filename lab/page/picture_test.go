package page_test

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/lab/modelcheck"
)

func TestPicture(t *testing.T) {
	t.Run("each arrow goes from its caller to its store, and a late one waits under way", arrowsGoThere)
	t.Run("what does not arrive is cut", cutIsDrawn)
	t.Run("it ends with the next call of each actor, or why it waits", nextCallsAreDashed)
	t.Run("a row whose key is a hash, and a gate, is told in words", rowsAreNamed)
	t.Run("what holds for a while begins and ends in the line of a step", barsBeginAndEnd)
	t.Run("is a file that needs no style sheet", pictureIsAFile)
	t.Run("is a diagram of Mermaid, and data with sentences and lines", runIsOtherFiles)
}

// lines are those of the run, with or without the calls that may come next.
func (r response) lines(class string) []*html.Node {
	r.Helper()
	return r.all(func(n *html.Node) bool { return hasClass(n, "line") && hasClass(n, class) })
}

// within are the elements of that tag in one.
func within(n *html.Node, tag string) (found []*html.Node) {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == tag {
			found = append(found, d)
		}
	}
	return found
}

// columns are the names of the columns by their places.
func (r response) columns() map[string]string {
	names := map[string]string{}
	heads := within(r.all(func(n *html.Node) bool { return hasClass(n, "heads") })[0], "li")
	for i, n := range heads {
		names[strconv.FormatFloat((float64(i)+0.5)*100/float64(len(heads)), 'f', 2, 64)+"%"] = textOf(n)
	}
	return names
}

// arrows say from where to where each goes.
func (r response) arrows() (arrows []string) {
	columns := r.columns()
	for _, line := range r.lines("line") {
		for _, arrow := range within(line, "line") {
			arrows = append(arrows, columns[attribute(arrow, "x1")]+" → "+columns[attribute(arrow, "x2")])
		}
	}
	return arrows
}

func arrowsGoThere(t *testing.T) {
	r := newSite(t).get("/lab/late-copy?s=olga,olga:given-up,olga*2,w1,network:lands").want(200)
	want := []string{"olga → Channels", "olga → under way", "olga → Channels", "olga → queue", "w1 → queue", "under way → Blogs", "w1 → Channels"}
	if got := r.arrows(); !slices.Equal(got, want) {
		t.Errorf("arrows go %q, want %q", got, want)
	}
}

func cutIsDrawn(t *testing.T) {
	s := newSite(t)
	for path, cut := range map[string]int{"/lab/twice?s=ann,ann:unsent": 1, "/lab/A3?s=olga:dies-before": 1, "/lab/twice?s=ann,ann:lost": 0} {
		r := s.get(path).want(200)
		if got := r.all(func(n *html.Node) bool { return n.Data == "line" && hasClass(n, "cut") }); len(got) != cut {
			t.Errorf("%s: %d calls do not arrive, want %d", path, len(got), cut)
		}
	}
	s.get("/lab/twice?s=ann,ann:lost").says("takes effect, reply lost")
}

func nextCallsAreDashed(t *testing.T) {
	s := newSite(t)
	var next []string
	for _, line := range s.get("/lab/A1").want(200).lines("next") {
		next = append(next, textOf(line))
	}
	if want := []string{"▸ ann may read news", "▸ olga may merge news (deleting)", "▸ w1 waits: the queue is empty"}; !slices.Equal(next, want) {
		t.Errorf("next are %q, want %q", next, want)
	}
	if next := textOf(s.get("/lab/open-gate?s=ann*4").want(200).lines("next")[0]); next != "▸ ann may insert idempotency key; insert post ann.1; insert rating index ann.1" {
		t.Errorf("what comes next is cut to %q", next)
	}
	for _, path := range []string{orphan, orphan + "&at=5"} { // nothing comes next, or it would drop what came after
		if next := s.get(path).want(200).lines("next"); len(next) > 0 {
			t.Errorf("%s: next is %q", path, textOf(next[0]))
		}
	}
}

func rowsAreNamed(t *testing.T) {
	text := newSite(t).get("/lab/open-gate?s=ann*4,olga*6,w1*13").want(200).text()
	for _, says := range []string{"insert idempotency key; insert", "delete open gate setup.5; insert shut gate setup.5"} {
		if !strings.Contains(text, says) {
			t.Errorf("no %q", says)
		}
	}
}

func barsBeginAndEnd(t *testing.T) {
	s := newSite(t)
	for _, at := range []struct{ path, class, want string }{
		{"/lab/late-copy?s=olga,olga:given-up,olga*2,w1,network:lands", "late", "2 end, 3, 4, 5, 6 top"},
		{"/lab/shut-gate?s=w1*3", "lease", "1 end, 2, 3"},
		{"/lab/shut-gate?s=w1*3,w2", "lease of-2", "1 end, 2, 3, 4 top"}, // w2 has it now
		{"/lab/shut-gate?s=w1*6", "open", "1, 2, 3, 4, 5, 6 top"},
		{"/lab/shut-gate?s=w1*6", "shut", "6 end"},
		{"/lab/A1?s=ann,olga*2,w1", "stale", "2 end, 3, 4"}, {"/lab/shut-gate?s=w1", "open", ""}, // no column yet
		{"/lab/A1?s=ann,olga*2,ann,w1", "stale", "2 end, 3, 4 top"},
	} {
		var got []string
		for _, line := range s.get(at.path).want(200).lines("line") {
			for _, bar := range within(line, "rect") {
				if half, is := strings.CutPrefix(attribute(bar, "class"), at.class); is && has(line, "data-step") {
					got = append(got, strings.TrimSpace(attribute(line, "data-step")+half[max(strings.LastIndex(half, " "), 0):]))
				}
			}
		}
		if text := strings.ReplaceAll(strings.Join(got, ", "), " of-2", ""); text != at.want {
			t.Errorf("%s: %s holds in %q, want %q", at.path, at.class, text, at.want)
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
