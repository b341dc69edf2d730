package page

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage"
	"microblogging/storage/driver"
)

// A querySite is a store in memory that package storage has filled.
type querySite struct {
	t     testing.TB
	db    *mem.DB
	store *storage.Store
}

func newQuerySite(t testing.TB) *querySite {
	t.Helper()
	db := mem.Open(mem.Snapshot{}, "version ")
	s := &querySite{t, db, storage.New(db, storage.Options{})}
	s.ok(s.store.Prepare(t.Context()))
	return s
}

func (s *querySite) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *querySite) channel(name string, on time.Time) domain.Channel {
	s.t.Helper()
	channel, err := domain.NewChannel(name, "", "ada")
	s.ok(err)
	channel.CreatedOn = domain.Storable(on)
	channel, err = s.store.CreateChannel(s.t.Context(), channel)
	s.ok(err)
	return channel
}

func (s *querySite) post(to domain.Channel, by domain.UserName, on time.Time) domain.Blog {
	s.t.Helper()
	key := fmt.Sprint(by, on)
	blog, _, err := s.store.Post(s.t.Context(), storage.Posting{
		Channel: to.Ref(), By: by, Key: key, Draft: domain.Draft{Text: "a post"}, CreatedOn: on,
	})
	s.ok(err)
	return blog
}

// rows counts the rows of the table of posts, in one partition or, for "", in all.
func (s *querySite) rows(partition string) (n int) {
	for row := range s.db.Snapshot().Rows("Blogs") {
		if partition == "" || row.Partition == partition {
			n++
		}
	}
	return n
}

// monday is when the questions of the tests begin.
func monday() time.Time { return time.Date(2026, time.November, 16, 0, 0, 0, 0, time.UTC) }

func TestQueryAsk(t *testing.T) {
	t.Run("four_ways_find_the_same_posts_and_read_what_they_must", fourWaysFindTheSame)
	t.Run("since_is_inclusive_to_the_tick", sinceIsInclusive)
	t.Run("a_former_incarnation_is_no_answer", formerIncarnationIsNoAnswer)
	t.Run("a_page_of_1000_rows_is_one_request", pagesAreRequests)
	t.Run("all_ways_together_keep_the_bound", boundHolds)
	t.Run("no_more_than_100_point_queries_are_sent", pointsAreBounded)
	t.Run("time_stops_it_and_is_no_error", timeStopsIt)
	t.Run("a_store_that_does_not_answer_is_an_error", unavailableIsAnError)
	t.Run("a_page_may_be_short_or_empty", shortPages)
}

func fourWaysFindTheSame(t *testing.T) {
	s := newQuerySite(t)
	garden, other := s.channel("Ga-rden.ß", monday()), s.channel("other", monday())
	var want []string
	for i := range 5 { // 3 of ada since Monday, 2 before
		blog := s.post(garden, "ada", monday().Add(time.Duration(i-2)*time.Hour))
		if i >= 2 {
			want = append(want, "blog!"+string(blog.ID))
		}
	}
	slices.Reverse(want) // newest first
	s.post(garden, "grace", monday().Add(time.Hour))
	s.post(garden, "grace", monday().Add(2*time.Hour))
	s.post(other, "ada", monday().Add(time.Hour))
	voted := domain.BlogID(strings.TrimPrefix(want[0], "blog!"))
	s.ok(s.store.Vote(t.Context(), garden.Ref(), voted, "eve"))

	before := s.db.Snapshot().Sum()
	got, err := ask(t.Context(), s.db, question{garden.Ref(), "ada", monday()}, maxQueryRows)
	s.ok(err)
	if s.db.Snapshot().Sum() != before {
		t.Error("asking has written")
	}
	partition, table := s.rows(string(garden.Key())), s.rows("")
	// The partition has a gate, a subscriber, three rows for each of 7 posts, and a vote.
	// The other has a gate, a subscriber and the three rows of its post.
	if partition != 2+3*7+1 || table != partition+2+3 {
		t.Fatalf("the store has %d rows of %d: the expectation is out of date", partition, table)
	}
	for way, m := range map[int]measured{
		wayPoints:    {requests: 3, read: 3, returned: 3},
		wayRange:     {requests: 1, read: 5, returned: 3},
		wayPartition: {requests: 1, read: partition, returned: 3},
		wayTable:     {requests: 1, read: table, returned: 3},
	} {
		w := got.ways[way]
		if w.requests != m.requests || w.read != m.read || w.returned != m.returned || w.stopped != "" {
			t.Errorf("way %d: %d requests, %d rows read, %d returned, stopped %q; want %d, %d, %d",
				way, w.requests, w.read, w.returned, w.stopped, m.requests, m.read, m.returned)
		}
		if !slices.Equal(w.found, want) {
			t.Errorf("way %d found\n%v, want\n%v", way, w.found, want)
		}
	}
	if !got.whole || len(got.rows) != table {
		t.Errorf("%d rows are kept, whole %t; the table has %d", len(got.rows), got.whole, table)
	}
}

func sinceIsInclusive(t *testing.T) {
	s := newQuerySite(t)
	garden := s.channel("garden", monday())
	s.post(garden, "ada", monday().Add(-domain.Tick))
	at := s.post(garden, "ada", monday())
	got, err := ask(t.Context(), s.db, question{garden.Ref(), "ada", monday()}, maxQueryRows)
	s.ok(err)
	for way, m := range got.ways {
		if !slices.Equal(m.found, []string{"blog!" + string(at.ID)}) {
			t.Errorf("way %d found %v", way, m.found)
		}
	}
}

func formerIncarnationIsNoAnswer(t *testing.T) {
	s := newQuerySite(t)
	garden := s.channel("garden", monday())
	s.post(garden, "ada", monday())
	next := garden.Ref()
	next.Incarnation = domain.NewIncarnation()
	got, err := ask(t.Context(), s.db, question{next, "ada", monday()}, maxQueryRows)
	s.ok(err)
	for way, m := range got.ways {
		if m.returned != 0 {
			t.Errorf("way %d: a post of a former channel of this name is an answer", way)
		}
	}
}

// filled returns a store whose channels c0, c1, … have so many posts each since Monday,
// one of ten by ada.
func filled(t testing.TB, posts ...int) (*mem.DB, question) {
	t.Helper()
	q := question{domain.ChannelRef{Key: "c0", Incarnation: "INCARNATION0"}, "ada", monday()}
	var rows []driver.Entity
	for channel, n := range posts {
		for i := range n {
			by := "grace"
			if i%10 == 0 {
				by = "ada"
			}
			on := monday().Add(time.Duration(n-i) * time.Second)
			rows = append(rows, driver.Entity{
				Partition: fmt.Sprintf("c%d", channel), Row: "blog!" + domain.RecentFirst(on) + "!" + strings.Repeat("A", 26),
				Properties: driver.Properties{driver.String("UserId", by), driver.Time("CreatedOn", on), driver.String("Incarnation", fmt.Sprintf("INCARNATION%d", channel))},
			})
		}
	}
	content, err := mem.Snapshot{}.WithRows("Blogs", rows)
	if err != nil {
		t.Fatal(err)
	}
	return mem.Open(content, "x"), q
}

func pagesAreRequests(t *testing.T) {
	db, q := filled(t, 1000, 501)
	got, err := ask(t.Context(), db, q, maxQueryRows)
	if err != nil {
		t.Fatal(err)
	}
	if got := got.ways[wayRange]; got.requests != 1 || got.read != 1000 || got.returned != 100 {
		t.Errorf("a range of 1,000 rows: %d requests, %d rows read, %d returned", got.requests, got.read, got.returned)
	}
	if got := got.ways[wayTable]; got.requests != 2 || got.read != 1501 {
		t.Errorf("a table of 1,501 rows: %d requests, %d rows read", got.requests, got.read)
	}
}

// A countingStore counts the rows and the calls that the four ways really cause.
type countingStore struct {
	PresentTables
	rows, calls int
}

func (c *countingStore) Get(ctx context.Context, table, partition, row string) (driver.Entity, error) {
	e, err := c.PresentTables.Get(ctx, table, partition, row)
	c.rows++
	c.calls++
	return e, err
}

func (c *countingStore) Range(ctx context.Context, table string, q driver.Range) (driver.Page, error) {
	page, err := c.PresentTables.Range(ctx, table, q)
	c.rows += len(page.Rows)
	c.calls++
	return page, err
}

func (c *countingStore) Scan(ctx context.Context, table string, q driver.Scan) (driver.Page, error) {
	page, err := c.PresentTables.Scan(ctx, table, q)
	c.rows += len(page.Rows)
	c.calls++
	return page, err
}

func boundHolds(t *testing.T) {
	for _, posts := range [][]int{{300, 30_000}, {9_000, 9_000}, {30_000, 10}} {
		db, q := filled(t, posts...)
		counted := &countingStore{PresentTables: db}
		got, err := ask(t.Context(), counted, q, maxQueryRows)
		if err != nil {
			t.Fatal(err)
		}
		read, requests := 0, 0
		for way, m := range got.ways {
			read, requests = read+m.read, requests+m.requests
			if m.read == 0 {
				t.Errorf("%v: way %d was left without a row", posts, way)
			}
		}
		if counted.rows > maxQueryRows || counted.rows != read || counted.calls != requests {
			t.Errorf("%v: %d rows in %d calls, reported as %d in %d; the bound is %d",
				posts, counted.rows, counted.calls, read, requests, maxQueryRows)
		}
		if got.ways[wayTable].stopped != stoppedByRows || got.whole {
			t.Errorf("%v: the table scan does not say that it was stopped", posts)
		}
		if !slices.IsSortedFunc(got.rows, byKeys) || len(got.rows) > maxQueryRows {
			t.Errorf("%v: %d rows are kept, or are out of order", posts, len(got.rows))
		}
		if distinct := slices.CompactFunc(slices.Clone(got.rows), func(a, b driver.Entity) bool { return byKeys(a, b) == 0 }); len(distinct) != len(got.rows) {
			t.Errorf("%v: a row is kept twice", posts)
		}
	}
}

func pointsAreBounded(t *testing.T) {
	db, q := filled(t, 1010)
	got, err := ask(t.Context(), db, q, maxQueryRows)
	if err != nil {
		t.Fatal(err)
	}
	if m := got.ways[wayPoints]; m.requests != 100 || m.stopped != stoppedByRequests {
		t.Errorf("%d point queries for 101 posts, stopped %q", m.requests, m.stopped)
	}
}

// A slowStore answers nothing before its context ends, from a call on.
type slowStore struct {
	PresentTables
	scan func(ctx context.Context) error
}

func (s slowStore) Scan(ctx context.Context, _ string, _ driver.Scan) (driver.Page, error) {
	return driver.Page{}, s.scan(ctx)
}

func timeStopsIt(t *testing.T) {
	db, q := filled(t, 20)
	ctx, cancel := context.WithCancel(t.Context())
	got, err := ask(ctx, slowStore{db, func(ctx context.Context) error {
		cancel()
		return fmt.Errorf("%w: %w", domain.ErrUnavailable, ctx.Err())
	}}, q, maxQueryRows)
	if err != nil {
		t.Fatal(err)
	}
	if got.ways[wayTable].stopped != stoppedByTime || got.ways[wayPartition].stopped != "" || got.whole {
		t.Errorf("stopped: %q and %q", got.ways[wayPartition].stopped, got.ways[wayTable].stopped)
	}
	if len(got.rows) != 20 {
		t.Errorf("%d rows are left of the partition, not 20", len(got.rows))
	}
}

func unavailableIsAnError(t *testing.T) {
	db, q := filled(t, 20)
	_, err := ask(t.Context(), slowStore{db, func(context.Context) error { return domain.ErrUnavailable }}, q, maxQueryRows)
	if !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("error: %v", err)
	}
}

// A shortStore answers with pages of two rows, and each second page is empty.
type shortStore struct {
	PresentTables
	calls int
}

func (s *shortStore) Scan(ctx context.Context, table string, q driver.Scan) (driver.Page, error) {
	s.calls++
	if s.calls%2 == 0 {
		return driver.Page{Continuation: q.Continuation}, nil
	}
	q.Limit = 2
	return s.PresentTables.Scan(ctx, table, q)
}

func shortPages(t *testing.T) {
	db, q := filled(t, 5)
	got, err := ask(t.Context(), &shortStore{PresentTables: db}, q, maxQueryRows)
	if err != nil {
		t.Fatal(err)
	}
	if m := got.ways[wayTable]; m.requests != 5 || m.read != 5 || m.returned != 1 || m.stopped != "" {
		t.Errorf("%d requests, %d rows read, %d returned, stopped %q", m.requests, m.read, m.returned, m.stopped)
	}
}
