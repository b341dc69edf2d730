package web_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
	"microblogging/web"
)

func TestTrips(t *testing.T) {
	t.Run("a page costs the round trips that it must", pageCostsTheRoundTripsThatItMust)
	t.Run("docs/performance.md shows what each page costs", documentShowsTheseCosts)
}

// latency is how long a call takes where costs are counted, in fake time.
const latency = 10 * time.Millisecond

// tripsOf sends a request to a store whose calls take as long as a round trip.
func (g *stage) tripsOf(t *testing.T, r route, s seed) (trips, calls int) {
	t.Helper()
	var made atomic.Int64
	g.breakStore(func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		made.Add(1)
		time.Sleep(latency)
		return send(ctx)
	})
	defer g.mendStore()
	began := time.Now()
	g.answer(t, g.request(t, r, s)).want(200)
	return int(time.Since(began) / latency), int(made.Load())
}

// costTable is what docs/performance.md shows of the costs of the routes.
func costTable() string {
	var b strings.Builder
	b.WriteString("| page | round trips | again | calls | again |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range allRoutes() {
		for _, c := range r.costs {
			name, reader := r.name, "anonymous"
			if c.query != "" {
				name += "?" + c.query
			}
			if c.reader != anonymous {
				reader = "signed in"
			}
			fmt.Fprintf(&b, "| `%s`, %s | %d | %s | %d | %s |\n", name, reader, c.trips, unlessZero(c.againTrips), c.calls, unlessZero(c.againCalls))
		}
	}
	return b.String()
}

func unlessZero(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// With GENERATE set, the test writes the table into the document.
func documentShowsTheseCosts(t *testing.T) {
	const name = "../docs/performance.md"
	document, err := os.ReadFile(name)
	ok(t, err)
	want, shown := costTable(), regexp.MustCompile(`(?s)\| page \| round trips .*?\n\n`).FindString(string(document))
	if os.Getenv("GENERATE") != "" && shown != "" {
		ok(t, os.WriteFile(name, []byte(strings.Replace(string(document), shown, want+"\n", 1)), 0o644))
	} else if shown != want+"\n" {
		t.Error("docs/performance.md does not have the table of the routes: run make generate")
		same(t, "in the table of the routes", strings.Split(want+"\n", "\n"), "in docs/performance.md", strings.Split(shown, "\n"))
	}
}

func pageCostsTheRoundTripsThatItMust(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, web.Options{}, crowd)
		for _, token := range g.tokens[ada:invalid] {
			g.do("GET", "/account", cookie(token)).want(200) // so that the process knows the session
		}
		g.do("GET", "/latest").want(200) // and the channels that are active
		changes := 0
		for _, r := range allRoutes() {
			for _, c := range r.costs {
				changes++
				voter := domain.UserName(fmt.Sprint("voter", changes))
				ok(t, g.store.Posts.Vote(t.Context(), g.ref("Engines"), g.newest, voter))
				s := r.seeds[0]
				s.who, s.query, s.headers = c.reader, c.query, ""
				now := c
				now.trips, now.calls = g.tripsOf(t, r, s)
				if now.againTrips, now.againCalls = g.tripsOf(t, r, s); now.againTrips == now.trips && now.againCalls == now.calls {
					now.againTrips, now.againCalls = 0, 0
				}
				if c != now {
					t.Errorf("%s?%s costs %+v, and its row in the table of routes says %+v: if the route must cost that, change its costs there, and run make generate", r.name, c.query, now, c)
				}
			}
		}
	})
}
