package reader

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

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
// Its memory is bounded by what it lists: of the other posts it reads the ratings alone,
// and of those that it lists it keeps one line each.
func (s *Readers) DigestSummaries(ctx context.Context, user domain.UserName, q DigestSummaryQuery) ([]DigestSummary, error) {
	following, err := s.readSubscriptions(ctx, user)
	if err != nil {
		return nil, err
	}
	days := make([]summaryDay, len(q.Days))
	var mu sync.Mutex
	err = s.eachSubscribed(ctx, following, everyChannel, func(ctx context.Context, subscription Row) error {
		ranked, err := s.rankDays(ctx, subscription.Channel, q.Days, q.PerChannel)
		if err != nil || !slices.ContainsFunc(ranked, func(r *ranking) bool { return r.total > 0 }) {
			return err
		}
		channel, valid, err := s.RepairSubscription(ctx, subscription, user)
		if err != nil || !valid {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for i := range days {
			days[i].add(channel, ranked[i], q.PerDay)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.readSummaries(ctx, days, q.Headline)
}

// A summaryDay collects the posts that the summary of a day lists.
type summaryDay struct {
	posts, channels int
	listed          []summaryPost
}

type summaryPost struct {
	name domain.ChannelName
	pickedPost
	// rank is the post's rank in its channel, and total the number of the channel's
	// posts.
	rank, total int
	line        DigestLine
}

func (p summaryPost) compare(other summaryPost) int {
	return cmp.Or(cmp.Compare(p.rank, other.rank), cmp.Compare(p.channel.Key, other.channel.Key))
}

// add lists the posts of one channel, as far as they are among the first.
func (d *summaryDay) add(channel domain.Channel, posted *ranking, most int) {
	if posted.total == 0 {
		return
	}
	d.posts += posted.total
	d.channels++
	for rank, pick := range posted.best() {
		post := summaryPost{name: channel.Name, pickedPost: pickedPost{channel.Ref(), pick}, rank: rank, total: posted.total}
		if len(d.listed) == most && post.compare(d.listed[most-1]) > 0 {
			break
		}
		i, _ := slices.BinarySearchFunc(d.listed, post, summaryPost.compare)
		d.listed = slices.Insert(d.listed, i, post)
		d.listed = d.listed[:min(len(d.listed), most)]
	}
}

// readSummaries reads the posts that the days list, each of them once, and keeps a line
// of each. A post that was deleted since is left out.
func (s *Readers) readSummaries(ctx context.Context, days []summaryDay, headline func(title, text string) string) ([]DigestSummary, error) {
	var posts []pickedPost
	var lines []*DigestLine
	for _, day := range days {
		for i := range day.listed {
			posts, lines = append(posts, day.listed[i].pickedPost), append(lines, &day.listed[i].line)
		}
	}
	err := s.readPicked(ctx, posts, func(i int, blog domain.Blog) {
		// A string that was read may be part of a whole page of texts.
		*lines[i] = DigestLine{
			ID: posts[i].id, Headline: strings.Clone(headline(blog.Title, blog.Text)),
			UserID: domain.UserName(strings.Clone(string(blog.UserID))), Rating: blog.Rating,
		}
	})
	if err != nil {
		return nil, err
	}
	summaries := make([]DigestSummary, len(days))
	for i, day := range days {
		summaries[i] = day.summary()
	}
	return summaries, nil
}

func (d *summaryDay) summary() DigestSummary {
	slices.SortFunc(d.listed, func(x, y summaryPost) int {
		return cmp.Or(cmp.Compare(x.channel.Key, y.channel.Key), cmp.Compare(x.rank, y.rank))
	})
	summary := DigestSummary{Posts: d.posts, Channels: d.channels}
	for _, post := range d.listed {
		if post.line.ID == "" {
			continue
		}
		if n := len(summary.Listed); n == 0 || summary.Listed[n-1].Name != post.name {
			summary.Listed = append(summary.Listed, DigestSummaryChannel{Name: post.name, Total: post.total})
		}
		channel := &summary.Listed[len(summary.Listed)-1]
		channel.Lines = append(channel.Lines, post.line)
	}
	return summary
}
