package page

import (
	"context"
	"errors"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// What the four ways must know of the rows. The layout is that of package storage
// (storage/schema), and the tests ask a store that package storage has filled.
const (
	postsTable      = "Blogs"
	postPrefix      = "blog!"
	afterPosts      = "blog\"" // the first key after all that start with blog!
	propAuthor      = "UserId"
	propCreatedOn   = "CreatedOn"
	propIncarnation = "Incarnation"
)

// answerProperties are the only properties that a way reads, apart from a point query,
// which reads the whole row.
func answerProperties() []string { return []string{propAuthor, propCreatedOn, propIncarnation} }

// A question asks for the posts of one user in one channel since an instant, inclusive.
type question struct {
	channel domain.ChannelRef
	user    domain.UserName
	since   time.Time
}

// keys returns the range of row keys of all posts since the instant, whoever wrote them:
// from inclusive, to exclusive. A newer post has a smaller key.
func (q question) keys() (from, to string) {
	return postPrefix, postPrefix + domain.RecentFirst(q.since.Add(-domain.Tick))
}

// answeredBy tells whether a row is one of the posts. It looks at properties alone, as the
// condition of a scan does. Each channel has an incarnation of its own.
func (q question) answeredBy(row driver.Entity) bool {
	p := row.Properties
	return p.String(propIncarnation) == string(q.channel.Incarnation) && p.String(propAuthor) == string(q.user) &&
		!p.Time(propCreatedOn).Before(q.since)
}

// The ways to ask, from the best to the worst.
const (
	wayPoints = iota
	wayRange
	wayPartition
	wayTable
	ways
)

// A stop says why a way ended before it had read all that it had to.
type stop string

const (
	stoppedByRows     stop = "rows"
	stoppedByRequests stop = "requests"
	stoppedByTime     stop = "time"
)

// A measured way is what one way to ask has cost.
type measured struct {
	requests int
	// read is the number of rows that the store has looked at. The row after a page, which
	// a store may look at to see whether there is another page, counts once. Returned is the
	// number of those that answer the question.
	read, returned int
	took           time.Duration
	// found are the row keys of the answers.
	found []string
	// stopped is empty if the way was carried out whole.
	stopped stop
}

// Bounds of one page.
const (
	// maxQueryRows is how many rows all ways together read of the present store.
	maxQueryRows = 20_000
	// maxPoints is how many point queries are sent.
	maxPoints = 100
	// rowsOfLater is how many rows are kept for each way that is still to come, so that
	// none is left without any: one page.
	rowsOfLater = driver.MaxPage
)

// A survey is the four ways to ask one question of one store.
type survey struct {
	ways [ways]measured
	// rows are all rows that the two scans have read, each once, in the order of their
	// keys. They have only the properties of the question.
	rows []driver.Entity
	// whole tells that rows is the whole table.
	whole bool
}

// A surveyor reads a store for one survey.
type surveyor struct {
	tables PresentTables
	// left is how many rows may still be read.
	left int
	// properties are those to read; all if there are none.
	properties []string
	// keep tells that the survey gets the rows.
	keep bool
}

// ask asks the question in four ways, one after the other, and reads no more than that
// many rows. When ctx ends, the way under way and those to come are stopped, and that is
// no error.
func ask(ctx context.Context, tables PresentTables, q question, rows int) (survey, error) {
	s := &surveyor{tables: tables, left: rows, properties: answerProperties(), keep: true}
	return s.ask(ctx, q)
}

func (s *surveyor) ask(ctx context.Context, q question) (survey, error) {
	var found survey
	var err error
	// The keys of the point queries are those that the range has found.
	if found.ways[wayRange], _, err = s.rowRange(ctx, q); err != nil {
		return found, err
	}
	if found.ways[wayPoints], err = s.points(ctx, q, found.ways[wayRange].found); err != nil {
		return found, err
	}
	if stopped := found.ways[wayRange].stopped; stopped != "" && found.ways[wayPoints].stopped == "" {
		found.ways[wayPoints].stopped = stopped // not all keys are known
	}
	var partition, table []driver.Entity
	if found.ways[wayPartition], partition, err = s.partitionScan(ctx, q); err != nil {
		return found, err
	}
	if found.ways[wayTable], table, err = s.tableScan(ctx, q); err != nil {
		return found, err
	}
	found.whole = found.ways[wayTable].stopped == ""
	found.rows = table
	if !found.whole {
		found.rows = united(table, partition)
	}
	return found, nil
}

// united returns the rows of a table scan that was stopped, with all rows of one of its
// partitions, in the order of their keys.
func united(table, partition []driver.Entity) []driver.Entity {
	if len(partition) == 0 {
		return table
	}
	own := partition[0].Partition
	rows := make([]driver.Entity, 0, len(table)+len(partition))
	for len(table) > 0 && table[0].Partition < own {
		rows = append(rows, table[0])
		table = table[1:]
	}
	rows = append(rows, partition...)
	for len(table) > 0 && table[0].Partition == own {
		table = table[1:]
	}
	return append(rows, table...)
}

// points reads each row of the partition by its keys.
func (s *surveyor) points(ctx context.Context, q question, keys []string) (m measured, err error) {
	start := time.Now()
	defer func() { m.took = time.Since(start) }()
	for _, key := range keys {
		switch {
		case m.requests == maxPoints:
			m.stopped = stoppedByRequests
			return m, nil
		case s.left <= 0:
			m.stopped = stoppedByRows
			return m, nil
		}
		m.requests++
		row, err := s.tables.Get(ctx, postsTable, string(q.channel.Key), key)
		switch {
		case errors.Is(err, domain.ErrNotFound): // deleted since the range was read
			continue
		case err != nil && ctx.Err() != nil:
			m.stopped = stoppedByTime
			return m, nil
		case err != nil:
			return m, err
		}
		s.left--
		m.read++
		if q.answeredBy(row) {
			m.returned++
			m.found = append(m.found, row.Row)
		}
	}
	return m, nil
}

// rowRange reads the posts since the instant, and looks at each for its author.
func (s *surveyor) rowRange(ctx context.Context, q question) (measured, []driver.Entity, error) {
	from, to := q.keys()
	return s.pages(ctx, q, 3, func(p driver.Paging) (driver.Page, error) {
		return s.tables.Range(ctx, postsTable, driver.Range{Partition: string(q.channel.Key), From: from, To: to, Paging: p})
	})
}

// partitionScan reads the whole partition, and looks at each row.
func (s *surveyor) partitionScan(ctx context.Context, q question) (measured, []driver.Entity, error) {
	return s.pages(ctx, q, 1, func(p driver.Paging) (driver.Page, error) {
		return s.tables.Range(ctx, postsTable, driver.Range{Partition: string(q.channel.Key), Paging: p})
	})
}

// tableScan reads all partitions, and looks at each row.
func (s *surveyor) tableScan(ctx context.Context, q question) (measured, []driver.Entity, error) {
	return s.pages(ctx, q, 0, func(p driver.Paging) (driver.Page, error) {
		return s.tables.Scan(ctx, postsTable, driver.Scan{Paging: p})
	})
}

// pages reads a selection, page by page, with later ways still to come.
func (s *surveyor) pages(ctx context.Context, q question, later int, read func(driver.Paging) (driver.Page, error)) (m measured, rows []driver.Entity, err error) {
	start := time.Now()
	defer func() { m.took = time.Since(start) }()
	p := driver.Paging{Select: s.properties}
	for {
		// A store may look at the row after a page.
		p.Limit = min(driver.MaxPage, s.left-later*rowsOfLater-1)
		if p.Limit <= 0 {
			m.stopped = stoppedByRows
			return m, rows, nil
		}
		m.requests++
		page, err := read(p)
		switch {
		case err != nil && ctx.Err() != nil:
			m.stopped = stoppedByTime
			return m, rows, nil
		case err != nil:
			return m, rows, err
		}
		s.left -= max(page.Read, len(page.Rows))
		m.read += len(page.Rows)
		if s.keep {
			rows = append(rows, page.Rows...)
		}
		for _, row := range page.Rows {
			if q.answeredBy(row) {
				m.returned++
				m.found = append(m.found, row.Row)
			}
		}
		if page.Continuation == "" {
			return m, rows, nil
		}
		p.Continuation = page.Continuation
	}
}

// isPost tells whether a row is a post.
func isPost(row driver.Entity) bool { return strings.HasPrefix(row.Row, postPrefix) }
