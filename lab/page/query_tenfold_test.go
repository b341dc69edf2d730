package page

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
)

func TestQueryTenfold(t *testing.T) {
	t.Run("ten_times_the_rows_have_the_same_answer", tenfoldHasTheSameAnswer)
	t.Run("a_range_costs_the_same_and_a_scan_ten_times", tenfoldCostsScansAlone)
	t.Run("20000_rows_become_200000_and_no_more", tenfoldIsBounded)
	t.Run("posts_that_are_made_up_are_older_than_all_others", madeUpPostsAreOlder)
	t.Run("it_ends_when_its_context_ends", tenfoldEnds)
	t.Run("the_oldest_question_can_be_asked", tenfoldOfTheOldest)
}

func tenfoldHasTheSameAnswer(t *testing.T) {
	s := newQuerySite(t)
	garden, other := s.channel("garden", monday()), s.channel("other", monday())
	for i := range 6 {
		s.post(garden, []domain.UserName{"ada", "grace"}[i%2], monday().Add(time.Duration(i-2)*time.Hour))
		s.post(other, "ada", monday().Add(time.Duration(i)*time.Hour))
	}
	q := question{garden.Ref(), "ada", monday()}
	present, err := ask(t.Context(), s.db, q, maxQueryRows)
	s.ok(err)
	got, err := compare(t.Context(), q, present.rows)
	s.ok(err)
	if got.rows != s.rows("") || got.more != 10*s.rows("") {
		t.Errorf("%d rows became %d; the table has %d", got.rows, got.more, s.rows(""))
	}
	for way := range ways {
		if !slices.Equal(got.tenfold.ways[way].found, present.ways[way].found) || !slices.Equal(got.once.ways[way].found, present.ways[way].found) {
			t.Errorf("way %d finds %v in ten times the rows, %v in the present store", way, got.tenfold.ways[way].found, present.ways[way].found)
		}
		if got.once.ways[way].read != present.ways[way].read {
			t.Errorf("way %d reads %d rows of the copy, %d of the present store", way, got.once.ways[way].read, present.ways[way].read)
		}
	}
}

func tenfoldCostsScansAlone(t *testing.T) {
	db, q := filled(t, 700, 800)
	present, err := ask(t.Context(), db, q, maxQueryRows)
	if err != nil {
		t.Fatal(err)
	}
	got, err := compare(t.Context(), q, present.rows)
	if err != nil {
		t.Fatal(err)
	}
	for way, want := range map[int][4]int{ // requests and rows read, once and ten times over
		wayPoints:    {70, 70, 70, 70},
		wayRange:     {1, 700, 1, 700},
		wayPartition: {1, 700, 7, 7_000},
		wayTable:     {2, 1_500, 15, 15_000},
	} {
		once, more := got.once.ways[way], got.tenfold.ways[way]
		if [4]int{once.requests, once.read, more.requests, more.read} != want {
			t.Errorf("way %d: %d requests for %d rows, then %d for %d; want %v",
				way, once.requests, once.read, more.requests, more.read, want)
		}
	}
}

func tenfoldIsBounded(t *testing.T) {
	db, q := filled(t, 100, 200, 30_000)
	present, err := ask(t.Context(), db, q, maxQueryRows)
	if err != nil {
		t.Fatal(err)
	}
	got, err := compare(t.Context(), q, present.rows)
	if err != nil {
		t.Fatal(err)
	}
	if got.more > 10*maxQueryRows || got.more != 10*got.rows || got.tenfold.ways[wayTable].read != got.more {
		t.Errorf("%d rows became %d, of which %d were read", got.rows, got.more, got.tenfold.ways[wayTable].read)
	}
}

func madeUpPostsAreOlder(t *testing.T) {
	s := newQuerySite(t)
	garden := s.channel("garden", monday())
	var oldest domain.Blog
	for day := range 4 {
		oldest = s.post(garden, "ada", monday().AddDate(0, 0, 1-day))
	}
	q := question{garden.Ref(), "ada", monday()}
	present, err := ask(t.Context(), s.db, q, maxQueryRows)
	s.ok(err)
	more := madeUp(q.since, present.rows)
	if !slices.IsSortedFunc(more, byKeys) {
		t.Error("the rows are out of order")
	}
	for i, row := range more[:40] {
		id, err := domain.ParseBlogID(strings.TrimPrefix(row.Row, "blog!"))
		if made := i >= 4; err != nil || made != (id > oldest.ID) {
			t.Errorf("post %d is %s, %v; the oldest is %s", i, id, err, oldest.ID)
		}
	}
	if isPost(more[40]) {
		t.Errorf("post 41 of 40: %s", more[40].Row)
	}
}

func tenfoldEnds(t *testing.T) {
	db, q := filled(t, 10)
	present, err := ask(t.Context(), db, q, maxQueryRows)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := compare(ctx, q, present.rows); !errors.Is(err, context.Canceled) {
		t.Errorf("error: %v", err)
	}
}

func tenfoldOfTheOldest(t *testing.T) {
	db, q := filled(t, 100)
	q.since = time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC)
	present, err := ask(t.Context(), db, q, maxQueryRows)
	if err != nil {
		t.Fatal(err)
	}
	got, err := compare(t.Context(), q, present.rows)
	if err != nil || got.tenfold.ways[wayRange].returned != 10 {
		t.Errorf("%d posts, %v", got.tenfold.ways[wayRange].returned, err)
	}
}

// BenchmarkQueryTenfold measures the largest page: 20,000 rows, and 200,000 in memory.
func BenchmarkQueryTenfold(b *testing.B) {
	db, q := filled(b, 100, 19_000)
	for b.Loop() {
		present, err := ask(b.Context(), db, q, maxQueryRows)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := compare(b.Context(), q, present.rows); err != nil {
			b.Fatal(err)
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapSys)/1e6, "MB-heap")
}
