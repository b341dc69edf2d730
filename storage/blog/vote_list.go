package blog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// maxVotesRead is how many rows VotedOn and VotedAmong read at most.
const maxVotesRead = 250

// VotedOn returns those of the channel's posts that a user is known to vote for. The
// votes of all users on a post are in one range, so it reads one page of one range, from
// the first of the posts to the last, and nothing if no post has a vote. If there are
// more than maxVotesRead votes in between, it knows nothing of the posts behind those.
func (s *Posts) VotedOn(ctx context.Context, ref domain.ChannelRef, posts []domain.Blog, by domain.UserName) (map[domain.BlogID]bool, error) {
	first, last := ratedSpan(posts)
	if first == "" {
		return nil, nil
	}
	page, err := s.blogs.Range(ctx, driver.Range{
		Partition: schema.ChannelPartition(ref.Key), From: schema.VotesOf(first), To: schema.PrefixEnd(schema.VotesOf(last)),
		Paging: driver.Paging{Limit: maxVotesRead, KeysOnly: true}})
	if err != nil {
		return nil, fmt.Errorf("votes of %s in channel %s: %w", by, ref.Key, err)
	}
	voted := make(map[domain.BlogID]bool)
	for _, row := range page.Rows {
		if strings.HasSuffix(row.Row, "!"+string(by)) {
			voted[schema.VotedOn(row.Row)] = true
		}
	}
	return voted, nil
}

// VotedAmong returns those of some posts, of any channels, that a user votes for. A row of the user's list leads to each
// of them, and their votes decide. So it reads one range of that list, and the votes to which it leads. If the list
// has maxVotesRead rows in between or more, it reads the votes of all posts that have any.
func (s *Posts) VotedAmong(ctx context.Context, posts []domain.Blog, by domain.UserName) (map[domain.BlogID]bool, error) {
	first, last := ratedSpan(posts)
	if by == "" || first == "" {
		return nil, nil
	}
	listed, err := s.lists.users.First(ctx, maxVotesRead, driver.Range{
		Partition: schema.UserPartition(by), From: schema.VotedRow(first), To: driver.Successor(schema.VotedRow(last)),
		Paging: driver.Paging{KeysOnly: true}})
	if err != nil {
		return nil, fmt.Errorf("votes of %s: %w", by, err)
	}
	rows := make(map[string]bool, len(listed))
	for _, row := range listed {
		rows[row.Row] = true
	}
	likely := slices.DeleteFunc(slices.Clone(posts), func(post domain.Blog) bool {
		return post.Rating == 0 || len(listed) < maxVotesRead && !rows[schema.VotedRow(post.ID)]
	})
	found, err := concurrent.Gather(ctx, s.fence.Reads, likely, func(ctx context.Context, post domain.Blog) (domain.BlogID, bool, error) {
		voted, err := s.Voted(ctx, post.Channel, post.ID, by)
		return post.ID, voted, err
	})
	voted := make(map[domain.BlogID]bool, len(found))
	for _, id := range found {
		voted[id] = true
	}
	return voted, err
}

// SameVotes reports whether VotedOn reads the same range for two lists of posts of a channel,
// so that what it returned for the one is as good for the other.
func SameVotes(posts, others []domain.Blog) bool {
	first, last := ratedSpan(posts)
	otherFirst, otherLast := ratedSpan(others)
	return first == otherFirst && last == otherLast
}

// ratedSpan returns the least and the greatest id of the posts that have votes. Both are
// empty if none has.
func ratedSpan(posts []domain.Blog) (first, last domain.BlogID) {
	for _, post := range posts {
		if post.Rating == 0 {
			continue
		}
		if first == "" || post.ID < first {
			first = post.ID
		}
		last = max(last, post.ID)
	}
	return first, last
}
