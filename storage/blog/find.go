package blog

import (
	"context"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// MaxSearched is how many posts one request looks at, at most: 20 reads, since one read has up to
// driver.MaxPage rows. No index has the words of posts, and it would have to be right whenever a
// post is. So to find one is to read the partition, and each request has a budget.
const MaxSearched = 20 * driver.MaxPage

// MaxSearchedText is how many bytes of texts one request looks at, about. To fold them all takes two seconds
// of a processor if all their letters have accents that are characters of their own.
const MaxSearchedText = 16 << 20

// maxMatching is how long one request may take to match texts, since a text can take a hundred times as long as
// another one of its length: what it costs to fold depends on its letters.
const maxMatching = time.Second

// A Found is a page of the posts that match. It may have no items and a Next.
type Found struct {
	driver.ListPage[domain.Blog]
	// Searched is how many posts were looked at, and Back when the oldest of them was made.
	Searched int
	Back     time.Time
}

// Find lists those posts of a query that match, newest first. The name of the search is different for
// each matches. A cursor of another list is an InvalidError on the field "after".
func (s *Posts) Find(ctx context.Context, ref domain.ChannelRef, name string, matches func(domain.Draft) bool, q Query) (found Found, err error) {
	list, in, err := q.rows(ref, "/"+name)
	if err != nil {
		return found, err
	}
	last, bytes, matching := "", 0, time.Duration(0)
	for row, err := range s.blogs.Within(ctx, in) {
		switch {
		case err != nil:
			return Found{}, fmt.Errorf("finding posts of channel %s: %w", ref.Key, err)
		case found.Searched == MaxSearched || bytes >= MaxSearchedText || matching >= maxMatching || len(found.Items) == q.Limit:
			found.Next = list.Next(last)
			return found, nil
		}
		last = row.Row
		found.Searched++
		blog := Decode(row)
		found.Back = blog.CreatedOn
		bytes += len(blog.Title) + len(blog.Text)
		shown, is := s.fence.Leaving.Shown(blog.Blog)
		began := time.Now()
		is = is && blog.Channel.Incarnation == ref.Incarnation && matches(blog.Draft)
		if matching += time.Since(began); is {
			found.Items = append(found.Items, shown)
		}
	}
	return found, nil
}

// PageBefore returns the After of the page of so many posts that ends right before a post, where a
// reader goes on to newer posts. It is empty for the first page. Rows can be read in the order of
// their keys alone, which is newest first. So it reads the keys of what is an hour newer than the
// post, and of longer spans until they fill the page. The first page also counts as one that
// lies under MaxSearched posts of such a span.
func (s *Posts) PageBefore(ctx context.Context, ref domain.ChannelRef, than domain.BlogID, limit int) (after string, err error) {
	list, in, err := Query{Limit: limit}.rows(ref, "")
	made, _ := than.Date() // an id has one
	if err != nil {
		return "", err
	}
	in.To, in.KeysOnly = schema.BlogRow(than), true
	const day = 24 * time.Hour
	for _, span := range []time.Duration{time.Hour, day, 30 * day, 365 * day, 0} {
		var until time.Time
		if span > 0 {
			until = made.Add(span)
		}
		in.From, _ = schema.BlogRange(time.Time{}, until)
		newer, err := s.lastRows(ctx, in, limit+1)
		if err != nil {
			return "", fmt.Errorf("newer posts of channel %s: %w", ref.Key, err)
		}
		switch {
		case len(newer) > limit:
			return list.Next(newer[0]), nil
		case until.After(time.Now()):
			return "", nil
		}
	}
	return "", nil
}

// lastRows returns the last n row keys of a range, or none if it has MaxSearched rows.
func (s *Posts) lastRows(ctx context.Context, in driver.Range, n int) (rows []string, err error) {
	read := 0
	for row, err := range s.blogs.Within(ctx, in) {
		if read++; err != nil || read == MaxSearched {
			return nil, err
		}
		if rows = append(rows, row.Row); len(rows) > n {
			rows = rows[1:]
		}
	}
	return rows, nil
}
