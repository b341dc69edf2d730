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
	// queryTime is how long one page may read and compute, in all.
	queryTime = 3 * time.Second
	// queryRetry is when to come back if another page is being made.
	queryRetry = 2 * time.Second
)

// queryPages show what one question costs in each of four ways. They read the store of the
// site, for one page at a time.
type queryPages struct {
	tables PresentTables
	// turn holds a value while a page is being made.
	turn chan struct{}
}

func newQueryPages(tables PresentTables) *queryPages {
	return &queryPages{tables: enteredTables{readOnly{tables}}, turn: make(chan struct{}, 1)}
}

// show answers a request. Nothing may keep the answer: it is about the store as it is now.
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

// view asks the question that the form of the request describes.
func (p *queryPages) view(r *http.Request, now time.Time) (*queryView, error) {
	v := &queryView{status: http.StatusOK, form: readQueryForm(r.URL.Query(), now)}
	if len(v.form.problems) > 0 {
		v.status = http.StatusUnprocessableEntity
		return v, nil
	}
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	default:
		return nil, queryRefusal("The store is being asked already", "This page reads up to "+grouped(maxQueryRows)+" rows, so it is made for one reader at a time.")
	}
	ctx, cancel := context.WithTimeout(r.Context(), queryTime)
	defer cancel()
	err := v.fill(ctx, p.tables)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, queryRefusal("The store took too long", "It did not answer within "+queryTimeWords()+".")
	}
	return v, err
}

// queryRefusal is the error of a page that may be made a little later.
func queryRefusal(title, detail string) *templates.Refusal {
	return &templates.Refusal{Problem: templates.Problem{
		Status: http.StatusServiceUnavailable, Title: title, Detail: detail, RetryAfter: queryRetry,
		Links: []templates.Link{{Label: "Ask again", URL: templates.LabQueriesPath}, labLink()},
	}}
}

// A queryView is what the page shows.
type queryView struct {
	status int
	form   queryForm
	// missing is why nothing was asked: errNoChannels, errNoChannel or errChannelGone.
	missing error
	chosen  chosen
	present survey
	// larger is nil if there was no time left for it.
	larger *comparison
	spread spread
}

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
	larger, err := compare(ctx, q, v.present.rows)
	v.present.rows = nil
	if ctx.Err() != nil {
		return nil // the page says so
	}
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
func (v *queryView) found() (posts int, same bool) {
	posts, same = -1, true
	var first []string
	for _, m := range v.present.ways {
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
