package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

func TestReport(t *testing.T) {
	t.Run("each run has its plots, in the order of channels and on the same axes", reportHasPlots)
	t.Run("it needs no script and no other file", reportStandsAlone)
	t.Run("what comes from outside is text", reportEscapes)
	t.Run("a run in which nothing was measured says so", reportWithoutPoints)
	t.Run("each line of a grid has a label of its own", gridHasLabels)
}

// measured is a result with numbers of its own.
func measured(channels int) Result {
	operation := func(name string, n int64) OperationResult {
		return OperationResult{
			Name: name, Requests: n, Entities: 22 * n, Throttled: 3, Retried: 5, Failed: 1,
			P50: 1500 * time.Microsecond, P95: 20 * time.Millisecond, P99: 300 * time.Millisecond, Max: 2 * time.Second,
		}
	}
	r := Result{
		Plan:    Plan{Channels: channels, Fill: 1000, Mix: Mix{Post: 1, Read: 9}, Workers: 4, Duration: 10 * time.Second},
		Elapsed: 10 * time.Second, Operations: []OperationResult{operation("post", 1000), operation("read", 9000)},
		All: operation("all", int64(10_000*channels)), Busiest: 50_000, Failure: errors.New("too many writers"),
	}
	for i := range 10 {
		p := Point{At: time.Duration(i+1) * time.Second, Requests: float64(channels * 100), P50: time.Millisecond, P99: 90 * time.Millisecond}
		if i == 5 {
			p = Point{At: p.At}
		}
		r.Timeline = append(r.Timeline, p)
	}
	return r
}

func reported(t *testing.T, results ...Result) (string, *html.Node) {
	t.Helper()
	var page bytes.Buffer
	if err := WriteReport(&page, Report{Store: "a <b>store</b>", Machine: "2 processors", Began: time.Unix(0, 0), Results: results}); err != nil {
		t.Fatal(err)
	}
	node, err := html.Parse(bytes.NewReader(page.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return page.String(), node
}

// elements returns all elements of a name, in their order.
func elements(root *html.Node, name string) (found []*html.Node) {
	for node := range root.Descendants() {
		if node.Type == html.ElementNode && node.Data == name {
			found = append(found, node)
		}
	}
	return found
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func reportHasPlots(t *testing.T) {
	text, page := reported(t, measured(8), measured(1), measured(2), measured(4))
	var titles []string
	for _, title := range elements(page, "title")[1:] {
		titles = append(titles, title.FirstChild.Data)
	}
	if len(titles) != 8 {
		t.Fatalf("the plots are %q", titles)
	}
	for i, channels := range []string{"1 channel:", "2 channels:", "4 channels:", "8 channels:"} {
		if !strings.Contains(titles[2*i], channels) || !strings.Contains(titles[2*i+1], channels) {
			t.Errorf("at place %d, the plots are %q and %q", i+1, titles[2*i], titles[2*i+1])
		}
	}
	heights := map[string]int{}
	for _, path := range elements(page, "path") {
		if d := attribute(path, "d"); attribute(path, "class") == "rate" {
			heights[d]++
			if strings.Count(d, "L") != 9 {
				t.Errorf("a line of throughput is %q, want 10 points", d)
			}
		} else if d != "M1 4H23" && strings.Count(d, "M") != 2 {
			t.Errorf("a line of latency is %q, want a gap", d)
		}
	}
	if len(heights) != 4 {
		t.Errorf("four throughputs are drawn as %d lines", len(heights))
	}
	for _, says := range []string{"8.00 ×", "8,000/s", "as with 1 channel.", "1.50 ms", "2.00 s", "too many writers", "2,000", "20,000", "500"} {
		if !strings.Contains(text, says) {
			t.Errorf("the report does not say %q", says)
		}
	}
}

func reportStandsAlone(t *testing.T) {
	text, page := reported(t, measured(1))
	for _, name := range []string{"script", "link", "img", "iframe"} {
		if len(elements(page, name)) > 0 {
			t.Errorf("the report has a <%s>", name)
		}
	}
	for _, word := range []string{"url(", "@import", "http:", "https:", "ZgotmplZ"} {
		if strings.Contains(text, word) {
			t.Errorf("the report has %s", word)
		}
	}
	if !strings.Contains(text, "prefers-color-scheme: dark") {
		t.Error("the report is not for the dark")
	}
}

func reportEscapes(t *testing.T) {
	text, _ := reported(t, measured(1))
	if strings.Contains(text, "<b>store") || !strings.Contains(text, "&lt;b&gt;store") {
		t.Error("the name of the store is markup")
	}
}

func reportWithoutPoints(t *testing.T) {
	text, page := reported(t, Nothing(measured(1).Plan))
	if !strings.Contains(text, "Nothing was measured") || !strings.Contains(text, "ended early") || len(elements(page, "figure")) != 0 || strings.Contains(text, "NaN") {
		t.Error("the report of nothing does not say so")
	}
}

func gridHasLabels(t *testing.T) {
	for _, a := range []axis{
		linear(0), linear(0.02), linear(0.17), linear(1), linear(7), linear(1234), linear(16_000), linear(2_400_000),
		over(100 * time.Millisecond), over(1500 * time.Millisecond), over(30 * time.Second), over(24 * time.Hour),
		logarithmic(0, 0), logarithmic(3*time.Microsecond, 2*time.Minute),
	} {
		var labels []string
		for _, tick := range a.ticks {
			labels = append(labels, tick.Label)
		}
		if sorted := slices.Sorted(slices.Values(labels)); len(slices.Compact(sorted)) != len(labels) {
			t.Errorf("the labels are %q", labels)
		}
	}
	if ticks := over(100 * time.Millisecond).ticks; ticks[1].Label != "50ms" {
		t.Errorf("half of 100 ms is %s", ticks[1].Label)
	}
}

func TestWriteJSON(t *testing.T) {
	t.Run("the object is that of the contract", jsonIsContract)
	t.Run("what is seldom is there if it happened", jsonHasSeldom)
	t.Run("a latency has no more digits than were measured", jsonHasMicroseconds)
}

// written is the JSON of a result.
func written(t *testing.T, r Result) string {
	t.Helper()
	var out bytes.Buffer
	if err := WriteJSON(&out, r); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(out.Bytes()) {
		t.Errorf("%s is not JSON", &out)
	}
	return strings.TrimSpace(out.String())
}

func jsonIsContract(t *testing.T) {
	r := measured(2)
	r.Operations = r.Operations[:1]
	r.Operations[0].Retried = 0
	const want = `{"channels":2,"duration":10,"operations":[{"name":"post","requests":1000,"entities":22000,"throttled":3,"failed":1,` +
		`"p50":0.0015,"p95":0.02,"p99":0.3,"max":2}],"targets":{"partition":2000,"partition2011":500,"account":20000}}`
	if got := written(t, r); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func jsonHasSeldom(t *testing.T) {
	r := measured(2)
	r.Unsent, r.Interrupted = 7, true
	got := written(t, r)
	for _, part := range []string{`"retried":5`, `"unsent":7`, `"interrupted":true`} {
		if !strings.Contains(got, part) {
			t.Errorf("%s has no %s", got, part)
		}
	}
}

func jsonHasMicroseconds(t *testing.T) {
	r := measured(1)
	r.Operations[0].P95 = 1_475_583 * time.Microsecond
	if got := written(t, r); !strings.Contains(got, `"p95":1.475583,`) {
		t.Errorf("%s does not have 1.475583 s", got)
	}
}

func TestWriteTable(t *testing.T) {
	t.Run("a row has rates, latencies and what went wrong", tableHasRows)
	t.Run("rates that were thinned by the last requests are explained", tableExplainsWaiting)
	t.Run("a run in which nothing was measured has no rows", tableOfNothing)
	t.Run("several runs are compared by their channels", tableCompares)
}

func tableHasRows(t *testing.T) {
	r := measured(1)
	r.Rate, r.Unsent = 2000, 12_345
	out := tabled(t, r)
	fields := strings.Fields(strings.Split(out, "\n")[3])
	if got := fmt.Sprint(fields); got != "[read 900 19,800 1.50 ms 20.0 ms 300 ms 2.00 s 3 5 1]" {
		t.Errorf("the row of reads is %s", got)
	}
	for _, says := range []string{
		"1 channel, 10s, open loop, 2,000 a second due, 4 workers", "5,000 entities/s: 250 % of Azure's target of 2,000", "10 times the 500",
		"110 % of the 20,000", "never begun: 12,345 requests,", "too many writers",
	} {
		if !strings.Contains(out, says) {
			t.Errorf("the table does not say %q:\n%s", says, out)
		}
	}
}

// tabled is the table of a result.
func tabled(t *testing.T, r Result) string {
	t.Helper()
	var out strings.Builder
	if err := WriteTable(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func tableExplainsWaiting(t *testing.T) {
	r := measured(1)
	if got := tabled(t, r); strings.Contains(got, "after the end of the load") {
		t.Errorf("nothing was waited for, but the table says\n%s", got)
	}
	r.Elapsed = r.Duration + 20*time.Second
	if got := tabled(t, r); !strings.Contains(got, "The last request ended 20s after the end of the load. The rates count this time too") {
		t.Errorf("the table says\n%s", got)
	}
}

func tableOfNothing(t *testing.T) {
	if got := tabled(t, Nothing(measured(2).Plan)); got != "2 channels, 0s, closed loop of 4 workers, ended early\nNothing was measured.\n" {
		t.Errorf("the table is\n%s", got)
	}
}

func tableCompares(t *testing.T) {
	var out strings.Builder
	if err := WriteComparison(&out, []Result{measured(4), measured(1)}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if one, four := strings.Fields(lines[1]), strings.Fields(lines[2]); one[0] != "1" || one[2] != "1.00" || four[0] != "4" || four[2] != "4.00" {
		t.Errorf("the comparison is\n%s", &out)
	}
	out.Reset()
	if err := WriteComparison(&out, []Result{measured(4)}); err != nil || out.String() != "" {
		t.Errorf("one run is compared: %q (%v)", &out, err)
	}
}
