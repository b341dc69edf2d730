package page_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/lab/page"
	"microblogging/storage"
	"microblogging/storage/driver"
)

func TestQueries(t *testing.T) {
	t.Run("cost more, the less the store can go by", queriesCostMore)
	t.Run("that cannot be asked say why", queriesSayWhy)
	t.Run("are asked within a budget, one after the other", queriesHaveABudget)
	t.Run("fail as a page when the store does", queriesFail)
}

// watched counts the reads of a store.
type watched struct {
	*mem.DB
	reads atomic.Int64
	fail  error
}

func (w *watched) Do(ctx context.Context, c *driver.Call) error {
	if c.Method == driver.CallRange {
		w.reads.Add(1)
		if w.fail != nil {
			return w.fail
		}
	}
	return w.DB.Do(ctx, c)
}

// asked is a site whose store has two channels, with so many posts of ada and of bob in each.
func asked(t *testing.T, posts int) (*site, *watched) {
	t.Helper()
	db := mem.Open(mem.Snapshot{}, "asked.")
	store := storage.New(db, storage.Options{})
	ctx := t.Context()
	if err := store.Prepare(ctx); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"birds", "cats"} {
		channel, err := domain.NewChannel(name, domain.About{}, "ada")
		if err == nil {
			channel, err = store.CreateChannel(ctx, channel)
		}
		for i := range posts {
			for _, by := range []domain.UserName{"ada", "bob"} {
				if err == nil {
					_, _, err = store.Post(ctx, storage.Posting{Channel: channel.Ref(), By: by, Key: fmt.Sprint(by, i),
						Draft: domain.Draft{Text: "post"}, CreatedOn: domain.Now().Add(-time.Duration(i) * 24 * time.Hour)})
				}
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	w := &watched{DB: db}
	return newSiteOf(t, page.New(w)), w
}

func queriesCostMore(t *testing.T) {
	s, _ := asked(t, 20)
	r := s.get("/lab/queries?channel=birds&user=ada").want(200).says("The posts of @ada in birds", "Point queries", "Table scan")
	if r.header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("a cache may keep it: %v", r.header)
	}
	var read []string
	text := r.text()
	for _, way := range []string{"Point queries", "Row range", "Partition scan", "Table scan"} {
		_, rest, _ := strings.Cut(text, way)
		_, figures, _ := strings.Cut(rest, "'")
		read = append(read, figures)
	}
	if len(read) != 4 {
		t.Fatal(read)
	}
	s.get("/lab/queries").want(200).says("The posts of @ada in cats") // what the page chooses
	s.get("/lab/queries?since=2001-01-01").want(200).says("since Monday, 1 January 2001")
}

func queriesSayWhy(t *testing.T) {
	s, w := asked(t, 1)
	for query, status := range map[string]int{"?channel=none": 404, "?channel=%20/": 422, "?user=!": 422, "?since=today": 422, "?since=0001-01-01": 422} {
		s.get("/lab/queries" + query).want(status)
	}
	store := storage.New(w.DB, storage.Options{})
	if _, err := store.AskDeletion(t.Context(), "birds", "ada", domain.Any[domain.Incarnation]()); err != nil {
		t.Fatal(err)
	}
	s.get("/lab/queries?channel=birds").want(410).says("This channel is being deleted")
	s.get("/lab/queries").want(200).says("in cats")
	if r := s.do("POST", "/lab/queries"); r.status != 405 {
		t.Errorf("status %d", r.status)
	}
}

func queriesHaveABudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := asked(t, 400)
		asked := 0
		for s.get("/lab/queries").status == 200 {
			asked++
		}
		if asked < 3 || asked > 20 {
			t.Errorf("%d questions were asked at once", asked)
		}
		before := w.reads.Load()
		if r := s.get("/lab/queries").want(503); r.header.Get("Retry-After") == "" || w.reads.Load() != before {
			t.Errorf("after %d reads: %v", w.reads.Load()-before, r.header)
		}
		time.Sleep(time.Minute)
		s.get("/lab/queries").want(200)
	})
}

func queriesFail(t *testing.T) {
	s, w := asked(t, 1)
	w.fail = errors.New("SECRET")
	if r := s.get("/lab/queries").want(500); strings.Contains(r.body, "SECRET") {
		t.Errorf("the page shows %s", r.body)
	}
	w.fail = domain.ErrUnavailable
	s.get("/lab/queries").want(503)
}
