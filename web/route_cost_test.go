package web_test

import (
	"context"
	"fmt"
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

// docs/performance.md shows these costs, under "What a page costs on Azure".
func pageCostsTheRoundTripsThatItMust(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, web.Options{}, crowd)
		for _, token := range g.tokens[ada:invalid] {
			g.do("GET", "/account", cookie(token)).want(200) // so that the process knows the session
		}
		changes := 0
		for _, r := range allRoutes() {
			for _, c := range r.costs {
				changes++
				voter := domain.UserName(fmt.Sprint("voter", changes))
				ok(t, g.store.Vote(t.Context(), g.ref("Engines"), g.newest, voter))
				s := r.seeds[0]
				s.who, s.query, s.headers = c.reader, c.query, ""
				want := c
				want.trips, want.calls = g.tripsOf(t, r, s)
				if want.againTrips, want.againCalls = g.tripsOf(t, r, s); want.againTrips == want.trips && want.againCalls == want.calls {
					want.againTrips, want.againCalls = 0, 0
				}
				if c != want {
					t.Errorf("%s costs %+v, want %+v", r.name, want, c)
				}
			}
		}
	})
}
