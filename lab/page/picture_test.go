package page_test

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/lab/modelcheck"
)

func TestPicture(t *testing.T) {
	t.Run("each arrow goes from its caller to its store, and a late one waits under way", arrowsGoThere)
	t.Run("what does not arrive reaches no store", cutIsDrawn)
	t.Run("is a file that needs no style sheet", pictureIsAFile)
	t.Run("is a diagram of Mermaid, and data with sentences and lines", runIsOtherFiles)
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

// columns are the names of the columns of a picture by their places.
func (r response) columns() map[string]string {
	names := map[string]string{}
	for _, n := range r.all(func(n *html.Node) bool { return n.Data == "text" && attribute(n, "text-anchor") == "middle" }) {
		names[attribute(n, "x")] = textOf(n)
	}
	return names
}

// arrows say from where to where each goes. One that does not arrive goes nowhere.
func (r response) arrows() (arrows []string) {
	columns := r.columns()
	for _, arrow := range r.all(func(n *html.Node) bool { return n.Data == "line" && has(n, "marker-end") }) {
		arrows = append(arrows, columns[attribute(arrow, "x1")]+" → "+columns[attribute(arrow, "x2")])
	}
	return arrows
}

func arrowsGoThere(t *testing.T) {
	r := newSite(t).get("/lab/late-copy.svg?s=olga,olga:given-up,olga*2,w1,network:lands").want(200)
	want := []string{"olga → Channels", "olga → under way", "olga → Channels", "olga → queue", "w1 → queue", "under way → Blogs"}
	if got := r.arrows(); !slices.Equal(got, want) {
		t.Errorf("arrows go %q, want %q", got, want)
	}
}

func cutIsDrawn(t *testing.T) {
	s := newSite(t)
	for path, want := range map[string]string{"/lab/twice.svg?s=ann,ann:unsent": "ann → ", "/lab/A3.svg?s=olga:dies-before": "olga → ", "/lab/twice.svg?s=ann,ann:lost": "ann → Blogs"} {
		if got := s.get(path).want(200).arrows(); got[len(got)-1] != want {
			t.Errorf("%s: the last call goes %q, want %q", path, got[len(got)-1], want)
		}
	}
	s.get("/lab/twice?s=ann,ann:lost").says("takes effect, reply lost")
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
