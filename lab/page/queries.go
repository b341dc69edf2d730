package page

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
	"microblogging/templates"
)

const (
	// queryTime is how long one page may read.
	queryTime = 3 * time.Second
	// maxQueryRows is how many rows each of the four ways reads at most, and maxPoints how many
	// point queries are sent.
	maxQueryRows = 2_000
	maxPoints    = 50
	// queryRowsMinute is how many rows all questions together may cost in a minute, on average.
	// Anybody may ask, and somebody pays for the store.
	queryRowsMinute = 20_000
	// rowsOfRequest is how many rows a request costs, besides those that it reads. Azure
	// bills requests, and its limits count rows.
	rowsOfRequest = 20
)

const postPrefix = "blog!"

// queries show what one question costs in each of four ways. They read the store of the site,
// for one page at a time, and within a budget.
type queries struct {
	// store enters each read in the ledger of the request, as the reads of other pages are.
	store  driver.Backend
	turn   turn
	budget *rate.Limiter
}

func newQueries(store driver.Backend) *queries {
	budget := rate.NewLimiter(rate.Limit(queryRowsMinute)/60, queryRowsMinute)
	return &queries{driver.Wrap(store, driver.Enter, readOnly), make(turn, 1), budget}
}

// show answers a request. No cache may keep the page: the channel may be deleted next.
func (q *queries) show(w http.ResponseWriter, r *http.Request, page templates.Page) (templates.Answer, error) {
	w.Header().Set("Cache-Control", "private, no-store")
	v := newQueryView(r.URL.Query(), page.Now)
	if len(v.problems) == 0 {
		if _, err := inTurn(r.Context(), q.turn, func() (any, error) { return nil, q.ask(r.Context(), v) }); err != nil {
			return templates.Answer{}, err
		}
	}
	var body bytes.Buffer
	err := queryPage(page, v).Render(r.Context(), &body)
	return templates.Answer{Status: v.status, MediaType: htmlType, Body: body.Bytes()}, err
}

// ask asks the store, if the budget allows it. What a question has cost is known only
// afterwards, so it may be more than was left: then the next one waits for it.
func (q *queries) ask(ctx context.Context, v *queryView) error {
	if missing := 1 - q.budget.Tokens(); missing > 0 {
		wait := time.Duration(math.Ceil(missing/float64(q.budget.Limit()))) * time.Second
		return queryRefusal(wait, "This page has read enough for now",
			"For all readers together, it reads about "+lab.Grouped(queryRowsMinute)+" rows a minute, because this site pays for what is read.")
	}
	ctx, cancel := context.WithTimeout(ctx, queryTime)
	defer cancel()
	err := v.fill(ctx, q.store)
	q.budget.ReserveN(time.Now(), min(v.cost(), q.budget.Burst()))
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return queryRefusal(busyRetry, "The store took too long", "It did not answer within "+queryTime.String()+".")
	}
	return err
}

func queryRefusal(retry time.Duration, title, detail string) error {
	return &templates.Refusal{Problem: templates.Problem{
		Status: http.StatusServiceUnavailable, Title: title, Detail: detail, RetryAfter: retry, Links: []templates.Link{labLink()},
	}}
}

// A queryView is a question and what it costs in each way.
type queryView struct {
	status int
	// channel, user and since are as somebody typed them. What is empty is chosen.
	channel, user, since string
	// problems says what is wrong with them, by the name of the field.
	problems map[string]string

	from  time.Time
	ref   domain.ChannelRef
	by    domain.UserName
	title string
	// missing is why nothing was asked. It is empty if something was.
	missing string
	ways    [4]queryWay
	read    int
}

// A queryWay is one way to ask, and what it has cost.
type queryWay struct {
	Name, About, Condition string
	// Requests were sent. Rows were read, of which Returned answer the question.
	Requests, Rows, Returned int
	Took                     time.Duration
	// Stopped tells that the whole would cost more.
	Stopped bool
	found   []string
}

// newQueryView reads the form.
func newQueryView(form url.Values, now time.Time) *queryView {
	v := &queryView{
		status: http.StatusOK, channel: strings.TrimSpace(form.Get("channel")), problems: map[string]string{},
		user: strings.TrimPrefix(strings.TrimSpace(form.Get("user")), "@"), since: strings.TrimSpace(form.Get("since")),
	}
	note := func(field string, err error) {
		var invalid *domain.InvalidError
		if errors.As(err, &invalid) {
			v.problems[field], v.status = invalid.Fields[0].Detail, http.StatusUnprocessableEntity
		}
	}
	if v.channel != "" {
		name, err := domain.ParseChannelName(v.channel)
		note("channel", err)
		v.ref.Key = name.Key()
	}
	if v.user != "" {
		var err error
		v.by, err = domain.ParseUserName(v.user)
		note("user", err)
	}
	if v.since == "" {
		v.since = now.UTC().AddDate(0, 0, -7).Format(time.DateOnly)
	}
	var err error
	if v.from, err = time.Parse(time.DateOnly, v.since); err != nil {
		err = domain.Invalid("since", "must be a date such as %s", now.UTC().Format(time.DateOnly))
	} else {
		err = domain.CheckStored("since", v.from)
	}
	note("since", err)
	return v
}

// fill asks the question in the four ways, one after the other.
func (v *queryView) fill(ctx context.Context, store driver.Backend) error {
	blogs := driver.NewTable(store, "Blogs")
	channel, err := v.choose(ctx, driver.NewTable(store, "Channels"))
	switch {
	case errors.Is(err, domain.ErrNotFound):
		v.missing, v.status = "There is no such channel", http.StatusNotFound
		return nil
	case err != nil:
		return err
	case channel.Properties.String("State") != string(domain.ChannelActive):
		v.missing, v.status = "This channel is being deleted", http.StatusGone
		return nil
	}
	p := channel.Properties
	v.title = p.String("Name")
	v.ref = domain.ChannelRef{Key: domain.ChannelKey(channel.Partition), Incarnation: domain.Incarnation(p.String(schema.PropIncarnation))}
	if v.by == "" {
		v.by = domain.UserName(p.String("Owner"))
	}
	v.ways = v.fourWays()
	partition := string(v.ref.Key)
	first, last := v.keys()
	points, rows, whole, table := &v.ways[0], &v.ways[1], &v.ways[2], &v.ways[3]
	err = rows.pages(v, func(p driver.Paging) (driver.Page, error) {
		return blogs.Range(ctx, driver.Range{Partition: partition, From: first, To: last, Paging: p})
	})
	return errors.Join(err, // the point queries need what was found
		points.points(v, rows.found, func(key string) (driver.Entity, error) { return blogs.Get(ctx, partition, key) }),
		whole.pages(v, func(p driver.Paging) (driver.Page, error) {
			return blogs.Range(ctx, driver.Range{Partition: partition, Paging: p})
		}),
		table.pages(v, func(p driver.Paging) (driver.Page, error) {
			return blogs.Scan(ctx, driver.Scan{Paging: p})
		}))
}

// choose reads the channel's row. If nobody has named one, it is the newest of some.
func (v *queryView) choose(ctx context.Context, channels *driver.Table) (driver.Entity, error) {
	v.read++
	if v.ref.Key != "" {
		return channels.Get(ctx, string(v.ref.Key), "")
	}
	page, err := channels.Scan(ctx, driver.Scan{Paging: driver.Paging{Limit: maxPoints}})
	v.read += len(page.Rows)
	active := slices.DeleteFunc(page.Rows, func(row driver.Entity) bool {
		return row.Properties.String("State") != string(domain.ChannelActive)
	})
	if len(active) == 0 {
		return driver.Entity{}, cmp.Or(err, domain.ErrNotFound)
	}
	return slices.MaxFunc(active, func(a, b driver.Entity) int {
		return a.Properties.Time(schema.PropCreatedOn).Compare(b.Properties.Time(schema.PropCreatedOn))
	}), nil
}

// keys are the range of row keys of all posts since the day, whoever wrote them: from
// inclusive, to exclusive. A newer post has a smaller key.
func (v *queryView) keys() (from, to string) {
	return postPrefix, postPrefix + domain.RecentFirst(v.from.Add(-domain.Tick))
}

// answered tells whether a row is an answer. It looks at properties alone, as the condition of a
// scan does. Each channel has an incarnation of its own.
func (v *queryView) answered(row driver.Entity) bool {
	p := row.Properties
	return p.String(schema.PropIncarnation) == string(v.ref.Incarnation) && p.String(schema.PropUserID) == string(v.by) && !p.Time(schema.PropCreatedOn).Before(v.from)
}

// points reads rows by their keys.
func (m *queryWay) points(v *queryView, keys []string, read func(key string) (driver.Entity, error)) error {
	begun := time.Now()
	for _, key := range keys[:min(len(keys), maxPoints)] {
		m.Requests++
		row, err := read(key)
		if err != nil && !errors.Is(err, domain.ErrNotFound) { // it may be gone since
			return err
		}
		m.count(v, row)
	}
	m.Stopped, m.Took = len(keys) > maxPoints, time.Since(begun)
	return nil
}

// pages reads a selection, page by page, and looks at each row.
func (m *queryWay) pages(v *queryView, read func(driver.Paging) (driver.Page, error)) error {
	begun := time.Now()
	p := driver.Paging{Limit: driver.MaxPage, Select: []string{schema.PropUserID, schema.PropCreatedOn, schema.PropIncarnation}}
	for {
		m.Requests++
		page, err := read(p)
		if err != nil {
			return err
		}
		for _, row := range page.Rows {
			m.count(v, row)
		}
		p.Continuation = page.Continuation
		if m.Stopped = p.Continuation != "" && m.Rows >= maxQueryRows; m.Stopped || p.Continuation == "" {
			m.Took = time.Since(begun)
			return nil
		}
	}
}

func (m *queryWay) count(v *queryView, row driver.Entity) {
	m.Rows++
	if v.answered(row) {
		m.Returned++
		m.found = append(m.found, row.Row)
	}
}

// cost is what the question has cost, in rows.
func (v *queryView) cost() int {
	cost := v.read + rowsOfRequest
	for _, m := range v.ways {
		cost += m.Rows + m.Requests*rowsOfRequest
	}
	return cost
}

// fourWays are the ways to ask, from the best to the worst, with what Azure is given in $filter.
func (v *queryView) fourWays() [4]queryWay {
	partition := "PartitionKey eq '" + string(v.ref.Key) + "'"
	properties := "UserId eq '" + string(v.by) + "' and CreatedOn ge datetime'" + v.from.Format(time.RFC3339) + "'"
	from, to := v.keys()
	return [...]queryWay{
		{Name: "Point queries", Condition: partition + " and RowKey eq '" + postPrefix + "…'",
			About: "Both keys of each post are known, here from the row range. Each request reads one row and no other."},
		{Name: "Row range", Condition: partition + " and RowKey ge '" + from + "' and RowKey lt '" + to + "' and UserId eq '" + string(v.by) + "'",
			About: "PartitionKey and a range of RowKey. The posts since that day are the first rows of the partition. Those of other authors are read too."},
		{Name: "Partition scan", Condition: partition + " and " + properties,
			About: "PartitionKey alone. Every row of the channel is looked at: posts, votes, subscribers, indexes, the gate."},
		{Name: "Table scan", Condition: "Incarnation eq '" + string(v.ref.Incarnation) + "' and " + properties,
			About: "No PartitionKey. Every row of every channel is looked at."},
	}
}

// perReturned is how many rows were read for each that was returned.
func (m queryWay) perReturned() string {
	if m.Returned == 0 {
		return "–"
	}
	return strconv.FormatFloat(float64(m.Rows)/float64(m.Returned), 'f', 1, 64)
}

// figure is a number, marked if the way was stopped.
func (m queryWay) figure(n int) string {
	if m.Stopped {
		return "≥ " + lab.Grouped(n)
	}
	return lab.Grouped(n)
}

var errReadOnly = errors.New("the pages of the lab write nothing to the store of the site")

// readOnly refuses every call that is no read.
func readOnly(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
	if c.Writes() {
		return errReadOnly
	}
	return next(ctx)
}
