package page

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
)

// times is how many times the rows the larger store has. The larger store is made up in
// memory: at most times × maxQueryRows rows.
const times = 10

// A comparison is one question, asked of the same rows once and ten times over, both in
// memory, so that nothing but the number of rows differs.
type comparison struct {
	once, tenfold survey
	// rows and more are the numbers of rows of the two stores.
	rows, more int
}

// compare asks the question of the rows, and of ten times as many. When ctx ends, it
// returns the error of ctx.
func compare(ctx context.Context, q question, rows []driver.Entity) (comparison, error) {
	c := comparison{rows: len(rows)}
	var err error
	if c.once, err = askInMemory(ctx, q, rows); err != nil {
		return c, err
	}
	more := madeUp(q.since, rows)
	c.more = len(more)
	c.tenfold, err = askInMemory(ctx, q, more)
	return c, err
}

// runs is how often a copy of so many rows is asked. The shortest times count: longer ones
// are those of a processor that was busy with something else. A large copy is asked once.
func runs(rows int) int {
	switch {
	case rows <= 5_000:
		return 5
	case rows <= maxQueryRows:
		return 3
	}
	return 1
}

// askInMemory asks the question of a store in memory that has these rows.
func askInMemory(ctx context.Context, q question, rows []driver.Entity) (survey, error) {
	if err := ctx.Err(); err != nil {
		return survey{}, err
	}
	content, err := mem.Snapshot{}.WithRows(postsTable, rows)
	if err != nil {
		return survey{}, fmt.Errorf("making up a store: %w", err)
	}
	tables := mem.Open(content, "made up ")
	var best survey
	for run := range runs(len(rows)) {
		s := &surveyor{tables: tables, left: math.MaxInt}
		found, err := s.ask(ctx, q)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return found, err
		}
		if run > 0 {
			for way := range ways {
				found.ways[way].took = min(found.ways[way].took, best.ways[way].took)
			}
		}
		best = found
	}
	return best, nil
}

// madeUp returns the rows and, for each, nine more in its partition, in the order of their
// keys. A post that is made up has the author of its original and is older than all posts of
// its channel and than since, so that the question has the same answer. Any other row has
// the key of its original and a number.
func madeUp(since time.Time, rows []driver.Entity) []driver.Entity {
	all := make([]driver.Entity, 0, times*len(rows))
	for len(rows) > 0 {
		posts := 0 // they come first in their partition
		for posts < len(rows) && isPost(rows[posts]) && rows[posts].Partition == rows[0].Partition {
			posts++
		}
		all = olderPosts(append(all, rows[:posts]...), since, rows[:posts])
		rows = rows[posts:]
		for len(rows) > 0 && !isPost(rows[0]) {
			all = append(all, rows[0])
			for n := 1; n < times; n++ {
				more := rows[0]
				more.Row += " " + strconv.Itoa(n) // no key of a row holds a space
				all = append(all, more)
			}
			rows = rows[1:]
		}
	}
	if !slices.IsSortedFunc(all, byKeys) {
		slices.SortFunc(all, byKeys)
	}
	return all
}

// olderPosts appends nine posts for each of a channel's posts.
func olderPosts(all []driver.Entity, since time.Time, posts []driver.Entity) []driver.Entity {
	on := since
	for _, post := range posts {
		if made := post.Properties.Time(propCreatedOn); made.Before(on) && !made.IsZero() {
			on = made
		}
	}
	for _, post := range posts {
		token := post.Row[strings.LastIndexByte(post.Row, '!'):]
		// The nine share their properties: 200,000 rows must stay small.
		post.Properties = post.Properties.Merged(driver.Properties{driver.Time(propCreatedOn, on.Add(-time.Second))})
		for range times - 1 {
			on = on.Add(-time.Second) // 200,000 of them are some days
			post.Row = postPrefix + domain.RecentFirst(on) + token
			all = append(all, post)
		}
	}
	return all
}

func byKeys(a, b driver.Entity) int {
	return cmp.Or(strings.Compare(a.Partition, b.Partition), strings.Compare(a.Row, b.Row))
}
