package reader

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"microblogging/domain"
)

// DigestSummaryQuery selects what the summaries of some days list.
type DigestSummaryQuery struct {
	// Days follow each other, newest first. There is at least one.
	Days []domain.Day
	// PerChannel is the most posts of one channel and day, and PerDay the most of one
	// day.
	PerChannel, PerDay int
	// Headline makes a line of a post's title and text. It is called from several
	// goroutines.
	Headline func(title, text string) string
}

// DigestSummary says in few words what was posted in a day.
type DigestSummary struct {
	// Listed are the channels with lines, in the order of their keys.
	Listed []DigestSummaryChannel
	// Posts and Channels count the posts of the day and the channels with such posts,
	// listed or not.
	Posts, Channels int
}

// DigestSummaryChannel is what a summary lists of one channel.
type DigestSummaryChannel struct {
	Name domain.ChannelName
	// Lines are the most popular posts first, and the newest first among equals.
	Lines []DigestLine
	// Total is the number of posts of the day.
	Total int
}

// A DigestLine stands for a post.
type DigestLine struct {
	ID       domain.BlogID
	Headline string
	UserID   domain.UserName
	Rating   int64
}

// DigestSummaries sums up what was posted on each of some days to the channels that a
// user subscribes to. It ranks each channel once for all days, and verifies each that has a
// post, as Feed does. If a day has more posts than it may list, each channel gets a line
// before any gets a second one, and so on.
//
// Of the posts that it does not list it reads the ratings alone, and of those that it lists it
// keeps one line each.
func (s *Readers) DigestSummaries(ctx context.Context, user domain.UserName, q DigestSummaryQuery) ([]DigestSummary, error) {
	byDay, err := s.rankSubscribed(ctx, user, q.Days, "", q.PerChannel)
	if err != nil {
		return nil, err
	}
	summaries := make([]DigestSummary, len(byDay))
	var posts []pickedPost
	for i := range byDay {
		summaries[i].count(byDay[i])
		byDay[i] = firstOfEach(byDay[i], q.PerDay)
		posts = append(posts, picked(byDay[i])...)
	}
	lines, err := readPicked(ctx, s, posts, func(blog domain.Blog) DigestLine {
		// A string that was read may be part of a whole page of texts.
		return DigestLine{
			ID: domain.BlogID(strings.Clone(string(blog.ID))), Headline: strings.Clone(q.Headline(blog.Title, blog.Text)),
			UserID: domain.UserName(strings.Clone(string(blog.UserID))), Rating: blog.Rating,
		}
	})
	for i := range byDay {
		summaries[i].list(byDay[i], lines)
	}
	return summaries, err
}

// count counts the posts and the channels of a day.
func (d *DigestSummary) count(posts []rankedPost) {
	for _, p := range posts {
		if p.rank == 0 {
			d.Posts += p.total
			d.Channels++
		}
	}
}

// firstOfEach returns up to most posts: the first of each channel, then the second of each, and so
// on, in the order of keys and ranks.
func firstOfEach(posts []rankedPost, most int) []rankedPost {
	slices.SortStableFunc(posts, func(x, y rankedPost) int { return cmp.Compare(x.rank, y.rank) })
	posts = posts[:min(len(posts), most)]
	slices.SortStableFunc(posts, func(x, y rankedPost) int { return cmp.Compare(x.channel.Key, y.channel.Key) })
	return posts
}

// list lists the posts that are still there.
func (d *DigestSummary) list(posts []rankedPost, lines map[domain.BlogID]DigestLine) {
	for _, p := range posts {
		line, there := lines[p.id]
		if !there {
			continue
		}
		if n := len(d.Listed); n == 0 || d.Listed[n-1].Name != p.name {
			d.Listed = append(d.Listed, DigestSummaryChannel{Name: p.name, Total: p.total})
		}
		last := &d.Listed[len(d.Listed)-1]
		last.Lines = append(last.Lines, line)
	}
}
