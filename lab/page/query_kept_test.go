package page_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/lab/page"
	"microblogging/storage"
	"microblogging/storage/driver"
)

// What one reader asks costs others nothing, and all readers together cost the store little.
func TestQueriesOfMany(t *testing.T) {
	t.Run("the_same_question_within_a_minute_reads_one_row", sameQuestionIsKept)
	t.Run("the_same_question_at_once_is_asked_once", sameQuestionAtOnce)
	t.Run("a_kept_answer_shows_no_channel_whose_deletion_was_accepted", keptAnswerIsNoGhost)
	t.Run("a_kept_answer_is_of_the_channel_that_has_the_name_now", keptAnswerIsOfTheIncarnation)
	t.Run("a_reader_who_left_leaves_no_answer_to_others", leaverLeavesNothing)
	t.Run("all_questions_together_cost_20000_rows_a_minute_on_average", questionsHaveABudget)
	t.Run("requests_cost_too", requestsCostToo)
	t.Run("an_old_answer_is_shown_rather_than_a_refusal", oldAnswerIsShown)
	t.Run("they_wait_their_turn_and_no_longer_than_one_page_takes", queriesTakeTurns)
}

func sameQuestionIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, db, _ := filledSite(t, "garden")
		guarded := &guardedStore{PresentTables: db}
		s := newSiteWith(t, page.Options{Tables: guarded})
		asked := time.Now().UTC().Format("2 January 2006 at 15:04:05 UTC")
		first := s.get("/lab/queries").want(200).says("This store, on " + asked)
		calls, rows := guarded.calls, guarded.rows
		time.Sleep(59 * time.Second)
		again := s.get("/lab/queries").want(200)
		if guarded.calls != calls+1 || guarded.rows != rows+1 {
			t.Errorf("%d calls for %d rows were made for the same question", guarded.calls-calls, guarded.rows-rows)
		}
		if again.text() != first.text() {
			t.Errorf("the answer was\n%s\nand is\n%s", first.text(), again.text())
		}
		time.Sleep(2 * time.Second)
		asked = time.Now().UTC().Format("2 January 2006 at 15:04:05 UTC")
		s.get("/lab/queries").want(200).says("This store, on " + asked)
	})
}

func sameQuestionAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, db, _ := filledSite(t, "garden")
		held := &heldStore{db, make(chan struct{}, 9), make(chan struct{})}
		s := newSiteWith(t, page.Options{Tables: held})
		answers := make(chan response, 3)
		for range 3 {
			go func() { answers <- s.get("/lab/queries") }()
		}
		<-held.reached
		synctest.Wait()
		close(held.let)
		for range 3 {
			(<-answers).want(200).says("Each way found the same 3 posts.")
		}
		if more := len(held.reached); more > 0 {
			t.Errorf("the table was scanned %d times more", more)
		}
	})
}

func keptAnswerIsNoGhost(t *testing.T) {
	_, db, channels := filledSite(t, "garden")
	s := newSiteWith(t, page.Options{Tables: db})
	for _, path := range []string{"/lab/queries", "/lab/queries?channel=garden"} {
		s.get(path).want(200).says("Each way found the same 3 posts.")
	}
	if _, err := storage.New(db, storage.Options{}).AskDeletion(t.Context(), channels[0].Key(), "grace", domain.Any[domain.Incarnation]()); err != nil {
		t.Fatal(err)
	}
	s.get("/lab/queries").want(200).says("There is no channel yet")
	s.get("/lab/queries?channel=garden").want(410)
}

// renamedStore has rows of channels of another incarnation.
type renamedStore struct {
	page.PresentTables
	incarnation domain.Incarnation
}

func (r *renamedStore) Get(ctx context.Context, table, partition, row string) (driver.Entity, error) {
	e, err := r.PresentTables.Get(ctx, table, partition, row)
	if table == "Channels" && r.incarnation != "" {
		e.Properties = e.Properties.Merged(driver.Properties{driver.String("Incarnation", r.incarnation)})
	}
	return e, err
}

func keptAnswerIsOfTheIncarnation(t *testing.T) {
	_, db, channels := filledSite(t, "garden")
	renamed := &renamedStore{PresentTables: db}
	s := newSiteWith(t, page.Options{Tables: renamed})
	s.get("/lab/queries?channel=garden").want(200).says("Incarnation eq '" + string(channels[0].Incarnation) + "'")
	renamed.incarnation = "another"
	s.get("/lab/queries?channel=garden").want(200).says("Incarnation eq 'another'")
}

func leaverLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, db, _ := filledSite(t, "garden")
		held := &heldStore{db, make(chan struct{}, 9), make(chan struct{})}
		s := newSiteWith(t, page.Options{Tables: held})
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan struct{})
		go func() {
			defer close(left)
			s.handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/lab/queries", nil))
		}()
		<-held.reached
		leave()
		<-left
		close(held.let)
		if r := s.get("/lab/queries").want(200); strings.Contains(r.text(), "Stopped") {
			t.Errorf("the answer is that of the reader who left: %s", r.text())
		}
	})
}

// A costlyStore says of each page that it has looked at many rows for it.
type costlyStore struct {
	page.PresentTables
	each      int
	rows      int
	questions int
}

func (c *costlyStore) Range(ctx context.Context, table string, q driver.Range) (driver.Page, error) {
	p, err := c.PresentTables.Range(ctx, table, q)
	p.Read = c.each
	c.rows += c.each
	return p, err
}

func (c *costlyStore) Scan(ctx context.Context, table string, q driver.Scan) (driver.Page, error) {
	p, err := c.PresentTables.Scan(ctx, table, q)
	if table == "Blogs" {
		p.Read = c.each
		c.rows += c.each
		c.questions++
	}
	return p, err
}

// another is the path of a question that no other call of the test asks.
func another(n int) string {
	return "/lab/queries?channel=garden&user=ada&since=" + time.Date(2000, 1, n+1, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

func questionsHaveABudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, db, _ := filledSite(t, "garden")
		costly := &costlyStore{PresentTables: db, each: 5_000}
		s := newSiteWith(t, page.Options{Tables: costly})
		refused := 0
		const minutes = 20
		for n := range minutes * 12 {
			r := s.get(another(n))
			if r.status == http.StatusServiceUnavailable {
				refused++
				r.says("This page has read enough for now", "20,000 rows a minute", "Try again in")
			} else {
				r.want(200)
			}
			time.Sleep(5 * time.Second)
		}
		// At the start, there is a minute's worth and one page on top.
		if most := (minutes + 2) * 20_000; costly.rows > most || costly.rows < minutes*20_000*8/10 {
			t.Errorf("%d rows were read in %d minutes", costly.rows, minutes)
		}
		if refused == 0 || costly.questions == 0 {
			t.Errorf("%d questions were asked, %d refused", costly.questions, refused)
		}
		next := minutes * 12
		for next < minutes*24 && s.get(another(next)).status == http.StatusOK { // spend what is there
			next++
		}
		after, err := strconv.Atoi(s.get(another(next)).want(503).header.Get("Retry-After"))
		if err != nil || after <= 0 || after > 60 {
			t.Fatalf("Retry-After %d: %v", after, err)
		}
		time.Sleep(time.Duration(after) * time.Second)
		s.get(another(next)).want(200)
	})
}

func requestsCostToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, db, _ := filledSite(t, "garden")
		guarded := &guardedStore{PresentTables: db}
		s := newSiteWith(t, page.Options{Tables: guarded})
		for n := range 2_000 {
			s.get(another(n))
		}
		// No time has passed.
		if guarded.calls > 2*1_000 {
			t.Errorf("%d requests were made at once, for %d rows", guarded.calls, guarded.rows)
		}
	})
}

func oldAnswerIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, db, _ := filledSite(t, "garden")
		costly := &costlyStore{PresentTables: db, each: 6_000}
		s := newSiteWith(t, page.Options{Tables: costly})
		asked := time.Now().UTC().Format("2 January 2006 at 15:04:05 UTC")
		s.get("/lab/queries").want(200)
		time.Sleep(2 * time.Minute)
		for n := range 9 {
			s.get(another(n))
		}
		s.get(another(10)).want(503)
		before := costly.rows
		s.get("/lab/queries").want(200).says("This store, on " + asked)
		if costly.rows != before {
			t.Error("the store was asked")
		}
	})
}

func queriesTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, db, _ := filledSite(t, "garden")
		held := &heldStore{db, make(chan struct{}, 9), nil} // it never answers a scan
		s := newSiteWith(t, page.Options{Tables: held})
		statuses := make(chan int, 3)
		for n := range 3 {
			go func() {
				began := time.Now()
				r := s.get(another(n))
				if r.status == http.StatusServiceUnavailable {
					r.says("The store is being asked already")
					if took := time.Since(began); took != 3*time.Second || r.header.Get("Retry-After") == "" {
						t.Errorf("refused after %s, with Retry-After %q", took, r.header.Get("Retry-After"))
					}
				}
				statuses <- r.status
			}()
			time.Sleep(time.Millisecond)
		}
		s.get("/lab/queries?since=x").want(422) // reads nothing, so that it need not wait
		got := []int{<-statuses, <-statuses, <-statuses}
		slices.Sort(got)
		if fmt.Sprint(got) != "[200 200 503]" {
			t.Errorf("statuses %v", got)
		}
	})
}
