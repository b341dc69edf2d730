package lab

import (
	"fmt"
	"strconv"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// atRest is I1, I5, I7, I8 and I9 in their plainest words, row by row, as far as
// possible from the code that they are about.
func atRest(v View) []domain.Breach {
	var breaches []domain.Breach
	breach := func(law, format string, args ...any) {
		breaches = append(breaches, domain.Breach{Invariant: law, Detail: fmt.Sprintf(format, args...)})
	}
	lives := map[string]string{}
	for row := range v.DB.Rows(tableChannels) {
		lives[row.Partition] = row.Properties.String("Incarnation")
		if row.Properties.String("State") != string(domain.ChannelActive) {
			breach("I5", "channel %s is still %s", row.Partition, row.Properties.String("State"))
		}
	}
	for channel, life := range lives {
		if _, err := v.DB.Get(tableBlogs, channel, "gate!open!"+life); err != nil {
			breach("I9", "channel %s has no open gate", channel)
		}
	}
	rows := map[string]driver.Entity{}
	for row := range v.DB.Rows(tableBlogs) {
		rows[row.Row] = row
		life := row.Properties.String("Incarnation")
		switch {
		case strings.HasPrefix(row.Row, "gate!open!"), strings.HasPrefix(row.Row, "gate!reserved!"): // a creation's that died: harmless
		case life != lives[row.Partition]:
			breach("I1", "%s belongs to %s, and no such channel lives", shortRow(row.Row), life)
		case strings.HasPrefix(row.Row, "gate!shut!"):
			breach("I9", "an active channel has a shut gate")
		}
	}
	for _, m := range v.Sent {
		if m.Kind == domain.MessageChannel {
			unfinished(v, m, breach)
		}
	}
	ratings(v, breach)
	onePost(v, breach)
	subscribers(v, lives, breach)
	return breaches
}

type report func(law, format string, args ...any)

// unfinished is I5 of one message.
func unfinished(v View, m SentMessage, breach report) {
	if _, there := channelRow(v.DB, m.Ref()); there {
		breach("I5", "a channel is still there whose deletion was asked for (%s)", string(m.Incarnation))
	}
	record, err := v.DB.Get(tableDeletions, string(m.Channel), string(m.Incarnation))
	if state := record.Properties.String("State"); err != nil || state != string(domain.DeletionDone) {
		breach("I5", "the deletion of %s is recorded as %q", string(m.Incarnation), state)
	}
}

// ratings is I8: each post, each row of the index and each vote has the others.
func ratings(v View, breach report) {
	votes, posts, indexed := map[string]int64{}, map[string]int64{}, map[string]int64{}
	for row := range v.DB.Rows(tableBlogs) {
		kind, rest, _ := strings.Cut(row.Row, "!")
		switch kind {
		case "blog":
			posts[rest] = row.Properties.Int64("Rating")
		case "vote":
			votes[rest[:max(strings.LastIndexByte(rest, '!'), 0)]]++
		case "rate":
			inverted, id, _ := strings.Cut(rest, "!")
			n, err := strconv.ParseInt(inverted, 10, 64)
			if _, twice := indexed[id]; twice || err != nil {
				breach("I8", "a post is twice in the index by rating")
			}
			indexed[id] = 9_999_999_999 - n
		}
	}
	for id, rating := range posts {
		if at, ok := indexed[id]; !ok || at != rating || votes[id] != rating {
			breach("I8", "a post rated %d has %d votes and is in the index at %d", rating, votes[id], at)
		}
		delete(indexed, id)
		delete(votes, id)
	}
	if len(indexed)+len(votes) > 0 {
		breach("I8", "%d rows of the index and the votes of %d posts are left of posts that are gone", len(indexed), len(votes))
	}
}

// onePost is I7. In the lab, requests with the same key have the same text, and
// no others do.
func onePost(v View, breach report) {
	made := map[string]string{}
	v.each(func(_, _ int, f Fact) {
		if f.Kind != Posted {
			return
		}
		request := string(f.Channel.Incarnation) + "!" + string(f.User) + "!" + f.Key
		if first, ok := made[request]; ok && first != string(f.Blog) {
			breach("I7", "one idempotency key was answered with two posts")
		}
		made[request] = string(f.Blog)
	})
	texts := map[string]bool{}
	for row := range v.DB.Rows(tableBlogs) {
		text := row.Properties.String("Text")
		if !strings.HasPrefix(row.Row, "blog!") {
			continue
		}
		key := row.Partition + "!" + row.Properties.String("UserId") + "!" + text
		if texts[key] {
			breach("I7", "one idempotency key made two posts")
		}
		texts[key] = true
	}
}

// subscribers is I8 of subscriptions, once each feed was read: who counts for the
// channel knows of it, and the other way round.
func subscribers(v View, lives map[string]string, breach report) {
	for row := range v.DB.Rows(tableBlogs) {
		user, ok := strings.CutPrefix(row.Row, "sub!")
		if !ok {
			continue
		}
		if _, err := v.DB.Get(tableSubscriptions, user, row.Partition+"!"+row.Properties.String("Incarnation")); err != nil {
			breach("I8", "%s counts as a subscriber and has no subscription", user)
		}
	}
	for row := range v.DB.Rows(tableSubscriptions) {
		channel, life, _ := strings.Cut(row.Row, "!")
		if row.Properties.String("State") != "joined" || lives[channel] != life {
			continue // garbage, which nobody sees
		}
		if _, err := v.DB.Get(tableBlogs, channel, "sub!"+row.Partition); err != nil {
			breach("I8", "%s has a subscription and does not count as a subscriber", row.Partition)
		}
	}
}
