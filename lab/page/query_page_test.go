package page_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/lab/page"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/templates"
)

func TestQueries(t *testing.T) {
	t.Run("choose_the_newest_channel_and_who_posts_most_in_it", queriesChoose)
	t.Run("choose_the_week_of_the_newest_post_if_this_week_has_none", queriesChooseTheWeek)
	t.Run("ask_what_the_form_says_whatever_the_name_of_the_channel", queriesAskTheForm)
	t.Run("are_not_kept_by_any_cache_and_have_no_style_of_their_own", queriesAreNotKept)
	t.Run("write_nothing_and_read_no_more_than_20000_rows", queriesAreBounded)
	t.Run("that_cannot_be_asked_say_what_is_wrong_and_read_nothing", queriesSayWhatIsWrong)
	t.Run("about_a_channel_that_is_not_there_say_so", queriesAboutNoChannel)
	t.Run("about_a_user_without_posts_say_so", queriesAboutNobody)
	t.Run("end_after_three_seconds", queriesEnd)
	t.Run("of_a_store_that_does_not_answer_are_503", queriesOfAStoreThatFails)
	t.Run("are_not_there_without_a_store", queriesNeedAStore)
}

// filledSite is a site whose store has channels of these names, the last of them the
// newest. In each, ada has posted three times in the last hour, and grace once.
func filledSite(t *testing.T, names ...string) (*site, *mem.DB, []domain.Channel) {
	t.Helper()
	db := mem.Open(mem.Snapshot{}, "version ")
	store := storage.New(db, storage.Options{})
	if err := store.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	var channels []domain.Channel
	for i, name := range names {
		channel, err := domain.NewChannel(name, "", "grace")
		if err != nil {
			t.Fatal(err)
		}
		channel.CreatedOn = domain.Storable(time.Now().Add(time.Duration(i-len(names)) * time.Hour))
		if channel, err = store.CreateChannel(t.Context(), channel); err != nil {
			t.Fatal(err)
		}
		for n, by := range []domain.UserName{"ada", "grace", "ada", "ada"} {
			if _, _, err := store.Post(t.Context(), storage.Posting{
				Channel: channel.Ref(), By: by, Key: fmt.Sprint(n), Draft: domain.Draft{Text: "a post"},
				CreatedOn: time.Now().Add(-time.Duration(n+1) * time.Minute),
			}); err != nil {
				t.Fatal(err)
			}
		}
		channels = append(channels, channel)
	}
	return newSiteWith(t, page.Options{Version: "test", Tables: db}), db, channels
}

func queriesChoose(t *testing.T) {
	s, _, channels := filledSite(t, "older", "garden")
	r := s.get("/lab/queries").want(200)
	r.says("The posts of @ada in garden since Monday, ", "Each way found the same 3 posts.",
		"PartitionKey eq 'garden' and UserId eq 'ada' and CreatedOn ge datetime'",
		"Incarnation eq '"+string(channels[1].Incarnation)+"'")
	// A channel of four posts has 12 rows of posts, a gate and a subscriber.
	r.says("PartitionKey eq 'garden' and RowKey eq 'blog!")
	for way, figures := range map[string]string{
		"Point queries": "3 3 3 1.0", "Row range": "1 4 3 1.3", "Partition scan": "1 14 3 4.7", "Table scan": "1 28 3 9.3",
	} {
		if !regexp.MustCompile(way + ` [^§]{0,400}? ` + regexp.QuoteMeta(figures) + ` [0-9.]+ ms`).MatchString(r.text()) {
			t.Errorf("%s does not cost %s in: %s", way, figures, r.text())
		}
	}
	r.says("3 of them are 3 requests, here sent one after the other.")
	r.says("The whole table was copied into memory: 28 rows.", "280 rows 1 280 3", "Reads 10 times as many rows: 47 for each that it returns, and not 4.7.",
		"On the partition of this channel it reads 14 rows, to return 2.", "8 are posts since that day, in 2 partitions, 4 of them in the busiest.")
}

func queriesChooseTheWeek(t *testing.T) {
	s, db, _ := filledSite(t, "older")
	store := storage.New(db, storage.Options{})
	archive, err := domain.NewChannel("archive", "", "grace")
	if err == nil {
		archive, err = store.CreateChannel(t.Context(), archive)
	}
	for i, by := range []domain.UserName{"ada", "grace", "grace"} { // on Friday, Thursday and a month before
		on := time.Date(2017, time.June, 2-i-28*(i/2), 12, 0, 0, 0, time.UTC)
		if err == nil {
			_, _, err = store.Post(t.Context(), storage.Posting{
				Channel: archive.Ref(), By: by, Key: string(by) + fmt.Sprint(i), Draft: domain.Draft{Text: "a post"}, CreatedOn: on,
			})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	r := s.get("/lab/queries").want(200)
	r.says("The posts of @ada in archive since Monday, 29 May 2017", "Each way found the same post.")
	if !strings.Contains(r.body, `value="2017-05-29"`) {
		t.Error("the form does not show the day that was chosen")
	}
	s.get("/lab/queries?channel=archive&since=2026-01-05").want(200).says("since Monday, 5 January 2026")
}

func queriesAskTheForm(t *testing.T) {
	for _, name := range []string{"Ünï_x.y-z", "Ga-rden.ß", "日本語", "queries"} {
		s, _, channels := filledSite(t, name, "newest")
		query := url.Values{"channel": {strings.ToLower(name)}, "user": {"@GRACE"}, "since": {"2001-02-03"}}
		r := s.get("/lab/queries?" + query.Encode()).want(200)
		r.says("The posts of @grace in "+name+" since Saturday, 3 February 2001", "Each way found the same post.",
			"PartitionKey eq '"+string(channels[0].Key())+"' and UserId eq 'grace' and CreatedOn ge datetime'2001-02-03T00:00:00Z'")
		if !strings.Contains(r.body, `href="`+templates.ChannelPath(name)+`"`) {
			t.Errorf("%s: no link to the channel", name)
		}
	}
}

func queriesAreNotKept(t *testing.T) {
	s, _, _ := filledSite(t, "garden")
	for _, path := range []string{"/lab/queries", "/lab/queries?since=x", "/lab/queries?channel=none"} {
		r := s.get(path)
		if got := r.header.Get("Cache-Control"); got != "private, no-store" {
			t.Errorf("%s: Cache-Control %q", path, got)
		}
		if strings.Contains(r.body, " style=") || strings.Contains(r.body, "<style") {
			t.Errorf("%s has a style of its own, which the policy of the site forbids", path)
		}
	}
}

// A guardedStore counts the rows that are read.
type guardedStore struct {
	page.PresentTables
	rows, calls int
}

func (g *guardedStore) Get(ctx context.Context, table, partition, row string) (driver.Entity, error) {
	g.calls++
	g.rows++
	return g.PresentTables.Get(ctx, table, partition, row)
}

func (g *guardedStore) Range(ctx context.Context, table string, q driver.Range) (driver.Page, error) {
	p, err := g.PresentTables.Range(ctx, table, q)
	g.calls++
	g.rows += len(p.Rows)
	return p, err
}

func (g *guardedStore) Scan(ctx context.Context, table string, q driver.Scan) (driver.Page, error) {
	p, err := g.PresentTables.Scan(ctx, table, q)
	g.calls++
	g.rows += len(p.Rows)
	return p, err
}

// The machine may be slow: of real time, the page takes three seconds at most.
func queriesAreBounded(t *testing.T) { synctest.Test(t, readNoMoreThanRows) }

func readNoMoreThanRows(t *testing.T) {
	_, db, channels := filledSite(t, "garden")
	content := db.Snapshot()
	var rows []driver.Entity
	for row := range content.Rows("Blogs") {
		rows = append(rows, row)
	}
	for i := range 25_000 { // votes of a later channel
		rows = append(rows, driver.Entity{Partition: "later", Row: fmt.Sprintf("vote!%06d", i)})
	}
	var channelRows []driver.Entity
	for row := range content.Rows("Channels") {
		channelRows = append(channelRows, row)
	}
	full, err := mem.Snapshot{}.WithRows("Blogs", rows)
	if err != nil {
		t.Fatal(err)
	}
	if full, err = full.WithRows("Channels", channelRows); err != nil {
		t.Fatal(err)
	}
	large := mem.Open(full, "x")
	guarded := &guardedStore{PresentTables: large}
	s := newSiteWith(t, page.Options{Tables: guarded})
	r := s.get("/lab/queries?channel=" + string(channels[0].Name)).want(200)
	if guarded.rows > 20_000 || guarded.rows < 19_000 {
		t.Errorf("%d rows were read", guarded.rows)
	}
	if large.Snapshot().Sum() != full.Sum() {
		t.Error("the page has written")
	}
	var ms float64
	var calls, looked, returned int
	timing := r.header.Get("Server-Timing")
	if _, err := fmt.Sscanf(timing, `store;dur=%f, calls;desc="%d", read;desc="%d", returned;desc="%d"`, &ms, &calls, &looked, &returned); err != nil {
		t.Errorf("Server-Timing %q: %v", timing, err)
	}
	if calls != guarded.calls || returned != guarded.rows || looked > 20_000 || looked < returned {
		t.Errorf("Server-Timing %q after %d calls that returned %d rows", timing, guarded.calls, guarded.rows)
	}
	r.says("Stopped: the four ways together read at most 20,000 rows.", "not the whole table", "Each way found the same 3 posts.")
}

func queriesSayWhatIsWrong(t *testing.T) {
	_, db, _ := filledSite(t, "garden")
	guarded := &guardedStore{PresentTables: db}
	s := newSiteWith(t, page.Options{Tables: guarded})
	for query, problem := range map[string]string{
		"since=Monday":                       "Since must be a date such as ",
		"since=1600-12-31":                   "Since must not lie before the year 1601",
		"channel=a/b":                        "Channel ",
		"channel=%22%3E%3Cscript%3E":         "Channel ",
		"user=a":                             "User must have 2 to 32 characters",
		"user=%27+or+1+eq+1&channel=a+":      "User ",
		"channel=" + strings.Repeat("a", 65): "Channel must have at most 64 characters",
	} {
		r := s.get("/lab/queries?"+query).want(422).says("This question cannot be asked", problem)
		if !strings.Contains(r.body, `aria-invalid="true"`) || strings.Contains(r.body, `"><script>`) {
			t.Errorf("%s: %s", query, r.body)
		}
	}
	if guarded.calls != 0 {
		t.Errorf("the store was read %d times", guarded.calls)
	}
}

func queriesAboutNoChannel(t *testing.T) {
	s, db, channels := filledSite(t, "garden")
	s.get("/lab/queries?channel=nowhere").want(404).says("There is no channel “nowhere”")
	store := storage.New(db, storage.Options{})
	if _, err := store.AskDeletion(t.Context(), channels[0].Key(), "grace", domain.Any[domain.Incarnation]()); err != nil {
		t.Fatal(err)
	}
	s.get("/lab/queries?channel=garden").want(410).says("“garden” is being deleted")
	s.get("/lab/queries").want(200).says("There is no channel yet")
	empty, _, _ := filledSite(t)
	empty.get("/lab/queries").want(200).says("There is no channel yet")
}

func queriesAboutNobody(t *testing.T) {
	s, _, _ := filledSite(t, "garden")
	s.get("/lab/queries?user=nobody").want(200).says("There is no such post. A scan still reads every row to find that out.", "0 0 0 –")
	s.get("/lab/queries?since=9999-12-31").want(200).says("The posts of @ada in garden since Friday, 31 December 9999", "There is no such post.")
}

// A heldStore answers scans of the posts when it is let go, or when the context ends.
type heldStore struct {
	page.PresentTables
	reached chan struct{}
	let     chan struct{}
}

func (h *heldStore) Scan(ctx context.Context, table string, q driver.Scan) (driver.Page, error) {
	if table == "Blogs" {
		h.reached <- struct{}{}
		select {
		case <-h.let:
		case <-ctx.Done():
			return driver.Page{}, fmt.Errorf("%w: %w", domain.ErrUnavailable, ctx.Err())
		}
	}
	return h.PresentTables.Scan(ctx, table, q)
}

func queriesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, db, _ := filledSite(t, "garden")
		held := &heldStore{db, make(chan struct{}, 9), nil}
		show := page.New(page.Options{Tables: held}).Routes()["/lab/queries"]
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/lab/queries", nil)
		began := time.Now()
		err := show(w, r, templates.Page{Now: began, Asset: func(name string) string { return name }})
		if err != nil || w.Code != 200 || time.Since(began) != 3*time.Second {
			t.Fatalf("%d, %v, after %s", w.Code, err, time.Since(began))
		}
		response{t, "/lab/queries", w.Code, w.Header(), w.Body.String()}.
			says("Stopped: the page takes at most 3 seconds.", "There was no time left for it", "Each way found the same 3 posts.")
	})
}

func queriesOfAStoreThatFails(t *testing.T) {
	s := newSiteWith(t, page.Options{Tables: mem.Open(mem.Snapshot{}, "x")}) // without tables
	if r := s.get("/lab/queries").want(http.StatusServiceUnavailable); r.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

func queriesNeedAStore(t *testing.T) {
	s := newSite(t)
	s.get("/lab/queries").want(404)
	if slices.Contains(s.get("/lab").want(200).links(), "/lab/queries") {
		t.Error("the index leads to it")
	}
	filled, _, _ := filledSite(t, "garden")
	if !slices.Contains(filled.get("/lab").want(200).links(), "/lab/queries") {
		t.Error("the index does not lead to it")
	}
}
