package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Posted reports whether a posting with the key of p was made to the same incarnation
// before, whatever its body was and whatever became of its post. It takes one request,
// where Post would take three to find the same.
func (s *Store) Posted(ctx context.Context, p Posting) (bool, error) {
	_, found, err := s.earlierPosting(ctx, p)
	return found, err
}

// PostedAlike reports whether an earlier posting that Posted finds looks like p: it had
// the same body, or the same title with the same date or the same words. If its post is
// gone, the same date is enough, or none. It is for a key that says too little about what
// it stands for. Words are compared without marks, because imports were plain text once
// and are Markdown now.
func (s *Store) PostedAlike(ctx context.Context, p Posting) (bool, error) {
	once, found, err := s.earlierPosting(ctx, p)
	if err != nil || !found {
		return false, err
	}
	if once.String(propBody) == p.bodyHash() {
		return true, nil
	}
	id := once.String(propBlog)
	undated := p.CreatedOn.IsZero()
	sameDate := !undated && strings.HasPrefix(id, domain.RecentFirst(domain.Storable(p.CreatedOn)))
	blog, err := s.Blog(ctx, p.Channel, domain.BlogID(id))
	if errors.Is(err, domain.ErrNotFound) {
		return sameDate || undated, nil
	}
	return err == nil && blog.Title == p.Draft.Title && (sameDate || sameWords(blog.Text, p.Draft.Text)), err
}

// sameWords reports whether two texts have the same letters and digits outside of
// addresses. If one was cut, the rest of the other does not count.
func sameWords(a, b string) bool {
	const cut = "…"
	short, long := letters(a), letters(b)
	if len(long) < len(short) {
		a, b, short, long = b, a, long, short
	}
	return short != "" && (short == long || strings.HasSuffix(a, cut) && strings.HasPrefix(long, short))
}

// letters has the letters and digits of a text outside of addresses.
func letters(text string) string {
	var b strings.Builder
	for more := true; more; {
		var before string
		before, text, more = strings.Cut(text, "://")
		if more {
			before = strings.TrimSuffix(strings.TrimSuffix(before, "s"), "http")
			text = afterAddress(text)
		}
		for _, r := range before {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// afterAddress returns what follows the address at the start of the text.
func afterAddress(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == ')' || r == '>' })
	if end < 0 {
		return ""
	}
	return text[end:]
}

// earlierPosting reads the once! row of a posting that was made before.
func (s *Store) earlierPosting(ctx context.Context, p Posting) (once driver.Properties, found bool, err error) {
	row, err := s.blogs.Get(ctx, partitionOf(p.Channel.Key), p.once())
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("looking for an earlier post in channel %s: %w", p.Channel.Key, err)
	}
	return row.Properties, row.Properties.String(propIncarnation) == string(p.Channel.Incarnation), nil
}
