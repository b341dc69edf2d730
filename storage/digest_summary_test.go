package storage_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
)

func TestDigestSummaries(t *testing.T) {
	t.Run("each channel gets a line before any gets a second", summaryIsFairToChannels)
}

// summaryQuery selects three days, as many lines as it is told, and the texts as
// headlines.
func summaryQuery(perChannel, perDay int) storage.DigestSummaryQuery {
	return storage.DigestSummaryQuery{
		Days:       []domain.Day{digestDay.After(), digestDay, digestDay.Before()},
		PerChannel: perChannel, PerDay: perDay,
		Headline: func(_, text string) string { return text },
	}
}

// A line is a post of a digest, with its rank in its channel.
type line struct {
	channel domain.ChannelName
	blog    domain.Blog
	rank    int
}

// wantLines returns the lines of a day, and how many posts and channels it has.
func (d *digestWorld) wantLines(day domain.Day, perChannel, perDay int) (lines []line, posts, channels int) {
	for _, channel := range d.channels {
		all := d.listed(channel.Ref(), storage.BlogQuery{Since: day.From, Until: day.Until, Limit: 100}, nothing)
		slices.SortStableFunc(all, func(a, b domain.Blog) int { return cmp.Compare(b.Rating, a.Rating) })
		if posts += len(all); len(all) > 0 {
			channels++
		}
		for rank, blog := range all[:min(len(all), perChannel)] {
			lines = append(lines, line{channel.Name, blog, rank})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.rank, b.rank) })
	lines = lines[:min(len(lines), perDay)]
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.channel, b.channel) })
	return lines, posts, channels
}

func summaryIsFairToChannels(t *testing.T) {
	for seed := range uint64(3) {
		inBubble(t, func(t *testing.T, w *world) {
			d := newDigestWorld(w, seed)
			for _, most := range [][2]int{{20, 50}, {20, 9}, {3, 50}, {3, 9}, {1, 2}, {1, 1}} {
				q := summaryQuery(most[0], most[1])
				summaries, err := w.store.DigestSummaries(t.Context(), ada, q)
				w.ok(err)
				for i, day := range q.Days {
					d.mustSumUp(summaries[i], day, most[0], most[1])
				}
			}
		})
	}
}

func (d *digestWorld) mustSumUp(got storage.DigestSummary, day domain.Day, perChannel, perDay int) {
	d.t.Helper()
	lines, posts, channels := d.wantLines(day, perChannel, perDay)
	if got.Posts != posts || got.Channels != channels {
		d.t.Errorf("%s has %d posts in %d channels, want %d in %d", day.Date, got.Posts, got.Channels, posts, channels)
	}
	var have, want []string
	for _, l := range lines {
		want = append(want, fmt.Sprint(l.channel, l.blog.ID, l.blog.Text, l.blog.UserID, l.blog.Rating))
	}
	for _, channel := range got.Listed {
		for _, l := range channel.Lines {
			have = append(have, fmt.Sprint(channel.Name, l.ID, l.Headline, l.UserID, l.Rating))
		}
	}
	if !slices.Equal(have, want) {
		d.t.Errorf("%s with %d of a channel and %d in all lists %q, want %q", day.Date, perChannel, perDay, have, want)
	}
}
