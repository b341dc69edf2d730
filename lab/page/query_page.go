package page

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"microblogging/storage/driver"
	"microblogging/templates"
)

const (
	// queryTime is how long one page may read and compute, in all, and how long another
	// waits for its turn.
	queryTime = 3 * time.Second
	// queryRetry is when to come back if other pages are being made.
	queryRetry = 2 * time.Second
)

// queryPages show what one question costs in each of four ways. They read the store of the
// site, for one page at a time, and within a budget. An answer is shown to all who ask the same.
type queryPages struct {
	tables PresentTables
	// turn holds a value while the store is being asked.
	turn   chan struct{}
	budget queryBudget
	kept   keptQueries
}

func newQueryPages(tables PresentTables) *queryPages {
	return &queryPages{
		tables: entered(tables), turn: make(chan struct{}, 1),
		budget: newQueryBudget(), kept: newKeptQueries(),
	}
}

// show answers a request. No cache may keep the page: the channel may be deleted next.
func (p *queryPages) show(w http.ResponseWriter, r *http.Request, page templates.Page) error {
	w.Header().Set("Cache-Control", "private, no-store")
	v, err := p.view(r, page.Now)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	if err := queryPage(page, v).Render(r.Context(), &body); err != nil {
		return err
	}
	w.Header().Set("Content-Type", htmlType)
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(v.status)
	_, err = w.Write(body.Bytes())
	return err
}

// view answers the question that the form of the request describes: from memory if it was
// asked lately, or if the store must not be asked now.
func (p *queryPages) view(r *http.Request, now time.Time) (*queryView, error) {
	form := readQueryForm(r.URL.Query(), now)
	if len(form.problems) > 0 {
		return &queryView{status: http.StatusUnprocessableEntity, form: form}, nil
	}
	kept, err := p.kept.find(r.Context(), p.tables, form)
	if err != nil || kept.isFresh(now) {
		return kept, err
	}
	switch refusal := p.begin(r.Context(), kept != nil); {
	case refusal != nil && kept != nil:
		return kept, nil
	case refusal != nil:
		return nil, refusal
	}
	defer func() { <-p.turn }()
	// Somebody may have asked the same meanwhile.
	if again, err := p.kept.find(r.Context(), p.tables, form); err != nil || again.isFresh(now) {
		return again, err
	}
	return p.ask(r.Context(), form)
}

// begin waits for a turn to ask the store, unless the caller has something else to show.
func (p *queryPages) begin(ctx context.Context, other bool) *templates.Refusal {
	wait := queryTime
	if other {
		wait = 0
	}
	if !takeTurn(ctx, p.turn, wait) {
		return queryRefusal(queryRetry, "The store is being asked already", "This page reads up to "+grouped(maxQueryRows)+" rows, so it is made for one reader at a time.")
	}
	if wait := p.budget.wait(time.Now()); wait > 0 {
		<-p.turn
		return queryRefusal(wait, "This page has read enough for now", "For all readers together, it reads about "+grouped(queryRowsMinute)+" rows a minute, because this site pays for what is read.")
	}
	return nil
}

// takeTurn puts a value into turn within the time, and tells whether it did.
func takeTurn(ctx context.Context, turn chan struct{}, wait time.Duration) bool {
	select {
	case turn <- struct{}{}:
		return true
	default:
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case turn <- struct{}{}:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// ask asks the store, and keeps the answer for others. It is the caller's turn.
func (p *queryPages) ask(of context.Context, form queryForm) (*queryView, error) {
	ctx, cancel := context.WithTimeout(of, queryTime)
	defer cancel()
	tables := &meteredTables{PresentTables: p.tables}
	defer func() { p.budget.spend(time.Now(), tables.cost()) }()
	v := &queryView{status: http.StatusOK, form: form, on: time.Now()}
	err := v.fill(ctx, tables)
	switch {
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, queryRefusal(queryRetry, "The store took too long", "It did not answer within "+queryTimeWords()+".")
	case err != nil:
		return nil, err
	}
	if of.Err() == nil { // else the reader has left, and the answer is not whole
		p.kept.keep(v)
	}
	return v, nil
}

// queryRefusal is the error of a page that may be made a little later.
func queryRefusal(retry time.Duration, title, detail string) *templates.Refusal {
	return &templates.Refusal{Problem: templates.Problem{
		Status: http.StatusServiceUnavailable, Title: title, Detail: detail, RetryAfter: retry,
		Links: []templates.Link{{Label: "The question that the page chooses", URL: templates.LabQueriesPath}, labLink()},
	}}
}

// A queryView is what the page shows.
type queryView struct {
	status int
	form   queryForm
	// on is when the store was asked.
	on time.Time
	// missing is why nothing was asked: errNoChannels, errNoChannel or errChannelGone.
	missing error
	chosen  chosen
	present survey
	// larger is nil if there was no time left for it.
	larger *comparison
	spread spread
	// posts is how many posts the ways found that were carried out whole, -1 if none was, and
	// same whether they all found the same.
	posts int
	same  bool
}

// isFresh tells whether an answer, which may be nil, is so young that the store is not asked
// again.
func (v *queryView) isFresh(now time.Time) bool { return v != nil && now.Sub(v.on) < queryFresh }

// fill asks the question of the present store, and of ten times its rows.
func (v *queryView) fill(ctx context.Context, tables PresentTables) error {
	var err error
	v.chosen, err = v.form.choose(ctx, tables)
	switch {
	case errors.Is(err, errNoChannels):
		v.missing = err
		return nil
	case errors.Is(err, errNoChannel), errors.Is(err, errChannelGone):
		v.missing, v.status = err, http.StatusNotFound
		if errors.Is(err, errChannelGone) {
			v.status = http.StatusGone
		}
		return nil
	case err != nil:
		return err
	}
	q := v.chosen.question
	if v.present, err = ask(ctx, tables, q, maxQueryRows-v.chosen.read); err != nil {
		return err
	}
	v.spread = spreadOf(v.present.rows, q.since)
	v.posts, v.same = v.present.found()
	larger, err := compare(ctx, q, v.present.rows)
	v.present.forget()
	if ctx.Err() != nil {
		return nil // the page says so
	}
	larger.once.forget()
	larger.tenfold.forget()
	v.larger = &larger
	return err
}

// A spread says over how many partitions the posts since an instant are spread.
type spread struct {
	posts, partitions int
	// most is the number of posts in the partition that has most.
	most int
}

func spreadOf(rows []driver.Entity, since time.Time) (s spread) {
	in := map[string]int{}
	for _, row := range rows {
		if isPost(row) && !row.Properties.Time(propCreatedOn).Before(since) {
			s.posts++
			in[row.Partition]++
			s.most = max(s.most, in[row.Partition])
		}
	}
	s.partitions = len(in)
	return s
}

// found returns how many posts the ways found that were carried out whole, and whether they
// all found the same. It returns -1 if none was.
func (s *survey) found() (posts int, same bool) {
	posts, same = -1, true
	var first []string
	for _, m := range s.ways {
		switch {
		case m.stopped != "":
		case posts < 0:
			posts, first = m.returned, m.found
		default:
			same = same && slices.Equal(first, m.found)
		}
	}
	return posts, same
}

// forget leaves what a page shows: no rows, and of the keys that were found two.
func (s *survey) forget() {
	s.rows = nil
	for way := range ways {
		found := s.ways[way].found
		s.ways[way].found = slices.Clone(found[:min(len(found), 2)])
	}
}
